// From a config to the export: the answer to pages 1 to 10 ends early, and what it lacks is on pages that exist.
import { expect, it } from 'vitest';
import { done, taskIn } from '../contract/sources/subjects/dataforseo.ts';
import { type SeenRequest, startVendorServer } from '../contract/sources/vendor-server.ts';
import { csvRows, folderOf } from './child.ts';

/** Page 1 holds so many results, others ten; the own site is the third of page 4. */
const linksOf = (page: number, firstSize: number): string[] =>
  Array.from({ length: page === 1 ? firstSize : 10 }, (_, nth) =>
    page === 4 && nth === 2 ? 'https://www.example.com/coffee' : `https://s${page}x${nth}.example/coffee`,
  );

interface Shop {
  /** Results of page 1. A shop that does not say where pages end sells pages of ten. */
  readonly firstSize: number;
  readonly options: string;
  /** The page that is asked for; null: pages at once. */
  pageOf(request: SeenRequest): number | null;
  /** The answer with these results, each with its page. */
  answer(results: readonly { readonly page: number; readonly link: string }[], request: SeenRequest): object;
}

const listed = (results: readonly { readonly link: string }[]) =>
  results.map(({ link }) => ({ title: 'Coffee', link, snippet: 'Coffee' }));
const shops: Readonly<Record<string, Shop>> = {
  dataforseo: {
    firstSize: 9,
    options: `login: me, password: "\${SHOP_KEY}"`,
    pageOf: (request) => {
      const { max_crawl_pages: pages = 1, search_param: start = '&start=0' } = taskIn(request);
      return pages > 1 ? null : Number(start.split('=')[1]) / 10 + 1;
    },
    answer: (results, request) => {
      const items = results.map(({ page, link }) => ({ type: 'organic', title: 'Coffee', url: link, page }));
      const body = done('coffee', items);
      const [task] = body['tasks'] as object[];
      return { ...body, tasks: [{ ...task, data: taskIn(request) }] };
    },
  },
  serper: {
    firstSize: 10,
    options: `apiKey: "\${SHOP_KEY}"`,
    pageOf: ({ json }) => {
      const { num, page } = json as { num: number; page: number };
      return num > 10 ? null : page;
    },
    answer: (results, { json }) => ({ searchParameters: json, organic: listed(results), credits: 1 }),
  },
  searchapi: {
    firstSize: 9,
    options: `apiKey: "\${SHOP_KEY}"`,
    pageOf: ({ query }) => (query.get('engine') === 'google' ? Number(query.get('page')) : null),
    answer: (results, { query }) => ({
      search_parameters: Object.fromEntries(query),
      organic_results: listed(results),
    }),
  },
};

it.each([
  ['dataforseo', 3],
  ['serper', 3],
  ['serper', 1],
  ['searchapi', 3],
])('%s: the last page of an answer that ends early is bought alone, so that the rank is true', async (source, more) => {
  const { firstSize, options, pageOf, answer } = shops[source] ?? expect.fail(source);
  const vendor = await startVendorServer();
  const alone: number[] = [];
  vendor.script = (request) => {
    const page = pageOf(request);
    if (page !== null) alone.push(page);
    const whole = (number: number) => linksOf(number, firstSize).map((link) => ({ page: number, link }));
    const short = [...whole(1), ...whole(2).slice(0, more)];
    return { body: answer(page === null ? short : whole(page), request) };
  };
  const yaml = `timezone: UTC
services:
  default: { mode: embedded, source: ${source}, ${options}, wholeDepth: true, requestsPerSecond: 1000, baseUrl: "${vendor.url}", allowLoopback: true }
budget: { serpCredits: { perMonth: 1000 } }
projects:
  - { id: p, targets: [example.com], depth: 10, keywords: [coffee], market: { country: US, language: en } }
`;
  const folder = folderOf({ 'rankledger.yaml': yaml }, { SHOP_KEY: 'a-key-of-a-shop-1' });
  const ran = await folder.run('run', '--all');
  expect([ran.exitCode, ran.err]).toEqual([0, '']);
  const { out } = await folder.run('export');
  expect(csvRows(out)).toMatchObject([{ status: 'ranked', rank: String(firstSize + 10 + 10 + 3) }]);
  expect(alone).toContain(2);
  folder.remove();
});
