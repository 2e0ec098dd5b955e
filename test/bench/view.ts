// The workspace: how soon its first rows are there, and how long a change of filter or date takes, at the 95th percentile.
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { App } from '../../src/app/app.ts';
import { historyReader } from '../../src/app/workspace/view.ts';
import { parseFilter, parseSort } from '../../src/workspace/keyword-filter.ts';
import { answerAsChild, inChild } from './child.ts';
import { timed } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory, type HistorySize } from './history.ts';
import type { BenchRow } from './row.ts';

const firstMsMax = 1_000;
const changeMsMax = 300;
const filters = [
  'tag=tag 3',
  'rank=1..10',
  'q=shoes 7',
  'q=/shoes .*9$/',
  'volume=1000..',
  'change=improved',
  'url=guides',
];
const sorts = ['rank', '-searchVolume', '-estimatedClicksChange', 'keyword'];

interface Question extends HistorySize {
  readonly folder: string;
}

interface Answer {
  readonly firstMs: number;
  readonly filterMs: number;
  readonly dateMs: number;
  readonly chartMs: number;
}

export async function benchView(quick: boolean): Promise<BenchRow[]> {
  const size = quick ? { keywords: 10_000, days: 30 } : { keywords: 100_000, days: 90 };
  return inFolder(async (folder) => {
    writeConfig(folder, size.keywords);
    buildHistory(join(folder, 'rankledger.sqlite'), size);
    const { firstMs, filterMs, dateMs, chartMs } = await inChild<Answer>(import.meta.url, { folder, ...size });
    const what = `${size.keywords.toLocaleString('en')} keywords, ${size.days} days`;
    const row = (name: string, ms: number, msMax: number): BenchRow => ({
      name: `view: ${name}, ${what}`,
      target: `under ${msMax} ms`,
      ratio: ms / msMax,
      detail: `${Math.round(ms)} ms`,
      ok: ms < msMax,
    });
    return [
      row('first rows', firstMs, firstMsMax),
      row('another filter and order, p95', filterMs, changeMsMax),
      row('another date, p95', dateMs, changeMsMax),
      row('the chart of another filter, p95', chartMs, changeMsMax),
    ];
  });
}

await answerAsChild(import.meta.url, async ({ folder, days }: Question): Promise<Answer> => {
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), env: {}, cwd: folder });
  const clock = { now: () => Date.UTC(2026, 0, days, 12), sleep: async () => {} };
  const app = new App(config, { isReadOnly: true, clock });
  const reader = historyReader(app);
  const all = { project: 'bench', filter: {}, sort: [] };
  const asked = filters.flatMap((filter) =>
    sorts.map((sort) => ({ ...all, filter: parseFilter(new URLSearchParams(filter)), sort: parseSort(sort) })),
  );
  const firstMs = await timed(() => reader.keywords(all));
  const filterMs = await percentile(asked, (query) => void [reader.keywords(query), reader.summary(query)]);
  const dates = Array.from({ length: 8 }, (_, back) =>
    new Date(Date.UTC(2026, 0, days - 2 - back)).toISOString().slice(0, 10),
  );
  const dateMs = await percentile(dates, (date) => void reader.keywords({ ...all, date }));
  reader.series({ ...all, granularity: 'day' });
  const chartMs = await percentile(asked, (query) => void reader.series({ ...query, granularity: 'day' }));
  await app.close();
  return { firstMs, filterMs, dateMs, chartMs };
});

async function percentile<Input>(inputs: readonly Input[], work: (input: Input) => void): Promise<number> {
  const times: number[] = [];
  for (const input of inputs) times.push(await timed(() => work(input)));
  return times.sort((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? Number.NaN;
}
