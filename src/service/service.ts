// The interface of the Search Data Service, and the one path every request takes: authenticate, rate limit, validate, charge, fetch, settle.
import type { PageBody } from './errors.ts';
import type { KeywordDataResponse } from './keyword-data.ts';
import type { Caller } from './ports.ts';
import type { ReadPage } from './serp.ts';
import type { PageRequest, SourceKind } from './sources/source.ts';

/** A SERP request as the specification's table writes it; defaults: `en`, `US`, `json`, desktop, page 1. */
export interface SerpRequestInput {
  keyword: string;
  language?: string;
  country?: string;
  format?: 'json' | 'raw';
  mobile?: boolean;
  start_page?: number;
  end_page?: number;
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
  /** The same key on every try of one purchase; sent as `Idempotency-Key` by the client. */
  readonly idempotencyKey?: string;
}

/** One page of an answer: read, and as it was received. */
export interface AnsweredPage extends ReadPage {
  readonly page: number;
  readonly body: PageBody;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

export interface SerpAnswer {
  readonly requestId: string;
  readonly creditsCharged: number;
  /** In page order. With `format: 'raw'` the pages are not read: `serp` is empty and `features` too. */
  readonly pages: readonly AnsweredPage[];
}

export interface KeywordDataAnswer {
  readonly requestId: string;
  readonly response: KeywordDataResponse;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

/** The Search Data Service, in process or over HTTP: one interface for both. Every failure is a ServiceError. */
export interface SearchDataService {
  /** Name of the source behind it (`sandbox`, `replay`, ...); `remote` over HTTP, where the source is not told. */
  readonly source: string;
  readonly kind: SourceKind;
  serp(request: SerpRequestInput, options?: CallOptions): Promise<SerpAnswer>;
  keywordData(request: KeywordDataRequestInput, options?: CallOptions): Promise<KeywordDataAnswer>;
  /** Reads again, for nothing, a body that this service once gave for one page. Throws ServiceError like `serp`. */
  readPage(body: PageBody, request: PageRequest): ReadPage;
  close(): Promise<void>;
}
