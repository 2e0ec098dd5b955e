// What the service core asks of its host: a clock, a meter for accounts, a limit on the rate of calls. Each has more than one implementation.

/** Time as an argument: `now` in UTC milliseconds, `sleep` that ends early with the signal's reason. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Who is calling: a trusted host in this process, metered on `account` where it names one. */
export interface TrustedCaller {
  readonly kind: 'trusted';
  readonly account?: string;
}

export type Caller = TrustedCaller;

/** What an operation may cost at most, in the two currencies of the specification. */
export interface Price {
  readonly serpCredits: number;
  readonly microUsd: number;
}

/** A charge that stands until it is settled to what was used; a failed request settles it to nothing. */
export interface Charge {
  settle(used: Price): Promise<void>;
}

/** Charges accounts. Throws `ServiceError('INSUFFICIENT_CREDITS')` before any work where the balance is too small. */
export interface Meter {
  charge(account: string, price: Price): Promise<Charge>;
}

/** Limits how often a caller may call. Throws `ServiceError('RATE_LIMIT_EXCEEDED')` with `retryAfterMs`; nothing was charged then. */
export interface RateLimiter {
  admit(caller: Caller): Promise<void>;
}
