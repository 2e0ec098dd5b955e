// The doubt `decoy_page`: no recorded page or vendor sample gets it, and nearly every page of another query does.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { isDecoy } from '../../src/service/engines/relevance.ts';
import { ServiceError } from '../../src/service/model/errors.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import type { OrganicResult } from '../../src/service/model/results/serp.ts';
import { quickOrFull, someOrAll } from '../helpers/size.ts';

const shared = new URL('../../../shared/', import.meta.url);
const corpus = new URL('corpus/', shared);
const isPresent = existsSync(corpus);
if (!isPresent)
  console.warn('test/corpus/relevance.test.ts: SKIPPED, the recorded pages (../shared/corpus) are not here.');

interface Judged {
  readonly name: string;
  readonly query: string;
  readonly organic: readonly OrganicResult[];
}

/** The query of a page: its search box, else its title before the engine's name. */
function queryOf(html: string): string {
  const box = /<input[^>]*\bname="?q\b[^>]*>/i.exec(html)?.[0] ?? '';
  const title = /<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? '';
  const query = /\bvalue="([^"]+)"/.exec(box)?.[1] ?? title.replace(/ (?:-|at) [^-]*(?:Google|Bing|DuckDuckGo).*/, '');
  return query.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

async function recordedPages(): Promise<Judged[]> {
  const names: Readonly<Record<string, string>> = { google: 'google', bing: 'bing', ddg: 'duckduckgo' };
  const rows = JSON.parse(readFileSync(new URL('index.json', corpus), 'utf8')) as Record<string, string>[];
  const pages: Judged[] = [];
  for (const { file = '', engine = '', device } of someOrAll(rows, 5)) {
    const html = decodeText(readFileSync(new URL(file, corpus)));
    const reader = await loadEngine(names[engine] ?? '');
    try {
      const { serp } = reader.parse(html, { mobile: device === 'mobile' });
      if (serp.organic !== undefined) pages.push({ name: file, query: queryOf(html), organic: serp.organic });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  return pages;
}

/** Not an answer: an example of each item, from separate searches. */
const examples = 'google_organic_task_get_advanced_items_docs_example.json';

/** Lists of results in a vendor's sample, under any name, each with its query. */
function samplesOf(file: string): Judged[] {
  const root: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const lists: OrganicResult[][] = [];
  let query: string | undefined;
  const walk = (value: unknown, key: string): void => {
    if (typeof value === 'string' && /^(?:q|query|keyword)$/.test(key)) query ??= value;
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value) && /organic|^items$|^results$/i.test(key)) lists.push(resultsIn(value));
    for (const [name, inner] of Object.entries(value)) walk(inner, name);
  };
  walk(root, '');
  const named = query ?? '';
  return lists.flatMap((organic) =>
    organic.length > 0 && named !== '' ? [{ name: file, query: named, organic }] : [],
  );
}

function resultsIn(list: readonly Record<string, unknown>[]): OrganicResult[] {
  return list.flatMap((item, index) => {
    const text = (...names: string[]) =>
      names.map((name) => item[name]).find((value) => typeof value === 'string') as string | undefined;
    const [title, link] = [text('title'), text('link', 'url')];
    if (title === undefined || link === undefined) return [];
    return [{ rank: index + 1, title, link, description: text('snippet', 'description', 'desc', 'content') ?? '' }];
  });
}

it.skipIf(!isPresent)(
  'no recorded page and no sample of a vendor is classified as a decoy, and pages of other queries are',
  async () => {
    const pages = await recordedPages();
    const samples = globSync(new URL('samples/*/*.json', shared).pathname)
      .filter((file) => !file.endsWith(examples))
      .flatMap(samplesOf);
    const own = [...pages, ...samples];
    const doubted = own.filter(({ organic, query }) => isDecoy(organic, query)).map(({ name }) => name);
    const crossed = pages.flatMap(({ query }) =>
      pages.filter((page) => page.query !== query).map(({ organic }) => isDecoy(organic, query)),
    );
    const caught = crossed.filter(Boolean).length;
    console.info(
      `decoy_page: ${doubted.length} of ${pages.length} recorded pages and ${samples.length} lists of vendors' samples; ` +
        `${caught} of ${crossed.length} pages read with the query of another page (${Math.round((100 * caught) / crossed.length)} %)`,
    );
    expect(doubted).toEqual([]);
    expect(pages.length).toBeGreaterThan(quickOrFull(10, 75));
    expect(samples.length).toBeGreaterThan(10);
    expect(caught / crossed.length).toBeGreaterThan(0.75);
  },
);
