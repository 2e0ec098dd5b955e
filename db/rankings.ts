// History: a target's place in each check. Rows are only ever added, and hold only what the pages read can prove.
import type { TargetOutcome } from '../src/tracker/match.ts';
import type { Observation } from '../src/tracker/observation.ts';
import type { Connection, Row } from './client.ts';
import type { Names } from './names.ts';

export interface NewRanking {
  readonly targetId: number;
  readonly searchId: number;
  readonly moment: number;
  readonly checkId: number;
  /** Pages asked. */
  readonly depth: number;
  readonly outcome: TargetOutcome;
  readonly ownedFeatures: readonly string[];
}

export interface RankingOfCheck {
  readonly outcome: TargetOutcome;
  readonly ownedFeatures: readonly string[];
}

/** Observations are proven places only: sightings without a rank are left out. */
const observed = `SELECT r.rank, r.absolute_rank, r.page, r.url_id, r.depth, r.moment, c.checked_at, c.source
  FROM rankings r JOIN checks c ON c.id = r.check_id
  WHERE r.target_id = ?1 AND r.search_id = ?2 AND (r.rank IS NOT NULL OR r.url_id IS NULL)`;

export class Rankings {
  readonly #db: Connection;
  readonly #names: Names;

  constructor(db: Connection, names: Names) {
    this.#db = db;
    this.#names = names;
  }

  insert(ranking: NewRanking): void {
    const { outcome } = ranking;
    if (outcome.kind === 'unproven') return;
    this.#db
      .sql(
        `INSERT INTO rankings (target_id, search_id, moment, check_id, rank, absolute_rank, page, url_id, depth, owned_features)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      .run(
        ranking.targetId,
        ranking.searchId,
        ranking.moment,
        ranking.checkId,
        outcome.kind === 'ranked' ? outcome.organicRank : null,
        outcome.kind === 'ranked' ? outcome.absoluteRank : null,
        outcome.kind === 'notFound' ? null : outcome.page,
        outcome.kind === 'notFound' ? null : this.#names.urlId(outcome.url),
        outcome.kind === 'notFound' ? outcome.depth : ranking.depth,
        ranking.ownedFeatures.length === 0 ? null : ranking.ownedFeatures.join('|'),
      );
  }

  ofCheck(targetId: number, searchId: number, moment: number, checkId: number): RankingOfCheck {
    const row = this.#db
      .sql('SELECT * FROM rankings WHERE target_id = ? AND search_id = ? AND moment = ? AND check_id = ?')
      .get(targetId, searchId, moment, checkId);
    if (row === undefined) return { outcome: { kind: 'unproven' }, ownedFeatures: [] };
    const owned = row['owned_features'] as string | null;
    return { outcome: this.#outcome(row), ownedFeatures: owned === null ? [] : owned.split('|') };
  }

  /** The newest proven place before `moment`, at or before `until`. */
  before(targetId: number, searchId: number, moment: number, until: number): Observation | null {
    const row = this.#db
      .sql(`${observed} AND r.moment < ?3 AND r.moment <= ?4 ORDER BY r.moment DESC, r.check_id DESC LIMIT 1`)
      .get(targetId, searchId, moment, until);
    return row === undefined ? null : this.#observation(row);
  }

  /** The same among checks of at least this depth: what a deep check compares with. */
  beforeAtDepth(targetId: number, searchId: number, moment: number, until: number, depth: number): Observation | null {
    const row = this.#db
      .sql(
        `${observed} AND r.moment < ?3 AND r.moment <= ?4 AND r.depth >= ?5 ORDER BY r.moment DESC, r.check_id DESC LIMIT 1`,
      )
      .get(targetId, searchId, moment, until, depth);
    return row === undefined ? null : this.#observation(row);
  }

  /** Best rank up to and including `moment`; null where it never ranked. */
  best(targetId: number, searchId: number, moment: number): number | null {
    const row = this.#db
      .sql('SELECT min(rank) AS rank FROM rankings WHERE target_id = ? AND search_id = ? AND moment <= ?')
      .get(targetId, searchId, moment);
    return (row?.['rank'] ?? null) as number | null;
  }

  /** Page on which any of the targets was last seen; null where none was, or the last check of each did not find it. */
  lastKnownPage(targetIds: readonly number[], searchId: number): number | null {
    let page: number | null = null;
    for (const targetId of targetIds) {
      const row = this.#db
        .sql(
          'SELECT page FROM rankings WHERE target_id = ? AND search_id = ? ORDER BY moment DESC, check_id DESC LIMIT 1',
        )
        .get(targetId, searchId);
      const last = (row?.['page'] ?? null) as number | null;
      if (last !== null && (page === null || last > page)) page = last;
    }
    return page;
  }

  #outcome(row: Row): TargetOutcome {
    const urlId = row['url_id'] as number | null;
    if (urlId === null) return { kind: 'notFound', depth: Number(row['depth']) };
    const url = this.#names.url(urlId);
    const page = Number(row['page']);
    if (row['rank'] === null) return { kind: 'seen', page, url };
    return {
      kind: 'ranked',
      organicRank: Number(row['rank']),
      absoluteRank: row['absolute_rank'] as number | null,
      page,
      url,
    };
  }

  #observation(row: Row): Observation {
    const urlId = row['url_id'] as number | null;
    return {
      status: row['rank'] === null ? 'not_found' : 'ranked',
      rank: row['rank'] as number | null,
      absoluteRank: row['absolute_rank'] as number | null,
      page: row['page'] as number | null,
      url: urlId === null ? null : this.#names.url(urlId),
      depth: Number(row['depth']),
      checkedAt: Number(row['checked_at']),
      source: String(row['source']),
    };
  }
}
