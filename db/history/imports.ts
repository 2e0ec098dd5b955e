// History imported from another tool: runs and checks marked as imports. Existing rows never change.

import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import type { Connection } from '../connection/client.ts';

import type { TableRow } from '../schema/rows.ts';
import { rankingStands } from './checks/conditions.ts';
import { Rankings, urlUnknown } from './checks/rankings.ts';

/** A ranking recorded by another tool. */
interface ImportedRanking {
  readonly projectId: number;
  /** `import/csv`; of our own export, `import/` and the source that it names. */
  readonly source: string;
  /** One run per project and slot, from any number of files. */
  readonly slot: string;
  readonly day: ImportedDay;
  /** Of the slot, UTC milliseconds. Null: noon of the day. */
  readonly moment: number | null;
  /** UTC milliseconds; null: only the day is known. */
  readonly checkedAt: number | null;
  readonly targetId: number;
  readonly searchId: number;
  readonly ranked: {
    readonly rank: number;
    readonly url: string | null;
    /** Null: as if each page had ten results. */
    readonly page: number | null;
    readonly absoluteRank: number | null;
  } | null;
  readonly ownedFeatures: readonly string[];
  /** Pages that the tool read. */
  readonly depth: number;
  /** Where it comes from, in words. */
  readonly note: string;
  /** When it is imported, UTC milliseconds. */
  readonly at: number;
}

/** A local day. Other tools record only the day; noon represents it. */
export interface ImportedDay {
  /** `2026-01-27` */
  readonly date: string;
  readonly timezone: string;
  /** UTC milliseconds. */
  readonly noon: number;
  readonly from: number;
  /** Inclusive. */
  readonly until: number;
}

/**
 * `known`: a ranking of that target, search and day (or moment, where it is known) exists from any source.
 * `contradiction`: one from the same tool exists and differs. Both keep the stored ranking.
 */
type ImportOutcome = 'taken' | 'known' | 'contradiction';

/** Results per page in tools that read the first hundred. */
export const resultsPerPage = 10;

export class Imports {
  readonly #db: Connection;
  readonly #rankings: Rankings;

  constructor(db: Connection) {
    this.#db = db;
    this.#rankings = new Rankings(db);
  }

  /** Adds one ranking. Call inside a transaction. */
  take(ranking: ImportedRanking): ImportOutcome {
    const { source, ranked, day, targetId, searchId, checkedAt } = ranking;
    const run = this.#run(ranking);
    const moment = run?.moment ?? ranking.moment ?? day.noon;
    const stands = this.#db
      .sql<TableRow<'rankings', 'rank'> & TableRow<'checks', 'source'>>(
        `SELECT k.rank, c.source FROM rankings k JOIN checks c ON c.id = k.check_id
         WHERE k.target_id = @targetId AND k.search_id = @searchId AND k.moment BETWEEN @from AND @until
           AND (@checkedAt IS NULL OR k.moment = @moment OR c.checked_at = @checkedAt) AND ${rankingStands('k')}
         ORDER BY c.source = @source DESC LIMIT 1`,
      )
      .get({
        targetId,
        searchId,
        checkedAt,
        moment,
        source,
        from: Math.min(day.from, moment),
        until: Math.max(day.until, moment),
      });
    if (stands !== undefined) {
      return stands.source === source && stands.rank !== (ranked?.rank ?? null) ? 'contradiction' : 'known';
    }
    const checkId = this.#checkId(ranking, run?.id ?? this.#openRun(ranking, moment));
    this.#rankings.insert({
      targetId,
      searchId,
      moment,
      checkId,
      depth: ranking.depth,
      ownedFeatures: ranking.ownedFeatures,
      outcome: ranked === null ? { kind: 'notFound', depth: ranking.depth } : rankedOutcome(ranked),
    });
    return 'taken';
  }

  #run({ projectId, slot }: ImportedRanking): { readonly id: number; readonly moment: number } | undefined {
    return this.#db
      .sql<{ id: number; moment: number }>(
        "SELECT r.id, r.moment FROM slots s JOIN runs r ON r.id = s.run_id WHERE s.project_id = ? AND s.kind = 'import' AND s.slot = ?",
      )
      .get(projectId, slot);
  }

  /** It was over before it was opened. */
  #openRun({ projectId, slot, day, at }: ImportedRanking, moment: number): number {
    const { lastInsertRowid } = this.#db.insert('runs', {
      kind: 'ranks',
      origin: 'import',
      moment,
      openedAt: at,
      closedAt: at,
      planned: 1,
      state: 'complete',
      reportedAt: at,
    });
    const runId = Number(lastInsertRowid);
    this.#db.insert('slots', {
      projectId,
      kind: 'import',
      slot,
      at: moment,
      timezone: day.timezone,
      localDate: day.date,
      state: 'claimed',
      runId,
    });
    return runId;
  }

  /**
   * One check per search in that run, shared by the targets. The page count is the other tool's; no page is archived.
   */
  #checkId(ranking: ImportedRanking, runId: number): number {
    const { projectId, searchId, source, day, depth, note, at, checkedAt } = ranking;
    const known = this.#db
      .sql<TableRow<'checks', 'id'>>('SELECT id FROM checks WHERE run_id = ? AND search_id = ?')
      .get(runId, searchId);
    if (known !== undefined) return known.id;
    const { lastInsertRowid } = this.#db.insert('checks', {
      runId,
      searchId,
      state: 'ok',
      sequence: 0,
      depth,
      paging: 'full',
      deep: 0,
      freshForMs: 0,
      pagesRead: depth,
      checkedAt: checkedAt ?? day.noon,
      finishedAt: at,
      source,
      reason: note,
    });
    const checkId = Number(lastInsertRowid);
    this.#db.digests.addCheck(checkId);
    this.#db.insert('check_projects', { projectId, checkId });
    return checkId;
  }
}

/** Most tools do not name the page of a rank: it is the one of ten results each. */
function rankedOutcome({ rank, url, page, absoluteRank }: NonNullable<ImportedRanking['ranked']>): TargetOutcome {
  const known = page ?? Math.ceil(rank / resultsPerPage);
  return { kind: 'ranked', organicRank: rank, absoluteRank, page: known, url: url ?? urlUnknown };
}
