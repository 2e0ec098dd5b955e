// AI overviews on the first pages of a project's checks, with the pages that they cite. Reads only.
import type { Connection } from '../../connection/client.ts';
import { FeatureTypeNames, type Names, urlSql } from '../../connection/names.ts';
import { decodeShown } from '../../connection/serp-archive.ts';
import type { TableRow } from '../../schema/rows.ts';

const overviewType = 'ai_overview';
/** Pages of a run may be seen some days after its moment. */
const lateMs = 31 * 86_400_000;

/** A complete check of a live or simulated source. */
export interface OverviewCheck {
  readonly searchId: number;
  /** UTC milliseconds. */
  readonly checkedAt: number;
  readonly source: string;
  /** What the overview links to; null: the page shows none. */
  readonly urlIds: readonly number[] | null;
}

export interface OverviewSearch extends TableRow<'markets', 'country' | 'language' | 'device' | 'location'> {
  readonly id: number;
  readonly keyword: string;
}

export class Overviews {
  readonly #db: Connection;
  readonly #types: FeatureTypeNames;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#types = new FeatureTypeNames(names);
  }

  /**
   * The complete checks of a project that were seen within these moments, UTC milliseconds, both inclusive; newest run
   * first. Imported checks have no features; second looks follow changes and are no fair sample.
   */
  *checks(project: string, from: number, until: number): Generator<OverviewCheck> {
    const runs = this.#db
      .sql<TableRow<'runs', 'id'>>(
        `SELECT n.id FROM slots s JOIN projects p ON p.id = s.project_id JOIN runs n ON n.id = s.run_id
         WHERE p.name = ? AND n.kind = 'ranks' AND n.origin <> 'import' AND n.confirms IS NULL AND n.discarded_at IS NULL
           AND n.moment BETWEEN ? AND ? ORDER BY n.moment DESC, n.id DESC`,
      )
      .all(project, from - lateMs, until);
    for (const { id } of runs) yield* this.#checksOf(id, project, from, until);
  }

  *#checksOf(runId: number, project: string, from: number, until: number): Generator<OverviewCheck> {
    const rows = this.#db
      .sql<TableRow<'checks', 'search_id'> & { checked_at: number; source: string; archive: Uint8Array | null }>(
        `SELECT c.search_id, c.checked_at, c.source, iif(instr('|' || c.features || '|', @shown), g.archive, NULL) AS archive
         FROM checks c LEFT JOIN check_pages cp ON cp.check_id = c.id AND cp.page = 1 AND instr('|' || c.features || '|', @shown)
         LEFT JOIN pages g ON g.id = cp.page_id
         WHERE c.run_id = @runId AND c.state = 'ok' AND c.checked_at BETWEEN @from AND @until AND EXISTS (
           SELECT 1 FROM check_projects w JOIN projects p ON p.id = w.project_id WHERE w.check_id = c.id AND p.name = @project)`,
      )
      .all({ runId, project, from, until, shown: `|${overviewType}|` });
    for (const { search_id, checked_at, source, archive } of rows)
      yield {
        searchId: search_id,
        checkedAt: checked_at,
        source,
        urlIds: archive === null ? null : this.#links(archive),
      };
  }

  #links(archive: Uint8Array): readonly number[] | null {
    const found = decodeShown(archive).features.filter(({ typeId }) => this.#types.of(typeId) === overviewType);
    return found.length === 0 ? null : found.flatMap(({ urlIds }) => urlIds);
  }

  searches(ids: readonly number[]): OverviewSearch[] {
    return this.#db
      .sql<OverviewSearch>(
        `SELECT s.id, k.text AS keyword, m.country, m.language, m.device, m.location FROM json_each(?) j
         CROSS JOIN searches s ON s.id = j.value JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id`,
      )
      .all(JSON.stringify(ids));
  }

  urls(ids: readonly number[]): ReadonlyMap<number, string> {
    const rows = this.#db
      .sql<{ id: number; url: string }>(
        `SELECT u.id, ${urlSql()} AS url FROM json_each(?) j CROSS JOIN urls u ON u.id = j.value JOIN hosts h ON h.id = u.host_id`,
      )
      .all(JSON.stringify(ids));
    return new Map(rows.map(({ id, url }) => [id, url]));
  }
}
