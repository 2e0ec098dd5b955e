// Yandex Search API: results of Yandex as XML inside JSON, from Yandex itself, with a key of Yandex Cloud.
import { Parser } from 'htmlparser2';
import * as z from 'zod';
import { Fields, ShapeError } from '../net/fields.ts';
import { defineVendor, vendorOptions } from './vendor-kit/define.ts';
import { organicList, organicResult, pageWith } from './vendor-kit/elements.ts';
import { pagePrice, vendorExample } from './vendor-kit/facts.ts';
import { wordsAt } from './vendor-kit/values.ts';

const pageSize = 10;

/** The searches of single countries, with Yandex' number of the country; all others are searched internationally. */
const searches: ReadonlyMap<string, { readonly searchType: string; readonly region?: string }> = new Map([
  ['RU', { searchType: 'SEARCH_TYPE_RU', region: '225' }],
  ['TR', { searchType: 'SEARCH_TYPE_TR', region: '983' }],
  ['KZ', { searchType: 'SEARCH_TYPE_KK' }],
  ['BY', { searchType: 'SEARCH_TYPE_BE' }],
  ['UZ', { searchType: 'SEARCH_TYPE_UZ' }],
]);
const international = { searchType: 'SEARCH_TYPE_COM' };

/** Form and codes: yandex.cloud, documentation of Search API, read in 2026-11. */
export const vendor = defineVendor({
  name: 'yandex',
  facts: {
    title: 'Yandex Search API (international results outside RU, TR, KZ, BY and UZ)',
    prices: [pagePrice(3990, '2026-11')],
    failureCharge: 'unknown',
    failureRule: 'The vendor does not state the charge for failures, so they count as unknown.',
    emptyRule: 'An empty page says so: error 15.',
    pageSize,
    // 250 results, and queries of 400 characters and 40 words: limits of Search API, read in 2026-11
    pagesMax: 250 / pageSize,
    keyword: { charactersMax: 400, wordsMax: 40 },
    rate: { requestsPerSecond: 5, concurrency: 5 },
    devices: ['desktop'],
    hasCountries: true,
    example: vendorExample('yandex', { apiKey: 'YANDEX_KEY', folderId: 'YANDEX_FOLDER' }),
  },
  options: vendorOptions.extend({
    folderId: z
      .string()
      .regex(/^[\w-]{1,50}$/)
      .describe('Folder of Yandex Cloud that the key belongs to.'),
  }),
  baseUrl: 'https://searchapi.api.cloud.yandex.net',
  proof: (key) => ({ headers: { authorization: `Api-Key ${key}` } }),
  call: ({ keyword, country, page }, { folderId }) => {
    const { searchType, ...region } = searches.get(country) ?? international;
    return {
      path: '/v2/web/search',
      json: {
        // the page of another keyword is of no use
        query: { searchType, queryText: keyword, page: `${page - 1}`, fixTypoMode: 'FIX_TYPO_MODE_OFF' },
        // one result a site, as people see it
        groupSpec: { groupMode: 'GROUP_MODE_DEEP', groupsOnPage: `${pageSize}`, docsInGroup: '1' },
        ...region,
        folderId,
        responseFormat: 'FORMAT_XML',
      },
    };
  },
  complaint: (root) => (root.raw('rawData') === undefined ? wordsAt(root, 'message') : xmlIn(root)?.error),
  nothingFound: /^error 15:/,
  refusals: [
    { words: /billing account/i, means: 'out_of_credits' },
    { words: /^error (?:32|55):/, means: 'throttled' },
    { words: /^error (?:31|33|34|42|43|44):/, means: 'bad_key' },
    { status: 200, means: 'failed' },
  ],
  pageIn(root) {
    const answer = xmlIn(root);
    if (answer === null) throw new ShapeError('rawData is not a whole answer of Yandex');
    return new Fields(answer, 'page');
  },
  echo: { queries: ['query'], page: 'page' },
  searchedInstead: (page) => wordsAt(page, 'searchedInstead'),
  read: (page) =>
    pageWith({ organic: organicList(page, 'results', (item, index) => organicResult(item, index, names, [])) }, []),
});

const names = { link: ['url'], description: ['passage', 'headline'], displayLink: [] };

type Text = Readonly<Record<string, string>>;

interface XmlAnswer {
  /** With its number: `error 15: ...`. */
  readonly error: string | undefined;
  readonly query: string | undefined;
  /** From 1. */
  readonly page: number | undefined;
  readonly searchedInstead: string | undefined;
  /** The first document of each group. */
  readonly results: readonly Text[];
}

/** What is marked in a text that goes on. */
const marks = 'hlword';
const documentFields = ['url', 'title', 'headline'];

/** Null: it is not a whole answer. */
function xmlIn(root: Fields): XmlAnswer | null {
  const xml = Buffer.from(wordsAt(root, 'rawData') ?? '', 'base64')
    .toString('utf8')
    .trimEnd();
  if (!xml.endsWith('</yandexsearch>')) return null;
  const results: Record<string, string>[] = [];
  const said = new Map<string, string>();
  const path: string[] = [];
  let text = '';
  let code = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (name !== marks) text = '';
        if (name === 'error') code = attributes['code'] ?? '';
        if (name === 'group') results.push({});
        path.push(name);
      },
      ontext(part) {
        text += part;
      },
      onclosetag(name) {
        path.pop();
        const parent = path.at(-1) ?? '';
        const result = results.at(-1);
        if (result !== undefined && parent === 'doc' && documentFields.includes(name)) result[name] ??= text.trim();
        else if (result !== undefined && name === 'passage') result[name] ??= text.trim();
        else if (name !== marks && !said.has(`${parent} ${name}`)) said.set(`${parent} ${name}`, text.trim());
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const error = said.get('response error');
  const page = said.get('request page');
  return {
    error: error === undefined ? undefined : `error ${code}: ${error}`,
    query: said.get('request query'),
    page: page === undefined ? undefined : Number(page) + 1,
    searchedInstead: said.get('reask text'),
    results,
  };
}
