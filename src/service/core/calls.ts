// The interface of the Search Data Service: its calls with their options and results, and what its host gives it.
import type { AccountStore, Balance } from '../access/account-store.ts';
import type { UsageResponse } from '../access/credits.ts';
import type { LoginLimits } from '../access/login/login-failures.ts';
import type { ScryptCost } from '../access/login/passwords.ts';
import type { RatePolicy, RateState } from '../access/login/rate-limit.ts';
import type { RequestCount } from '../model/charged.ts';
import type { PageBody, PassedOver } from '../model/errors.ts';
import type { Caller, Clock, OperationName, Price } from '../model/ports.ts';
import type { KeywordDataResponse } from '../model/results/keyword-data.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type {
  AnswerRequest,
  AnswerSource,
  FetchedAnswer,
  PageRange,
  PageRequest,
  Source,
  SourceKind,
  SourceProbe,
} from '../model/source.ts';

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
  location?: string;
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
   * For keyword data in process: other keywords of the same market that the caller needs. Sources that take several
   * keywords answer these before related ones, up to the limit. It is not sent to a provider over HTTP.
   */
  readonly wanted?: readonly string[];
  /**
   * For pages in process: buys pages 1 to this one at once, as `range` sells them. The answer has the requested page,
   * and its body has all. It is not sent to a provider over HTTP.
   */
  readonly through?: number;
  /**
   * The same key on every try of one purchase: within 24 hours it is paid once. Sent as `Idempotency-Key` by the
   * client.
   */
  readonly idempotencyKey?: string;
  /**
   * Awaited right before the request leaves, after the wait for its turn. If it rejects, nothing is sent, and the call
   * fails with that error. Record here what must be durable before money is spent.
   */
  readonly beforeSend?: () => Promise<void>;
  /**
   * Called with further facts just before the call's promise settles: once, or over HTTP once per received answer.
   */
  readonly onReport?: (report: CallReport) => void;
}

/** Facts of a call besides its answer or failure; over HTTP they are headers. */
export interface CallReport {
  readonly requestId: string;
  /** The state of the caller's rate limit; absent for a trusted caller, and if a provider does not state it. */
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
  /** Sources behind the service that come before this one and refused us. */
  readonly passedOver?: readonly PassedOver[];
  /** The requests that the source needed, if that is not always one. */
  readonly requests?: RequestCount;
}

export interface SerpAnswer {
  readonly requestId: string;
  readonly creditsCharged: number;
  /** The cost of all pages that the provider states, in credits; absent: it states none. */
  readonly creditsStated?: number;
  /** In page order. With `format: 'raw'` the pages are not read: `serp` is empty and `features` too. */
  readonly pages: readonly AnsweredPage[];
}

export interface KeywordDataAnswer {
  readonly requestId: string;
  readonly response: KeywordDataResponse;
  /** The cost that the provider states besides `cost`, in micro-USD; absent: it states none. */
  readonly microUsdStated?: number;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** The Search Data Service, in process or over HTTP: one interface for both. Every failure is a ServiceError. */
export interface SearchDataService {
  /** Name of the source behind it (`sandbox`, `replay`, ...); `remote` over HTTP, where the source is unknown. */
  readonly source: string;
  readonly kind: SourceKind;
  /** The source of keyword data, if not the source of pages. */
  readonly metrics?: { readonly source: string; readonly kind: SourceKind };
  /**
   * A purchase is charged once within 24 hours, for all requests with its idempotency key, even if answers were lost.
   * `pages`: only purchases of results pages, not of keyword data. Default: false.
   */
  readonly keepsKeys?: boolean | 'pages';
  /** The most credits that page 1 costs. Default: 1, as each other page. */
  readonly firstPageCredits?: number;
  /** What it sells besides single pages; `readPage` reads each page of such a body. Absent: single pages only. */
  readonly range?: PageRange;
  serp(request: SerpRequestInput, options?: CallOptions): Promise<SerpAnswer>;
  keywordData(request: KeywordDataRequestInput, options?: CallOptions): Promise<KeywordDataAnswer>;
  /**
   * Balance of the caller's account, and its usage by day and user; `days` (1 to 366, default 31). Absent where the
   * service has no accounts to ask.
   */
  usage?(
    range: { readonly days?: unknown },
    options?: CallOptions,
  ): Promise<{ readonly requestId: string; readonly response: UsageResponse }>;
  /**
   * Reads again, free of charge, a body that this service gave for one page at `receivedAt` (UTC milliseconds).
   * Throws ServiceError like `serp`.
   */
  readPage(body: PageBody, request: PageRequest, receivedAt?: number): ReadPage;
  /** Absent where the service has none. */
  readonly answers?: AnswerService;
  /** Tests the source with a free request; absent: the source has none. */
  probe?(signal: AbortSignal): Promise<SourceProbe>;
  close(): Promise<void>;
}

/** AI answers of one source. */
export interface AnswerService extends Pick<AnswerSource, 'kind' | 'engines' | 'concurrency' | 'priceMicroUsd'> {
  /** Name of the source. */
  readonly source: string;
  ask(
    request: AnswerRequest,
    options?: Pick<CallOptions, 'signal' | 'at' | 'idempotencyKey' | 'timeoutMs'>,
  ): Promise<FetchedAnswer>;
}

/** Pages (or keyword data requests) that a source handles at once: for all API users, and for one. */
interface PagesInFlight {
  readonly total: number;
  /** Default: four fifths of `total`, so that a burst leaves permits for others. */
  readonly perUser?: number;
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
   * Requests of API users that each operation's source handles at once. Default: 10 pages of a live source, 4 of
   * others.
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
   * Time limit of a request whose caller sets none. Default: 60 s for a live source, none for others, which answer from
   * this machine.
   */
  readonly timeoutMs?: number;
}
