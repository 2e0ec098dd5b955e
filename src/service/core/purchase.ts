// Buys pages and metrics from the source, records the charge, and parses the answer.

import type { Charged } from '../model/charged.ts';
import { type ErrorCode, type PageBody, ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type { RequestTally } from '../model/request-tally.ts';
import type { AiOverviewText, ReadPage, SerpPage } from '../model/results/serp.ts';
import type { MetricsSource, PageRequest, SerpSource, SourceContext, SourceKind } from '../model/source.ts';
import type { AnsweredPage, KeywordDataAnswer, SerpAnswer } from './calls.ts';
import { doubtFailure, withDoubts } from './doubts.ts';
import { keywordDataResponse } from './keyword-list.ts';
import type { PageMemory } from './page-memory.ts';
import type { RunWithPermit } from './page-permits.ts';
import type { KeywordDataRequest, SerpRequest } from './requests.ts';

/** One request in flight: whether the source was paid becomes known step by step. */
export interface Trace {
  readonly requestId: string;
  charged: Charged;
  /** The source's own requests, where it counts them. */
  readonly requests: RequestTally;
}

/** What customers share: remembered pages, and permits to make others. */
export interface Shared {
  readonly memory: PageMemory;
  readonly withPermit: RunWithPermit;
}

/**
 * Fetches the pages one after the other: all of them or none. With `shared`, of a customer, a doubt about a page is a
 * failure: a customer has no earlier pages to settle it with.
 */
export async function fetchPages(
  source: SerpSource | undefined,
  request: SerpRequest,
  context: SourceContext,
  trace: Trace,
  shared: Shared | undefined,
): Promise<SerpAnswer> {
  if (source === undefined) throw missingHalf('SERP_FAILED', 'results pages');
  if (request.format === 'raw' && source.bodyType === 'application/json') throw missingHalf('SERP_FAILED', 'raw pages');
  const { keyword, country, language, mobile, location } = request;
  const search = { keyword, country, language, mobile, ...(location !== undefined && { location }) };
  const pages: AnsweredPage[] = [];
  let creditsStated = 0;
  for (let page = request.start_page; page <= request.end_page; page++) {
    const asked: PageRequest = { ...search, page };
    const make = async (): Promise<AnsweredPage> => {
      const {
        body,
        creditsStated: stated = 1,
        ...facts
      } = await paid(source.kind, trace, context, () => source.fetchPage(asked, context));
      creditsStated += Math.max(1, stated);
      const reading = () => readBody(source, body, asked, facts.observedAt);
      const read = request.format === 'raw' ? { serp: {}, features: [] } : readSold(stated, reading);
      const doubt = shared !== undefined ? doubtFailure(read, body) : undefined;
      if (doubt !== undefined) throw doubt;
      return { page, ...read, body, ...facts };
    };
    const { at } = context;
    pages.push(await (shared?.memory.page(source, asked, request.format, at, () => shared.withPermit(make)) ?? make()));
  }
  const price = creditsStated > pages.length ? { creditsStated } : {};
  return { requestId: trace.requestId, creditsCharged: pages.length, ...price, pages };
}

/** The answer if every page of it is remembered; undefined otherwise. */
export function rememberedPages(
  source: SerpSource | undefined,
  request: SerpRequest,
  at: number,
  requestId: string,
  memory: PageMemory,
): SerpAnswer | undefined {
  if (source === undefined) return undefined;
  const { keyword, country, language, mobile, location } = request;
  const search = { keyword, country, language, mobile, ...(location !== undefined && { location }) };
  const pages: AnsweredPage[] = [];
  for (let page = request.start_page; page <= request.end_page; page++) {
    const known = memory.known(source, { ...search, page }, request.format, at);
    if (known === undefined) return undefined;
    pages.push(known);
  }
  return { requestId, creditsCharged: pages.length, pages };
}

/** Fetches the metrics and brings them into the specification's form. */
export async function fetchMetrics(
  source: MetricsSource | undefined,
  request: KeywordDataRequest,
  context: SourceContext,
  trace: Trace,
  clock: Clock,
): Promise<KeywordDataAnswer> {
  if (source === undefined) throw missingHalf('WORKER_FAILED', 'keyword metrics');
  const known = await paid(source.kind, trace, context, () => source.fetchMetrics(request, context));
  const observedAt = source.kind === 'live' ? clock.now() : context.at;
  return { requestId: trace.requestId, response: keywordDataResponse(request, known), observedAt };
}

/** Buys from the source, and records in the trace whether it was charged. Only a live source costs anything. */
async function paid<T>(kind: SourceKind, trace: Trace, context: SourceContext, buy: () => Promise<T>): Promise<T> {
  context.signal.throwIfAborted();
  if (kind !== 'live') return await buy();
  const before = trace.charged;
  trace.charged = 'unknown';
  try {
    const bought = await buy();
    trace.charged = 'yes';
    return bought;
  } catch (error) {
    // Earlier pages of the request are paid: a last page that cost nothing makes the sum uncertain, not free.
    if (error instanceof ServiceError)
      trace.charged = error.charged === 'no' && before === 'yes' ? 'unknown' : error.charged;
    throw error;
  }
}

/** Reads a page that was just sold. Its failures say what it cost where that is more than usual. */
function readSold(stated: number, read: () => ReadPage): ReadPage {
  try {
    return read();
  } catch (error) {
    throw error instanceof ServiceError && stated > 1 ? error.with({ stated }) : error;
  }
}

/** Reads one page. Its failures carry the body, so that what may have been paid for can be read again. */
function readBody(source: SerpSource, body: PageBody, request: PageRequest, receivedAt: number | undefined): ReadPage {
  try {
    const { serp, features, doubts } = source.readPage(body, request, receivedAt);
    if (serp.organic?.length === 0) {
      throw new ServiceError('SERP_FAILED', 'The page was read without any organic result.', {
        reason: 'no_organic_results',
      });
    }
    const read = { serp: presentFields(serp), features, ...(doubts !== undefined && { doubts }) };
    return withDoubts(read, request.keyword);
  } catch (error) {
    // An exception while reading is the same at every reading: trying again would only buy again.
    const failure =
      error instanceof ServiceError ? error : toServiceError(error, 'INTERNAL_ERROR').with({ disposition: 'abandon' });
    throw failure.with({ body });
  }
}

/** Reads a stored body for nothing. Throws ServiceError, charged `no`. */
export function readAgain(
  source: SerpSource | undefined,
  body: PageBody,
  request: PageRequest,
  receivedAt: number | undefined,
): ReadPage {
  if (source === undefined) throw missingHalf('SERP_FAILED', 'results pages');
  try {
    return readBody(source, body, request, receivedAt);
  } catch (error) {
    throw toServiceError(error, 'INTERNAL_ERROR').with({ charged: 'no' });
  }
}

function missingHalf(code: ErrorCode, what: string): ServiceError {
  const hint = `Use a service whose source has ${what}.`;
  return new ServiceError(code, `The source has no ${what}.`, { disposition: 'abandon', charged: 'no', hint });
}

/** The failure as the service reports it. A foreign exception's message may hold secrets: it stays in `cause`. */
export function toServiceError(error: unknown, code: ErrorCode): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(code, 'The source failed unexpectedly.', { cause: error });
}

/**
 * Removes null, undefined and empty arrays at any depth, and empty objects at the root: the specification promises that
 * a field without a value is absent. The page itself is not changed.
 */
function presentFields(serp: SerpPage): SerpPage {
  const page = { ...(compact(serp) as SerpPage) };
  if (page.ai_overview?.texts !== undefined) {
    const { texts, ...others } = page.ai_overview;
    const held = texts.filter(holdsText);
    page.ai_overview = held.length > 0 ? { ...page.ai_overview, texts: held } : others;
  }
  for (const field of Object.keys(page) as (keyof SerpPage)[]) {
    if (Object.keys(page[field] ?? {}).length === 0) delete page[field];
  }
  return page;
}

function compact(value: unknown): unknown {
  if (isCompact(value) || typeof value !== 'object' || value === null) return value; // most pages need no copy
  if (Array.isArray(value)) return value.map(compact);
  const fields = Object.entries(value).filter(([, field]) => !isNothing(field));
  return Object.fromEntries(fields.map(([name, field]) => [name, compact(field)]));
}

function isCompact(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isCompact);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every((field) => !isNothing(field) && isCompact(field));
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** A list without its `list` field carries no information. */
function holdsText(text: AiOverviewText): boolean {
  return text.type !== 'list' || text.list !== undefined;
}
