// Buys pages, metrics and AI answers from the source, records the charge, and brings them into the promised form.
import * as z from 'zod';
import { isSameQuery } from '../engines/page/query.ts';
import { isDecoy } from '../engines/relevance.ts';
import type { Charged, RequestTally } from '../model/charged.ts';
import { type ErrorCode, type PageBody, pageFailureMessages, ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import {
  competitionLevel,
  type KeywordDataResponse,
  type KeywordMetrics,
  keywordDataCostMicroUsd,
  keywordKey,
} from '../model/results/keyword-data.ts';
import { type AiOverviewText, type ReadPage, type SerpPage, serpPageSchema } from '../model/results/serp.ts';
import type {
  AnswerCitation,
  AnswerRequest,
  AnswerSource,
  FetchedAnswer,
  MetricsRequest,
  MetricsSource,
  PageRequest,
  SerpSource,
  SourceContext,
  SourceKind,
} from '../model/source.ts';
import { startDeadline, untilAborted } from '../model/time/deadline.ts';
import type { AnsweredPage, AnswerService, KeywordDataAnswer, SerpAnswer } from './calls.ts';
import type { KeywordDataRequest, SerpRequest } from './requests.ts';

/** One request in flight: whether the source was paid becomes known step by step. */
export interface Trace {
  readonly requestId: string;
  charged: Charged;
  /** The source's own requests, where it counts them. */
  readonly requests: RequestTally;
}

// What sources return is typed, but sources of other authors are checked nowhere else.
const bodySchema = z.custom<PageBody>((value) => {
  if (typeof value !== 'object' || value === null || !('contentType' in value) || !('text' in value)) return false;
  // a getter writes the text when it is asked for
  const isText = !Object.hasOwn(value, 'text') || typeof value.text === 'string';
  return isText && (value.contentType === 'text/html' || value.contentType === 'application/json');
}, 'Expected { contentType, text }');
const fetchedPageSchema = z.looseObject({
  body: bodySchema,
  observedAt: z.number(),
  creditsStated: z.number().min(0).optional(),
});
const readPageSchema = z.looseObject({
  serp: serpPageSchema,
  features: z.array(z.looseObject({ type: z.string(), links: z.array(z.string()) })),
  doubts: z.array(z.enum(['decoy_page', 'empty_unproven'])).optional(),
});
const knownSchema = z.array(
  z.looseObject({ keyword: z.string().optional(), related_keywords: z.array(z.string()).nullish() }),
);
const answerSchema = z.looseObject({
  text: z.string(),
  citations: z.array(z.looseObject({ url: z.string(), title: z.string().nullable() })),
  body: bodySchema,
});

/** Throws what a source returned in another form than its contract: asking again would only buy the same again. */
function requireForm(schema: z.ZodType, returned: unknown, code: ErrorCode): void {
  const { error } = schema.safeParse(returned);
  if (error === undefined) return;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  const where = path.length === 0 ? '' : `${path.join('.')}: `;
  throw new ServiceError(code, `The source returned something of another form. ${where}${message}`, {
    disposition: 'abandon',
    hint: 'The contract of sources has the form: SerpSource, MetricsSource, AnswerSource.',
  });
}

/** Does the work when its user's turn has come. */
export type RunWithPermit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Fetches the pages one after the other: all of them or none. With permits, of a customer, a doubt about a page is a
 * failure: a customer has no earlier pages to settle it with.
 */
export async function fetchPages(
  source: SerpSource | undefined,
  request: SerpRequest,
  context: SourceContext,
  trace: Trace,
  withPermit: RunWithPermit | undefined,
): Promise<SerpAnswer> {
  if (source === undefined) throw missingHalf('SERP_FAILED', 'results pages');
  if (request.format === 'raw' && source.bodyType === 'application/json') throw missingHalf('SERP_FAILED', 'raw pages');
  const { keyword, country, language, mobile, location } = request;
  const pages: AnsweredPage[] = [];
  let creditsStated = 0;
  for (let page = request.start_page; page <= request.end_page; page++) {
    const asked: PageRequest = { keyword, country, language, mobile, location, page, through: context.through };
    const fetch = async (): Promise<AnsweredPage> => {
      const fetched = await paid(source.kind, trace, context, () => source.fetchPage(asked, context));
      requireForm(fetchedPageSchema, fetched, 'SERP_FAILED');
      const { body, creditsStated: stated = 1, ...facts } = fetched;
      creditsStated += Math.max(1, stated);
      const reading = () => readBody(source, body, asked, facts.observedAt);
      const read = request.format === 'raw' ? { serp: {}, features: [] } : readSold(stated, reading);
      const doubt = withPermit === undefined ? undefined : doubtFailure(read, body);
      if (doubt !== undefined) throw doubt;
      return { page, ...read, body, ...facts };
    };
    pages.push(await (withPermit?.(fetch) ?? fetch()));
  }
  const price = creditsStated > pages.length ? { creditsStated } : {};
  return { requestId: trace.requestId, creditsCharged: pages.length, ...price, pages };
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
  requireForm(knownSchema, known, 'WORKER_FAILED');
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
    // removed like other nulls, it would say that nothing was found
    if (serp.organic !== undefined) requireForm(z.array(z.unknown()), serp.organic, 'SERP_FAILED');
    if (serp.organic?.length === 0) {
      throw new ServiceError('SERP_FAILED', 'The page was read without any organic result.', {
        reason: 'no_organic_results',
      });
    }
    const read = { serp: presentFields(serp), features, ...(doubts !== undefined && { doubts }) };
    requireForm(readPageSchema, read, 'SERP_FAILED');
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
export function toServiceError(error: unknown, code: ErrorCode, who = 'source'): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(code, `The ${who} failed unexpectedly.`, { cause: error });
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
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(compact);
  const fields = Object.entries(value).filter(([, field]) => !isNothing(field));
  return Object.fromEntries(fields.map(([name, field]) => [name, compact(field)]));
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** A list without its `list` field carries no information. */
function holdsText(text: AiOverviewText): boolean {
  return text.type !== 'list' || text.list !== undefined;
}

/**
 * The page with the doubt `decoy_page` added where its results have nothing to do with the query. Every page of every
 * source passes here once.
 */
export function withDoubts(read: ReadPage, keyword: string): ReadPage {
  if (!isDecoy(read.serp.organic ?? [], keyword)) return read;
  return { ...read, doubts: [...(read.doubts ?? []), 'decoy_page'] };
}

/** SERP_FAILED with the first doubt as its reason; undefined for a page without doubts. */
export function doubtFailure({ doubts = [] }: ReadPage, body?: PageBody): ServiceError | undefined {
  const [reason] = doubts;
  if (reason === undefined) return undefined;
  return new ServiceError('SERP_FAILED', pageFailureMessages[reason], { reason, body });
}

/**
 * The response for what a source knows. Duplicates (case and spacing aside) keep their first row; the asked keyword is
 * always part of a list that is not empty, with unknown metrics where the source said nothing of it; at most `limit`
 * rows; by volume, highest first, ties by keyword. A value that is not a number becomes null: unknown, never 0.
 */
function keywordDataResponse(request: MetricsRequest, known: readonly Partial<KeywordMetrics>[]): KeywordDataResponse {
  const rows = new Map<string, KeywordMetrics>();
  for (const row of known) {
    const key = keywordKey(row.keyword ?? '');
    if (key !== '' && !rows.has(key)) rows.set(key, normalRow(row, request));
  }
  const askedKey = keywordKey(request.keyword);
  const asked = { ...(rows.get(askedKey) ?? normalRow({}, request)), keyword: request.keyword };
  rows.delete(askedKey);
  const others = [...rows.values()].sort(byVolume).slice(0, request.limit - 1);
  const data = known.length === 0 ? [] : [asked, ...others].sort(byVolume);
  return { success: true, result_count: data.length, cost: keywordDataCostMicroUsd(data.length) / 1_000_000, data };
}

function normalRow(row: Partial<KeywordMetrics>, request: MetricsRequest): KeywordMetrics {
  const volume = amount(row.search_volume);
  const competition = amount(row.competition);
  // More than the whole is another scale.
  const index = competition === null || competition > 100 ? null : Math.round(competition);
  const related = row.related_keywords ?? [];
  return {
    keyword: (row.keyword ?? request.keyword).trim(),
    search_volume: volume === null ? null : Math.round(volume),
    cpc: amount(row.cpc),
    competition: index,
    competition_level: index === null ? (row.competition_level ?? null) : competitionLevel(index),
    country: request.country.toLowerCase(),
    language: request.language,
    intent: row.intent ?? null,
    related_keywords: related.length === 0 ? null : [...related],
  };
}

function amount(value: number | null | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function byVolume(a: KeywordMetrics, b: KeywordMetrics): number {
  const difference = (b.search_volume ?? -1) - (a.search_volume ?? -1);
  if (difference !== 0) return difference;
  if (a.keyword === b.keyword) return 0;
  return a.keyword < b.keyword ? -1 : 1;
}

/** Assistants search, read and write, which usually takes minutes. */
const answerTimeoutMs = 300_000;

export function createAnswerService(source: AnswerSource, clock: Clock): AnswerService {
  const { name, kind, engines, concurrency, requestTimeoutMs: limitMs = answerTimeoutMs } = source;
  return {
    source: name,
    kind,
    engines,
    concurrency,
    priceMicroUsd: (engine) => source.priceMicroUsd(engine),
    async ask(request, { signal, at = clock.now(), idempotencyKey, timeoutMs = limitMs } = {}) {
      if (!engines.includes(request.engine)) {
        const message = `${name} has no answers of ${request.engine}.`;
        throw new ServiceError('INVALID_REQUEST', message, { hint: `It has ${engines.join(', ')}.` });
      }
      const deadline = startDeadline(clock, timeoutMs, signal);
      let hasLeft = false;
      try {
        deadline.signal.throwIfAborted();
        const work = source.fetchAnswer(request, { signal: deadline.signal, at, idempotencyKey });
        hasLeft = kind === 'live';
        return checkedAnswer(await untilAborted(work, deadline.signal), request, source);
      } catch (error) {
        const failure = toServiceError(error, 'WORKER_FAILED');
        // the reason of a signal does not state whether its request was charged
        throw failure === deadline.signal.reason ? failure.with({ charged: hasLeft ? 'unknown' : 'no' }) : failure;
      } finally {
        deadline.end();
      }
    },
  };
}

/**
 * An answer without words, or to another prompt, proves nothing: it is a failure, and never an answer that cites no
 * page.
 */
function checkedAnswer(answer: FetchedAnswer, { prompt }: AnswerRequest, { name, kind }: AnswerSource): FetchedAnswer {
  requireForm(answerSchema, answer, 'WORKER_FAILED');
  const { prompt: answered = prompt, body, microUsdStated: stated } = answer;
  const text = answer.text.trim();
  const other = isSameQuery(answered, prompt) ? undefined : `to another prompt: "${answered.slice(0, 80)}"`;
  const problem = text === '' ? 'without a text' : other;
  if (problem !== undefined) {
    throw new ServiceError('WORKER_FAILED', `${name} gave an answer ${problem}.`, {
      charged: kind === 'live' ? 'yes' : 'no',
      stated,
      body,
    });
  }
  const first = new Map<string, AnswerCitation>();
  for (const citation of answer.citations) if (!first.has(citation.url)) first.set(citation.url, citation);
  return { ...answer, text, citations: [...first.values()] };
}
