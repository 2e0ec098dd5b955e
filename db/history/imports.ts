// History imported from another tool: runs and checks marked as imports. Existing rows never change.

import type { TargetOutcome } from '../../src/tracker/targets/match.ts';
import type { Connection } from '../connection/client.ts';
import { insertInto } from '../connection/insert.ts';
import type { TableRow } from '../schema/rows.ts';
import { insertCheckProject } from './checks/check-rows.ts';
import { type Rankings, urlUnknown } from './checks/rankings.ts';
import { rankingStands } from './runs/discarded-runs.ts';
import { insertClaimedSlot } from './runs/slots.ts';

/** A ranking recorded by another tool. */
export interface ImportedRanking {
  readonly projectId: number;
  /** The tool's name, as in `import/<tool>`. */
  readonly tool: string;
  readonly day: ImportedDay;
  readonly targetId: number;
  readonly searchId: number;
  readonly ranked: { readonly rank: number; readonly url: string | null } | null;
  /** Pages of ten results that the tool read. */
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
 * `known`: a ranking of that target, search and day exists from any source. `contradiction`: one from the same tool
 * exists and differs. Both keep the stored ranking.
 */
export type ImportOutcome = 'taken' | 'known' | 'contradiction';

/** Results per page in tools that read the first hundred. */
export const resultsPerPage = 10;

const insertRun = insertInto('runs', [
  'kind',
  'origin',
  'moment',
  'opened_at',
  'closed_at',
  'planned',
  'state',
  'reported_at',
]);
const insertCheck = insertInto('checks', [
  'run_id',
  'search_id',
  'state',
  'sequence',
  'depth',
  'paging',
  'deep',
  'fresh_for_ms',
  'pages_read',
  'checked_at',
  'finished_at',
  'source',
  'reason',
]);

export class Imports {
  readonly #db: Connection;
  readonly #rankings: Rankings;

  constructor(db: Connection, rankings: Rankings) {
    this.#db = db;
    this.#rankings = rankings;
  }

  /** Adds one ranking. Call inside a transaction. */
  take(ranking: ImportedRanking): ImportOutcome {
    const source = `import/${ranking.tool}`;
    const { ranked, day, targetId, searchId } = ranking;
    const stands = this.#db
      .sql<TableRow<'rankings', 'rank'> & TableRow<'checks', 'source'>>(
        `SELECT k.rank, c.source FROM rankings k JOIN checks c ON c.id = k.check_id
         WHERE k.target_id = ? AND k.search_id = ? AND k.moment BETWEEN ? AND ? AND ${rankingStands('k')} ORDER BY c.source = ? DESC LIMIT 1`,
      )
      .get(targetId, searchId, day.from, day.until, source);
    if (stands !== undefined) {
      return stands.source === source && stands.rank !== (ranked?.rank ?? null) ? 'contradiction' : 'known';
    }
    const checkId = this.#checkId(ranking, this.#runId(ranking), source);
    this.#rankings.insert({
      targetId,
      searchId,
      moment: day.noon,
      checkId,
      depth: ranking.depth,
      ownedFeatures: [],
      outcome: ranked === null ? { kind: 'notFound', depth: ranking.depth } : rankedOutcome(ranked),
    });
    return 'taken';
  }

  /** One run a project, tool and day, whichever files it comes from. It was over before it was opened. */
  #runId({ projectId, tool, day, at }: ImportedRanking): number {
    const slot = `${day.date} ${tool}`;
    const known = this.#db
      .sql<{ run_id: number }>("SELECT run_id FROM slots WHERE project_id = ? AND kind = 'import' AND slot = ?")
      .get(projectId, slot);
    if (known !== undefined) return known.run_id;
    const { lastInsertRowid } = this.#db.insert(insertRun, {
      kind: 'ranks',
      origin: 'import',
      moment: day.noon,
      opened_at: at,
      closed_at: at,
      planned: 1,
      state: 'complete',
      reported_at: at,
    });
    const runId = Number(lastInsertRowid);
    this.#db.insert(insertClaimedSlot, {
      project_id: projectId,
      kind: 'import',
      slot,
      at: day.noon,
      timezone: day.timezone,
      local_date: day.date,
      state: 'claimed',
      run_id: runId,
    });
    return runId;
  }

  /**
   * One check per search in that run, shared by the targets. The page count is the other tool's; no page is archived.
   */
  #checkId({ projectId, searchId, day, depth, note, at }: ImportedRanking, runId: number, source: string): number {
    const known = this.#db
      .sql<TableRow<'checks', 'id'>>('SELECT id FROM checks WHERE run_id = ? AND search_id = ?')
      .get(runId, searchId);
    if (known !== undefined) return known.id;
    const { lastInsertRowid } = this.#db.insert(insertCheck, {
      run_id: runId,
      search_id: searchId,
      state: 'ok',
      sequence: 0,
      depth,
      paging: 'full',
      deep: 0,
      fresh_for_ms: 0,
      pages_read: depth,
      checked_at: day.noon,
      finished_at: at,
      source,
      reason: note,
    });
    const checkId = Number(lastInsertRowid);
    this.#db.digests.addCheck(checkId);
    this.#db.insert(insertCheckProject, { project_id: projectId, check_id: checkId });
    return checkId;
  }
}

/** The page that a rank is on where ten results stand on each: the tools say no more. */
function rankedOutcome({ rank, url }: NonNullable<ImportedRanking['ranked']>): TargetOutcome {
  const page = Math.ceil(rank / resultsPerPage);
  return { kind: 'ranked', organicRank: rank, absoluteRank: null, page, url: url ?? urlUnknown };
}
