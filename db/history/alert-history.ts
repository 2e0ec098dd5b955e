// Facts of history for alerts: suspect runs, features that showed a target, alerts queued before. Reads only.

import type { Connection } from '../connection/client.ts';
import { marketValues } from '../connection/names.ts';
import { searchesAmong } from './checks/search-list.ts';
import { rankingStands } from './runs/discarded-runs.ts';

/** Searches of one market and a target in them. */
export interface OwnedFeaturesQuery {
  /** As `targetKey` makes it. */
  readonly target: string;
  readonly market: {
    readonly service: string;
    readonly country: string;
    readonly language: string;
    readonly device: string;
    readonly location?: string | undefined;
  };
  readonly keywords: readonly string[];
  /** Checks of runs before this moment, and of these runs. */
  readonly before: number;
  readonly runIds: readonly number[];
  /** Checks a search. */
  readonly limit: number;
}

/** The features that showed a target in one complete check. */
export interface OwnedFeaturesRow {
  /** Index in `keywords`. */
  readonly at: number;
  readonly runId: number;
  readonly source: string;
  readonly features: readonly string[];
  /** Pages that were read. */
  readonly pages: number;
  readonly checkId: number;
}

/** The search for a run that was not suspect ends after this many. */
const suspectRunsMax = 1000;

export class AlertHistory {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * The moment of the first suspect run in the series of them that ends just before `moment`; null if the previous run
   * was not suspect. Alerts of suspect runs were held back, and their rankings are no baseline.
   */
  suspectSince(project: string, moment: number): number | null {
    const { builder, tables, operators } = this.#db.drizzle;
    const { and, desc, eq, inArray, lt, ne } = operators;
    const { projects, runs, slots } = tables;
    const rows = builder
      .select({ moment: runs.moment, suspectReason: slots.suspectReason })
      .from(slots)
      .innerJoin(projects, eq(projects.id, slots.projectId))
      .innerJoin(runs, eq(runs.id, slots.runId))
      .where(
        and(
          eq(projects.name, project),
          inArray(slots.kind, ['ranks', 'backfill']),
          eq(runs.kind, 'ranks'),
          ne(runs.state, 'open'),
          lt(runs.moment, moment),
        ),
      )
      .orderBy(desc(runs.moment), desc(runs.id))
      .limit(suspectRunsMax)
      .all();
    let since: number | null = null;
    for (const row of rows) {
      if (row.suspectReason === null) break;
      since = row.moment;
    }
    return since;
  }

  /**
   * The newest complete checks of each search with the target's features, newest first. Prepared SQL: a run with
   * feature rules calls this per keyword and target. Each search is a lookup; joined to a list of moments, SQLite would
   * read all rows of the target for each.
   */
  ownedFeatures({ target, market, keywords, before, runIds, limit }: OwnedFeaturesQuery): OwnedFeaturesRow[] {
    return this.#db
      .sql<{ at: number; checks: string }>(
        `SELECT w.key AS at, (
           SELECT json_group_array(json_array(run_id, source, owned_features, pages_read, check_id)) FROM (
             SELECT c.run_id, c.source, r.owned_features, c.pages_read, r.check_id
             FROM rankings r JOIN checks c ON c.id = r.check_id
             WHERE r.target_id = t.id AND r.search_id = s.id AND c.state = 'ok' AND ${rankingStands('r')}
               AND (r.moment < @before OR c.run_id IN (SELECT value FROM json_each(@runIds)))
             ORDER BY r.moment DESC, r.check_id DESC LIMIT @limit)) AS checks
         ${searchesAmong('JOIN')}`,
      )
      .all({
        target,
        ...marketValues(market),
        keywords: JSON.stringify(keywords),
        before,
        runIds: JSON.stringify(runIds),
        limit,
      })
      .flatMap((row) => {
        const checks = JSON.parse(row.checks) as [number, string, string | null, number, number][];
        return checks.map(([runId, source, features, pages, checkId]) => ({
          at: row.at,
          runId,
          source,
          features: features === null ? [] : features.split('|'),
          pages,
          checkId,
        }));
      });
  }

  /** Whether a channel already received an alert about a budget window, in any run and project. */
  wasSent(rule: string, subject: string, channel: string): boolean {
    const { builder, tables, operators } = this.#db.drizzle;
    const { and, eq } = operators;
    const { alertDeliveries: table } = tables;
    const sent = builder
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.rule, rule), eq(table.subject, subject), eq(table.channel, channel)))
      .limit(1)
      .get();
    return sent !== undefined;
  }
}
