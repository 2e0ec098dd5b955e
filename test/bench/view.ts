// The workspace: the time to its first rows, and of each change, at the 95th percentile, for pages and exports.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { App } from '../../src/app/app.ts';
import { historyReader } from '../../src/app/workspace/workspace.ts';
import type { KeywordQuery } from '../../src/read/contract.ts';
import { parseFilter, parseSort } from '../../src/read/queries.ts';
import type { KeywordRow } from '../../src/read/records.ts';
import { listBody } from '../../src/workspace/server/answers.ts';
import { answerAsChild, inChild } from './child.ts';
import { quantile, worked } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory, type HistorySize } from './history.ts';
import type { BenchRow } from './row.ts';

const firstMsMax = 1_000;
const changeMsMax = 300;
const exportMsMax = 10_000;
const filters = [
  'tag=tag 3',
  'rank=1..10',
  'q=shoes 7',
  'q=/shoes .*9$/',
  'volume=1000..',
  'change=improved',
  'url=guides',
  'feature=images',
  'bucket=4-10',
];
const orders = ['rank', '-searchVolume', '-estimatedClicksChange', 'keyword', 'url'];
const rounds = 4;
const rival = 'rival.example';

interface Question extends HistorySize {
  readonly folder: string;
}

/** Milliseconds of the processor of each question, by its name: others on the machine do not add to them. */
type Answer = Record<string, readonly number[]>;

const targets: Readonly<Record<string, number>> = {
  'first rows, cold': firstMsMax,
  'first rows, read ahead': firstMsMax,
  export: exportMsMax,
};

export async function benchView(quick: boolean): Promise<BenchRow[]> {
  // the table reads columns of ranks, of all days; single rows of older days would take many minutes to write
  const size = quick ? { keywords: 10_000, days: 30 } : { keywords: 100_000, days: 365 };
  return inFolder(async (folder) => {
    const config = writeConfig(folder, size.keywords);
    const written = readFileSync(config, 'utf8');
    writeFileSync(config, written.replace('    schedule:', `    competitors: [${rival}]\n    schedule:`));
    buildHistory(join(folder, 'rankledger.sqlite'), { ...size, rival });
    const { rssMax, times: answer } = await inChild<{ times: Answer }>(import.meta.url, { folder, ...size });
    const what = `${size.keywords.toLocaleString('en')} keywords, ${size.days} days`;
    const rows = Object.entries(answer).map(([name, times]): BenchRow => {
      const msMax = targets[name] ?? changeMsMax;
      const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
      return {
        name: `view: ${name}, ${what}`,
        target: `p95 under ${msMax} ms`,
        ratio: p95 / msMax,
        detail: `p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms`,
        ok: p95 < msMax,
      };
    });
    const detail = `${Math.round(rssMax / 1e6)} MB`;
    return [...rows, { name: `view: memory at most, ${what}`, target: '-', ratio: Number.NaN, detail, ok: true }];
  });
}

await answerAsChild(import.meta.url, async ({ folder, days }: Question): Promise<{ times: Answer }> => {
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), env: {}, cwd: folder });
  const clock = { now: () => Date.UTC(2026, 0, days, 12), sleep: async () => {} };
  const app = new App(config, { isReading: true, clock });
  const all: KeywordQuery = { filter: {}, sort: [] };
  const filtered = (filter: string, sort = ''): KeywordQuery => ({
    ...all,
    filter: parseFilter(new URLSearchParams(filter)),
    sort: parseSort(sort),
  });
  const dated = (back: number): KeywordQuery => ({
    ...all,
    date: new Date(Date.UTC(2026, 0, days - back)).toISOString().slice(0, 10),
  });
  const lastDays = (count: number): string =>
    new Date(Date.UTC(2026, 0, Math.max(1, days - count + 1))).toISOString().slice(0, 10);
  const year = { from: '2026-01-01', granularity: 'day' } as const;
  const cold = historyReader(app).of('bench');
  const firstRows = [worked(() => page(cold, all))];
  const history = historyReader(app);
  for (const _ of history.warm());
  const reader = history.of('bench');
  const id = reader.keywords(all)[0]?.id ?? '';
  const measure = (queries: readonly KeywordQuery[], work: (query: KeywordQuery) => void): number[] =>
    queries.map((query) => worked(() => work(query)));
  const backs = Array.from({ length: 12 }, (_, index) => 2 + Math.floor((index * (days - 4)) / 12));
  const significances = ['certain', 'likely', 'noise', 'certain|likely'].map((name) => `significance=${name}`);
  const table = (query: KeywordQuery): void => void [page(reader, query), reader.summary(query)];
  const answer: Answer = {
    'first rows, cold': firstRows,
    'first rows, read ahead': measure(new Array(rounds).fill(all), (query) => page(reader, query)),
    'another date, table and sums': measure(backs.map(dated), table),
    'another comparison, table and sums': measure(
      ['7d', '30d', '2026-01-02', 'last-month'].map((compare) => ({ ...all, compare })),
      table,
    ),
    'a comparison without a check near its date, table and sums': measure(
      ['2020-01-01', '2021-01-01', '2022-01-01', '400d'].map((compare) => ({ ...all, compare })),
      table,
    ),
    'another filter and order, table and sums': measure(
      filters.flatMap((filter) => orders.map((sort) => filtered(filter, sort))),
      table,
    ),
    'another order of all rows': measure(
      orders.map((sort) => filtered('', sort)),
      table,
    ),
    'by bestRank': measure([filtered('', 'bestRank'), filtered('', '-bestRank')], table),
    'by significance': measure(
      significances.map((filter) => filtered(filter)),
      table,
    ),
    'by significance, on another date': measure(
      backs.slice(0, 4).map((back) => ({ ...dated(back), filter: filtered('significance=certain').filter })),
      table,
    ),
    'the chart of another filter, 90 days': measure(
      filters.map((filter) => filtered(filter)),
      (query) => void reader.series({ ...query, granularity: 'day' }),
    ),
    'the chart of another filter, all days': measure(
      ['', ...filters].map((filter) => filtered(filter)),
      (query) => void reader.series({ ...query, ...year }),
    ),
    'competitors, 90 days': measure(
      ['', ...filters].map((filter) => filtered(filter)),
      (query) => void reader.competitors({ ...query, from: lastDays(90), granularity: 'day' }),
    ),
    'competitors, all days': measure(
      ['', ...filters].map((filter) => filtered(filter)),
      (query) => void reader.competitors({ ...query, ...year }),
    ),
    'landing pages': measure(
      ['', ...filters].map((filter) => filtered(filter)),
      (query) => void reader.landingPages(query),
    ),
    'segments by tag': measure(
      ['', ...filters].map((filter) => filtered(filter)),
      (query) => void reader.segments(query, 'tag'),
    ),
    'keyword page': measure(new Array(rounds).fill(all), keywordPage),
    'keyword page, on another date': measure(backs.slice(0, rounds).map(dated), (query) => keywordPage(query)),
    'a home, read ahead: first causes, sentences': measure(new Array(rounds).fill(all), home),
    'a home of another comparison, first': measure(
      ['7d', '30d'].map((compare) => ({ ...all, compare })),
      home,
    ),
    'a home of another comparison, again': measure(
      ['7d', '30d'].map((compare) => ({ ...all, compare })),
      home,
    ),
    'filters to choose from': measure(new Array(rounds).fill(all), () => void reader.facts()),
    export: measure([all], (query) => drain(reader.keywords(query), { format: 'csv' })),
  };
  await app.close();
  return { times: answer };

  function keywordPage({ date }: KeywordQuery): void {
    const query = { id, ...(date === undefined ? {} : { date }) };
    void [reader.keyword(query), reader.checks(query)];
  }

  function home(query: KeywordQuery): void {
    void [reader.changeCauses(query).slice(0, 25), reader.changeSummary(query)];
  }

  function page(of: typeof reader, query: KeywordQuery): void {
    drain(of.keywords(query), { limit: 100 }, (rows) => of.withTrends(query, rows as readonly KeywordRow[]));
  }
});

/** Writes the answer, as the server does. */
function drain(
  rows: readonly object[],
  query: Parameters<typeof listBody>[1]['query'],
  withPage?: (rows: readonly object[]) => readonly object[],
): void {
  const { chunks } = listBody(rows, {
    accept: '',
    query,
    version: '',
    columns: [],
    withPage,
  });
  for (const chunk of chunks) if (chunk.length < 0) throw new RangeError('a chunk has a length');
}
