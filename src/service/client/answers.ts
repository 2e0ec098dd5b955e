// Reads the pages or metrics of a paid response. A failure carries the body, because it may have been paid for.

import type { UsageResponse } from '../access/usage.ts';
import type { AnsweredPage } from '../core/calls.ts';
import { withDoubts } from '../core/doubts.ts';
import type { KeywordDataRequest, SerpRequest } from '../core/requests.ts';
import { rejectOtherQuery } from '../engines/page/other-query.ts';
import { type PageBody, ServiceError } from '../model/errors.ts';
import { featuresOf } from '../model/results/features.ts';
import type { KeywordDataResponse } from '../model/results/keyword-data.ts';
import type { ReadPage } from '../model/results/serp.ts';
import { boundedJson } from '../net/bounded-json.ts';
import { ShapeError } from '../net/fields.ts';
import { otherQueryInTabs } from '../net/shown-query.ts';
import { complaintIn } from './error-responses.ts';
import { readKeywordData } from './metrics-reader.ts';
import { readSerpPage } from './page-reader.ts';
import { readUsage } from './usage-reader.ts';

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
    throw error instanceof ServiceError ? error.with({ charged: 'no' }) : error;
  }
}

/**
 * What the account has left and has used. Throws ServiceError UNREADABLE_RESPONSE for another shape; asking costs
 * nothing.
 */
export function statedUsage({ body }: PaidAnswer): UsageResponse {
  return readPaid({ body }, () => readUsage(body.text));
}

/** Runs a reader over what was paid for, and turns its failures into the service's. */
function readPaid<T>(answer: Pick<PaidAnswer, 'body'> & Partial<PaidAnswer>, read: () => T): T {
  const { body, requestId, stated, complaint } = answer;
  const facts = {
    body,
    ...(requestId !== undefined && { requestId }),
    ...(stated !== undefined && { stated }),
  };
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
