// Searches of a project by run: completed, failed, or not checked. Reads only.
import type { Device, Market } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import { marketValues } from '../connection/names.ts';

/** `failed`: there is a check, and none that is complete. `missing`: none at all, or none that is deep enough. */
export type Gap = 'none' | 'missing' | 'failed';

export interface GapQuery {
  readonly project: string;
  readonly runIds: readonly number[];
  readonly market: Omit<Market, 'device'>;
  readonly device: Device;
  /** Searches of this market; some hundred make one statement worth its while. */
  readonly keywords: readonly string[];
  /**
   * Pages that a complete check must have requested, unless its strategy found every target earlier; null: no minimum.
   */
  readonly depth: number | null;
  /** Ids of the targets that the project's checks follow. */
  readonly targetIds: readonly number[];
}

/** Another project's check of the same search knows nothing of this project's targets: it does not count. */
const checksSql = `json_each(@runIds) j CROSS JOIN checks c ON c.run_id = j.value AND c.search_id = s.id
  JOIN check_projects cp ON cp.check_id = c.id AND cp.project_id = (SELECT id FROM projects WHERE name = @project)`;

const gapsSql = `
SELECT EXISTS (
         SELECT 1 FROM ${checksSql} JOIN runs n ON n.id = c.run_id
         WHERE c.state = 'ok' AND (@depth IS NULL OR c.depth >= @depth OR (c.paging IN ('until-found', 'until-all-found', 'anchored') AND NOT EXISTS (
           SELECT 1 FROM json_each(@targetIds) t
           LEFT JOIN rankings r ON r.target_id = t.value AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
           WHERE r.rank IS NULL)))) AS complete,
       EXISTS (SELECT 1 FROM ${checksSql} WHERE c.state IN ('incomplete', 'failed', 'deferred', 'unknown_paid')) AS failed
FROM json_each(@keywords) w
LEFT JOIN keywords k ON k.text = w.value
LEFT JOIN searches s ON s.keyword_id = k.id AND s.market_id = (
  SELECT id FROM markets WHERE service = @service AND country = @country AND language = @language AND device = @device AND location = @location)
ORDER BY w.key`;

export class Gaps {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** One a keyword, in their order. */
  of({ project, runIds, market, device, keywords, depth, targetIds }: GapQuery): Gap[] {
    const lists = {
      runIds: JSON.stringify(runIds),
      keywords: JSON.stringify(keywords),
      targetIds: JSON.stringify(targetIds),
    };
    return this.#db
      .sql<{ complete: number; failed: number }>(gapsSql)
      .all({ project, depth, device, ...marketValues(market), ...lists })
      .map((row) => (row.complete === 1 ? 'none' : row.failed === 1 ? 'failed' : 'missing'));
  }
}
