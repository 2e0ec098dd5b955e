// The user agent of outgoing requests.

/** A test holds the version against package.json, which is not there where the service is embedded as source. */
export const userAgent = 'rankledger/0.1.0';
