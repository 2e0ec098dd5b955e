// The workspace gives the same answers from the ranks of whole runs as from each ranking.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ColumnRow } from '../../../jobs/read/columns/column-rows.ts';
import type { App } from '../../../src/app/app.ts';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import type { HistoryReader, ProjectReader } from '../../../src/read/contract.ts';
import { parseFilter, parseSort } from '../../../src/read/queries.ts';
import type { KeywordRow } from '../../../src/read/records.ts';
import { type ProjectFolder, projectFolder } from '../../cli/project-folder.ts';
import { commandAt, readingApp } from '../../cli/real-app.ts';
import { putClicks, someDays } from '../../helpers/click-days.ts';
import { temporaryFolder } from '../../helpers/closing.ts';

const days = [12, 13, 14, 15, 16, 17];
const now = Date.parse('2026-01-17T12:00:00Z');

let folder: ProjectFolder;
let fromColumns: Opened;
let fromRankings: Opened;

beforeAll(async () => {
  folder = projectFolder();
  for (const day of days) {
    const slot = `2026-01-${day}T05:00:00Z`;
    await command(['run', '--all', '--slot', slot], Date.parse(slot) + 3_600_000);
  }
  putClicks(folder.path, someDays);
  await command(['run', 'discard', '3', '--reason', 'a test'], now);
  markSuspect('2026-01-16');
  shareMoment('2026-01-15');
  const bare = join(temporaryFolder(), 'bare');
  cpSync(folder.path, bare, { recursive: true });
  fromColumns = await opened(folder.path);
  const sqlite = new Database(fromColumns.app.context.store.file.replace(folder.path, bare));
  // after each run a backfill without checks: the tables of several runs are read row by row
  sqlite.exec(`
    INSERT INTO runs (kind, origin, moment, opened_at, closed_at, planned, state)
      SELECT 'ranks', 'backfill', moment + 1, opened_at, closed_at, 1, 'complete' FROM runs WHERE discarded_at IS NULL AND id > 0;
    INSERT INTO slots (project_id, kind, slot, at, timezone, local_date, state, run_id, suspect_reason)
      SELECT s.project_id, 'backfill', s.slot, s.at + 1, s.timezone, s.local_date, 'claimed', b.id, s.suspect_reason
      FROM slots s JOIN runs r ON r.id = s.run_id JOIN runs b ON b.moment = r.moment + 1 WHERE s.kind = 'ranks'`);
  expect(sqlite.prepare("SELECT count(*) FROM slots WHERE kind = 'backfill'").pluck().get()).toBe(days.length - 1);
  sqlite.close();
  fromRankings = await opened(bare);
});
afterAll(async () => {
  await fromColumns.app.close();
  await fromRankings.app.close();
});

async function command(args: string[], at: number): Promise<void> {
  const { err, exitCode } = await commandAt(folder, at, ...args);
  if (exitCode !== 0) throw new Error(err);
}

/** Of a date: its run lost more than chance allows. */
function markSuspect(date: string): void {
  const sqlite = new Database(join(folder.path, 'data', 'rankledger.sqlite'));
  const marked = sqlite.prepare("UPDATE slots SET suspect_reason = 'a test' WHERE slot LIKE ? || 'T%'").run(date);
  expect(marked.changes).toBe(1);
  sqlite.close();
}

/** A run of another project, opened earlier at the moment of that of a date, checks some of its searches after it. */
function shareMoment(date: string): void {
  const sqlite = new Database(join(folder.path, 'data', 'rankledger.sqlite'));
  const run = sqlite.prepare("SELECT run_id FROM slots WHERE slot LIKE ? || 'T%'").pluck().get(date);
  const checks = `search_id, state, sequence, depth, paging, deep, fresh_for_ms, pages_read, checked_at, finished_at, source, features`;
  const places = 'absolute_rank, page, url_id, depth, owned_features';
  sqlite.exec(`
    INSERT INTO runs (id, kind, moment, opened_at, closed_at, planned, state)
      SELECT 0, 'ranks', moment, opened_at, closed_at, 1, 'complete' FROM runs WHERE id = ${run};
    INSERT INTO checks (run_id, ${checks}) SELECT 0, ${checks} FROM checks WHERE run_id = ${run} AND search_id % 4 > 0;
    INSERT INTO rankings (target_id, search_id, moment, check_id, rank, ${places})
      SELECT r.target_id, r.search_id, r.moment, c.id, r.rank + 2, ${places.replace('depth', 'r.depth')}
      FROM rankings r JOIN checks o ON o.id = r.check_id AND o.run_id = ${run} JOIN checks c ON c.run_id = 0 AND c.search_id = r.search_id`);
  expect(sqlite.prepare('SELECT count(*) FROM checks WHERE run_id = 0').pluck().get()).toBeGreaterThan(1);
  sqlite.close();
}

interface Opened {
  readonly app: App;
  readonly history: HistoryReader;
  readonly reader: ProjectReader;
}

async function opened(path: string): Promise<Opened> {
  const app = await readingApp(path, now);
  const history = historyReader(app);
  return { app, history, reader: history.of('acme') };
}

const queries = [
  '',
  'rank=1..10',
  'change=improved|declined',
  'status=ranked',
  'feature=people_also_ask',
  'url=example',
  'q=shoes',
];
const sorts = [
  '',
  'rank,keyword',
  '-change,keyword',
  '-bestRank,keyword',
  'url,keyword',
  '-estimatedClicksChange,keyword',
];
const dates = [undefined, '2026-01-16', '2026-01-14', '2026-01-12', '2026-01-11'];
const comparisons = [undefined, '3d', '2026-01-12', 'last-month'];

it('the keyword table, its sums and its pages are equal at every date, comparison, filter and order', () => {
  let rows = 0;
  for (const date of dates) {
    for (const compare of comparisons) {
      for (const query of queries) {
        const chosen = { ...(date && { date }), ...(compare && { compare }) };
        const filter = parseFilter(new URLSearchParams(query));
        const all = { filter, sort: [], ...chosen };
        expect(fromColumns.reader.summary(all)).toEqual(fromRankings.reader.summary(all));
        const due = fromRankings.reader.keywords(all);
        expect(plain(fromColumns.reader.keywords(all))).toEqual(plain(due));
        rows += due.length;
      }
    }
  }
  expect(rows).toBeGreaterThan(100);
});

it.each(['fromColumns', 'fromRankings'])('no row is compared with a suspect run, read %s', (from) => {
  const { reader } = from === 'fromColumns' ? fromColumns : fromRankings;
  const rows = reader.keywords({ filter: {}, sort: [] });
  expect(new Set(rows.map(({ previousDate }) => previousDate).filter((date) => date !== null))).toEqual(
    new Set(['2026-01-15']),
  );
});

it('the list of projects has the changes of visibility that summaries of these days have', () => {
  const target = new URLSearchParams({ target: 'acme.com' });
  for (const { history, reader } of [fromColumns, fromRankings]) {
    const of = (compare: string) => reader.summary({ filter: parseFilter(target), sort: [], compare }).visibilityChange;
    const listed = history.projects().find(({ project }) => project === 'acme')?.visibilityChange;
    expect(listed).toEqual({ day: of('1d'), week: of('7d'), month: of('30d') });
    expect(listed?.day).not.toBeNull();
  }
});

it('most rows come from columns, and none is missing there', () => {
  for (const compare of [undefined, 'last-month']) {
    const query = { filter: {}, sort: [], ...(compare && { compare }) };
    const ofColumns = ({ reader }: typeof fromColumns) =>
      reader.keywords(query).filter((row) => row instanceof ColumnRow).length;
    expect(ofColumns(fromColumns)).toBeGreaterThan(fromColumns.reader.keywords(query).length / 2);
    expect(ofColumns(fromRankings)).toBe(0);
  }
});

it.each(['2020-01-01', '400d'])('without a check near %s, rows come from columns and are not comparable', (compare) => {
  const query = { filter: {}, sort: [], compare };
  const rows = fromColumns.reader.keywords(query);
  const previous = fromColumns.reader.keywords({ ...query, compare: 'previous' });
  expect(rows.filter((row) => row instanceof ColumnRow).length).toBeGreaterThan(rows.length / 2);
  expect(plain(rows)).toEqual(plain(fromRankings.reader.keywords(query)));
  expect(fromColumns.reader.summary(query)).toEqual(fromRankings.reader.summary(query));
  for (const [at, { status, changeClass, note }] of rows.entries()) {
    if (status !== 'ranked' && status !== 'not_found') continue;
    const isFirst = previous[at]?.changeClass === 'first_check';
    expect(changeClass).toBe(isFirst ? 'first_check' : 'not_comparable');
    if (!isFirst) expect(note).toContain('not comparable: no complete check near');
  }
});

it('a row is the same once all earlier ranks are in memory', () => {
  for (const { history } of [fromColumns, fromRankings]) for (const _ of history.warm?.() ?? []);
  for (const date of dates) {
    for (const compare of comparisons) {
      const query = { filter: {}, sort: [], ...(date && { date }), ...(compare && { compare }) };
      expect(plain(fromColumns.reader.keywords(query))).toEqual(plain(fromRankings.reader.keywords(query)));
    }
  }
});

it('pages of rows have the trend of their ranks, up to the date of the table', () => {
  for (const date of dates) {
    const query = { filter: {}, sort: [], ...(date && { date }) };
    const trends = ({ reader }: typeof fromColumns) => plain(reader.withTrends(query, reader.keywords(query)));
    expect(trends(fromColumns)).toEqual(trends(fromRankings));
  }
  const query = { filter: {}, sort: [] };
  const [row] = fromColumns.reader.withTrends(query, fromColumns.reader.keywords(query)) as KeywordRow[];
  expect(row?.trend?.dates).toEqual(fromColumns.reader.facts().dates);
  expect(row?.trend?.ranks.at(-1)).toBe(row?.status === 'not_found' ? 'not_found' : row?.rank);
});

it('every order is equal', () => {
  for (const written of sorts) {
    const query = { filter: {}, sort: parseSort(written) };
    expect(plain(fromColumns.reader.keywords(query))).toEqual(plain(fromRankings.reader.keywords(query)));
  }
});

it('charts, segments, competitors, landing pages and the portfolio are equal', () => {
  for (const query of queries) {
    const all = { filter: parseFilter(new URLSearchParams(query)), sort: [] };
    const series = { ...all, granularity: 'day' } as const;
    expect(fromColumns.reader.series(series)).toEqual(fromRankings.reader.series(series));
    expect(fromColumns.reader.segments(all, 'tag')).toEqual(fromRankings.reader.segments(all, 'tag'));
    expect(fromColumns.reader.competitors(series)).toEqual(fromRankings.reader.competitors(series));
    expect(fromColumns.reader.landingPages(all)).toEqual(fromRankings.reader.landingPages(all));
  }
  expect(fromColumns.history.projects()).toEqual(fromRankings.history.projects());
  expect(fromColumns.reader.facts()).toEqual(fromRankings.reader.facts());
  expect(fromColumns.reader.series({ filter: {}, sort: [], granularity: 'day' }).dates).toHaveLength(5);
});

function plain(rows: readonly object[]): object[] {
  return JSON.parse(JSON.stringify(rows)) as object[];
}
