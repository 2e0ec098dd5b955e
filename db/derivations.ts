// Old checks with their archived pages, for deriving the places of targets that were not looked for when the pages were read. Reads only.
import type { CheckState } from './checks.ts';
import type { Connection } from './client.ts';
import { FeatureTypeNames, joinUrl, type Names } from './names.ts';
import type { RunOrigin } from './runs.ts';
import { decodePage } from './serp-archive.ts';

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

/** A page of an old check; a URL stands as its text where it is wanted, and as empty text where it is not. */
export interface OldPage {
  readonly page: number;
  readonly observedAt: number;
  readonly last: boolean;
  readonly organic: readonly { readonly url: string; readonly place: number | null }[];
  readonly lastPlace: number | null;
  readonly features: readonly { readonly type: string; readonly links: readonly string[] }[];
}

/** Tells the text of a URL by its id, or empty text where nobody wants it. */
export type UrlOf = (urlId: number) => string;

export class Derivations {
  readonly #db: Connection;
  readonly #types: FeatureTypeNames;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#types = new FeatureTypeNames(names);
  }

  count(): number {
    return Number(this.#db.sql('SELECT count(*) AS n FROM checks').get()?.['n'] ?? 0);
  }

  /** The next checks by their ids, whatever became of them. */
  checksAfter(id: number, limit: number): OldCheck[] {
    return this.#db
      .sql(
        `SELECT c.id, c.search_id, c.state, c.depth, r.moment, r.origin,
           (SELECT group_concat(p.name, char(31)) FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id) AS projects
         FROM checks c JOIN runs r ON r.id = c.run_id WHERE c.id > ? ORDER BY c.id LIMIT ?`,
      )
      .all(id, limit)
      .map((row) => ({
        id: Number(row['id']),
        searchId: Number(row['search_id']),
        moment: Number(row['moment']),
        origin: row['origin'] as RunOrigin,
        state: row['state'] as CheckState,
        depth: Number(row['depth']),
        projects: String(row['projects'] ?? '').split('\u001f'),
      }));
  }

  /** URLs are never removed, and a newer one has a higher id. */
  highestUrlId(): number {
    return Number(this.#db.sql('SELECT coalesce(max(id), 0) AS n FROM urls').get()?.['n'] ?? 0);
  }

  /** The URLs of some hosts, by their ids. A host stands as it is written in a URL, with its port where that has one. */
  *urlsOfHosts(isWanted: (host: string) => boolean): Generator<readonly [id: number, url: string]> {
    const hosts = [...this.#db.sql('SELECT id, name FROM hosts').iterate()].filter(({ name }) =>
      isWanted(String(name)),
    );
    for (const { id: hostId, name } of hosts) {
      for (const { id, scheme, rest } of this.#db
        .sql('SELECT id, scheme, rest FROM urls WHERE host_id = ?')
        .all(hostId ?? 0)) {
        yield [Number(id), joinUrl({ scheme: String(scheme), host: String(name), rest: String(rest) })];
      }
    }
  }

  /** The URLs of whatever host whose path is this one, by their ids. One reading of all URLs. */
  *urlsOfPath(path: string): Generator<readonly [id: number, url: string]> {
    for (const { id, scheme, host, rest } of this.#db
      .sql(
        `SELECT u.id, u.scheme, h.name AS host, u.rest FROM urls u JOIN hosts h ON h.id = u.host_id
         WHERE substr(u.rest, 1, length(@start)) = @start`,
      )
      .all({ start: `${path}?` })) {
      yield [Number(id), joinUrl({ scheme: String(scheme), host: String(host), rest: String(rest) })];
    }
  }

  /** Whether history has the place of a target in a check. */
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
      .sql(
        `SELECT p.page, p.observed_at, p.last, p.archive FROM check_pages cp JOIN pages p ON p.id = cp.page_id
         WHERE cp.check_id = ? ORDER BY cp.page`,
      )
      .all(checkId)
      .map((row) => {
        const { organic, lastPlace, features } = decodePage(row['archive'] as Buffer);
        return {
          page: Number(row['page']),
          observedAt: Number(row['observed_at']),
          last: row['last'] === 1,
          organic: organic.map(({ urlId, place }) => ({ url: urlOf(urlId), place })),
          lastPlace,
          features: features.map(({ typeId, urlIds }) => ({ type: this.#types.of(typeId), links: urlIds.map(urlOf) })),
        };
      });
  }
}
