// A reader keeps columns of ranks between questions, and still sees what happened to history since.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { HistoryReader, KeywordQuery } from '../../../src/read/contract.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp } from '../../cli/real-app.ts';

const now = Date.parse('2026-01-17T12:00:00Z');
const all: KeywordQuery = { filter: {}, sort: [] };

let folder: ProjectFolder;
let app: App;
let kept: HistoryReader;

beforeAll(async () => {
  folder = projectFolder();
  for (const day of [12, 13, 14]) await runOn(day);
  app = await opened();
  kept = historyReader(app);
});
afterAll(async () => {
  await app.close();
});

async function command(args: string[], at: number): Promise<void> {
  const { err, exitCode } = await commandAt(folder, at, ...args);
  if (exitCode !== 0) throw new Error(err);
}

async function runOn(day: number): Promise<void> {
  const slot = `2026-01-${day}T05:00:00Z`;
  await command(['run', '--all', '--slot', slot], Date.parse(slot) + 3_600_000);
}

async function opened(): Promise<App> {
  return await readingApp(folder.path, now);
}

function answers(history: HistoryReader): unknown {
  const reader = history.of('acme');
  const series = { ...all, granularity: 'day' } as const;
  const rows = reader.keywords(all);
  const compared = { ...all, compare: '2020-01-01' };
  const found = [
    ...[rows, reader.withTrends(all, rows), reader.summary(all), reader.keywords(compared), reader.summary(compared)],
    ...[reader.series(series), reader.competitors(series), reader.segments(all, 'tag'), reader.landingPages(all)],
  ];
  return JSON.parse(JSON.stringify(found));
}

/** Those of a reader that has kept nothing. */
async function dueAnswers(): Promise<unknown> {
  const other = await opened();
  try {
    return answers(historyReader(other));
  } finally {
    await other.close();
  }
}

it.each<[string, () => void | Promise<void>]>([
  ['a run that lands', () => runOn(15)],
  ['another run', () => runOn(16)],
  ['a run that is discarded', () => command(['run', 'discard', '3', '--reason', 'a test'], now)],
])('answers from kept columns include %s', async (_, change) => {
  for (const __ of kept.warm?.() ?? []) answers(kept);
  const [before, version] = [answers(kept), kept.version()];
  await change();
  expect(kept.version()).not.toBe(version);
  const due = await dueAnswers();
  expect(due).not.toEqual(before);
  expect(answers(kept)).toEqual(due);
});
