// Reads what a paid response holds: pages, metrics, usage. A failure carries the body: it may have been paid for.
import type { UsageResponse } from '../access/credits.ts';
import type { AnsweredPage } from '../core/calls.ts';
import { withDoubts } from '../core/purchase.ts';
import type { KeywordDataRequest, SerpRequest } from '../core/requests.ts';
import { rejectOtherQuery } from '../engines/page/query.ts';
import { freeOfCharge, type PageBody, ServiceError } from '../model/errors.ts';
import { featuresOf } from '../model/results/features.ts';
import type { CompetitionLevel, Intent, KeywordDataResponse, KeywordMetrics } from '../model/results/keyword-data.ts';
import { canonicalCountry } from '../model/results/locale.ts';
import type { ReadPage } from '../model/results/serp.ts';
import { boundedJson, Fields, ShapeError } from '../net/fields.ts';
import { complaintIn } from './error-responses.ts';
import { otherQueryInTabs, readSerpPage } from './page-reader.ts';

/** An answer with status 200. */
export interface PaidAnswer {
  readonly requestId: string;
  readonly body: PageBody;
  /** UTC milliseconds. */
  readonly observedAt: number;
  /** What the provider says that it cost; absent where it says nothing. */
  readonly stated?: number;
  /** What the provider says in it instead of a result, without secrets; read only where the answer has no result. */
  readonly complaint?: () => string | undefined;
}

/**
 * The pages of an answer, in page order. One page comes as one object, or as HTML; several, and one as well, as an
 * array. Throws ServiceError: UNREADABLE_RESPONSE (charged `unknown`) for another shape or another number of pages,
 * SERP_FAILED (charged `yes`) for a page without results or of another query; both carry the body.
 */
export function paidPages(answer: PaidAnswer, request: SerpRequest): AnsweredPage[] {
  const count = request.end_page - request.start_page + 1;
  return readPaid(answer, () => {
    const bodies = request.format === 'raw' ? htmlBodies(answer.body, count) : jsonBodies(answer.body, count);
    return bodies.map(({ body, value }, index) => {
      const read = request.format === 'raw' ? { serp: {}, features: [] } : readJson(value, request);
      return { page: request.start_page + index, ...read, body, observedAt: answer.observedAt };
    });
  });
}

/** The metrics of an answer. Throws ServiceError UNREADABLE_RESPONSE, with the body, for another shape. */
export function paidKeywordData(answer: PaidAnswer, request: KeywordDataRequest): KeywordDataResponse {
  return readPaid(answer, () => readKeywordData(boundedJson(answer.body.text), request));
}

/**
 * Reads the stored JSON body of one page. Throws ServiceError, charged `no`: reading costs nothing. `clean` takes
 * secrets out of the provider's words.
 */
export function readStoredPage(
  body: PageBody,
  request: Pick<SerpRequest, 'keyword'>,
  clean: (words: string) => string,
): ReadPage {
  try {
    return readPaid({ body, complaint: () => complaintIn(body.text, clean) }, () => {
      const [page] = jsonBodies(body, 1);
      return readJson(page?.value, request);
    });
  } catch (error) {
    throw freeOfCharge(error);
  }
}

/**
 * What the account has left and has used. Throws ServiceError UNREADABLE_RESPONSE for another shape; asking costs
 * nothing.
 */
export function statedUsage({ body }: PaidAnswer): UsageResponse {
  try {
    return readPaid({ body }, () => readUsage(body.text));
  } catch (error) {
    throw freeOfCharge(error);
  }
}

/** Runs a reader over what was paid for, and turns its failures into the service's. */
function readPaid<T>(answer: Pick<PaidAnswer, 'body'> & Partial<PaidAnswer>, read: () => T): T {
  const { body, requestId, stated, complaint } = answer;
  const facts = { body, requestId, stated };
  try {
    return read();
  } catch (cause) {
    // The provider said 200 and sent a page without results: that is sold, and asking again would buy it again.
    if (cause instanceof ServiceError) throw cause.with({ ...facts, charged: 'yes', disposition: 'abandon' });
    const why = cause instanceof ShapeError ? cause.message : 'it is nested too deep, or its form is unknown';
    const words = complaint?.();
    if (words === undefined)
      throw new ServiceError('UNREADABLE_RESPONSE', `The answer cannot be read: ${why}.`, { ...facts, cause });
    throw new ServiceError('UNREADABLE_RESPONSE', `The service answered 200 with an error: ${words}`, {
      ...facts,
      hint: 'Ask the provider what it means; the answer is stored.',
      cause,
    });
  }
}

interface PageOfAnswer {
  readonly body: PageBody;
  readonly value: unknown;
}

function jsonBodies(body: PageBody, count: number): PageOfAnswer[] {
  const value = boundedJson(body.text);
  if (!Array.isArray(value)) {
    if (count > 1) throw new ShapeError(`it is one page, but ${count} were requested`);
    return [{ body, value }];
  }
  checkCount(value, count);
  return value.map((page: unknown) => ({
    body: { contentType: 'application/json', text: JSON.stringify(page) },
    value: page,
  }));
}

/** The specification does not show how several raw pages come: we read an array of HTML strings. */
function htmlBodies(body: PageBody, count: number): PageOfAnswer[] {
  if (body.contentType === 'text/html' && count === 1) return [htmlPage(body.text)];
  // the bytes of the answer bound its pages
  const value = boundedJson(body.text, { stringCharsMax: Number.POSITIVE_INFINITY });
  const pages: unknown[] = Array.isArray(value) ? value : [value];
  checkCount(pages, count);
  return pages.map(htmlPage);
}

function htmlPage(text: unknown): PageOfAnswer {
  if (typeof text !== 'string' || !text.includes('<')) throw new ShapeError('a raw page is not HTML');
  return { body: { contentType: 'text/html', text }, value: undefined };
}

function checkCount(pages: readonly unknown[], count: number): void {
  if (pages.length !== count) throw new ShapeError(`it has ${pages.length} pages, but ${count} were requested`);
}

function readJson(value: unknown, { keyword }: Pick<SerpRequest, 'keyword'>): ReadPage {
  const serp = readSerpPage(value);
  rejectOtherQuery(keyword, [otherQueryInTabs(serp, keyword)], { shownBy: 'Its tabs search for' });
  return withDoubts({ serp, features: featuresOf(serp) }, keyword);
}

/**
 * Reads the answer to `request`. Throws ShapeError for `success` other than true, a wrong count, another country or
 * language, or another shape.
 */
function readKeywordData(value: unknown, request: KeywordDataRequest): KeywordDataResponse {
  const root = new Fields(value, 'answer');
  if (root.raw('success') !== true) throw root.problem('success', 'is not true');
  const cost = root.number('cost');
  if (cost === undefined || cost < 0) throw root.problem('cost', 'is not an amount');
  if (root.array('data') === undefined) throw root.problem('data', 'is missing');
  const data = root.list('data', (item) => readMetrics(item, request)) ?? [];
  if (root.integer('result_count') !== data.length) throw root.problem('result_count', 'is not the number of results');
  return { success: true, result_count: data.length, cost, data };
}

const levels: readonly string[] = ['low', 'medium', 'high'] satisfies CompetitionLevel[];
const intents: readonly string[] = ['commercial', 'informational', 'navigational', 'transactional'] satisfies Intent[];

function readMetrics(item: Fields, request: KeywordDataRequest): KeywordMetrics {
  const keyword = item.text('keyword')?.trim() ?? '';
  if (keyword === '') throw item.problem('keyword', 'is missing');
  const country = item.text('country') ?? request.country;
  // a name that is no code, such as "uk", says nothing
  if ((canonicalCountry(country) ?? request.country) !== request.country) {
    throw item.problem('country', 'is not the requested one');
  }
  const language = item.text('language') ?? request.language;
  if (primaryLanguage(language) !== primaryLanguage(request.language))
    throw item.problem('language', 'is not the requested one');
  const competition = amount(item, 'competition', 100);
  const volume = amount(item, 'search_volume');
  return {
    keyword,
    search_volume: volume === null ? null : Math.round(volume),
    cpc: amount(item, 'cpc'),
    competition: competition === null ? null : Math.round(competition),
    competition_level: readLabel<CompetitionLevel>(item, 'competition_level', levels),
    country: country.toLowerCase(),
    language,
    intent: readLabel<Intent>(item, 'intent', intents),
    related_keywords: readRelated(item),
  };
}

function primaryLanguage(language: string): string | undefined {
  return language.split(/[-_]/, 1)[0]?.toLowerCase();
}

function amount(item: Fields, name: string, most = Number.MAX_SAFE_INTEGER): number | null {
  const value = item.number(name);
  if (value === undefined) return null;
  if (value < 0 || value > most) throw item.problem(name, 'is out of range');
  return value;
}

/** A label of the specification; an unknown one is ignored. */
function readLabel<T extends string>(item: Fields, name: string, labels: readonly string[]): T | null {
  const label = item.text(name)?.toLowerCase();
  return label !== undefined && labels.includes(label) ? (label as T) : null;
}

function readRelated(item: Fields): string[] | null {
  const related = item.array('related_keywords') ?? [];
  if (related.length === 0) return null;
  return related.map((keyword) => {
    if (typeof keyword !== 'string') throw new ShapeError('a related keyword is not a string');
    return keyword;
  });
}

/** Throws ShapeError for another shape. */
function readUsage(text: string): UsageResponse {
  const root = new Fields(boundedJson(text), 'answer');
  const balance = required(root.object('balance'), root, 'balance');
  return {
    account: required(root.text('account'), root, 'account'),
    balance: readAmounts(balance),
    days:
      root.list('days', (day) => ({
        date: required(day.text('date'), day, 'date'),
        user: day.text('user') ?? null,
        requests: required(day.integer('requests'), day, 'requests'),
        ...readAmounts(day),
      })) ?? [],
  };
}

function readAmounts(fields: Fields): UsageResponse['balance'] {
  return {
    serp_credits: required(fields.integer('serp_credits'), fields, 'serp_credits'),
    usd: required(fields.number('usd'), fields, 'usd'),
  };
}

function required<T>(value: T | undefined, fields: Fields, name: string): T {
  if (value === undefined) throw fields.problem(name, 'is missing');
  return value;
}
