// The user agent of outgoing requests.

/** A test compares the version with package.json, which is missing where the service is embedded as source. */
export const userAgent = 'rankledger/0.1.0';
