// Imported keyword data: from the exports of tools to the records of a run and the answers of a request.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openApp } from '../../../src/app/app.ts';
import { throwFailures } from '../../../src/app/opening/failures.ts';
import { openServices, withoutMetrics } from '../../../src/app/opening/services.ts';
import {
  type Clock,
  createMetricsSource,
  type KeywordDataResponse,
  type KeywordDatasets,
  systemClock,
} from '../../../src/service/index.ts';
import { invoke } from '../../cli/fake-host.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);
/** The time does not move, and pauses take real time: a request is not aborted because it was waited for. */
const stillClock: Clock = { now: () => now, sleep: (ms, signal) => systemClock.sleep(ms, signal) };
const config = `services:
  default: { mode: embedded, source: sandbox, sites: [acme.com], metrics: { source: dataset, file: data/k.dataset } }
projects:
  - id: shop
    targets: [acme.com]
    depth: 1
    keywords: [Running Shoes, trail shoes, walking boots]
    volumes: { schedule: "0 4 * * *" }
`;
const semrush = `Keyword,Intent,Volume,Keyword Difficulty,CPC (USD),Competitive Density,SERP Features
running shoes,Commercial,60500,85,1.32,1.00,
trail running shoes,Informational,8100,60,0.90,0.98,
trail shoes,,,,,,
red running shoes for men,,90,,,0.1,
`;

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder(config);
});

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (resolved, options) => openApp(resolved, { ...options, clock: stillClock }),
  });

const answer = async (...argv: string[]) => {
  const { out, err, exitCode } = await go('keywords', ...argv, '--json');
  expect([exitCode, err]).toEqual([0, '']);
  return (JSON.parse(out) as KeywordDataResponse).data;
};

async function imported(text = semrush, ...flags: string[]) {
  folder.write('list.csv', text);
  return await go('keywords', 'import', 'list.csv', '--country', 'US', '--language', 'en', ...flags);
}

test('a request is answered from the file: the keyword, and those that share words with it', async () => {
  expect((await imported()).exitCode).toBe(0);
  expect(await answer('Running  shoes')).toEqual([
    {
      keyword: 'Running  shoes',
      search_volume: 60_500,
      cpc: 1.32,
      competition: 100,
      competition_level: 'high',
      country: 'us',
      language: 'en',
      intent: 'commercial',
      related_keywords: ['trail running shoes', 'red running shoes for men', 'trail shoes'],
    },
    expect.objectContaining({
      keyword: 'trail running shoes',
      cpc: 0.9,
      intent: 'informational',
      related_keywords: null,
    }),
    expect.objectContaining({ keyword: 'red running shoes for men', search_volume: 90, competition_level: 'low' }),
    expect.objectContaining({
      keyword: 'trail shoes',
      search_volume: null,
      cpc: null,
      competition: null,
      intent: null,
    }),
  ]);
  expect(await answer('running shoes', '--limit', '1')).toHaveLength(1);
});

test('unknown metrics stay unknown: nulls for the keyword before its relatives, an empty answer, or another market', async () => {
  await imported();
  expect((await answer('blue running shoes')).map((row) => [row.keyword, row.search_volume])).toEqual([
    ['running shoes', 60_500],
    ['trail running shoes', 8100],
    ['red running shoes for men', 90],
    ['blue running shoes', null],
    ['trail shoes', null],
  ]);
  expect(await answer('kitchen sink')).toEqual([]);
  expect(await answer('running shoes', '--country', 'GB')).toEqual([]);
  expect(await answer('running shoes', '--language', 'en-US')).toHaveLength(4);
});

test('several keywords are answered at once, before relatives, unknown ones as unknown', async () => {
  await imported();
  const source = await createMetricsSource(
    'dataset',
    { file: join(folder.path, 'data/k.dataset') },
    { clock: systemClock, ...(await hosts()) },
  );
  const context = {
    signal: new AbortController().signal,
    at: now,
    wanted: ['TRAIL shoes', 'kitchen sink', 'trail running shoes'],
  };
  const answered = async (keyword: string, limit: number) =>
    (await source.fetchMetrics({ keyword, country: 'US', language: 'en', limit }, context)).map((row) => [
      row.keyword,
      row.search_volume,
    ]);
  const wanted = [
    ['TRAIL shoes', null],
    ['kitchen sink', null],
    ['trail running shoes', 8100],
  ];
  expect(await answered('running shoes', 5)).toEqual([
    ['running shoes', 60_500],
    ...wanted,
    ['red running shoes for men', 90],
  ]);
  expect(await answered('running shoes', 3)).toEqual([['running shoes', 60_500], ...wanted.slice(0, 2)]);
  expect(await answered('sofa', 4)).toEqual([['sofa', null], ...wanted]);
});

test('a run records the volumes of the file under its own label, at no cost', async () => {
  await imported();
  expect((await go('run', '--all')).exitCode).toBe(0);
  const { out } = await go('export', '--what', 'volumes', '--format', 'jsonl');
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.map((row) => [row['keyword'], row['search_volume'], row['cpc_micro_usd'], row['source']])).toEqual([
    ['Running Shoes', 60_500, 1_320_000, 'default/dataset'],
    ['trail shoes', null, null, 'default/dataset'],
    ['walking boots', null, null, 'default/dataset'],
  ]);
});

test('ranges of Keyword Planner are not volumes, and its bids give the cost per click', async () => {
  const planner = [
    'Keyword',
    'Currency',
    'Avg. monthly searches',
    'Competition',
    'Top of page bid (low range)',
    'Top of page bid (high range)',
  ];
  const rows = [
    planner,
    ['running shoes', 'EUR', '10K – 100K', 'High', '0,50', '1,50'],
    ['trail shoes', 'EUR', '1K – 10K', 'Low', '', ''],
  ];
  const { exitCode, out } = await imported(rows.map((row) => row.join('\t')).join('\n'), '--usd-per-unit', '1.1');
  expect(exitCode).toBe(0);
  expect(out).toContain('2 with a range instead of a number');
  expect(
    (await answer('running shoes')).map((row) => [row.search_volume, row.cpc, row.competition, row.competition_level]),
  ).toEqual([
    [null, 1.1, null, 'high'],
    [null, null, null, 'low'],
  ]);
});

test('a missing dataset is reported by check and by run, with what to do', async () => {
  for (const command of [['check'], ['run', '--all'], ['keywords', 'running shoes']]) {
    const { exitCode, err } = await go(...command);
    expect([command, exitCode === 0, err]).toEqual([
      command,
      false,
      expect.stringMatching(
        /services\.default: Source "dataset" of keyword metrics: .*k\.dataset does not exist\. Create it: `rankledger keywords import/,
      ),
    ]);
  }
});

test('a worker fetches pages where the dataset is missing', async () => {
  const resolved = await loadConfig({ cwd: folder.path, env: {} });
  const host = { clock: systemClock };
  const failures = await openServices(resolved, () => host).open();
  expect(() => throwFailures(failures)).toThrow('does not exist');
  const services = openServices(withoutMetrics(resolved), () => host);
  expect(await services.open()).toEqual(new Map());
  expect(services.byName.get('default')?.source).toBe('sandbox');
  await services.close();
});

test('the newest file answers, even if it replaced another', async () => {
  await imported();
  const asked = await createMetricsSource(
    'dataset',
    { file: join(folder.path, 'data/k.dataset') },
    { clock: systemClock, ...(await hosts()) },
  );
  const request = { keyword: 'trail shoes', country: 'US', language: 'en', limit: 1 };
  const context = { signal: new AbortController().signal, at: now };
  expect(await asked.fetchMetrics(request, context)).toEqual([]);
  await imported('keyword,volume\ntrail shoes,320\n');
  expect((await asked.fetchMetrics(request, context))[0]?.search_volume).toBe(320);
  expect(await asked.probe?.(context)).toMatchObject({
    answers: true,
    message: 'It holds keywords: 4 of US en, the latest import of 2026-01-15.',
  });
  rmSync(join(folder.path, 'data/k.dataset'));
  await imported('keyword,volume\ntrail shoes,9\n');
  expect((await asked.fetchMetrics(request, context))[0]?.search_volume).toBe(9);
});

async function hosts(): Promise<{ datasets: KeywordDatasets }> {
  const { keywordDatasets } = await import('../../../db/dataset/keyword-dataset.ts');
  return { datasets: keywordDatasets };
}

test('a host that opens no datasets is reported, and a missing file is a failure that costs nothing', async () => {
  const file = join(folder.path, 'none');
  await expect(createMetricsSource('dataset', { file }, { clock: systemClock })).rejects.toThrow(
    'this program opens no datasets',
  );
  const gone: KeywordDatasets = {
    open: () => ({
      lookup() {
        throw new Error(`cannot read ${file}`);
      },
      contents() {
        throw new Error(`cannot read ${file}`);
      },
      close() {},
    }),
  };
  const source = await createMetricsSource('dataset', { file }, { clock: systemClock, datasets: gone });
  const context = { signal: new AbortController().signal, at: now };
  const request = { keyword: 'shoes', country: 'US', language: 'en', limit: 1 };
  await expect(source.fetchMetrics(request, context)).rejects.toMatchObject({
    code: 'WORKER_FAILED',
    charged: 'no',
    message: expect.not.stringContaining(file),
  });
  expect(await source.probe?.(context)).toMatchObject({ answers: false, problems: [{ code: 'WORKER_FAILED' }] });
  expect(existsSync(file)).toBe(false);
});
