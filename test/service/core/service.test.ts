import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createSearchDataService, ServiceError } from '../../../src/service/index.ts';
import { BookedAccounts } from '../../helpers/booked-accounts.ts';
import { FakeClock, settled } from '../../helpers/fake-clock.ts';
import { failureOf, type MemoryScript, memorySource, metricsOf, pageOf } from '../../helpers/memory-source.ts';

function setUp(script: MemoryScript = {}) {
  const clock = new FakeClock();
  const accounts = new BookedAccounts();
  const source = memorySource(script);
  let count = 0;
  const service = createSearchDataService({ source, clock, accounts, requestId: () => `request-${++count}` });
  return { clock, accounts, source, service };
}

const metered = { caller: { kind: 'trusted', account: 'acme' } } as const;
const hang = () => new Promise<never>(() => undefined);

describe('a SERP request', () => {
  it('returns every page of its range in order, read and as received, one credit each', async () => {
    const { service, source, clock } = setUp();
    const answer = await service.serp({ keyword: ' shoes ', country: 'gb', mobile: true, start_page: 2, end_page: 3 });
    expect(source.asked).toEqual([
      { keyword: 'shoes', country: 'GB', language: 'en', mobile: true, page: 2 },
      { keyword: 'shoes', country: 'GB', language: 'en', mobile: true, page: 3 },
    ]);
    expect(answer.requestId).toBe('request-1');
    expect(answer.creditsCharged).toBe(2);
    expect(answer.pages.map(({ page }) => page)).toEqual([2, 3]);
    expect(answer.pages[0]?.serp.organic?.[0]?.link).toBe('https://site1.example/shoes/2');
    expect(answer.pages[0]?.features).toEqual([{ type: 'people_also_ask', links: [] }]);
    expect(answer.pages[0]?.body.contentType).toBe('text/html');
    expect(answer.pages[0]?.observedAt).toBe(clock.now());
  });

  it('shows the moment that its caller names', async () => {
    const { service, source } = setUp();
    await service.serp({ keyword: 'shoes' }, { at: 42 });
    expect(source.contexts[0]?.at).toBe(42);
  });

  it('leaves raw pages unread', async () => {
    const { service } = setUp({ read: () => expect.fail('raw pages are not read') });
    const answer = await service.serp({ keyword: 'shoes', format: 'raw' });
    expect(answer.pages[0]).toMatchObject({ serp: {}, features: [], body: { contentType: 'text/html' } });
  });

  it('never contains null or an empty array, at any depth', async () => {
    const { service } = setUp({
      read: (request) => {
        const { serp } = pageOf(request);
        const untidy = { ...serp, related: [], images: null, knowledge: {}, overview: undefined };
        untidy.organic![0]!.extensions = [];
        const texts = [
          { type: 'list', list: [] },
          { type: 'paragraph', snippet: 'Yes.', reference_indexes: [] },
        ];
        return { serp: { ...untidy, ai_overview: { texts, references: [] } } as never, features: [] };
      },
    });
    const { pages } = await service.serp({ keyword: 'shoes' });
    expect(Object.keys(pages[0]!.serp)).toEqual(['organic', 'people_also_ask', 'ai_overview']);
    expect(pages[0]!.serp.organic?.[0]).not.toHaveProperty('extensions');
    expect(pages[0]!.serp.ai_overview).toEqual({ texts: [{ type: 'paragraph', snippet: 'Yes.' }] });
  });

  it('with an empty list of organics is a failure, not an empty SERP', async () => {
    const { service } = setUp({ read: () => ({ serp: { organic: [], related: [] }, features: [] }) });
    expect(await failureOf(service.serp({ keyword: 'shoes' }))).toMatchObject({
      code: 'SERP_FAILED',
      reason: 'no_organic_results',
      charged: 'no',
    });
    const found = setUp({ read: () => ({ serp: { related: [] }, features: [] }) });
    expect((await found.service.serp({ keyword: 'shoes' })).pages[0]?.serp).toEqual({});
  });
});

describe('what a source of another author returns', () => {
  const organic = [{ rank: 1, title: 'First', link: 'https://site.example/' }];
  it.each([
    ['a page that is a text', 'x'],
    ['a page whose results are null, which is not a page without results', { organic: null }],
    ['results that are no list', { organic: { 0: organic[0] } }],
    ['a result without a link', { organic: [{ rank: 1, title: 'First' }] }],
    ['a rank that is a text', { organic: [{ ...organic[0], rank: '1' }] }],
    ['a field that no page has', { organic, adverts: ['x'] }],
  ])('is refused: %s', async (_, serp) => {
    const { service } = setUp({ read: () => ({ serp: serp as never, features: [] }) });
    const failure = await failureOf(service.serp({ keyword: 'shoes' }, metered));
    expect(failure).toMatchObject({ code: 'SERP_FAILED', disposition: 'abandon', charged: 'no' });
    expect(failure.message).toContain('another form');
  });

  it.each([
    ['a page without a body', { observedAt: 0 }],
    ['a body that is not a text', { body: { contentType: 'text/html', text: 5 }, observedAt: 0 }],
    ['a page without a time', { body: { contentType: 'text/html', text: '{}' } }],
    ['nothing', undefined],
  ])('is refused: %s', async (_, page) => {
    const { serp } = memorySource();
    const source = { serp: { ...serp!, fetchPage: async () => page as never } };
    const service = createSearchDataService({ source, clock: new FakeClock() });
    expect(await failureOf(service.serp({ keyword: 'shoes' }))).toMatchObject({ code: 'SERP_FAILED' });
  });

  it.each([
    ['metrics that are no list', 'x'],
    ['a keyword that is a number', [{ keyword: 5 }]],
    ['related keywords that are a text', [{ ...metricsOf('shoes', 1), related_keywords: 'boots' }]],
  ])('is refused: %s', async (_, known) => {
    const { service } = setUp({ metrics: () => known as never });
    expect(await failureOf(service.keywordData({ keyword: 'shoes' }))).toMatchObject({ code: 'WORKER_FAILED' });
  });
});

describe('a time limit', () => {
  it.each([Number.NaN, 0, -1])('of %s is refused, and its call sends nothing', async (timeoutMs) => {
    const { service, source } = setUp();
    const failure = await failureOf(service.serp({ keyword: 'shoes' }, { timeoutMs }));
    expect(failure).toMatchObject({ code: 'INVALID_REQUEST', charged: 'no' });
    expect(source.asked).toEqual([]);
    expect(() => createSearchDataService({ source, clock: new FakeClock(), timeoutMs })).toThrow('timeoutMs');
  });

  it('of Infinity is none', async () => {
    const { service } = setUp();
    expect((await service.serp({ keyword: 'shoes' }, { timeoutMs: Number.POSITIVE_INFINITY })).pages).toHaveLength(1);
  });
});

it('a service that was closed sends and charges nothing more', async () => {
  const { service, source, accounts } = setUp();
  await service.close();
  for (const call of [service.serp({ keyword: 'shoes' }, metered), service.keywordData({ keyword: 'shoes' }, metered)])
    expect(await failureOf(call)).toMatchObject({ code: 'INTERNAL_ERROR', disposition: 'halt', charged: 'no' });
  expect([source.asked, source.askedMetrics, accounts.charges]).toEqual([[], [], []]);
});

describe('charges', () => {
  it('are not made for a caller without an account', async () => {
    const { service, accounts } = setUp();
    await service.serp({ keyword: 'shoes' });
    expect(accounts.charges).toEqual([]);
  });

  it('are enforced: an account is refused if the service has no accounts', async () => {
    const service = createSearchDataService({ source: memorySource(), clock: new FakeClock() });
    expect(await failureOf(service.serp({ keyword: 'shoes' }, metered))).toMatchObject({
      code: 'INTERNAL_ERROR',
      disposition: 'halt',
    });
  });

  it('report a failed refund, and keep the first failure as the cause', async () => {
    const first = new ServiceError('SERP_FAILED', 'Blocked.');
    const { service, accounts } = setUp({
      page: () => {
        throw first;
      },
    });
    accounts.refuseToSettle = new Error('disk full');
    const failure = await failureOf(service.serp({ keyword: 'shoes' }, metered));
    expect(failure).toMatchObject({ code: 'INTERNAL_ERROR', charged: 'unknown' });
    expect((failure.cause as AggregateError).errors).toEqual([first, accounts.refuseToSettle]);
  });

  it('withhold the answer if they cannot be settled', async () => {
    const { service, accounts } = setUp();
    accounts.refuseToSettle = new Error('disk full');
    expect(await failureOf(service.serp({ keyword: 'shoes' }, metered))).toMatchObject({
      code: 'INTERNAL_ERROR',
      charged: 'unknown',
    });
  });
});

describe('the charge of a failure', () => {
  const failing = (charged: 'no' | 'yes' | 'unknown', onPage = 1): MemoryScript => ({
    page: (request) => {
      if (request.page === onPage) throw new ServiceError('SERP_FAILED', 'Lost.', { charged });
      return pageOf(request);
    },
  });

  it.each(['no', 'yes', 'unknown'] as const)('is the one that a live source reports: %s', async (charged) => {
    const { service } = setUp({ kind: 'live', ...failing(charged) });
    expect((await failureOf(service.serp({ keyword: 'shoes' }))).charged).toBe(charged);
  });

  it.each(['no', 'yes', 'unknown'] as const)(
    'is zero for a free source, in spite of its report: %s',
    async (charged) => {
      const { service } = setUp({ kind: 'replay', ...failing(charged) });
      expect((await failureOf(service.serp({ keyword: 'shoes' }))).charged).toBe('no');
    },
  );

  it('is unknown if earlier pages were bought and a later one cost nothing', async () => {
    const { service } = setUp({ kind: 'live', ...failing('no', 2) });
    expect((await failureOf(service.serp({ keyword: 'shoes', end_page: 2 }))).charged).toBe('unknown');
  });

  it('is yes, with the body, for a bought page that cannot be read', async () => {
    const { service } = setUp({
      kind: 'live',
      read: () => {
        throw new ServiceError('SERP_FAILED', 'Unknown layout.', { reason: 'unparseable' });
      },
    });
    const failure = await failureOf(service.serp({ keyword: 'shoes' }));
    expect(failure).toMatchObject({ charged: 'yes', reason: 'unparseable' });
    expect(failure.body?.text).toContain('site1.example');
  });

  it('is unknown if the caller disconnects during the request to a live source', async () => {
    const { service, source } = setUp({ kind: 'live', page: hang });
    const stop = new AbortController();
    const failure = failureOf(service.serp({ keyword: 'shoes' }, { signal: stop.signal }));
    while (source.asked.length === 0) await settled();
    stop.abort();
    expect(await failure).toMatchObject({ code: 'ABORTED', charged: 'unknown' });
  });

  it('is zero if the caller disconnects before the work', async () => {
    const { service, source, accounts } = setUp({ kind: 'live' });
    const options = { ...metered, signal: AbortSignal.abort() };
    expect(await failureOf(service.serp({ keyword: 'shoes' }, options))).toMatchObject({
      code: 'ABORTED',
      charged: 'no',
    });
    expect(source.asked).toEqual([]);
    expect(accounts.charges).toEqual([]);
  });
});

describe('the request timeout', () => {
  it('is 60 seconds for a live source, and none for a local source', async () => {
    const { service, clock, source } = setUp({ kind: 'live', page: hang });
    const failure = failureOf(service.serp({ keyword: 'shoes' }));
    while (source.asked.length === 0) await settled();
    await clock.advance(60_000);
    expect((await failure).code).toBe('TIMEOUT');
    const local = setUp({
      page: (request) => {
        expect(local.clock.sleeping).toBe(0);
        return pageOf(request);
      },
    });
    await local.service.serp({ keyword: 'shoes' });
  });

  it('leaves no timer and no listener behind', async () => {
    const { service, clock, source } = setUp();
    const { signal } = new AbortController();
    await service.serp({ keyword: 'shoes' }, { timeoutMs: 1000, signal });
    expect(clock.sleeping).toBe(0);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(getEventListeners(source.contexts[0]!.signal, 'abort')).toEqual([]);
  });
});

describe('unexpected exceptions', () => {
  const secret = new Error('token hunter2 refused');
  const fail = () => {
    throw secret;
  };

  it('become SERP_FAILED, WORKER_FAILED or INTERNAL_ERROR, with the exception as the cause and not in the message', async () => {
    const pages = await failureOf(setUp({ page: fail }).service.serp({ keyword: 'shoes' }));
    const metrics = await failureOf(setUp({ metrics: fail }).service.keywordData({ keyword: 'shoes' }));
    const reading = await failureOf(setUp({ read: fail }).service.serp({ keyword: 'shoes' }));
    expect([pages.code, metrics.code, reading.code]).toEqual(['SERP_FAILED', 'WORKER_FAILED', 'INTERNAL_ERROR']);
    expect(reading.disposition).toBe('abandon');
    for (const failure of [pages, metrics, reading]) {
      expect(failure.cause).toBe(secret);
      expect(failure.message).not.toContain('hunter2');
    }
  });
});

describe('keyword data', () => {
  it('is sorted by volume, ties by keyword, without duplicates, unknown last', async () => {
    const rows = [
      metricsOf('boots', null),
      metricsOf('clogs', 90),
      metricsOf('Ballerinas', 90),
      metricsOf('shoes', 500),
      metricsOf(' CLOGS ', 7),
    ];
    const { service } = setUp({ metrics: () => rows });
    const { response } = await service.keywordData({ keyword: 'shoes', country: 'GB' });
    expect(response.data.map(({ keyword, search_volume }) => [keyword, search_volume])).toEqual([
      ['shoes', 500],
      ['Ballerinas', 90],
      ['clogs', 90],
      ['boots', null],
    ]);
    expect(response).toMatchObject({ success: true, result_count: 4, cost: 0.01 });
    expect(response.data[0]?.country).toBe('gb');
  });

  it('contains the requested keyword, unknown if the source does not know it, and never exceeds the limit', async () => {
    const { service } = setUp({ metrics: () => [metricsOf('clogs', 8), metricsOf('boots', 9)] });
    const { response } = await service.keywordData({ keyword: 'Shoes', limit: 2 });
    expect(response.data.map(({ keyword }) => keyword)).toEqual(['boots', 'Shoes']);
    expect(response.data[1]).toMatchObject({ search_volume: null, competition: null, competition_level: null });
  });

  it('converts invalid numbers to unknown, and derives the level from the index', async () => {
    const odd = metricsOf('shoes', Number.NaN, {
      cpc: -1,
      competition: 66.4,
      competition_level: 'low',
      related_keywords: [],
    });
    const { service } = setUp({ metrics: () => [odd] });
    const { response } = await service.keywordData({ keyword: 'shoes' });
    expect(response.data[0]).toMatchObject({
      search_volume: null,
      cpc: null,
      competition: 66,
      competition_level: 'medium',
      related_keywords: null,
    });
  });

  it('knows no competition beyond the whole: it is on another scale', async () => {
    const { service } = setUp({
      metrics: () => [metricsOf('shoes', 10, { competition: 3700, competition_level: null })],
    });
    const { response } = await service.keywordData({ keyword: 'shoes' });
    expect(response.data[0]).toMatchObject({ competition: null, competition_level: null });
  });
});

describe('a service', () => {
  it('reads a stored page again for free, and refuses one that is not a page', async () => {
    const { service, source } = setUp();
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    const { pages } = await service.serp({ keyword: 'shoes' });
    expect(service.readPage(pages[0]!.body, request).serp).toEqual(pages[0]!.serp);
    const body = { contentType: 'text/html', text: 'not a page' } as const;
    expect(await failureOf(() => service.readPage(body, request))).toMatchObject({
      reason: 'unparseable',
      charged: 'no',
      body,
    });
    expect(source.asked).toHaveLength(1);
  });

  it('reports what its source lacks', async () => {
    const { serp, metrics } = memorySource();
    const clock = new FakeClock();
    const pagesOnly = createSearchDataService({ source: { serp: serp! }, clock });
    const metricsOnly = createSearchDataService({ source: { metrics: metrics! }, clock });
    expect(await failureOf(pagesOnly.keywordData({ keyword: 'shoes' }))).toMatchObject({
      code: 'WORKER_FAILED',
      disposition: 'abandon',
      charged: 'no',
    });
    expect(await failureOf(metricsOnly.serp({ keyword: 'shoes' }))).toMatchObject({
      code: 'SERP_FAILED',
      disposition: 'abandon',
      charged: 'no',
    });
    expect(() => createSearchDataService({ source: {}, clock })).toThrow('neither');
  });

  it('refuses an unknown kind of caller', async () => {
    const { service } = setUp();
    const caller = { kind: 'stranger' } as never;
    expect(await failureOf(service.serp({ keyword: '' }, { caller }))).toMatchObject({
      code: 'INVALID_API_KEY',
      status: 401,
    });
  });

  it('closes what its source opened', async () => {
    const { service, source } = setUp();
    await service.close();
    expect(source.closed).toEqual(['serp', 'metrics']);
  });
});

/** What a program without types may pass. */
const noNumbers = [Number.NaN, -1, Number.NEGATIVE_INFINITY, '', 'x', true, [], {}];

describe('an option of another form is refused in one line that names it', () => {
  const host = { source: memorySource({}), clock: new FakeClock() };
  it.each<[string, (value: unknown) => object]>([
    ['timeoutMs', (value) => ({ timeoutMs: value })],
    ['requestRate.count', (value) => ({ requestRate: { count: value, windowMs: 1 } })],
    ['requestRate.windowMs', (value) => ({ requestRate: { count: 1, windowMs: value } })],
    ['inFlight.serp.total', (value) => ({ inFlight: { serp: { total: value } } })],
    ['inFlight.serp.perUser', (value) => ({ inFlight: { serp: { total: 1, perUser: value } } })],
    ['clock', (value) => ({ clock: value })],
    ['accounts', (value) => ({ accounts: value })],
  ])('%s of a service', (name, given) => {
    for (const value of noNumbers)
      expect(() => createSearchDataService({ ...host, ...given(value) }), String(value)).toThrow(
        new RegExp(`^${name} must be [^\\n]*$`),
      );
  });

  it.each(['timeoutMs', 'signal', 'at'])('%s of a call, which buys nothing', async (name) => {
    const { service, source } = setUp();
    const isWrong = { timeoutMs: () => true, signal: Boolean, at: (value: unknown) => value !== -1 }[name] ?? Boolean;
    for (const value of noNumbers.filter(isWrong)) {
      const failure = await failureOf(service.serp({ keyword: 'shoes' }, { [name]: value }));
      expect([failure.code, failure.message.startsWith(`${name} must be `)], String(value)).toEqual([
        'INVALID_REQUEST',
        true,
      ]);
    }
    expect(source.asked).toEqual([]);
  });
});
