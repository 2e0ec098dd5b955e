// Keeps history with projects and services whose names change in the config.

import type { NamedMarket } from '../../src/tracker/project.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { foldKeyword } from '../../src/tracker/searches.ts';
import type { Connection } from '../connection/client.ts';
import { columnsOf } from '../connection/statement.ts';
import { digestColumns } from '../connection/sums.ts';
import type { TableRow } from '../schema/rows.ts';
import { addVolume } from './volumes.ts';

/** A project that a config moves to another service. */
export interface ServiceMove {
  readonly project: string;
  readonly from: string;
  readonly to: string;
}

/** What the newest run that checked something of a project tracked. */
export interface LastTracked {
  readonly localDate: string;
  readonly runs: number;
  /** Labels of the sources of its checks. */
  readonly sources: readonly string[];
  readonly markets: readonly NamedMarket[];
  /** Targets and competitors, as some of its checks have them; `identity` as `targetKey` makes it. */
  readonly sites: readonly { readonly identity: string; readonly value: string }[];
  /** Each of its searches was another project's as well: sites may be of that one. */
  readonly isShared: boolean;
}

/** Newest runs that are searched for one with complete checks. */
const runsSearchedMax = 10;
/** Checks that are read for their sites. */
const checksReadMax = 20;

/** Tables whose rows belong to a project. Where both have a row of one run, it is a copy that is made again. */
const tables = {
  facts: [
    'slots',
    'check_projects',
    'click_days',
    'click_exports',
    'engine_exports',
    'notes',
    'click_hours',
    'alert_deliveries',
    'report_deliveries',
  ],
  copies: ['check_columns', 'moved_shares', 'plan_outcomes', 'causes'],
} as const;

/** Of each project: the service and the time of its newest check. */
const newestChecks = `SELECT w.project_id, w.name, m.service, n.opened_at
  FROM (SELECT p.id AS project_id, p.name, (SELECT max(check_id) FROM check_projects WHERE project_id = p.id) AS check_id FROM projects p) w
  JOIN checks c ON c.id = w.check_id JOIN runs n ON n.id = c.run_id
  JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id`;

/** A project without checks for this long is no longer tracked by any config. */
const trackedMs = 35 * dayMs;

export class Renames {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Whether the database has a project of that name. */
  has(project: string): boolean {
    return this.#projectId(project) !== undefined;
  }

  /** The service of the newest check of a project; null: it has none. */
  newestService(project: string): string | null {
    return this.#db.sql<{ service: string }>(`${newestChecks} WHERE w.name = ?`).get(project)?.service ?? null;
  }

  /** The number of runs that a project had a slot in. */
  runs(project: string): number {
    const count = 'SELECT count(*) FROM slots WHERE project_id = ? AND run_id IS NOT NULL';
    return this.#db.number(count, this.#projectId(project) ?? -1);
  }

  /** Reads one run by its indexes, and few rankings. Null: no complete check is found. */
  lastTracked(project: string): LastTracked | null {
    const projectId = this.#projectId(project);
    const run = this.#db
      .sql<{ id: number; moment: number; localDate: string }>(
        `SELECT id, moment, localDate FROM (
           SELECT r.id, r.moment, s.local_date AS localDate FROM slots s JOIN runs r ON r.id = s.run_id
           WHERE s.project_id = @projectId AND s.kind = 'ranks' AND r.closed_at IS NOT NULL AND r.discarded_at IS NULL
           ORDER BY s.at DESC LIMIT @runsSearchedMax) n
         WHERE EXISTS (SELECT 1 FROM check_projects cp CROSS JOIN checks c ON c.id = cp.check_id
           WHERE cp.project_id = @projectId AND cp.check_id >= (SELECT min(+id) FROM checks WHERE run_id = n.id)
             AND c.run_id = n.id AND c.state = 'ok') LIMIT 1`,
      )
      .get({ projectId: projectId ?? -1, runsSearchedMax });
    if (run === undefined) return null;
    const { id: runId, moment, localDate } = run;
    // from the checks of the project: a run may have those of many others
    const ofRun = `FROM check_projects cp CROSS JOIN checks c ON c.id = cp.check_id
      JOIN searches s ON s.id = c.search_id JOIN markets m ON m.id = s.market_id
      WHERE cp.project_id = @projectId AND cp.check_id >= (SELECT min(+id) FROM checks WHERE run_id = @runId)
        AND c.run_id = @runId AND c.state = 'ok'`;
    const values = { projectId: projectId ?? -1, runId };
    const markets = this.#db
      .sql<{ country: string; language: string; device: 'desktop' | 'mobile'; location: string }>(
        `SELECT DISTINCT m.country, m.language, m.device, m.location ${ofRun}`,
      )
      .all(values)
      .map(({ location, ...market }) => ({ ...market, ...(location === '' ? {} : { location }) }));
    const sources = this.#db
      .sql<{ source: string }>(`SELECT DISTINCT c.source ${ofRun} AND c.source IS NOT NULL`)
      .all(values);
    const checks = this.#db
      .sql<{ checkId: number; searchId: number; isShared: number }>(
        `SELECT c.id AS checkId, c.search_id AS searchId,
           (SELECT count(*) FROM check_projects o WHERE o.check_id = c.id) > 1 AS isShared ${ofRun}
         ORDER BY isShared LIMIT @checksReadMax`,
      )
      .all({ ...values, checksReadMax });
    const isShared = checks[0]?.isShared === 1;
    const read = checks.filter((one) => isShared || one.isShared === 0);
    const sites = this.#db
      .sql<{ identity: string; value: string }>(
        `SELECT DISTINCT t.identity, t.value FROM json_each(@read) j CROSS JOIN targets t WHERE EXISTS (
           SELECT 1 FROM rankings r WHERE r.target_id = t.id AND r.search_id = j.value ->> 'searchId'
             AND r.moment = @moment AND r.check_id = j.value ->> 'checkId')`,
      )
      .all({ read: JSON.stringify(read), moment });
    return {
      localDate,
      runs: this.runs(project),
      sources: sources.map(({ source }) => source),
      markets,
      sites,
      isShared,
    };
  }

  /** The keywords that the newest run of a project has checks of. */
  lastKeywords(project: string): string[] {
    return this.#db
      .sql<{ text: string }>(
        `WITH last AS (SELECT run_id FROM slots WHERE project_id = @projectId AND kind = 'ranks' AND run_id IS NOT NULL ORDER BY at DESC LIMIT 1)
         SELECT DISTINCT k.text FROM check_projects cp CROSS JOIN checks c ON c.id = cp.check_id
         JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
         WHERE cp.project_id = @projectId AND c.run_id = (SELECT run_id FROM last)
           AND cp.check_id >= (SELECT min(+id) FROM checks WHERE run_id = (SELECT run_id FROM last))`,
      )
      .all({ projectId: this.#projectId(project) ?? -1 })
      .map(({ text }) => text);
  }

  /** The projects that had runs lately, as far as the database knows the present. */
  tracked(): string[] {
    return this.#db
      .sql<{ name: string }>(
        `WITH newest AS (SELECT p.name, (SELECT max(at) FROM slots WHERE project_id = p.id AND run_id IS NOT NULL) AS at FROM projects p)
         SELECT name FROM newest WHERE at > (SELECT max(at) FROM newest) - ? ORDER BY name`,
      )
      .all(trackedMs)
      .map(({ name }) => name);
  }

  /**
   * Gives a project another name, with all that it has. Where both names have a history they become one: only where
   * they did not run side by side. Call inside a transaction.
   */
  renameProject(from: string, to: string): void {
    const [old, present] = [this.#projectId(from), this.#projectId(to)];
    if (present === undefined) this.#db.sql('UPDATE projects SET name = ? WHERE name = ?').run(to, from);
    else if (old !== undefined) this.#join(old, present);
    this.#db.sql('UPDATE OR REPLACE report_failures SET project = ? WHERE project = ?').run(to, from);
    // a later project of the old name must not open to the links of this one
    this.#db.sql('UPDATE readers SET project = ? WHERE project = ?').run(to, from);
    this.#db.names.forget();
  }

  #projectId(name: string): number | undefined {
    return this.#db.sql<{ id: number }>('SELECT id FROM projects WHERE name = ?').get(name)?.id;
  }

  /** Whether both projects have the same slot, or clicks of the same days: no project can have both. */
  ranSideBySide(from: string, to: string): boolean {
    const [one, other] = [this.#projectId(from), this.#projectId(to)];
    if (one === undefined || other === undefined) return false;
    const clash = this.#db
      .sql(
        `SELECT 1 FROM slots a JOIN slots b ON b.kind = a.kind AND b.slot = a.slot WHERE a.project_id = ? AND b.project_id = ?
         UNION ALL
         SELECT 1 FROM click_days a JOIN click_days b ON b.property = a.property AND b.local_date = a.local_date
         WHERE a.project_id = ? AND b.project_id = ?
         UNION ALL
         SELECT 1 FROM click_exports a JOIN click_exports b ON b.from_date = a.from_date AND b.to_date = a.to_date
         WHERE a.project_id = ? AND b.project_id = ?
         UNION ALL
         SELECT 1 FROM engine_exports a JOIN engine_exports b
           ON b.report = a.report AND b.from_date = a.from_date AND b.to_date = a.to_date
         WHERE a.project_id = ? AND b.project_id = ? LIMIT 1`,
      )
      .get(one, other, one, other, one, other, one, other);
    return clash !== undefined;
  }

  /** The present project takes what the old one has. */
  #join(old: number, present: number): void {
    for (const table of tables.copies) this.#db.sql(`DELETE FROM ${table} WHERE project_id = ?`).run(old);
    for (const table of tables.facts)
      this.#db.sql(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE project_id = ?`).run(present, old);
    // what is left was delivered under both names
    for (const table of tables.facts) this.#db.sql(`DELETE FROM ${table} WHERE project_id = ?`).run(old);
    this.#db.sql('DELETE FROM projects WHERE id = ?').run(old);
  }

  /**
   * Gives the searches of a project to its new service, so that its history goes on there. Leaves those that another
   * project still buys from the old service (`staying` names projects that the config has there, `leaving` those that
   * it has elsewhere), and those that the new service has checked already. Returns the number that moved and that
   * stayed. Call inside a transaction.
   */
  moveSearches(
    { project, from, to }: ServiceMove,
    leaving: readonly string[],
    staying: readonly string[],
  ): { readonly moved: number; readonly stayed: number } {
    const values = { project, from, leaving: JSON.stringify(leaving), staying: JSON.stringify(staying), trackedMs };
    const found = this.#db
      .sql<{
        id: number;
        keyword: string;
        country: string;
        language: string;
        device: 'desktop' | 'mobile';
        location: string;
        held: number;
      }>(
        `WITH newest AS (${newestChecks}),
           others AS (
             SELECT project_id FROM newest
             WHERE name <> @project AND name NOT IN (SELECT value FROM json_each(@leaving)) AND (
               name IN (SELECT value FROM json_each(@staying))
               OR service = @from AND opened_at > (SELECT max(opened_at) FROM newest) - @trackedMs)),
           held AS (SELECT c.search_id FROM others o JOIN check_projects cp ON cp.project_id = o.project_id JOIN checks c ON c.id = cp.check_id)
         SELECT s.id, k.text AS keyword, m.country, m.language, m.device, m.location, s.id IN (SELECT search_id FROM held) AS held
         FROM searches s JOIN markets m ON m.id = s.market_id AND m.service = @from JOIN keywords k ON k.id = s.keyword_id
         WHERE s.id IN (SELECT c.search_id FROM check_projects cp JOIN checks c ON c.id = cp.check_id
           WHERE cp.project_id = (SELECT id FROM projects WHERE name = @project))`,
      )
      .all(values);
    this.#copyMetrics(JSON.stringify(found.map(({ keyword }) => keyword)), from, to);
    let moved = 0;
    for (const { id, keyword, held, ...market } of found) {
      const search = { keyword, market: { ...market, service: to } };
      if (held === 1 || this.#db.names.knownSearchId(search) !== null) continue;
      this.#db.sql('UPDATE searches SET market_id = ? WHERE id = ?').run(this.#db.names.marketId(search.market), id);
      moved += 1;
    }
    return { moved, stayed: found.length - moved };
  }

  /** The metrics of these keywords, for the new service as well, until it sells its own: each row names its source. */
  #copyMetrics(keywords: string, from: string, to: string): void {
    const [old, present] = [this.#db.firstServiceName(from), this.#db.firstServiceName(to)];
    if (old === present) return;
    const rows = this.#db
      .sql<TableRow<'volumes'>>(
        `SELECT ${columnsOf('v', digestColumns.volumes)} FROM volumes v WHERE v.service >= @old AND v.service < @old || '$'
           AND v.keyword_id IN (SELECT id FROM keywords WHERE text IN (SELECT value FROM json_each(@keywords)))`,
      )
      .all({ old, keywords });
    for (const row of rows)
      this.#db.record('volumes', { ...row, service: present + row.service.slice(old.length) }, addVolume);
  }

  /**
   * Gives what other spellings of these keywords recorded to the spelling of the config, where that has no searches.
   * Spellings that the config has as well, or among its prompts, stay. Call inside a transaction.
   */
  respell(keywords: readonly string[], prompts: readonly string[]): void {
    const texts = JSON.stringify(keywords);
    const fresh = this.#db
      .sql<{ text: string }>(
        `SELECT DISTINCT w.value AS text FROM json_each(?) w LEFT JOIN keywords k ON k.text = w.value
         WHERE NOT EXISTS (SELECT 1 FROM searches WHERE keyword_id = k.id)`,
      )
      .all(texts);
    if (fresh.length === 0) return;
    const byFold = new Map(fresh.map(({ text }) => [foldKeyword(text), text]));
    const stored = this.#db.sql<{ id: number; text: string }>(
      'SELECT id, text FROM keywords k WHERE EXISTS (SELECT 1 FROM searches WHERE keyword_id = k.id) AND text NOT IN (SELECT value FROM json_each(?))',
    );
    for (const { id, text } of stored.all(JSON.stringify([...keywords, ...prompts]))) {
      const spelling = byFold.get(foldKeyword(text));
      if (spelling === undefined) continue;
      byFold.delete(foldKeyword(text));
      const present = this.#db.sql<{ id: number }>('SELECT id FROM keywords WHERE text = ?').get(spelling);
      if (present === undefined) this.#db.sql('UPDATE keywords SET text = ? WHERE id = ?').run(spelling, id);
      else this.#db.sql('UPDATE searches SET keyword_id = ? WHERE keyword_id = ?').run(present.id, id);
    }
    this.#db.names.forget();
  }
}
