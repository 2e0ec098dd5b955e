// What backfills read: searches without a complete check, and old checks with archived pages.
import type { Device, Market } from '../../src/tracker/project.ts';
import type { Connection } from '../connection/client.ts';
import { joinUrl, marketValues } from '../connection/names.ts';
import { decodePage } from '../connection/serp-archive.ts';
import type { CheckState } from '../history/checks/checks.ts';
import { readPlace, type StoredPage } from '../history/checks/pages.ts';
import type { RunOrigin } from '../history/runs/slots.ts';
import type { TableRow } from '../schema/rows.ts';

/** `failed`: there is a check, and none that is complete. `missing`: none at all, or none that is deep enough. */
export type Gap = 'none' | 'missing' | 'failed';

interface GapQuery {
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
LEFT JOIN keywords k ON k.text = stored_keyword(w.value)
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

export interface OldCheck {
  readonly id: number;
  readonly searchId: number;
  /** Of its run, UTC milliseconds. */
  readonly moment: number;
  readonly origin: RunOrigin;
  readonly state: CheckState;
  readonly depth: number;
  /** Names of the projects that wanted it. */
  readonly projects: readonly string[];
}

/** A page of an old check; URLs that the caller does not need are empty texts. */
type OldPage = Omit<StoredPage, 'id' | 'source'>;

/** Returns the text of a URL by its id; empty if the caller does not need it. */
type UrlOf = (urlId: number) => string;

export class Derivations {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  count(): number {
    return this.#db.number('SELECT count(*) FROM checks');
  }

  /** The next checks by id, with any status. */
  checksAfter(id: number, limit: number): OldCheck[] {
    return this.#db
      .sql<
        TableRow<'checks', 'id' | 'searchId' | 'state' | 'depth'> &
          TableRow<'runs', 'moment' | 'origin'> & { projects: string | null }
      >(
        `SELECT c.id, c.search_id AS searchId, c.state, c.depth, r.moment, r.origin,
           (SELECT group_concat(p.name, char(31)) FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id) AS projects
         FROM checks c JOIN runs r ON r.id = c.run_id WHERE c.id > ? AND r.confirms IS NULL ORDER BY c.id LIMIT ?`,
      )
      .all(id, limit)
      .map(({ projects, ...row }) => ({ ...row, projects: (projects ?? '').split('\u001f') }));
  }

  /** URLs are never removed, and a newer one has a higher id. */
  highestUrlId(): number {
    return this.#db.number('SELECT max(id) FROM urls');
  }

  /** Ids of the URLs of some hosts. A host is written as in a URL, with its port if it has one. */
  *urlsOfHosts(isWanted: (host: string) => boolean): Generator<readonly [id: number, url: string]> {
    const hosts = [...this.#db.sql<TableRow<'hosts'>>('SELECT id, name FROM hosts').iterate()].filter(({ name }) =>
      isWanted(name),
    );
    for (const { id: hostId, name } of hosts) {
      for (const { id, scheme, rest } of this.#db
        .sql<TableRow<'urls', 'id' | 'scheme' | 'rest'>>('SELECT id, scheme, rest FROM urls WHERE host_id = ?')
        .all(hostId)) {
        yield [id, joinUrl({ scheme, host: name, rest })];
      }
    }
  }

  /** Ids of the URLs with this path on any host. Reads all URLs once. */
  *urlsOfPath(path: string): Generator<readonly [id: number, url: string]> {
    for (const { id, scheme, host, rest } of this.#db
      .sql<TableRow<'urls', 'id' | 'scheme' | 'rest'> & { host: string }>(
        `SELECT u.id, u.scheme, h.name AS host, u.rest FROM urls u JOIN hosts h ON h.id = u.host_id
         WHERE substr(u.rest, 1, length(@start)) = @start`,
      )
      .all({ start: `${path}?` })) {
      yield [id, joinUrl({ scheme, host, rest })];
    }
  }

  /** Whether history has the ranking of a target in a check. */
  isKnown(check: OldCheck, targetId: number): boolean {
    return (
      this.#db
        .sql('SELECT 1 AS found FROM rankings WHERE target_id = ? AND search_id = ? AND moment = ? AND check_id = ?')
        .get(targetId, check.searchId, check.moment, check.id) !== undefined
    );
  }

  /** The pages that a check was read from, in page order. */
  pagesOf(checkId: number, urlOf: UrlOf): OldPage[] {
    return this.#db
      .sql<TableRow<'pages', 'page' | 'observedAt' | 'last' | 'archive'>>(
        `SELECT p.page, p.observed_at AS observedAt, p.last, p.archive FROM check_pages cp JOIN pages p ON p.id = cp.page_id
         WHERE cp.check_id = ? ORDER BY cp.page`,
      )
      .all(checkId)
      .map((row) => {
        const { organic, lastGlobalRank, features, places } = decodePage(row.archive);
        return {
          page: row.page,
          observedAt: row.observedAt,
          last: row.last === 1,
          organic: organic.map(({ urlId, globalRank }) => ({ url: urlOf(urlId), globalRank })),
          lastGlobalRank,
          features: features.map(({ typeId, urlIds }) => ({
            type: this.#db.names.featureTypeName(typeId),
            links: urlIds.map(urlOf),
          })),
          ...(places.length > 0 && { places: places.map((each) => readPlace(this.#db.names, each)) }),
        };
      });
  }
}
