// Types: options of the server, and the running server.
import type { AccountStore } from '../access/account-store.ts';
import type { LoginLimits } from '../access/login/login-failures.ts';
import type { ScryptCost } from '../access/login/passwords.ts';
import type { RatePolicy } from '../access/login/rate-limit.ts';
import type { SearchDataService } from '../core/calls.ts';
import type { ErrorCode } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';

export interface ServerOptions {
  /** Serves the requests. The server does not close it: close it yourself, after the server. */
  readonly service: SearchDataService;
  /**
   * The accounts that the service charges. Charges that a dead process left open are refunded before the first request.
   */
  readonly accounts?: AccountStore;
  readonly clock: Clock;
  /** Default: this machine only, `127.0.0.1`. */
  readonly host?: string;
  /** 0, the default, picks a free port. */
  readonly port?: number;
  /** Serves the account dashboard at `/account`. Default: no. Its accounts need a store that has `dashboard`. */
  readonly dashboard?: DashboardOptions;
  /**
   * Rules (as in a whitelist) of the proxies whose `X-Forwarded-For` is trusted. Default: none; the socket's address
   * counts.
   */
  readonly trustedProxies?: readonly string[];
  /** Rate limit of one address without credentials. Default: 600 a minute. */
  readonly pageRate?: RatePolicy;
  /** Time limits for clients, in milliseconds; only for tests that cannot wait for `limits`. */
  readonly times?: Partial<ClientTimes>;
  /** Called with every response, for a log. It holds no credentials, no query and no body. */
  readonly onAnswer?: (line: AnsweredRequest) => void;
}

export interface DashboardOptions {
  /** Cost of a holder's password hash. Default: N = 2^15, r = 8, p = 3. */
  readonly scryptCost?: ScryptCost;
  /** Limit of failed sign-ins per account and address, and per address. Default: 10 and 30 a minute. */
  readonly logins?: LoginLimits;
}

/** Time limits for a client to send headers, the whole request and the next request, and how often they are checked. */
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
  /** The authenticated API user and its account; absent if the credentials were wrong. */
  readonly user?: string;
  /** On the dashboard: of the holder who has signed in. */
  readonly account?: string;
  readonly code?: ErrorCode;
  /** The error, if the service caused it. Its causes may name internal hosts or vendors. */
  readonly error?: unknown;
}

export interface RunningServer {
  readonly url: string;
  /** Accepts no more requests, lets complete requests finish for 30 seconds at most, and closes every connection. */
  close(): Promise<void>;
}
