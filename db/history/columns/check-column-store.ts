// Columns of the complete checks per run and project: counts of features over many runs are read in milliseconds.
import { zstdCompressSync } from 'node:zlib';
import type { Connection } from '../../connection/client.ts';
import { decodeShown, UnreadableArchive } from '../../connection/serp-archive.ts';
import { sharedTexts } from '../../connection/shared-texts.ts';
import type { TableRow } from '../../schema/rows.ts';
import {
  type CheckColumns,
  type CheckEntry,
  type CheckSums,
  checkBytes,
  hasOverview,
  overviewType,
  packChecks,
  sumChecks,
  unpackChecks,
  unpackOverviews,
} from './check-columns.ts';
import { unpackBytes } from './column-bytes.ts';
import { completeChecks } from './complete-checks.ts';
import { organicResults } from './derive-organic.ts';
import { type OrganicColumns, organicBytes, unpackOrganic } from './organic-columns.ts';

// History is the truth: like columns of ranks, these count only while they were made of as many complete checks as
// their run has. All projects of a run are written together.

/** The columns of a project in a run. */
export interface StoredChecks extends CheckColumns {
  /** What the AI overview of a row links to; null: none is archived. Undefined: the row shows none. */
  readonly overviewOf: (row: number) => readonly number[] | null | undefined;
}

/** The end of a run also writes missing columns of earlier runs, up to this many checks. */
const checksPerCloseMax = 500_000;
const sumNames = 'c.rows, c.source, c.shown, c.reused, c.first_at, c.last_at';
type SumsRow = TableRow<'check_columns', 'rows' | 'source' | 'shown' | 'reused' | 'first_at' | 'last_at'>;
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
      .sql<SumsRow>(
        `SELECT ${sumNames} FROM check_columns c
         WHERE c.run_id = ? AND c.project_id = (SELECT id FROM projects WHERE name = ?) AND ${isCurrent}`,
      )
      .get(runId, project);
    return row === undefined ? null : toSums(row);
  }

  /**
   * The organic results of checks that were seen within these moments; the search of another check is 0. Null: there
   * are none, or stale ones.
   */
  organic(project: string, { id, from, until }: DatedChecks): OrganicColumns | null {
    const row = this.#db
      .sql<TableRow<'check_columns', 'rows' | 'first_at' | 'last_at' | 'checks' | 'organic'>>(
        `SELECT c.rows, c.first_at, c.last_at, c.checks, c.organic FROM check_columns c
         WHERE c.run_id = ? AND c.project_id = (SELECT id FROM projects WHERE name = ?) AND ${isCurrent}`,
      )
      .get(id, project);
    if (row === undefined || row.organic === null) return null;
    const columns = unpackOrganic(row.organic, row.rows);
    if ((row.first_at ?? from) >= from && (row.last_at ?? until) <= until) return columns;
    const { checkedAt } = unpackChecks(row.checks, row.rows);
    const isSeen = (at: number): boolean => at >= from && at <= until;
    return { ...columns, searchIds: columns.searchIds.map((id, at) => (isSeen(checkedAt[at] ?? 0) ? id : 0)) };
  }

  /** Every run and project with columns that are read. */
  stored(): { readonly runId: number; readonly projectId: number }[] {
    return this.#db
      .sql<TableRow<'check_columns', 'run_id' | 'project_id'>>(
        `SELECT c.run_id, c.project_id FROM check_columns c WHERE ${isCurrent}`,
      )
      .all()
      .map(({ run_id: runId, project_id: projectId }) => ({ runId, projectId }));
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
      .sql<SumsRow & TableRow<'check_columns', 'checks' | 'overviews' | 'organic'>>(
        `SELECT ${sumNames}, c.checks, c.overviews, c.organic FROM check_columns c WHERE c.run_id = ? AND c.project_id = ?`,
      )
      .get(runId, projectId);
    if (row === undefined) return false;
    const entries = this.#entries(runId, projectId);
    const due = checkBytes(entries);
    if (JSON.stringify(toSums(row)) !== JSON.stringify(sumChecks(entries))) return false;
    if (!unpackBytes(row.checks).equals(due.checks)) return false;
    if (row.organic !== null && !unpackBytes(row.organic).equals(organicBytes(organicResults(this.#db, entries))))
      return false;
    if (row.overviews === null || due.overviews === null) return row.overviews === due.overviews;
    return unpackBytes(row.overviews).equals(due.overviews);
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
      .sql<TableRow<'slots', 'project_id'>>('SELECT DISTINCT project_id FROM slots WHERE run_id = ?')
      .all(runId);
    const all = projects.map(({ project_id: projectId }) => {
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
    return all.reduce((sum, { rows }) => sum + rows, 0);
  }

  #entries(runId: number, projectId: number): StoredEntry[] {
    const rows = this.#db
      .sql<
        TableRow<'checks', 'id' | 'search_id'> & {
          checked_at: number;
          source: string | null;
          features: string | null;
          is_reused: number;
          archive: Uint8Array | null;
        }
      >(
        // in this order, because a run may have checks of many projects, whose ids are close together
        `SELECT c.id, c.search_id, c.checked_at, c.pages_reused > 0 AS is_reused, c.source, c.features, g.archive
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
        searchId: row.search_id,
        checkedAt: row.checked_at,
        isReused: row.is_reused === 1,
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

function toSums({ rows, source, shown, reused, first_at: firstAt, last_at: lastAt }: SumsRow): CheckSums {
  return { rows, source, shown, reused, firstAt, lastAt };
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
