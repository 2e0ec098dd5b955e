// Types: options of the server, and the running server.
import type { AccountStore } from '../access/account-store.ts';
import type { LoginLimits } from '../access/authentication.ts';
import type { ScryptCost } from '../access/passwords.ts';
import type { RatePolicy } from '../access/rate-limit.ts';
import type { SearchDataService } from '../core/service.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';

export interface ServerOptions {
  /** Serves the requests; it stays its owner's to close, after the server. */
  readonly service: SearchDataService;
  /** The accounts that the service charges: what a dead process left open is refunded before the first request. */
  readonly accounts?: AccountStore;
  readonly clock: Clock;
  /** Default: this machine only, `127.0.0.1`. */
  readonly host?: string;
  /** 0 takes a free one, and is the default. */
  readonly port?: number;
  /** Serves the account dashboard at `/account`. Default: no. Its accounts need a store that has `dashboard`. */
  readonly dashboard?: DashboardOptions;
  /**
   * Rules (as in a whitelist) of the proxies whose `X-Forwarded-For` is believed. Default: none, and the socket's
   * address counts.
   */
  readonly trustedProxies?: readonly string[];
  /** What one address may ask for without credentials. Default: 600 a minute. */
  readonly pageRate?: RatePolicy;
  /** What a client may take, in milliseconds, where a test cannot wait for `limits`. */
  readonly times?: Partial<ClientTimes>;
  /** Called with every response, for a log. It holds no credentials, no query and no body. */
  readonly onAnswer?: (line: AnsweredRequest) => void;
}

export interface DashboardOptions {
  /** Cost of a holder's password hash. Default: N = 2^15, r = 8, p = 3. */
  readonly scryptCost?: ScryptCost;
  /** Failed sign-ins of an account from an address, and of an address in all. Default: 10 and 30 a minute. */
  readonly logins?: LoginLimits;
}

/**
 * How long a client may take to send its headers, its whole request and its next one, and how often that is looked at.
 */
export interface ClientTimes {
  readonly headersTimeoutMs: number;
  readonly bodyTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly connectionsCheckMs: number;
  readonly stopGraceMs: number;
}

export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly address: string;
  readonly status: number;
  readonly durationMs: number;
  /** The API user who was proven, and its account; absent where no credentials were right. */
  readonly user?: string;
  /** On the dashboard: of the holder who has signed in. */
  readonly account?: string;
  readonly code?: ErrorCode;
  /** The error, if the service caused it. Its causes may name internal hosts or vendors. */
  readonly error?: unknown;
}

export interface RunningServer {
  readonly url: string;
  /** Takes no more requests, lets those that came whole finish for 30 seconds at most, and closes every connection. */
  close(): Promise<void>;
}
