// A database with a long history, made by raw inserts: what a tracker would have written after many days, without the days.
import Database from 'better-sqlite3';
import { openConnection } from '../../db/connection/client.ts';
import { targetKey } from '../../src/tracker/target.ts';
import { keywordAt, ownHost } from './folder.ts';

export interface HistorySize {
  readonly keywords: number;
  /** One run a day; every run checks every keyword and leaves one ranking of each. */
  readonly days: number;
}

const dayMs = 86_400_000;
const firstMoment = Date.UTC(2026, 0, 1, 6);
const depth = 10;
const ranksMax = 10 * depth;
const features = 'people_also_ask|images|related_searches';
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
  checks:
    'id, run_id, search_id, state, sequence, depth, paging, deep, fresh_for_ms, pages_read, checked_at, finished_at, source, features',
  check_projects: 'project_id, check_id',
  rankings: 'target_id, search_id, moment, check_id, rank, absolute_rank, page, url_id, depth',
  volumes:
    'keyword_id, service, country, language, month, observed_at, source, search_volume, cpc_micro_usd, competition, competition_level, intent',
} as const;

/** Fills a new database for the config that `writeConfig` writes for as many keywords. Its runs have the ids 1 to `days`. */
export function buildHistory(file: string, size: HistorySize): void {
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
  database.transaction(() => insertNames(insert, size.keywords))();
  for (let day = 0; day < size.days; day += 1) database.transaction(() => insertDay(insert, size.keywords, day))();
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
}

type Insert = (table: keyof typeof columns, ...values: (string | number | null)[]) => void;

function insertNames(insert: Insert, keywords: number): void {
  insert('projects', 1, 'bench');
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
    insert('volumes', id, 'default', 'US', 'en', '2026-01', observedAt, 'default/sandbox', ...metrics);
  }
}

function insertDay(insert: Insert, keywords: number, day: number): void {
  const run = day + 1;
  const moment = firstMoment + day * dayMs;
  const date = new Date(moment).toISOString().slice(0, 10);
  insert('runs', run, 'ranks', moment, moment, moment + 3_600_000, 1, 'complete', moment + 3_600_000);
  insert('slots', 1, 'ranks', `${date}T06:00`, moment, 'UTC', date, 'claimed', run);
  for (let index = 0; index < keywords; index += 1) {
    const search = index + 1;
    const check = day * keywords + search;
    const at = moment + index;
    const sequence = 10_000_000_000;
    const read = [depth, at, at, 'default/sandbox', features];
    insert('checks', check, run, search, 'ok', sequence, depth, 'full', 0, 0, ...read);
    insert('check_projects', 1, check);
    insert('rankings', 1, search, moment, check, ...placeOf(index, day), depth);
  }
}

/** Rank, absolute rank, page and URL: most keywords move a little each day, some are not found, and now and then another page ranks. */
function placeOf(index: number, day: number): (number | null)[] {
  const rank = 1 + (mixed(index, 1) % (ranksMax + 20)) + (mixed(index, day + 100) % 5);
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
