// Old checks with archived pages, from which rankings of new targets are derived. Reads only.

import type { Connection } from '../connection/client.ts';
import { FeatureTypeNames, joinUrl, type Names } from '../connection/names.ts';
import { decodePage } from '../connection/serp-archive.ts';
import type { CheckState } from '../history/checks/checks.ts';
import { readPlace, type StoredPlace } from '../history/checks/pages.ts';
import type { RunOrigin } from '../history/runs/run-kind.ts';
import type { TableRow } from '../schema/rows.ts';

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
export interface OldPage {
  readonly page: number;
  readonly observedAt: number;
  readonly last: boolean;
  readonly organic: readonly { readonly url: string; readonly globalRank: number | null }[];
  readonly lastGlobalRank: number | null;
  readonly features: readonly { readonly type: string; readonly links: readonly string[] }[];
  readonly places?: readonly StoredPlace[];
}

/** Returns the text of a URL by its id; empty if the caller does not need it. */
export type UrlOf = (urlId: number) => string;

export class Derivations {
  readonly #db: Connection;
  readonly #names: Names;
  readonly #types: FeatureTypeNames;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
    this.#types = new FeatureTypeNames(names);
  }

  count(): number {
    return this.#db.sql<{ n: number }>('SELECT count(*) AS n FROM checks').get()?.n ?? 0;
  }

  /** The next checks by id, with any status. */
  checksAfter(id: number, limit: number): OldCheck[] {
    return this.#db
      .sql<
        TableRow<'checks', 'id' | 'search_id' | 'state' | 'depth'> &
          TableRow<'runs', 'moment' | 'origin'> & { projects: string | null }
      >(
        `SELECT c.id, c.search_id, c.state, c.depth, r.moment, r.origin,
           (SELECT group_concat(p.name, char(31)) FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id) AS projects
         FROM checks c JOIN runs r ON r.id = c.run_id WHERE c.id > ? AND r.confirms IS NULL ORDER BY c.id LIMIT ?`,
      )
      .all(id, limit)
      .map((row) => ({
        id: row.id,
        searchId: row.search_id,
        moment: row.moment,
        origin: row.origin,
        state: row.state,
        depth: row.depth,
        projects: (row.projects ?? '').split('\u001f'),
      }));
  }

  /** URLs are never removed, and a newer one has a higher id. */
  highestUrlId(): number {
    return this.#db.sql<{ n: number }>('SELECT coalesce(max(id), 0) AS n FROM urls').get()?.n ?? 0;
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
      .sql<TableRow<'pages', 'page' | 'observed_at' | 'last' | 'archive'>>(
        `SELECT p.page, p.observed_at, p.last, p.archive FROM check_pages cp JOIN pages p ON p.id = cp.page_id
         WHERE cp.check_id = ? ORDER BY cp.page`,
      )
      .all(checkId)
      .map((row) => {
        const { organic, lastGlobalRank, features, places } = decodePage(row.archive);
        return {
          page: row.page,
          observedAt: row.observed_at,
          last: row.last === 1,
          organic: organic.map(({ urlId, globalRank }) => ({ url: urlOf(urlId), globalRank })),
          lastGlobalRank,
          features: features.map(({ typeId, urlIds }) => ({ type: this.#types.of(typeId), links: urlIds.map(urlOf) })),
          ...(places.length > 0 && { places: places.map((each) => readPlace(this.#names, each)) }),
        };
      });
  }
}
