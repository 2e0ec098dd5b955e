// What the service core asks of its host, in types: time, and who may call. Accounts have a port of their own (account-store.ts).

/** Time as an argument: `now` in UTC milliseconds, `sleep` that ends early with the signal's reason. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The two operations of the specification, as its paths name them. */
export type OperationName = 'serp' | 'keyword-data';

/** A trusted host in this process, metered on `account` where it names one. */
export interface TrustedCaller {
  readonly kind: 'trusted';
  readonly account?: string;
}

/** Someone who must prove who they are, checked exactly as over HTTP. A header that was not sent is undefined. */
export interface CredentialsCaller {
  readonly kind: 'credentials';
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** IPv4 or IPv6 address from which the request came. */
  readonly address: string;
}

export type Caller = TrustedCaller | CredentialsCaller;

/** What an operation costs, in the two currencies of the specification: integers. */
export interface Price {
  readonly serpCredits: number;
  readonly microUsd: number;
}
