// Inputs, results and options of the service's calls, and the options that create a service.
import type { AccountStore, Balance } from '../access/account-store.ts';
import type { LoginLimits } from '../access/login/authentication.ts';
import type { ScryptCost } from '../access/login/passwords.ts';
import type { RatePolicy, RateState } from '../access/login/rate-limit.ts';
import type { RequestCount } from '../model/charged.ts';
import type { Source } from '../model/configured-source.ts';
import type { PageBody, PassedOver } from '../model/errors.ts';
import type { Caller, Clock, OperationName, Price } from '../model/ports.ts';
import type { KeywordDataResponse } from '../model/results/keyword-data.ts';
import type { ReadPage } from '../model/results/serp.ts';

import type { PagesInFlight } from './page-permits.ts';

/** A SERP request as the specification's table writes it; defaults: `en`, `US`, `json`, desktop, page 1. */
export interface SerpRequestInput {
  keyword: string;
  language?: string;
  country?: string;
  format?: 'json' | 'raw';
  mobile?: boolean;
  start_page?: number;
  end_page?: number;
  /** An extension: a place or a coordinate inside the country. */
  location?: string | undefined;
}

/** A keyword data request as the specification's table writes it; defaults: `US`, `en`, 100. */
export interface KeywordDataRequestInput {
  keyword: string;
  country?: string;
  language?: string;
  limit?: number;
}

export interface CallOptions {
  readonly caller?: Caller;
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The moment to show, UTC milliseconds; only simulated sources (sandbox, replay) honour it. Default: now. */
  readonly at?: number;
  /**
   * For keyword data in process: other keywords of the same market that the caller wants to know of. Sources that are
   * asked for several at once answer for them before related ones, as far as the limit goes. A provider over HTTP does
   * not get it.
   */
  readonly wanted?: readonly string[];
  /**
   * The same key on every try of one purchase: within 24 hours it is paid once. Sent as `Idempotency-Key` by the
   * client.
   */
  readonly idempotencyKey?: string;
  /**
   * Awaited when the call's turn has come, right before anything leaves; where it rejects, nothing is sent and the call
   * fails with that error. What must be written down before money can be spent is written here, and not while the call
   * still waits for its turn.
   */
  readonly beforeSend?: () => Promise<void>;
  /**
   * Called with other facts of the call, just before its promise settles: once, or over HTTP once for each answer that
   * came.
   */
  readonly onReport?: (report: CallReport) => void;
}

/** Facts of a call besides its answer or failure; over HTTP they are headers. */
export interface CallReport {
  readonly requestId: string;
  /** Where the caller stands with its rate limit; absent for a trusted caller, and where a provider does not say. */
  readonly rate?: RateState;
  /** What this call has cost its account and what is left; absent where nothing was charged. */
  readonly charge?: { readonly used: Price; readonly balance: Balance };
  /** The API user who was proven, and the account that it calls for; in process only. */
  readonly caller?: { readonly username: string; readonly account: string };
  /** The answer was paid for by an earlier call with the same idempotency key. */
  readonly isReplayed?: boolean;
}

/** One page of an answer: read, and as it was received. */
export interface AnsweredPage extends ReadPage {
  readonly page: number;
  readonly body: PageBody;
  /** UTC milliseconds. */
  readonly observedAt: number;
  /** Which of the sources behind the service gave it; absent where there is one. */
  readonly source?: string;
  /** Sources behind the service that were to be asked before and refuse us. */
  readonly passedOver?: readonly PassedOver[];
  /** The requests of the source that it took, where that is not always one. */
  readonly requests?: RequestCount;
}

export interface SerpAnswer {
  readonly requestId: string;
  readonly creditsCharged: number;
  /** What the provider says that all pages cost, in credits; absent where it says nothing. */
  readonly creditsStated?: number;
  /** In page order. With `format: 'raw'` the pages are not read: `serp` is empty and `features` too. */
  readonly pages: readonly AnsweredPage[];
}

export interface KeywordDataAnswer {
  readonly requestId: string;
  readonly response: KeywordDataResponse;
  /** What the provider says beside `cost`, in micro-USD; absent where it says nothing. */
  readonly microUsdStated?: number;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** What the service takes from its host. */
export interface ServiceHost {
  readonly source: Source;
  readonly clock: Clock;
  /**
   * Accounts, API users and their charges. Without it every caller with credentials is refused, and so is one that
   * names an account.
   */
  readonly accounts?: AccountStore;
  /** Requests of each API user; trusted callers are not counted. Default: 600 a minute. */
  readonly requestRate?: RatePolicy;
  /**
   * What each operation's source works on at once for API users. Default: 10 pages of a live source, 4 of the others.
   */
  readonly inFlight?: Partial<Readonly<Record<OperationName, PagesInFlight>>>;
  /**
   * Failed logins. Default: 10 a minute of a username from an address, 30 of an address in all (IPv6: of a /64
   * network).
   */
  readonly logins?: LoginLimits;
  /** Cost of a password hash where no user is known: the cost with which the host's passwords are hashed. */
  readonly scryptCost?: ScryptCost;
  readonly requestId?: () => string;
  /**
   * Time of one request where its caller names none. Default: 60 s for a live source; the others answer from this
   * machine.
   */
  readonly timeoutMs?: number;
}
