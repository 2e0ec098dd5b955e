// Vendors that sell many results in one request: the request, and the pages of ten in its answer.
import { describe, expect, it } from 'vitest';
import type { PageBody } from '../../../src/service/index.ts';
import { sourceRange } from '../../../src/service/terms.ts';
import { done } from '../../contract/sources/subjects/dataforseo.ts';
import type { Reply } from '../../contract/sources/vendor-server.ts';
import { failureOf } from '../../helpers/memory-source.ts';
import { openVendor } from './vendor-service.ts';

const organic = Array.from({ length: 25 }, (_, index) => ({
  ...{ title: `Shoes ${index + 1}`, link: `https://site${index + 1}.example/shoes`, snippet: 'Shoes for all' },
  position: index + 1,
}));
const answer = {
  searchParameters: { q: 'shoes', gl: 'us', hl: 'en', num: 100, page: 1, type: 'search' },
  organic,
  peopleAlsoAsk: [{ question: 'Which shoes?', link: 'https://site1.example/shoes' }],
  credits: 2,
};
const asked = { keyword: 'shoes', country: 'US', language: 'en', mobile: false };

it('serper is asked for 100 results once, and each ten are a page', async () => {
  const { vendor, service, ask } = await openVendor('serper', { wholeDepth: true });
  expect(service.range?.credits(10)).toBe(2);
  const second = await ask({ body: answer }, { start_page: 2, end_page: 2 }, { through: 10 });
  expect(vendor.requests.map(({ json }) => json)).toMatchObject([{ q: 'shoes', num: 100, page: 1 }]);
  const linksOf = (page: number) =>
    service.readPage(second.body, { ...asked, page }).serp.organic?.map(({ link }) => link);
  expect(second.serp.organic?.map(({ link }) => link)).toEqual(linksOf(2));
  expect([1, 2].flatMap((page) => linksOf(page) ?? [])).toEqual(organic.slice(0, 20).map(({ link }) => link));
  expect(service.readPage(second.body, { ...asked, page: 1 }).serp.people_also_ask).toHaveLength(1);
  expect(service.readPage(second.body, { ...asked, page: 2 }).serp.people_also_ask).toBeUndefined();
  // fewer than asked for: the last page may be cut, and is bought alone
  expect(() => linksOf(3)).toThrow('the last of several pages may be incomplete');
  // an empty list alone proves no end
  expect(service.readPage(second.body, { ...asked, page: 4 }).doubts).toEqual(['empty_unproven']);
});

it('serper sells single pages unless the config says otherwise, and the answer of another search is none', async () => {
  const { vendor, service, ask } = await openVendor('serper');
  expect(service.range).toBeUndefined();
  const other = { ...answer, searchParameters: { ...answer.searchParameters, q: 'boots' } };
  expect((await failureOf(ask({ body: other }))).code).toBe('SERP_FAILED');
  expect(vendor.requests.map(({ json }) => json)).toMatchObject([{ num: 10, page: 1 }]);
});

describe('searchapi', () => {
  const listed = (links: readonly string[], from = 1) =>
    links.map((link, index) => ({ position: from + index, title: 'Shoes', link, snippet: 'Shoes for all' }));
  const answer = (engine: string, more: object, q = 'shoes') => ({
    search_metadata: { id: 'search_1', status: 'Success' },
    search_parameters: { engine, q, gl: 'us', hl: 'en', device: 'desktop', ...more },
  });
  const first = Array.from({ length: 8 }, (_, index) => `https://site${index + 1}.example/shoes`);
  const later = Array.from({ length: 20 }, (_, index) => `https://later${index + 1}.example/shoes`);
  const page1 = {
    ...answer('google', { page: 1 }),
    organic_results: listed(first),
    related_questions: [{ question: 'Which shoes?' }],
  };
  // a moment later, one result of page 1 is gone, and another stands below
  const tracking = (
    q = 'shoes',
    links = [...first.slice(0, 6), later[0] ?? '', first[6] ?? '', ...later.slice(1)],
  ) => ({
    ...answer('google_rank_tracking', { num: 100 }, q),
    organic_results: listed(links),
  });
  const open = async (further: Reply) => {
    const opened = await openVendor('searchapi', { wholeDepth: true });
    opened.vendor.script = ({ query }) => {
      // the next request may leave
      void opened.clock.advance(10);
      return query.get('engine') === 'google' ? { body: page1 } : further;
    };
    return opened;
  };
  const linksOf = ({ service }: Awaited<ReturnType<typeof open>>, body: PageBody, page: number) =>
    service.readPage(body, { ...asked, page }).serp.organic?.map(({ link }) => link);

  it('is asked for page 1, and for the others by rank tracking, without a result lost or doubled', async () => {
    const opened = await open({ body: tracking() });
    const { vendor, service, ask } = opened;
    expect(service.range?.credits(10)).toBe(2);
    const third = await ask(undefined, { start_page: 3, end_page: 3 }, { through: 10 });
    const queries = vendor.requests.map(({ query }) => Object.fromEntries(query));
    expect(queries).toMatchObject([
      { engine: 'google', q: 'shoes', page: '1', nfpr: '1' },
      { engine: 'google_rank_tracking', q: 'shoes', num: '100', gl: 'us', hl: 'en', device: 'desktop' },
    ]);
    expect(third.requests).toEqual({ charged: 2, free: 0, unknown: 0 });
    expect([1, 2, 3].map((page) => linksOf(opened, third.body, page))).toEqual([
      first,
      later.slice(0, 10),
      later.slice(10),
    ]);
    expect(service.readPage(third.body, { ...asked, page: 1 }).serp.people_also_ask).toHaveLength(1);
    // the list does not say that nothing follows
    expect(() => linksOf(opened, third.body, 4)).toThrow('does not say that nothing was found');
  });

  it.each<[string, Reply, string]>([
    ['failed', { status: 503, body: { error: 'The search failed.' } }, 'it has no page 2'],
    ['is of another keyword', { body: tracking('boots') }, 'boots'],
    ['has other results', { body: tracking('shoes', later) }, 'page 2 is not of the same search'],
    ['is of another day', { body: { ...tracking(), search_metadata: { created_at: '2020-01-01T00:00:00Z' } } }, '2020'],
  ])('leaves page 1 as it is where the other search %s', async (_, further, message) => {
    const opened = await open(further);
    const { body, requests, serp, observedAt } = await opened.ask(undefined, {}, { through: 10 });
    expect(serp.organic).toHaveLength(8);
    expect(requests?.charged).toBe(further.status === 503 ? 1 : 2);
    expect(() => opened.service.readPage(body, { ...asked, page: 2 }, observedAt)).toThrow(message);
  });

  it('is asked for single pages unless the config says otherwise, and for their overviews besides', async () => {
    const { service, vendor, ask } = await openVendor('searchapi');
    expect(service.range).toBeUndefined();
    await ask({ body: page1 });
    expect(vendor.requests).toHaveLength(1);
    const both = await openVendor('searchapi', { wholeDepth: true, loadAiOverview: true });
    expect(both.service.range?.credits(10)).toBe(3);
  });
});

/** The elements of DataForSEO's pages, as one task numbers them. */
const elements: readonly Record<string, unknown>[] = [
  ...[{ type: 'paid', title: 'Ad' }, 1, 2, { type: 'people_also_ask', items: [{ title: 'Which?' }] }, 3].map(onPage(1)),
  ...[4, 5, { type: 'related_searches', items: ['boots'] }].map(onPage(2)),
  ...[{ type: 'video', items: [{ title: 'Run', url: 'https://video.example/' }] }, 6, 7, 8].map(onPage(3)),
].map((element, index) => ({ ...element, rank_absolute: index + 1 }));

function onPage(page: number) {
  return (element: object | number): Record<string, unknown> => {
    if (typeof element === 'object') return { ...element, page };
    const url = `https://site${element}.example/shoes`;
    return { type: 'organic', page, rank_group: element, title: `Shoes ${element}`, url };
  };
}

/** A task that repeats what was asked for. */
function task(items: readonly object[], data: object) {
  const body = done('shoes', items);
  const [first] = body['tasks'] as object[];
  return { ...body, tasks: [{ ...first, data }] };
}

it('dataforseo sells pages 1 to 10 in one task, for eight credits, and each is read as if it had been bought alone', async () => {
  const { vendor, service, ask } = await openVendor('dataforseo', { wholeDepth: true });
  expect([10, 5, 4, 2].map((pages) => service.range?.credits(pages))).toEqual([8, 4, 4, 2]);
  const queued = { login: 'me', password: 'first-key-123', method: 'queued', wholeDepth: true };
  expect((await sourceRange('dataforseo', queued))?.credits(10)).toBe(8);
  const several = task(elements, { depth: 200, max_crawl_pages: 10 });
  const second = await ask({ body: several }, { start_page: 2, end_page: 2 }, { through: 10 });
  expect(vendor.requests.map(({ json }) => json)).toMatchObject([[{ depth: 200, max_crawl_pages: 10 }]]);
  expect(vendor.requests[0]?.text).not.toContain('search_param');
  for (const page of [1, 2]) {
    // alone it is numbered from 1, on its first page
    const own = elements.filter((element) => element['page'] === page);
    const alone = own.map((element, index) => ({ ...element, page: 1, rank_absolute: index + 1 }));
    const single = {
      contentType: 'application/json',
      text: JSON.stringify(task(alone, { max_crawl_pages: 1 })),
    } as const;
    const read = service.readPage(second.body, { ...asked, page });
    expect(read).toEqual(service.readPage(single, { ...asked, page }));
    expect(read.serp.organic?.length).toBe([3, 2][page - 1]);
  }
  expect(second.serp.organic?.map(({ link }) => link)).toEqual([
    'https://site4.example/shoes',
    'https://site5.example/shoes',
  ]);
  // the answer ends before page 10: its last page may be cut, and is bought alone
  expect(() => service.readPage(second.body, { ...asked, page: 3 })).toThrow('the last of several pages');
  // that the engine has no more pages is not said
  expect(service.readPage(second.body, { ...asked, page: 4 }).doubts).toEqual(['empty_unproven']);
});

it('dataforseo gives no page of several that may be cut, or whose results do not name their pages', async () => {
  const { service } = await openVendor('dataforseo', { wholeDepth: true });
  const read = (items: readonly object[], data: object, page: number, through?: number) => {
    const body = { contentType: 'application/json', text: JSON.stringify(task(items, data)) } as const;
    return () => service.readPage(body, { ...asked, page, through });
  };
  const cut = { depth: elements.length, max_crawl_pages: 3 };
  expect(read(elements, cut, 2)().serp.organic).toHaveLength(2);
  for (const page of [3, 4]) expect(read(elements, cut, page)).toThrow('the last of several pages may be incomplete');
  const nameless = elements.map((element) => ({ ...element, page: undefined }));
  const why = 'a result of several pages does not say on which one it is';
  expect(read(nameless, { depth: 200, max_crawl_pages: 10 }, 1)).toThrow(why);
  expect(read(nameless, {}, 2, 10)).toThrow(why);
  // all pages that were asked for are there
  expect(read(elements, { depth: 60, max_crawl_pages: 3 }, 3)().serp.organic).toHaveLength(3);
  // several pages show themselves where the task does not repeat what was asked for
  expect(read(elements, {}, 2)().serp.organic).toHaveLength(2);
  expect(read(elements, {}, 3)).toThrow('the last of several pages may be incomplete');
  expect(read([], { depth: 200, max_crawl_pages: 10 }, 2)().doubts).toEqual(['empty_unproven']);
});

it('dataforseo sells single pages unless the config says otherwise, and never several of a map', async () => {
  for (const source of ['dataforseo', 'dataforseo-maps'])
    expect((await openVendor(source)).service.range).toBeUndefined();
  await expect(openVendor('dataforseo-maps', { wholeDepth: true })).rejects.toThrow('wholeDepth');
});
