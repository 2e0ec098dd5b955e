// Rules of the specification and of our decisions for every SearchDataService, in process and over HTTP.
import { describe, expect, it } from 'vitest';
import {
  createSearchDataService,
  createSource,
  keywordDataCostMicroUsd,
  SearchDataClient,
  type SearchDataService,
  toMicroUsd,
} from '../../../src/service/index.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { failureOf, memorySource, metricsOf } from '../../helpers/memory-source.ts';
import { startProvider } from '../../helpers/provider.ts';

interface Subject {
  readonly service: SearchDataService;
  /** Whether it knows as many related keywords as requested. */
  readonly hasManyKeywords: boolean;
  close(): Promise<void>;
}

const subjects: Record<string, () => Promise<Subject>> = {
  async 'in process, over a source in memory'() {
    const source = memorySource({
      metrics: ({ keyword, limit }) =>
        Array.from({ length: limit }, (_, index) => metricsOf(index === 0 ? keyword : `${keyword} ${index}`, index)),
    });
    const service = createSearchDataService({ source, clock: new FakeClock() });
    return { service, hasManyKeywords: true, close: () => service.close() };
  },
  async 'in process, over the sandbox'() {
    const clock = new FakeClock();
    const service = createSearchDataService({ source: await createSource('sandbox', {}, { clock }), clock });
    return { service, hasManyKeywords: false, close: () => service.close() };
  },
  async 'over HTTP'() {
    const provider = await startProvider({
      related: (keyword) => Array.from({ length: 999 }, (_, index) => `${keyword} ${index + 1}`),
    });
    const { url: baseUrl, user, password } = provider;
    const service = new SearchDataClient({
      retries: { attemptsMax: 1 },
      baseUrl,
      user,
      password,
      clock: new FakeClock(),
    });
    const close = async () => {
      await service.close();
      await provider.close();
    };
    return { service, hasManyKeywords: true, close };
  },
};

describe.each(Object.entries(subjects))('the service %s', (_, make) => {
  async function using<T>(work: (subject: Subject) => Promise<T>): Promise<T> {
    const subject = await make();
    try {
      return await work(subject);
    } finally {
      await subject.close();
    }
  }

  it('"format json, single page: one JSON object, the SERP root object"; a field is present only when data exists for it', () =>
    using(async ({ service }) => {
      const { pages, creditsCharged } = await service.serp({ keyword: 'running shoes' });
      expect(pages.map(({ page }) => page)).toEqual([1]);
      expect(creditsCharged).toBe(1);
      const [page] = pages;
      expect(page?.serp.organic?.length).toBeGreaterThan(0);
      expect(holdsNothing(page?.serp)).toEqual([]);
      for (const { link } of page?.serp.organic ?? []) expect(link).toMatch(/^https?:\/\//);
    }));

  it('"multi-page: one per page, in page order"; "a request for pages 1 to 3 costs 3 credits"', () =>
    using(async ({ service }) => {
      const { pages, creditsCharged } = await service.serp({ keyword: 'running shoes', start_page: 1, end_page: 3 });
      expect(pages.map(({ page }) => page)).toEqual([1, 2, 3]);
      expect(creditsCharged).toBe(3);
    }));

  it('end_page omitted means start_page', () =>
    using(async ({ service }) => {
      const { pages } = await service.serp({ keyword: 'running shoes', start_page: 3 });
      expect(pages.map(({ page }) => page)).toEqual([3]);
    }));

  it('"format raw: the raw HTML of the results page"', () =>
    using(async ({ service }) => {
      const { pages } = await service.serp({ keyword: 'running shoes', format: 'raw', end_page: 2 });
      expect(pages.map(({ body }) => body.contentType)).toEqual(['text/html', 'text/html']);
    }));

  it('reads a page from its stored body with the same result, for free', () =>
    using(async ({ service }) => {
      const { pages } = await service.serp({ keyword: 'running shoes', mobile: true, end_page: 2 });
      for (const { page, body, serp, features } of pages) {
        const request = { keyword: 'running shoes', country: 'US', language: 'en', mobile: true, page };
        expect(service.readPage(body, request)).toEqual({ serp, features });
      }
    }));

  it.each([
    ['400 KEYWORD_REQUIRED: keyword parameter missing', { keyword: ' ' }, 'KEYWORD_REQUIRED'],
    ['400 INVALID_FORMAT: neither json nor raw', { keyword: 'a', format: 'xml' }, 'INVALID_FORMAT'],
    ['400 INVALID_REQUEST: invalid request format', { keyword: 'a', mobile: 'true' }, 'INVALID_REQUEST'],
    ['end_page below start_page', { keyword: 'a', start_page: 2, end_page: 1 }, 'INVALID_REQUEST'],
    ['more than 10 pages', { keyword: 'a', end_page: 11 }, 'INVALID_REQUEST'],
  ])('answers %s, and does not charge', (_row, request, code) =>
    using(async ({ service }) => {
      const failure = await failureOf(service.serp(request as never));
      expect(failure).toMatchObject({ code, status: 400, charged: 'no', disposition: 'abandon' });
    }),
  );

  it.each([33, 34, 50, 100, 150, 200])('"max(0.01, (result_count / 100) x 0.03)" for %i results', (limit) =>
    using(async ({ service, hasManyKeywords }) => {
      const { response } = await service.keywordData({ keyword: 'running shoes', limit });
      expect(response.result_count).toBe(response.data.length);
      expect(response.result_count).toBeLessThanOrEqual(limit);
      if (hasManyKeywords) expect(response.result_count).toBe(limit);
      expect(response.cost).toBeCloseTo(Math.max(0.01, (response.result_count / 100) * 0.03), 9);
      expect(toMicroUsd(response.cost)).toBe(keywordDataCostMicroUsd(response.result_count));
    }),
  );

  it('"data is sorted by search_volume from highest to lowest", holds the asked keyword, and says null, never an empty list', () =>
    using(async ({ service }) => {
      const { response } = await service.keywordData({ keyword: 'running shoes', country: 'GB' });
      expect(response.success).toBe(true);
      const volumes = response.data.map(({ search_volume }) => search_volume ?? -1);
      expect(volumes).toEqual([...volumes].sort((a, b) => b - a));
      expect(response.data.map(({ keyword }) => keyword)).toContain('running shoes');
      for (const { country, related_keywords } of response.data) {
        expect(country).toBe('gb');
        expect(related_keywords).not.toEqual([]);
      }
    }));

  it('accepts keywords that are names of object internals', () =>
    using(async ({ service }) => {
      for (const keyword of ['__proto__', 'constructor', 'toString']) {
        expect((await service.serp({ keyword })).pages).toHaveLength(1);
        const { response } = await service.keywordData({ keyword });
        if (response.result_count > 0) expect(response.data.map((row) => row.keyword)).toContain(keyword);
      }
    }));

  it('answers a caller that has already disconnected with an error, and charges nothing', () =>
    using(async ({ service }) => {
      const signal = AbortSignal.abort();
      const expected = { code: 'ABORTED', charged: 'no' };
      expect(await failureOf(service.serp({ keyword: 'a' }, { signal }))).toMatchObject(expected);
      expect(await failureOf(service.keywordData({ keyword: 'a' }, { signal }))).toMatchObject(expected);
    }));
});

/** Paths in a value that contain null, undefined or an empty array. */
function holdsNothing(value: unknown, place = 'page'): string[] {
  if (value === null || value === undefined) return [place];
  if (typeof value !== 'object') return [];
  if (Array.isArray(value) && value.length === 0) return [place];
  return Object.entries(value).flatMap(([name, field]) => holdsNothing(field, `${place}.${name}`));
}
