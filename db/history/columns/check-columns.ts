// The complete checks of a project in a run as columns: counts over many runs take milliseconds. Bench: `view`.

import { zstdCompressSync } from 'node:zlib';
import { sumOf } from '../../../src/tracker/figures.ts';
import { sharedTexts } from '../../connection/batches.ts';
import type { Connection } from '../../connection/client.ts';
import { decodeOrganic, decodeShown, UnreadableArchive } from '../../connection/serp-archive.ts';
import type { TableRow } from '../../schema/rows.ts';
import { differences, freeBytes, joined, reader, sums, type Texts, textColumn, unpackBytes } from './column-bytes.ts';

/** How many complete checks history has of a run. */
export function completeChecks(run: string): string {
  return `coalesce((SELECT o.rows FROM history_digests o WHERE o.subject = 'checks' AND o.key = ${run}), 0)`;
}

/** By check. */
export interface OrganicColumns {
  readonly searchIds: Int32Array;
  /** Results of each check, on its pages up to the first that is missing. */
  readonly counts: Uint16Array;
  /** Of all checks in a row, each by rank. */
  readonly urlIds: Int32Array;
}

/** The bytes of the columns, not compressed. */
export function organicBytes({ searchIds, counts, urlIds }: OrganicColumns): Buffer {
  return joined(Int32Array.of(urlIds.length), differences(searchIds.slice()), urlIds, counts);
}

/** Throws for bytes that are not compressed columns. */
function unpackOrganic(packed: Uint8Array, rows: number): OrganicColumns {
  const take = reader(unpackBytes(packed));
  const [total = 0] = take(Int32Array, 1);
  return { searchIds: sums(take(Int32Array, rows)), urlIds: take(Int32Array, total), counts: take(Uint16Array, rows) };
}

/** Limits memory: the archived pages of so many checks are held at once. */
const checksPerRead = 500;

/** In the order of `checks`. */
export function organicResults(
  db: Connection,
  checks: readonly { readonly id: number; readonly searchId: number }[],
): OrganicColumns {
  const counts = new Uint16Array(checks.length);
  const urlIds: Int32Array[] = [];
  for (let from = 0; from < checks.length; from += checksPerRead) {
    const rows = db
      .sql<{ at: number } & TableRow<'check_pages', 'page'> & TableRow<'pages', 'archive'>>(
        `SELECT w.key AS at, cp.page, p.archive FROM json_each(?) w CROSS JOIN check_pages cp ON cp.check_id = w.value
         CROSS JOIN pages p ON p.id = cp.page_id ORDER BY w.key, cp.page`,
      )
      .all(JSON.stringify(checks.slice(from, from + checksPerRead).map(({ id }) => id)));
    const found: number[] = [];
    for (const { at, archive } of provenPages(rows)) {
      const ofPage = decodeOrganic(archive);
      for (const urlId of ofPage) found.push(urlId);
      counts[from + at] = (counts[from + at] ?? 0) + ofPage.length;
    }
    urlIds.push(Int32Array.from(found));
  }
  return { searchIds: Int32Array.from(checks, ({ searchId }) => searchId), counts, urlIds: concatenate(urlIds) };
}

/** Pages before the first missing one of a check: ranks beyond it are unknown. `rows` are sorted by check and page. */
function* provenPages<Row extends { readonly at: number; readonly page: number }>(rows: Iterable<Row>): Generator<Row> {
  let [lastAt, lastPage] = [-1, 0];
  for (const row of rows) {
    const isNext = row.page === (row.at === lastAt ? lastPage + 1 : 1);
    lastAt = row.at;
    lastPage = isNext ? row.page : Number.NaN;
    if (isNext) yield row;
  }
}

function concatenate(pieces: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(sumOf(pieces, ({ length }) => length));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The name of the feature whose links are kept. */
export const overviewType = 'ai_overview';
/** In place of a number of links: the archived page has no overview. */
const notArchived = -1;

interface CheckEntry {
  readonly searchId: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  /** Pages of an earlier check were used again. */
  readonly isReused: boolean;
  readonly source: string;
  /** Names joined by `|`. */
  readonly features: string;
  /** What an AI overview links to; null: none is archived. Absent: the check shows none. */
  readonly overview?: readonly number[] | null;
}

/** By row. With `using`, their memory is free when its block ends. */
interface CheckColumns extends Disposable {
  /** Ascending. */
  readonly searchIds: Int32Array;
  readonly checkedAt: Float64Array;
  /** 1: pages of an earlier check were used again. */
  readonly reused: Uint8Array;
  readonly sources: Texts;
  readonly features: Texts;
}

/** Sums over the rows, stored beside them so that they are read without unpacking. */
export interface CheckSums {
  readonly rows: number;
  /** The source of all rows; null: there are several, or no rows. */
  readonly source: string | null;
  /** Rows that show an AI overview. */
  readonly shown: number;
  /** Rows that used pages of an earlier check again. */
  readonly reused: number;
  /** UTC milliseconds; null: no rows. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

interface PackedChecks {
  readonly checks: Buffer;
  /** Null: no check shows an AI overview. */
  readonly overviews: Buffer | null;
}

export function sumChecks(entries: readonly CheckEntry[]): CheckSums {
  const [first] = entries;
  const isOne = entries.every(({ source }) => source === first?.source);
  const sums = { rows: entries.length, source: isOne ? (first?.source ?? null) : null };
  let [shown, reused, firstAt, lastAt] = [0, 0, first?.checkedAt ?? null, first?.checkedAt ?? null];
  for (const { overview, isReused, checkedAt } of entries) {
    if (overview !== undefined) shown += 1;
    if (isReused) reused += 1;
    firstAt = Math.min(firstAt ?? checkedAt, checkedAt);
    lastAt = Math.max(lastAt ?? checkedAt, checkedAt);
  }
  return { ...sums, shown, reused, firstAt, lastAt };
}

/** The bytes of the columns, not compressed. `entries` ascend by search. */
export function checkBytes(entries: readonly CheckEntry[]): PackedChecks {
  const lists = [textColumn(entries.map(({ source }) => source)), textColumn(entries.map(({ features }) => features))];
  const header = Buffer.from(JSON.stringify(lists.map(({ names }) => names)), 'utf8');
  const overviews = entries.flatMap(({ overview }) => (overview === undefined ? [] : [overview]));
  const links = overviews.flatMap((urlIds) => urlIds ?? []);
  return {
    checks: joined(
      Uint32Array.of(header.length),
      header,
      differences(Float64Array.from(entries, ({ checkedAt }) => checkedAt)),
      differences(Int32Array.from(entries, ({ searchId }) => searchId)),
      ...lists.map(({ column }) => column),
      Uint8Array.from(entries, ({ isReused }) => (isReused ? 1 : 0)),
    ),
    overviews:
      overviews.length === 0
        ? null
        : joined(
            Int32Array.of(overviews.length, links.length),
            Int32Array.from(overviews, (urlIds) => urlIds?.length ?? notArchived),
            Int32Array.from(links),
          ),
  };
}

export function packChecks({ checks, overviews }: PackedChecks): PackedChecks {
  return { checks: zstdCompressSync(checks), overviews: overviews === null ? null : zstdCompressSync(overviews) };
}

/** Throws for bytes that are not compressed columns. */
function unpackChecks(packed: Uint8Array, rows: number): CheckColumns {
  const bytes = unpackBytes(packed);
  const start = Uint32Array.BYTES_PER_ELEMENT + bytes.readUInt32LE();
  const lists = JSON.parse(bytes.toString('utf8', Uint32Array.BYTES_PER_ELEMENT, start)) as string[][];
  // in place of the header, so that numbers begin where their size allows
  const take = reader(bytes.copyWithin(0, start).subarray(0, bytes.length - start));
  const checkedAt = sums(take(Float64Array, rows));
  const searchIds = sums(take(Int32Array, rows));
  const texts = (names: readonly string[] = []): Texts => ({ names, column: take(Uint16Array, rows) });
  const [sources, features] = [texts(lists[0]), texts(lists[1])];
  const reused = take(Uint8Array, rows);
  return { searchIds, checkedAt, sources, features, reused, [Symbol.dispose]: () => freeBytes(bytes) };
}

/** Of each check that shows an AI overview what it links to; null: none is archived. Throws like `unpackChecks`. */
function unpackOverviews(packed: Uint8Array): (readonly number[] | null)[] {
  const bytes = unpackBytes(packed);
  const take = reader(bytes);
  const [shown = 0, linked = 0] = take(Int32Array, 2);
  const counts = take(Int32Array, shown);
  const links = take(Int32Array, linked);
  let at = 0;
  return Array.from(counts, (count) => {
    if (count === notArchived) return null;
    at += count;
    return [...links.subarray(at - count, at)];
  });
}

/** Whether names of features, joined by `|`, contain that of AI overviews. */
export function hasOverview(features: string): boolean {
  return features.split('|').includes(overviewType);
}

// History is the truth: columns count only while they were made of as many complete checks as
// their run has. All projects of a run are written together.

/** The columns of a project in a run. */
export interface StoredChecks extends CheckColumns {
  /** What the AI overview of a row links to; null: none is archived. Undefined: the row shows none. */
  readonly overviewOf: (row: number) => readonly number[] | null | undefined;
}

/** The end of a run also writes missing columns of earlier runs, up to this many checks. */
const checksPerCloseMax = 500_000;
const sumNames = 'c.rows, c.source, c.shown, c.reused, c.first_at AS firstAt, c.last_at AS lastAt';
const isCurrent = `c.complete_checks = ${completeChecks('c.run_id')}`;

/** Complete checks of a run that were seen within moments, UTC milliseconds, both inclusive. */
interface DatedChecks {
  readonly id: number;
  readonly from: number;
  readonly until: number;
}

type StoredEntry = CheckEntry & { readonly id: number };

export class CheckColumnStore {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Null: there are none, or stale ones. */
  read(runId: number, project: string): StoredChecks | null {
    const row = this.#db
      .sql<TableRow<'check_columns', 'rows' | 'checks' | 'overviews'>>(
        `SELECT c.rows, c.checks, c.overviews FROM check_columns c
         WHERE c.run_id = ? AND c.project_id = (SELECT id FROM projects WHERE name = ?) AND ${isCurrent}`,
      )
      .get(runId, project);
    if (row === undefined) return null;
    const columns = unpackChecks(row.checks, row.rows);
    return { ...columns, overviewOf: overviewsOf(columns, row.overviews) };
  }

  /** Null: there are none, or stale ones. */
  sums(runId: number, project: string): CheckSums | null {
    const row = this.#db
      .sql<CheckSums>(
        `SELECT ${sumNames} FROM check_columns c
         WHERE c.run_id = ? AND c.project_id = (SELECT id FROM projects WHERE name = ?) AND ${isCurrent}`,
      )
      .get(runId, project);
    return row ?? null;
  }

  /**
   * The organic results of checks that were seen within these moments; the search of another check is 0. Null: there
   * are none, or stale ones.
   */
  organic(project: string, { id, from, until }: DatedChecks): OrganicColumns | null {
    const row = this.#db
      .sql<TableRow<'check_columns', 'rows' | 'firstAt' | 'lastAt' | 'checks' | 'organic'>>(
        `SELECT c.rows, c.first_at AS firstAt, c.last_at AS lastAt, c.checks, c.organic FROM check_columns c
         WHERE c.run_id = ? AND c.project_id = (SELECT id FROM projects WHERE name = ?) AND ${isCurrent}`,
      )
      .get(id, project);
    if (row === undefined || row.organic === null) return null;
    const columns = unpackOrganic(row.organic, row.rows);
    if ((row.firstAt ?? from) >= from && (row.lastAt ?? until) <= until) return columns;
    const { checkedAt } = unpackChecks(row.checks, row.rows);
    const isSeen = (at: number): boolean => at >= from && at <= until;
    return { ...columns, searchIds: columns.searchIds.map((id, at) => (isSeen(checkedAt[at] ?? 0) ? id : 0)) };
  }

  /** Every run and project with columns that are read. */
  stored(): { readonly runId: number; readonly projectId: number }[] {
    return this.#db
      .sql<TableRow<'check_columns', 'runId' | 'projectId'>>(
        `SELECT c.run_id AS runId, c.project_id AS projectId FROM check_columns c WHERE ${isCurrent}`,
      )
      .all();
  }

  /** Whether the stored columns are exactly those that history gives. Throws for bytes that are not compressed. */
  isDerived(runId: number, projectId: number): boolean {
    try {
      return this.#areDerived(runId, projectId);
    } catch (error) {
      if (error instanceof UnreadableArchive) return false;
      throw error;
    }
  }

  #areDerived(runId: number, projectId: number): boolean {
    const row = this.#db
      .sql<CheckSums & TableRow<'check_columns', 'checks' | 'overviews' | 'organic'>>(
        `SELECT ${sumNames}, c.checks, c.overviews, c.organic FROM check_columns c WHERE c.run_id = ? AND c.project_id = ?`,
      )
      .get(runId, projectId);
    if (row === undefined) return false;
    const { checks, overviews, organic, ...sums } = row;
    const entries = this.#entries(runId, projectId);
    const due = checkBytes(entries);
    if (JSON.stringify(sums) !== JSON.stringify(sumChecks(entries))) return false;
    if (!unpackBytes(checks).equals(due.checks)) return false;
    if (organic !== null && !unpackBytes(organic).equals(organicBytes(organicResults(this.#db, entries)))) return false;
    if (overviews === null || due.overviews === null) return overviews === due.overviews;
    return unpackBytes(overviews).equals(due.overviews);
  }

  /** Writes the columns of a run that ends, and of earlier runs that have none or stale ones. In a transaction. */
  write(runId: number): void {
    let left = checksPerCloseMax - this.#writeRun(runId);
    for (const { id } of this.#runsWithout()) {
      if (left <= 0) return;
      try {
        left -= this.#writeRun(id);
      } catch (error) {
        if (!(error instanceof UnreadableArchive)) throw error; // `verify` names the page; no run ends with it
      }
    }
  }

  /** Runs of ranks that ended, newest first. Second looks follow changes, and no report counts them. */
  #runsWithout(): TableRow<'runs', 'id'>[] {
    return this.#db
      .sql<TableRow<'runs', 'id'>>(
        `SELECT r.id FROM runs r WHERE r.kind = 'ranks' AND r.state <> 'open' AND r.confirms IS NULL
           AND EXISTS (SELECT 1 FROM slots s WHERE s.run_id = r.id)
           AND NOT EXISTS (SELECT 1 FROM check_columns c WHERE c.run_id = r.id AND c.organic IS NOT NULL AND ${isCurrent})
         ORDER BY r.moment DESC, r.id DESC`,
      )
      .all();
  }

  /** Returns the number of checks. Throws UnreadableArchive before it writes. */
  #writeRun(runId: number): number {
    const projects = this.#db
      .sql<TableRow<'slots', 'projectId'>>('SELECT DISTINCT project_id AS projectId FROM slots WHERE run_id = ?')
      .all(runId);
    const all = projects.map(({ projectId }) => {
      const entries = this.#entries(runId, projectId);
      const organic = zstdCompressSync(organicBytes(organicResults(this.#db, entries)));
      return { projectId, ...sumChecks(entries), ...packChecks(checkBytes(entries)), organic };
    });
    this.#db.sql('DELETE FROM check_columns WHERE run_id = ?').run(runId);
    for (const columns of all)
      this.#db
        .sql(
          `INSERT INTO check_columns (run_id, project_id, complete_checks, rows, source, shown, reused, first_at, last_at, checks, overviews, organic)
           VALUES (@runId, @projectId, ${completeChecks('@runId')}, @rows, @source, @shown, @reused, @firstAt, @lastAt, @checks, @overviews, @organic)`,
        )
        .run({ runId, ...columns });
    return sumOf(all, ({ rows }) => rows);
  }

  #entries(runId: number, projectId: number): StoredEntry[] {
    const rows = this.#db
      .sql<
        TableRow<'checks', 'id' | 'searchId'> & {
          checkedAt: number;
          source: string | null;
          features: string | null;
          isReused: number;
          archive: Uint8Array | null;
        }
      >(
        // in this order, because a run may have checks of many projects, whose ids are close together
        `SELECT c.id, c.search_id AS searchId, c.checked_at AS checkedAt, c.pages_reused > 0 AS isReused, c.source, c.features, g.archive
         FROM check_projects w CROSS JOIN checks c ON c.id = w.check_id
         LEFT JOIN check_pages cp ON cp.check_id = c.id AND cp.page = 1 AND instr(c.features, '${overviewType}') > 0
         LEFT JOIN pages g ON g.id = cp.page_id
         WHERE w.project_id = @projectId AND c.run_id = @runId AND c.state = 'ok' AND w.check_id BETWEEN
           (SELECT min(id) FROM checks WHERE run_id = @runId AND state = 'ok') AND
           (SELECT max(id) FROM checks WHERE run_id = @runId AND state = 'ok')
         ORDER BY c.search_id`,
      )
      .iterate({ runId, projectId });
    const typeId = this.#overviewTypeId();
    const shared = sharedTexts();
    return Array.from(rows, (row) => {
      const features = shared(row.features ?? '');
      const entry = {
        id: row.id,
        searchId: row.searchId,
        checkedAt: row.checkedAt,
        isReused: row.isReused === 1,
        source: shared(row.source ?? ''),
        features,
      };
      return hasOverview(features) ? { ...entry, overview: linksIn(row.archive, typeId) } : entry;
    });
  }

  #overviewTypeId(): number {
    const row = this.#db
      .sql<TableRow<'feature_types', 'id'>>('SELECT id FROM feature_types WHERE name = ?')
      .get(overviewType);
    return row?.id ?? 0;
  }
}

function linksIn(archive: Uint8Array | null, overviewTypeId: number): readonly number[] | null {
  if (archive === null) return null;
  const found = decodeShown(archive).features.filter(({ typeId }) => typeId === overviewTypeId);
  return found.length === 0 ? null : found.flatMap(({ urlIds }) => urlIds);
}

function overviewsOf({ features }: CheckColumns, packed: Uint8Array | null): StoredChecks['overviewOf'] {
  if (packed === null) return () => undefined;
  const overviews = unpackOverviews(packed);
  const isShown = features.names.map(hasOverview);
  const byRow = new Map<number, readonly number[] | null>();
  for (const [row, text] of features.column.entries())
    if (isShown[text] === true) byRow.set(row, overviews[byRow.size] ?? null);
  return (row) => byRow.get(row);
}
