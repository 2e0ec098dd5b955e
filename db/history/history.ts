// History of a keyword: one row per target and check, failures included, no gaps filled.

import type { Connection } from '../connection/client.ts';
import { joinUrl } from '../connection/names.ts';
import type { QueryBuilder } from '../connection/query-builder.ts';
import type { CheckState } from './checks/checks.ts';
import { pagesFollowedSql, urlUnknown } from './checks/rankings.ts';
import { seenDateSql } from './checks/seen-date.ts';

export interface HistoryFilter {
  readonly project: string;
  /** Exact. */
  readonly keyword: string;
  readonly country?: string;
  readonly device?: string;
  /** Canonical; empty: the country as a whole. Absent: all. */
  readonly location?: string | undefined;
  /** Local dates, inclusive. */
  readonly from?: string;
  readonly to?: string;
}

export interface HistoryRecord {
  readonly keyword: string;
  readonly service: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  /** Null: the country as a whole. */
  readonly location: string | null;
  readonly slot: string;
  /** On which it was seen; of what was not read, of the slot. */
  readonly localDate: string;
  readonly runId: number;
  readonly state: CheckState;
  readonly depth: number;
  readonly checkedAt: number | null;
  readonly source: string | null;
  readonly features: readonly string[];
  readonly reason: string | null;
  /** Another tool saw it, on that day. */
  readonly isImported: boolean;
  /** Pages read of a target that was not followed to the depth; null where it was. */
  readonly pagesFollowed: number | null;
  /** Its run was discarded. */
  readonly isDiscarded: boolean;
  readonly discardReason: string | null;
  /** The target's row in that check; null if the check could not prove its ranking. */
  readonly ranking: {
    readonly rank: number | null;
    readonly absoluteRank: number | null;
    readonly page: number | null;
    readonly url: string | null;
    readonly depth: number;
    readonly ownedFeatures: readonly string[];
  } | null;
}

export class History {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** Every check of a project's keyword with the ranking of one target, by market and slot. */
  *records(targetIdentity: string, filter: HistoryFilter): IterableIterator<HistoryRecord> {
    for (const joined of this.#rows(targetIdentity, filter)) {
      const { discardedAt, features, origin, ownedFeatures, ranking, url, ...row } = joined;
      yield {
        keyword: filter.keyword,
        ...row,
        features: splitList(features),
        isImported: origin === 'import',
        isDiscarded: discardedAt !== null,
        ranking: ranking === null ? null : { ...ranking, url: urlIn(url), ownedFeatures: splitList(ownedFeatures) },
      };
    }
  }

  #rows(targetIdentity: string, filter: HistoryFilter) {
    const drizzle = this.#db.drizzle;
    const { and, asc, eq } = drizzle.operators;
    const joined = joinedTables(drizzle);
    const { c, checkProjects, hosts, keywords, l, markets, n, projects, r, searches, targets, urls } = joined;
    return (
      drizzle.builder
        .select(selectColumns(drizzle, joined))
        // cross joins keep this order: from one keyword to its checks
        .from(keywords)
        .crossJoin(projects)
        .crossJoin(searches)
        .crossJoin(c)
        .crossJoin(checkProjects)
        .innerJoin(n, eq(n.id, c.runId))
        .innerJoin(l, and(eq(l.runId, c.runId), eq(l.projectId, projects.id)))
        .innerJoin(markets, eq(markets.id, searches.marketId))
        .leftJoin(targets, eq(targets.identity, targetIdentity))
        .leftJoin(
          r,
          and(eq(r.targetId, targets.id), eq(r.searchId, c.searchId), eq(r.moment, n.moment), eq(r.checkId, c.id)),
        )
        .leftJoin(urls, eq(urls.id, r.urlId))
        .leftJoin(hosts, eq(hosts.id, urls.hostId))
        .where(matchFilter(drizzle, joined, filter))
        .orderBy(
          ...[markets.service, markets.country, markets.language, markets.device, markets.location, n.moment, c.id].map(
            asc,
          ),
        )
        .all()
    );
  }
}

/** Some are named as the SQL of seenDateSql and pagesFollowedSql names them. */
function joinedTables({ tables, operators: { alias } }: QueryBuilder) {
  return {
    ...tables,
    c: alias(tables.checks, 'c'),
    l: alias(tables.slots, 'l'),
    n: alias(tables.runs, 'n'),
    r: alias(tables.rankings, 'r'),
  };
}

type JoinedTables = ReturnType<typeof joinedTables>;

function selectColumns({ operators: { sql } }: QueryBuilder, { c, hosts, l, markets, n, r, urls }: JoinedTables) {
  const { service, country, language, device } = markets;
  const { runId, state, depth, checkedAt, source, features, reason } = c;
  const { origin, discardedAt, discardReason } = n;
  return {
    ...{ service, country, language, device },
    location: sql<string | null>`nullif(${markets.location}, '')`,
    slot: l.slot,
    localDate: sql<string>`${sql.raw(seenDateSql)}`,
    ...{ runId, state, depth, checkedAt, source, features, reason },
    ...{ origin, discardedAt, discardReason },
    pagesFollowed: sql<number | null>`${sql.raw(pagesFollowedSql('r', 'c'))}`,
    // drizzle takes an object for missing where its first column is null: the depth of a ranking never is
    ranking: { depth: r.depth, rank: r.rank, absoluteRank: r.absoluteRank, page: r.page },
    ownedFeatures: r.ownedFeatures,
    url: { scheme: urls.scheme, rest: urls.rest, host: sql<string>`${hosts.name}` },
  };
}

function matchFilter({ operators }: QueryBuilder, tables: JoinedTables, filter: HistoryFilter) {
  const { and, eq, gte, isNull, lte, sql } = operators;
  const { c, checkProjects, keywords, markets, n, projects, searches } = tables;
  const { project, keyword, country, device, location, from, to } = filter;
  const seenOn = sql.raw(seenDateSql);
  return and(
    eq(keywords.text, keyword),
    eq(projects.name, project),
    eq(searches.keywordId, keywords.id),
    eq(c.searchId, searches.id),
    eq(checkProjects.projectId, projects.id),
    eq(checkProjects.checkId, c.id),
    isNull(n.confirms),
    country === undefined ? undefined : eq(markets.country, country),
    device === undefined ? undefined : sql`${markets.device} = ${device}`,
    location === undefined ? undefined : eq(markets.location, location),
    from === undefined ? undefined : gte(seenOn, from),
    to === undefined ? undefined : lte(seenOn, to),
  );
}

/** Null where nothing was found, and for a rank that another tool recorded without a URL. */
function urlIn(parts: Parameters<typeof joinUrl>[0] | null): string | null {
  if (parts === null) return null;
  const url = joinUrl(parts);
  return url === urlUnknown ? null : url;
}

function splitList(joined: string | null): string[] {
  return joined === null || joined === '' ? [] : joined.split('|');
}
