// How often the rule for decoys is wrong: recorded lists under their own query, and under the queries of others.
import { globSync, readFileSync } from 'node:fs';
import { loadEngine } from '../../src/service/engines/registry.ts';
import { isDecoy, shareOfQuery, sharesStem, wordsSearchedFor } from '../../src/service/engines/relevance.ts';
import { ServiceError } from '../../src/service/model/errors.ts';
import { decodeText } from '../../src/service/model/results/charset.ts';
import type { OrganicResult } from '../../src/service/model/results/serp.ts';
import { engineOf } from './fixtures.ts';
import { corpus, recordedRows } from './recorded-pages.ts';

interface Judged {
  readonly name: string;
  readonly query: string;
  readonly organic: readonly OrganicResult[];
}

/** The query of a page: its search box, else its title before the engine's name. */
function queryOf(html: string): string {
  const box = /<input[^>]*\bname="?q\b[^>]*>/i.exec(html)?.[0] ?? '';
  const area = /<textarea[^>]*\bname="?q\b[^>]*>([^<]*)/i.exec(html)?.[1]?.trim();
  const title = /<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? '';
  const named = /\bvalue="([^"]+)"/.exec(box)?.[1] ?? (area === '' ? undefined : area);
  const query = named ?? title.replace(/ (?:-|at) [^-]*(?:Google|Bing|DuckDuckGo).*/, '');
  return query.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

async function recordedLists(): Promise<Judged[]> {
  const pages: Judged[] = [];
  for (const row of recordedRows()) {
    const html = decodeText(readFileSync(new URL(row.file, corpus)));
    try {
      const { serp } = (await loadEngine(engineOf(row))).parse(html, { mobile: row.device === 'mobile' });
      if (serp.organic !== undefined) pages.push({ name: row.file, query: queryOf(html), organic: serp.organic });
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

/** The part of a list that a page of three results would show: the hardest to judge. */
const partLength = 3;

interface Rates {
  /** Recorded lists under their own query. */
  readonly lists: number;
  /** Names of those that are refused. */
  readonly refused: readonly string[];
  /** The smallest share of the query that one of them has. */
  readonly leastShare: number;
  /** The same, for each three results in a row. */
  readonly parts: number;
  readonly partsRefused: number;
  /** Lists under the query of another page, and how many of them are believed. */
  readonly foreign: number;
  readonly believed: number;
  /** Without pairs of queries that share a word. */
  readonly unrelated: number;
  readonly unrelatedBelieved: number;
  /** Share of the foreign lists that one query lets through: the median and the worst. */
  readonly medianOfQueries: number;
  readonly worstOfQueries: number;
}

/** The lists whose query is in one half, or all; queries are sorted, and every second one is in the other half. */
export const halves = ['calibration', 'test', 'all'] as const;
type Half = (typeof halves)[number];

/** Share of the lists under the query of another page, related ones included, that may be believed. */
export const believedMax = 0.02;

export async function decoyRates(): Promise<(half: Half) => Rates> {
  const pages = await recordedLists();
  const samples = globSync(new URL('../samples/*/*.json', corpus).pathname)
    .filter((file) => !file.endsWith(examples))
    .flatMap(samplesOf);
  const queries = [...new Set([...pages, ...samples].map(({ query }) => query.toLowerCase()))].sort();
  return (half) => {
    const isIn = ({ query }: Judged): boolean =>
      half === 'all' || (queries.indexOf(query.toLowerCase()) % 2 === 0) === (half === 'calibration');
    return ratesOf(pages.filter(isIn), [...pages, ...samples].filter(isIn));
  };
}

function ratesOf(pages: readonly Judged[], own: readonly Judged[]): Rates {
  const parts = own.flatMap(({ query, organic }) =>
    organic.slice(partLength - 1).map((_, at) => isDecoy(organic.slice(at, at + partLength), query)),
  );
  const asked = [...new Map(pages.map((page) => [page.query.toLowerCase(), page.query])).values()];
  const crossed = asked.map((query) => {
    const words = wordsSearchedFor(query);
    const others = pages.filter((page) => page.query.toLowerCase() !== query.toLowerCase() && page.organic.length > 2);
    return others.map((page) => ({
      isBelieved: !isDecoy(page.organic, query),
      isUnrelated: !wordsSearchedFor(page.query).some((word) => words.some((other) => sharesStem(other, word))),
    }));
  });
  const all = crossed.flat();
  const unrelated = all.filter(({ isUnrelated }) => isUnrelated);
  const perQuery = crossed.map((lists) => believedIn(lists) / lists.length).sort((one, other) => one - other);
  return {
    lists: own.length,
    refused: own.filter(({ organic, query }) => isDecoy(organic, query)).map(({ name }) => name),
    leastShare: Math.min(...own.map(({ organic, query }) => shareOfQuery(organic, query)?.share ?? 1)),
    parts: parts.length,
    partsRefused: parts.filter(Boolean).length,
    foreign: all.length,
    believed: believedIn(all),
    unrelated: unrelated.length,
    unrelatedBelieved: believedIn(unrelated),
    medianOfQueries: perQuery[Math.floor(perQuery.length / 2)] ?? 1,
    worstOfQueries: perQuery.at(-1) ?? 1,
  };
}

function believedIn(lists: readonly { readonly isBelieved: boolean }[]): number {
  return lists.filter(({ isBelieved }) => isBelieved).length;
}

/** The rates in words, with the upper bound of false refusals at 95 % confidence. */
export function ratesText(name: Half, rates: Rates): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const bound = rates.refused.length === 0 ? `, below ${percent(3 / rates.lists)} with 95 % confidence` : '';
  return (
    `decoy_page, ${name}: ${rates.refused.length} of ${rates.lists} true lists refused${bound}, ` +
    `${rates.partsRefused} of ${rates.parts} parts of three results; least share ${rates.leastShare.toFixed(2)}; ` +
    `believed ${rates.believed} of ${rates.foreign} foreign lists (${percent(rates.believed / rates.foreign)}; by query: ` +
    `median ${percent(rates.medianOfQueries)}, worst ${percent(rates.worstOfQueries)}), ` +
    `${percent(rates.unrelatedBelieved / rates.unrelated)} without a word in common`
  );
}
