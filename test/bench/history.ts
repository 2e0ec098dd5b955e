// A database with a long history, made by raw inserts: what a tracker would have written after many days.

import { zstdCompressSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { openConnection } from '../../db/connection/client.ts';
import { checkBytes, organicBytes, packChecks, sumChecks } from '../../db/history/columns/check-columns.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import { keywordAt, ownHost } from './folder.ts';

export interface HistorySize {
  readonly keywords: number;
  /** One run a day; every run checks every keyword and leaves one ranking of each. */
  readonly days: number;
  /** A competitor with the same ranks. */
  readonly rival?: string;
  /** That share the keywords evenly, as `writeProjectsConfig` writes them. Default: one, of `writeConfig`. */
  readonly projects?: number;
}

const dayMs = 86_400_000;
const firstMoment = Date.UTC(2026, 0, 1, 6);
const depth = 10;
const ranksMax = 10 * depth;
const features = 'people_also_ask|images|related_searches';
const source = 'default/sandbox';
const resultsPerCheck = 10;
const closedAfterMs = 3_600_000;
const columns = {
  projects: 'id, name',
  targets: 'id, identity, match, value',
  markets: 'id, service, country, language, device',
  keywords: 'id, text',
  searches: 'id, keyword_id, market_id',
  hosts: 'id, name',
  urls: 'id, host_id, scheme, rest',
  runs: 'id, kind, moment, opened_at, closed_at, planned, state, reported_at',
  slots: 'project_id, kind, slot, at, timezone, local_date, state, run_id',
  rankings: 'target_id, search_id, moment, check_id, rank, absolute_rank, page, url_id, depth',
  history_digests: 'subject, key, rows, digest',
  check_columns:
    'run_id, project_id, complete_checks, rows, source, shown, reused, first_at, last_at, checks, overviews, organic',
  volumes:
    'keyword_id, service, country, language, month, observed_at, source, search_volume, cpc_micro_usd, competition, competition_level, intent',
} as const;

/**
 * Fills a new database for the config that `writeConfig` writes for as many keywords. Its runs have the ids 1 to
 * `days`. Digests count rows and prove nothing.
 */
export function buildHistory(file: string, { keywords, days, rival, projects = 1 }: HistorySize): void {
  openConnection(file).close();
  const database = new Database(file);
  database.pragma('foreign_keys = OFF');
  database.pragma('synchronous = OFF');
  database.pragma('cache_size = -400000');
  const prepared = new Map(
    Object.entries(columns).map(([table, names]) => {
      const marks = names.split(',').map(() => '?');
      return [table, database.prepare(`INSERT INTO ${table} (${names}) VALUES (${marks.join(', ')})`)] as const;
    }),
  );
  const insert: Insert = (table, ...values) => prepared.get(table)?.run(...values);
  const walk = walkRanks(keywords, days);
  database.transaction(() => insertNames(insert, keywords, projects))();
  if (rival !== undefined) insert('targets', 2, targetKey({ match: 'domain', value: rival }), 'domain', rival);
  const targetIds = rival === undefined ? [1] : [1, 2];
  const rankingsMoment = database
    .prepare("SELECT sql FROM sqlite_master WHERE name = 'rankings_moment'")
    .pluck()
    .get() as string;
  insert('history_digests', 'volumes', 202601, keywords, 0);
  for (let day = 0; day < days; day += 1) {
    database.transaction(() => {
      insertRun(insert, { keywords, projects }, day, targetIds.length);
      insertChecks(database, { keywords, projects }, day);
      insertCheckColumns(insert, { keywords, projects }, day);
    })();
  }
  // sorting all at once takes a third of the time
  database.exec('DROP INDEX rankings_moment');
  for (const targetId of targetIds)
    database.transaction(() => insertRankings(insert, walk, { keywords, days }, targetId))();
  database.exec(rankingsMoment);
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

type Insert = (table: keyof typeof columns, ...values: (string | number | Buffer | null)[]) => void;

function insertNames(insert: Insert, keywords: number, projects: number): void {
  if (projects === 1) insert('projects', 1, 'bench');
  else for (let index = 0; index < projects; index += 1) insert('projects', index + 1, `project${index}`);
  insert('targets', 1, targetKey({ match: 'domain', value: ownHost }), 'domain', ownHost);
  insert('markets', 1, 'default', 'US', 'en', 'desktop');
  insert('hosts', 1, ownHost);
  for (let index = 0; index < keywords; index += 1) {
    const id = index + 1;
    insert('keywords', id, keywordAt(index));
    insert('searches', id, id, 1);
    insert('urls', 2 * id - 1, 1, 'https', `/products/${keywordAt(index).replaceAll(' ', '-')}`);
    insert('urls', 2 * id, 1, 'https', `/guides/${keywordAt(index).replaceAll(' ', '-')}/`);
    const volume = mixed(index, 7) % 20_000;
    const observedAt = firstMoment - dayMs;
    const metrics = [volume, 1_250_000, volume % 101, 'medium', 'commercial'];
    insert('volumes', id, 'default', 'US', 'en', '2026-01', observedAt, source, ...metrics);
  }
}

type Shares = Required<Pick<HistorySize, 'keywords' | 'projects'>>;

function insertRun(insert: Insert, { keywords, projects }: Shares, day: number, targets: number): void {
  const run = day + 1;
  const moment = momentOf(day);
  const date = new Date(moment).toISOString().slice(0, 10);
  insert('runs', run, 'ranks', moment, moment, moment + closedAfterMs, 1, 'complete', moment + closedAfterMs);
  for (let project = 1; project <= projects; project += 1)
    insert('slots', project, 'ranks', `${date}T06:00`, moment, 'UTC', date, 'claimed', run);
  insert('history_digests', 'rankings', moment, keywords * targets, 0);
  insert('history_digests', 'checks', run, keywords, 0);
}

/** One statement per day: a statement per check would take most of the time. */
function insertChecks(database: Database.Database, { keywords, projects }: Shares, day: number): void {
  const values = { first: day * keywords, run: day + 1, moment: momentOf(day), depth, source, features };
  database
    .prepare(
      `INSERT INTO checks (id, run_id, search_id, state, sequence, depth, paging, deep, fresh_for_ms, pages_read, checked_at, finished_at, source, features)
       SELECT @first + id, @run, id, 'ok', 10000000000, @depth, 'full', 0, 0, @depth, @moment + id - 1, @moment + id - 1, @source, @features FROM searches ORDER BY id`,
    )
    .run(values);
  database
    .prepare(
      `INSERT INTO check_projects (project_id, check_id) SELECT 1 + (id - 1) / ${keywords / projects}, @first + id FROM searches ORDER BY id`,
    )
    .run({ first: values.first });
}

/** Of each project, as the end of each run writes them. */
function insertCheckColumns(insert: Insert, { keywords, projects }: Shares, day: number): void {
  const rows = keywords / projects;
  for (let project = 1; project <= projects; project += 1) {
    const first = (project - 1) * rows;
    const entries = Array.from({ length: rows }, (_, at) => {
      const checkedAt = momentOf(day) + first + at;
      return { searchId: first + at + 1, checkedAt, isReused: false, source, features };
    });
    const { checks, overviews } = packChecks(checkBytes(entries));
    const { shown, reused, firstAt, lastAt } = sumChecks(entries);
    insert(
      'check_columns',
      day + 1,
      project,
      keywords,
      rows,
      source,
      shown,
      reused,
      firstAt,
      lastAt,
      checks,
      overviews,
      organicOf(first, rows, day),
    );
  }
}

/** Ten results a check, of URLs that many searches share: as many bytes as results of pages, which are not built. */
function organicOf(first: number, rows: number, day: number): Buffer {
  const at = (index: number): number => mixed(first + Math.floor(index / resultsPerCheck), index % 23) + day;
  const urlIds = Int32Array.from(
    { length: rows * resultsPerCheck },
    (_, index) => 1 + (at(index) % (2 * first + 2 * rows)),
  );
  const counts = new Uint16Array(rows).fill(resultsPerCheck);
  const searchIds = Int32Array.from({ length: rows }, (_, at) => first + at + 1);
  return zstdCompressSync(organicBytes({ searchIds, counts, urlIds }));
}

/** In the order of the table: writing the history of many searches day by day would touch all of it each day. */
function insertRankings(
  insert: Insert,
  walk: Uint8Array,
  { keywords, days }: Pick<HistorySize, 'keywords' | 'days'>,
  targetId: number,
): void {
  for (let index = 0; index < keywords; index += 1) {
    for (let day = 0; day < days; day += 1) {
      const check = day * keywords + index + 1;
      insert('rankings', targetId, index + 1, momentOf(day), check, ...rankingOf(walk, keywords, index, day), depth);
    }
  }
}

function momentOf(day: number): number {
  return firstMoment + day * dayMs;
}

/** Ranks by day and keyword: each moves up to two ranks a day. Beyond `ranksMax`: not found. */
function walkRanks(keywords: number, days: number): Uint8Array {
  const walk = new Uint8Array(keywords * days);
  for (let index = 0; index < keywords; index += 1) {
    let rank = 1 + (mixed(index, 1) % (ranksMax + 20));
    for (let day = 0; day < days; day += 1) {
      rank = Math.max(1, Math.min(ranksMax + 20, rank + (mixed(index, day + 100) % 5) - 2));
      walk[day * keywords + index] = rank;
    }
  }
  return walk;
}

/** Rank, absolute rank, page and URL; now and then another page ranks. */
function rankingOf(walk: Uint8Array, keywords: number, index: number, day: number): (number | null)[] {
  const rank = walk[day * keywords + index] ?? 0;
  if (rank > ranksMax) return [null, null, null, null];
  const url = 2 * (index + 1) - (mixed(index, Math.floor(day / 10) + 9000) % 2);
  return [rank, rank + Math.ceil(rank / 5), Math.ceil(rank / 10), url];
}

/** The same number for the same two, spread over 31 bits (the finaliser of MurmurHash3). */
function mixed(a: number, b: number): number {
  let hash = Math.imul(a + 1, 0x9e3779b1) ^ Math.imul(b + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) & 0x7fffffff;
}
