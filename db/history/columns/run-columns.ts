// Columns of ranks per run and target: a copy of history that is read in milliseconds. Bench: `view`.

import { zstdCompressSync } from 'node:zlib';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Market } from '../../../src/tracker/project.ts';
import { codeOfRank, rankCodes } from '../../../src/tracker/rank-codes.ts';
import { sharedTexts } from '../../connection/batches.ts';
import type { Connection } from '../../connection/client.ts';
import { marketValues } from '../../connection/names.ts';
import type { TableRow } from '../../schema/rows.ts';
import { searchesAmong } from '../checks/conditions.ts';
import { isNotFollowedSql } from '../checks/rankings.ts';
import { completeChecks } from './check-columns.ts';
import { differences, freeBytes, joined, reader, sums, type Texts, textColumn, unpackBytes } from './column-bytes.ts';

/** A ranking with its check. */
export interface ColumnEntry {
  readonly searchId: number;
  readonly checkId: number;
  /** See src/tracker/rank-codes.ts. */
  readonly code: number;
  /** Pages, of the ranking. */
  readonly depth: number;
  /** Pages, of the check. */
  readonly checkDepth: number;
  readonly page: number | null;
  readonly urlId: number | null;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  readonly features: string;
  readonly ownedFeatures: string;
}

/** The searches of a run's ranks: runs mostly have the same. */
export interface RankedSearches {
  /** Ascending. */
  readonly searchIds: Int32Array;
  /** The bytes that they were read from. */
  readonly idBytes: Buffer;
}

/** In the order of the searches. With `using`, the memory of the codes is free when its block ends. */
export interface Ranks extends RankedSearches, Disposable {
  readonly codes: Uint16Array;
}

/** With `using`, the memory of all columns is free when its block ends. */
export interface RankDetails extends Disposable {
  readonly checkIds: Float64Array;
  readonly depths: Uint16Array;
  readonly checkDepths: Uint16Array;
  /** 0: none. */
  readonly pages: Uint16Array;
  /** 0: none. */
  readonly urlIds: Int32Array;
  readonly checkedAt: Float64Array;
  /** Texts by the number in the column. */
  readonly sources: Texts;
  readonly features: Texts;
  readonly ownedFeatures: Texts;
}

interface PackedColumns {
  readonly ranks: Buffer;
  readonly details: Buffer;
}

/** The bytes of the columns, not compressed. `entries` ascend by search. */
export function columnBytes(entries: readonly ColumnEntry[]): PackedColumns {
  const lists = [
    textColumn(entries.map(({ source }) => source)),
    textColumn(entries.map(({ features }) => features)),
    textColumn(entries.map(({ ownedFeatures }) => ownedFeatures)),
  ];
  const header = Buffer.from(JSON.stringify(lists.map(({ names }) => names)), 'utf8');
  return {
    ranks: joined(
      differences(Int32Array.from(entries, ({ searchId }) => searchId)),
      Uint16Array.from(entries, ({ code }) => code),
    ),
    details: joined(
      Uint32Array.of(header.length),
      header,
      // ids and moments rise from row to row: their differences compress to next to nothing
      differences(Float64Array.from(entries, ({ checkId }) => checkId)),
      differences(Float64Array.from(entries, ({ checkedAt }) => checkedAt)),
      Int32Array.from(entries, ({ urlId }) => urlId ?? 0),
      Uint16Array.from(entries, ({ depth }) => depth),
      Uint16Array.from(entries, ({ checkDepth }) => checkDepth),
      Uint16Array.from(entries, ({ page }) => page ?? 0),
      ...lists.map(({ column }) => column),
    ),
  };
}

export function packColumns({ ranks, details }: PackedColumns): PackedColumns {
  return { ranks: zstdCompressSync(ranks), details: zstdCompressSync(details) };
}

/** `like`: searches that may be the same, and are shared then. Throws for bytes that are not compressed columns. */
function unpackRanks(packed: Uint8Array, rows: number, like?: RankedSearches): Ranks {
  const bytes = unpackBytes(packed);
  const take = reader(bytes);
  const ids = take(Int32Array, rows);
  const codes = take(Uint16Array, rows);
  const idBytes = bytes.subarray(0, ids.byteLength);
  const { searchIds, idBytes: kept } = like?.idBytes.equals(idBytes)
    ? like
    : { searchIds: sums(ids.slice()), idBytes: Buffer.from(idBytes) };
  return { searchIds, idBytes: kept, codes, [Symbol.dispose]: () => freeBytes(bytes) };
}

/** Throws for bytes that are not compressed columns. */
function unpackDetails(packed: Uint8Array, rows: number): RankDetails {
  const bytes = unpackBytes(packed);
  const start = Uint32Array.BYTES_PER_ELEMENT + bytes.readUInt32LE();
  const lists = JSON.parse(bytes.toString('utf8', Uint32Array.BYTES_PER_ELEMENT, start)) as string[][];
  // in place of the header, so that numbers begin where their size allows
  const take = reader(bytes.copyWithin(0, start).subarray(0, bytes.length - start));
  const checkIds = sums(take(Float64Array, rows));
  const checkedAt = sums(take(Float64Array, rows));
  const urlIds = take(Int32Array, rows);
  const depths = take(Uint16Array, rows);
  const checkDepths = take(Uint16Array, rows);
  const pages = take(Uint16Array, rows);
  const texts = (names: readonly string[] = []): Texts => ({ names, column: take(Uint16Array, rows) });
  const [sources, features, ownedFeatures] = [texts(lists[0]), texts(lists[1]), texts(lists[2])];
  const columns = { checkIds, checkedAt, urlIds, depths, checkDepths, pages, sources, features, ownedFeatures };
  return { ...columns, [Symbol.dispose]: () => freeBytes(bytes) };
}

type EntryRow = TableRow<'checks', 'id' | 'searchId' | 'state' | 'checkedAt' | 'source' | 'features'> &
  TableRow<'rankings', 'rank' | 'page' | 'urlId' | 'depth' | 'ownedFeatures'> & {
    checkDepth: number;
    isNotFollowed: number;
  };

/** The rankings of a target in the checks of a run, by search. */
function columnEntries(db: Connection, runId: number, targetId: number): ColumnEntry[] {
  const shared = sharedTexts();
  const rows = db
    .sql<EntryRow>(
      `SELECT c.id, c.search_id AS searchId, c.state, c.checked_at AS checkedAt, c.source, c.features, c.depth AS checkDepth,
         r.rank, r.page, r.url_id AS urlId, r.depth, r.owned_features AS ownedFeatures, ${isNotFollowedSql('r', 'c')} AS isNotFollowed
       FROM checks c JOIN rankings r ON r.target_id = @targetId AND r.search_id = c.search_id
         AND r.moment = (SELECT moment FROM runs WHERE id = @runId) AND r.check_id = c.id
       WHERE c.run_id = @runId ORDER BY c.search_id`,
    )
    .iterate({ runId, targetId });
  return Array.from(rows, (row) => ({
    searchId: row.searchId,
    checkId: row.id,
    code: codeOf(row),
    depth: row.depth,
    checkDepth: row.checkDepth,
    page: row.page,
    urlId: row.urlId,
    checkedAt: row.checkedAt ?? 0,
    source: shared(row.source ?? ''),
    features: shared(row.features ?? ''),
    ownedFeatures: shared(row.ownedFeatures ?? ''),
  }));
}

function codeOf({ state, rank, urlId, isNotFollowed }: EntryRow): number {
  if (state !== 'ok') return rankCodes.incomplete;
  if (rank !== null) return codeOfRank(rank);
  if (urlId !== null) return rankCodes.incomplete;
  return isNotFollowed === 1 ? rankCodes.not_followed : rankCodes.not_found;
}

// History is the truth: columns count only while they hold as many rankings as their moment has, and were made of as
// many complete checks as their run has. A row added later, by another run or out of stored pages, makes them stale.

/** A run that ended, with its columns. */
export interface ColumnRun {
  readonly id: number;
  readonly moment: number;
  /** No report of these projects compares with it. */
  readonly suspectFor: ReadonlySet<string>;
  /** Of each target with rankings in the run: how many. Null: history has rankings that are in no columns. */
  readonly rowsByTarget: ReadonlyMap<number, number> | null;
  /** Differs when the columns were made again. */
  readonly stamp: string;
}

/** What columns hold of a target before a moment. */
export interface ColumnPast {
  readonly targetId: number;
  /** Newest first: runs of which they hold all rankings. */
  readonly runIds: readonly number[];
  /** Rankings of the newest of these runs; 0: there is none. */
  readonly rows: number;
  /** Whether there are no other rankings before the moment. */
  readonly isWhole: boolean;
}

/** The complete checks of a run, of all projects. */
interface SeenRun {
  /** The only one. */
  readonly source: string;
  /** UTC milliseconds, of the first and the last check. */
  readonly earliest: number;
  readonly latest: number;
}

/** The end of a run also writes missing columns of earlier runs, up to this many rankings. */
const rankingsPerCloseMax = 500_000;

export class RunColumns {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Every run of ranks from a moment on that ended and was not discarded, newest moment first. */
  runs(from = 0): ColumnRun[] {
    const targets = new Map<number, { rows: Map<number, number>; stamp: string }>();
    for (const { runId, targetId, rows, completeChecks } of this.#db
      .sql<TableRow<'run_columns', 'runId' | 'targetId' | 'rows' | 'completeChecks'>>(
        `SELECT c.run_id AS runId, c.target_id AS targetId, c.rows, c.complete_checks AS completeChecks FROM runs r JOIN run_columns c ON c.run_id = r.id
         WHERE r.moment >= ? ORDER BY c.run_id, c.target_id`,
      )
      .iterate(from)) {
      const known = getOrInsert(targets, runId, () => ({ rows: new Map<number, number>(), stamp: '' }));
      known.rows.set(targetId, rows);
      known.stamp += `${targetId} ${rows} ${completeChecks} `;
    }
    const stale = new Set(this.#staleMoments(from));
    const none: ReadonlyMap<number, number> = new Map();
    const suspect = new Map<number, Set<string>>();
    const noProjects: ReadonlySet<string> = new Set();
    for (const { runId, project } of this.#db
      .sql<{ runId: number; project: string }>(
        'SELECT s.run_id AS runId, p.name AS project FROM slots s JOIN projects p ON p.id = s.project_id WHERE s.suspect_reason IS NOT NULL',
      )
      .iterate())
      suspect.set(runId, (suspect.get(runId) ?? new Set()).add(project));
    return this.#db
      .sql<TableRow<'runs', 'id' | 'moment'>>(
        "SELECT id, moment FROM runs WHERE kind <> 'volumes' AND state <> 'open' AND discarded_at IS NULL AND moment >= ? ORDER BY moment DESC, id DESC",
      )
      .all(from)
      .map(({ id, moment }) => ({
        id,
        moment,
        suspectFor: suspect.get(id) ?? noProjects,
        rowsByTarget: stale.has(moment) ? null : (targets.get(id)?.rows ?? none),
        stamp: targets.get(id)?.stamp ?? '',
      }));
  }

  /** The runs back to the first moment that columns do not hold, or that several runs share: their order matters. */
  before(targetId: number, moment: number): ColumnPast {
    const stale = this.#staleMoments().find((each) => each < moment);
    const runs = this.#db
      .sql<TableRow<'runs', 'id' | 'moment'> & TableRow<'run_columns', 'rows'>>(
        `SELECT r.id, r.moment, c.rows FROM runs r JOIN run_columns c ON c.run_id = r.id AND c.target_id = @targetId
         WHERE r.moment < @moment AND r.moment > @stale AND r.state <> 'open' AND r.discarded_at IS NULL
         ORDER BY r.moment DESC, r.id DESC`,
      )
      .all({ targetId, moment, stale: stale ?? Number.MIN_SAFE_INTEGER });
    const shared = runs.findIndex((run, index) => run.moment === runs[index + 1]?.moment);
    const held = shared === -1 ? runs : runs.slice(0, shared);
    const isWhole = stale === undefined && shared === -1;
    return { targetId, runIds: held.map(({ id }) => id), rows: held[0]?.rows ?? 0, isWhole };
  }

  /** 0: no search was ever made. */
  newestSearchId(): number {
    return this.#db.sql<{ id: number | null }>('SELECT max(id) AS id FROM searches').get()?.id ?? 0;
  }

  /** The searches of these keywords in a market, in their order; 0: it was never made. */
  searchIds(market: Market, keywords: readonly string[]): number[] {
    return this.#db
      .sql<{ id: number }>(`SELECT coalesce(s.id, 0) AS id ${searchesAmong('LEFT JOIN')} ORDER BY w.key`)
      .all({ ...marketValues(market), target: '', keywords: JSON.stringify(keywords) })
      .map(({ id }) => id);
  }

  /** `like`: searches that may be the same. Null: there are none. */
  ranks(runId: number, targetId: number, like?: RankedSearches): Ranks | null {
    const row = this.#db
      .sql<TableRow<'run_columns', 'rows' | 'ranks'>>(
        'SELECT rows, ranks FROM run_columns WHERE run_id = ? AND target_id = ?',
      )
      .get(runId, targetId);
    return row === undefined ? null : unpackRanks(row.ranks, row.rows, like);
  }

  /** Null: there are none. */
  details(runId: number, targetId: number): RankDetails | null {
    const row = this.#db
      .sql<TableRow<'run_columns', 'rows' | 'details'>>(
        'SELECT rows, details FROM run_columns WHERE run_id = ? AND target_id = ?',
      )
      .get(runId, targetId);
    return row === undefined ? null : unpackDetails(row.details, row.rows);
  }

  /** When all complete checks of a run were made, from one source. Null: columns of checks do not say it. */
  seen(runId: number): SeenRun | null {
    const row = this.#db
      .sql<{ [Name in keyof SeenRun]: SeenRun[Name] }>(
        `SELECT max(c.source) AS source, min(c.first_at) AS earliest, max(c.last_at) AS latest FROM check_columns c
         WHERE c.run_id = @runId AND c.rows > 0
         HAVING count(c.source) = count(*) AND min(c.source) = max(c.source) AND sum(c.rows) >= ${completeChecks('@runId')}
           AND min(c.complete_checks = ${completeChecks('@runId')}) = 1`,
      )
      .get({ runId });
    return row ?? null;
  }

  /** Exact ranks in the incomplete checks of a run, of which columns say only `unproven`. */
  ranksInIncomplete(runId: number, targetId: number): { searchId: number; rank: number }[] {
    return this.#db
      .sql<{ searchId: number; rank: number }>(
        `SELECT c.search_id AS searchId, r.rank AS rank FROM checks c JOIN rankings r ON r.target_id = @targetId AND r.search_id = c.search_id
           AND r.moment = (SELECT moment FROM runs WHERE id = @runId) AND r.check_id = c.id
         WHERE c.run_id = @runId AND c.state = 'incomplete' AND r.rank IS NOT NULL`,
      )
      .all({ runId, targetId });
  }

  /** Whether the stored columns are exactly those that history gives. Throws for bytes that are not compressed. */
  isDerived(runId: number, targetId: number): boolean {
    const row = this.#db
      .sql<TableRow<'run_columns', 'ranks' | 'details'>>(
        'SELECT ranks, details FROM run_columns WHERE run_id = ? AND target_id = ?',
      )
      .get(runId, targetId);
    if (row === undefined) return false;
    const due = columnBytes(columnEntries(this.#db, runId, targetId));
    return unpackBytes(row.ranks).equals(due.ranks) && unpackBytes(row.details).equals(due.details);
  }

  /**
   * Writes the columns of a run that ends, and of earlier runs that have none or stale ones, newest first. `likely`:
   * targets that it probably tracked. Call inside a transaction.
   */
  write(runId: number, likely: readonly number[]): void {
    const run = this.#db.sql<TableRow<'runs', 'moment'>>('SELECT moment FROM runs WHERE id = ?').get(runId);
    if (run === undefined) return;
    let left = rankingsPerCloseMax - this.#writeRun(runId, run.moment, likely);
    for (const moment of this.#staleMoments()) {
      if (left <= 0) return;
      const runs = this.#db
        .sql<TableRow<'runs', 'id'>>("SELECT id FROM runs WHERE moment = ? AND state <> 'open' AND id <> ?")
        .all(moment, runId);
      for (const { id } of runs) left -= this.#writeRun(id, moment, likely);
    }
  }

  /** The newest first. */
  #staleMoments(from = 0): number[] {
    return this.#db
      .sql<{ moment: number }>(
        `WITH held AS (
           SELECT r.moment, sum(c.rows) AS rows, max(c.complete_checks <> ${completeChecks('r.id')}) AS is_older
           FROM runs r JOIN run_columns c ON c.run_id = r.id WHERE r.moment >= @from GROUP BY r.moment)
         SELECT d.key AS moment FROM history_digests d LEFT JOIN held h ON h.moment = d.key
         WHERE d.subject = 'rankings' AND d.key >= @from AND (h.rows IS NULL OR h.rows <> d.rows OR h.is_older) ORDER BY d.key DESC`,
      )
      .all({ from })
      .map(({ moment }) => moment);
  }

  /** Returns the number of rankings. */
  #writeRun(runId: number, moment: number, likely: readonly number[]): number {
    this.#db.sql('DELETE FROM run_columns WHERE run_id = ?').run(runId);
    const due = this.#db
      .sql<{ due: number | null }>(
        `SELECT (SELECT rows FROM history_digests WHERE subject = 'rankings' AND key = @moment)
           - (SELECT coalesce(sum(c.rows), 0) FROM runs r JOIN run_columns c ON c.run_id = r.id WHERE r.moment = @moment) AS due`,
      )
      .get({ moment });
    let written = 0;
    for (const targetId of new Set([...likely, ...this.#targetIds()])) {
      if (written >= (due?.due ?? 0)) break;
      const entries = columnEntries(this.#db, runId, targetId);
      if (entries.length === 0) continue;
      const { ranks, details } = packColumns(columnBytes(entries));
      this.#db
        .sql(
          `INSERT INTO run_columns (run_id, target_id, rows, complete_checks, ranks, details) VALUES (?, ?, ?, ${completeChecks('?')}, ?, ?)`,
        )
        .run(runId, targetId, entries.length, runId, ranks, details);
      written += entries.length;
    }
    return written;
  }

  #targetIds(): number[] {
    return this.#db
      .sql<TableRow<'targets', 'id'>>('SELECT id FROM targets')
      .all()
      .map(({ id }) => id);
  }
}

export class SearchPositions {
  /** 0: the search was never made. */
  readonly ids: Int32Array;
  #known: { readonly of: Int32Array; readonly positions: Int32Array } | undefined;

  constructor(ids: Int32Array) {
    this.ids = ids;
  }

  /** Where each search is in an ascending list of ids; -1: it is not. Runs mostly have the same list. */
  in(searchIds: Int32Array): Int32Array {
    const known = this.#known;
    if (known !== undefined && isEqual(known.of, searchIds)) return known.positions;
    const most = searchIds.at(-1) ?? 0;
    const indices = new Int32Array(most + 1).fill(-1);
    for (let index = 0; index < searchIds.length; index += 1) indices[searchIds[index] ?? 0] = index;
    const positions = this.ids.map((id) => (id > 0 && id <= most ? (indices[id] ?? -1) : -1));
    this.#known = { of: searchIds, positions };
    return positions;
  }
}

function isEqual(a: Int32Array, b: Int32Array): boolean {
  return a === b || (a.length === b.length && Buffer.compare(bytesOf(a), bytesOf(b)) === 0);
}

function bytesOf({ buffer, byteOffset, byteLength }: Int32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
