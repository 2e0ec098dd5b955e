// History of a keyword as it stands: one row a target and check, failures included, nothing filled in. All of history is read by exports.ts.

import type { Connection } from '../connection/client.ts';
import { joinUrl } from '../connection/names.ts';
import type { CheckState } from './checks.ts';
import { pagesFollowedSql, urlUnknown } from './rankings.ts';
import { seenDateSql } from './seen-date.ts';

export interface HistoryFilter {
  readonly project: string;
  /** Exact. */
  readonly keyword: string;
  readonly country?: string;
  readonly device?: string;
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
  /** The target's row in that check; null where the check could not prove its place. */
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
    for (const { discardedAt, features, origin, ownedFeatures, ranking, url, ...row } of this.#rows(
      targetIdentity,
      filter,
    )) {
      yield {
        keyword: filter.keyword,
        ...row,
        features: listOf(features),
        isImported: origin === 'import',
        isDiscarded: discardedAt !== null,
        ranking: ranking === null ? null : { ...ranking, url: urlIn(url), ownedFeatures: listOf(ownedFeatures) },
      };
    }
  }

  #rows(targetIdentity: string, { project, keyword, country, device, from, to }: HistoryFilter) {
    const { builder, tables, operators } = this.#db.drizzle;
    const { alias, and, asc, eq, gte, lte, sql } = operators;
    const { checkProjects, hosts, keywords, markets, projects, searches, targets, urls } = tables;
    // named as the SQL of seenDateSql and pagesFollowedSql names them
    const [c, l, n, r] = [
      alias(tables.checks, 'c'),
      alias(tables.slots, 'l'),
      alias(tables.runs, 'n'),
      alias(tables.rankings, 'r'),
    ];
    const seenOn = sql<string>`${sql.raw(seenDateSql)}`;
    return (
      builder
        .select({
          service: markets.service,
          country: markets.country,
          language: markets.language,
          device: markets.device,
          slot: l.slot,
          localDate: seenOn,
          runId: c.runId,
          state: c.state,
          depth: c.depth,
          checkedAt: c.checkedAt,
          source: c.source,
          features: c.features,
          reason: c.reason,
          origin: n.origin,
          discardedAt: n.discardedAt,
          discardReason: n.discardReason,
          pagesFollowed: sql<number | null>`${sql.raw(pagesFollowedSql('r', 'c'))}`,
          ranking: { rank: r.rank, absoluteRank: r.absoluteRank, page: r.page, depth: r.depth },
          ownedFeatures: r.ownedFeatures,
          url: { scheme: urls.scheme, rest: urls.rest, host: sql<string>`${hosts.name}` },
        })
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
        .where(
          and(
            eq(keywords.text, keyword),
            eq(projects.name, project),
            eq(searches.keywordId, keywords.id),
            eq(c.searchId, searches.id),
            eq(checkProjects.projectId, projects.id),
            eq(checkProjects.checkId, c.id),
            country === undefined ? undefined : eq(markets.country, country),
            device === undefined ? undefined : sql`${markets.device} = ${device}`,
            from === undefined ? undefined : gte(seenOn, from),
            to === undefined ? undefined : lte(seenOn, to),
          ),
        )
        .orderBy(
          asc(markets.service),
          asc(markets.country),
          asc(markets.language),
          asc(markets.device),
          asc(n.moment),
          asc(c.id),
        )
        .all()
    );
  }
}

/** Null where nothing was found, and for a rank that another tool recorded without a URL. */
function urlIn(parts: Parameters<typeof joinUrl>[0] | null): string | null {
  if (parts === null) return null;
  const url = joinUrl(parts);
  return url === urlUnknown ? null : url;
}

function listOf(joined: string | null): string[] {
  return joined === null || joined === '' ? [] : joined.split('|');
}
