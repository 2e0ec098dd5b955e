// All history, row by row, for `export`. Each statement follows an index: no sorting, little memory.

import { createHash } from 'node:crypto';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { batchesOf } from '../connection/batches.ts';
import type { Connection } from '../connection/client.ts';
import { EntryHashes } from '../connection/hash-chain.ts';
import { urlSql } from '../connection/names.ts';
import { decodePage } from '../connection/serp-archive.ts';
import type { Row } from '../connection/statement.ts';
import { belongsToProject, checkInRange, inRange, seenDate, seenDateSql } from '../history/checks/conditions.ts';
import { pagesFollowedSql } from '../history/checks/rankings.ts';
import type { SlotClaim } from '../history/runs/slots.ts';
import type { TableRow } from '../schema/rows.ts';

/** Pages whose URLs are looked up together. */
const pagesAtOnce = 200;

const pagesSql = `
SELECT c.id AS check_id, c.run_id, n.moment AS due_at, k.text AS keyword, m.service, m.country, m.language, m.device, nullif(m.location, '') AS location,
  g.id AS page_id, cp.page, g.purchase_id, g.observed_at, g.source, g.last, g.archive, n.discarded_at, n.discard_reason
FROM checks c
CROSS JOIN runs n ON n.id = c.run_id
CROSS JOIN check_pages cp ON cp.check_id = c.id
CROSS JOIN pages g ON g.id = cp.page_id
JOIN searches s ON s.id = c.search_id
JOIN keywords k ON k.id = s.keyword_id
JOIN markets m ON m.id = s.market_id
WHERE c.run_id = @runId AND (@project IS NULL OR ${belongsToProject('c.id')}) AND ${checkInRange}
ORDER BY c.search_id, cp.page`;

/** With columns that are exported as they are. */
type PageRow = Row & TableRow<'pages', 'archive'> & { check_id: number; page: number };

const urlsSql = `
SELECT u.id, ${urlSql()} AS url
FROM json_each(@ids) j CROSS JOIN urls u ON u.id = j.value JOIN hosts h ON h.id = u.host_id`;

const noElement = { element: null, number: null, organic_rank: null, place: null, link: null, url: null };

/** Counts organic results over the pages of a check, in page order. A page after a missing one has no ranks. */
class OrganicRanks {
  #checkId: number | null = null;
  #pages = 0;
  #results = 0;

  firstOf(checkId: number, page: number, results: number): number | null {
    if (checkId !== this.#checkId) {
      this.#checkId = checkId;
      this.#pages = 0;
      this.#results = 0;
    }
    if (page !== this.#pages + 1) return null;
    const first = this.#results + 1;
    this.#pages = page;
    this.#results += results;
    return first;
  }
}

/** Results of the pages of some runs, or of those that `filter` keeps, in page order; an empty page gives one row. */
function* serpElements(
  db: Connection,
  runIds: Iterable<number>,
  filter: { readonly project: string | null; readonly from: string | null; readonly to: string | null },
): Generator<Row> {
  const featureTypes = new Map(
    db
      .sql<TableRow<'feature_types'>>('SELECT id, name FROM feature_types')
      .all()
      .map(({ id, name }) => [id, name]),
  );
  const ranks = new OrganicRanks();
  for (const runId of runIds) {
    const pages = db.sql<PageRow>(pagesSql).iterate({ runId, ...filter });
    for (const batch of batchesOf(pages, pagesAtOnce)) yield* listElements(db, batch, featureTypes, ranks);
  }
}

function* listElements(
  db: Connection,
  rows: readonly PageRow[],
  featureTypes: ReadonlyMap<number, string>,
  ranks: OrganicRanks,
): Generator<Row> {
  const pages = rows.map(({ archive, ...facts }) => ({ facts, contents: decodePage(archive) }));
  const urls = readUrls(
    db,
    pages.flatMap(({ contents: { organic, features } }) => [
      ...organic.map(({ urlId }) => urlId),
      ...features.flatMap(({ urlIds }) => urlIds),
    ]),
  );
  for (const { facts, contents } of pages) {
    const { organic, features, lastGlobalRank } = contents;
    const shared = { ...facts, last_place: lastGlobalRank };
    const firstRank = ranks.firstOf(facts.check_id, facts.page, organic.length);
    if (organic.length === 0 && features.length === 0) yield { ...shared, ...noElement };
    for (const [at, { urlId, globalRank }] of organic.entries()) {
      const rank = firstRank === null ? null : firstRank + at;
      yield {
        ...shared,
        element: 'organic',
        number: at + 1,
        organic_rank: rank,
        place: globalRank,
        link: null,
        url: urls.get(urlId) ?? null,
      };
    }
    for (const [at, { typeId, urlIds }] of features.entries()) {
      const feature = { ...shared, ...noElement, element: featureTypes.get(typeId) ?? null, number: at + 1 };
      if (urlIds.length === 0) yield feature;
      for (const [link, urlId] of urlIds.entries()) yield { ...feature, link: link + 1, url: urls.get(urlId) ?? null };
    }
  }
}

function readUrls(db: Connection, ids: readonly number[]): Map<number, string> {
  return new Map(
    db
      .sql<TableRow<'urls', 'id'> & { url: string }>(urlsSql)
      .all({ ids: JSON.stringify([...new Set(ids)]) })
      .map(({ id, url }) => [id, url]),
  );
}

/** Which rows. */
export interface ExportFilter {
  /** Absent: of every project. */
  readonly project?: string;
  /** Local dates, inclusive. */
  readonly from?: string;
  readonly to?: string;
}

/** The targets to export, as a project's config names them. */
interface FollowedTarget {
  /** As `targetKey` makes it. */
  readonly identity: string;
  readonly value: string;
  readonly isCompetitor: boolean;
}

export interface ProjectTargets {
  readonly project: string;
  readonly targets: readonly FollowedTarget[];
}

/** A keyword of a market, for all devices. */
export interface VolumeKey {
  readonly keyword: string;
  readonly service: string;
  readonly country: string;
  readonly language: string;
}

const rankingColumns = (isPlace: string): string => `
  CASE WHEN n.origin = 'import' AND c.source NOT LIKE 'import/%/%' THEN NULL ELSE c.checked_at END AS checked_at,
  CASE WHEN r.rank IS NOT NULL THEN 'ranked' WHEN (${pagesFollowedSql}) IS NOT NULL THEN 'not_followed'
       WHEN r.check_id IS NOT NULL AND r.url_id IS NULL THEN 'not_found'
       WHEN c.state = 'ok' THEN 'incomplete' ELSE c.state END AS status,
  r.rank, r.absolute_rank, r.page, nullif(${urlSql()}, '') AS url, coalesce(r.depth, ${pagesFollowedSql}, c.depth) AS depth, c.features AS serp_features, r.owned_features,
  c.reason, c.source, c.run_id, c.id AS check_id, n.discarded_at, n.discard_reason,
  iif(${isPlace}, r.rank, NULL) AS local_rank`;

/**
 * The checks of one run that a project wanted, each with one target's ranking. Imported files say nothing of targets
 * they do not name. Repeated texts are not read here: a row would take a fifth longer.
 */
const rankingsSql = `
SELECT k.text AS keyword, s.market_id, ${rankingColumns("@identity LIKE 'place:%'")}
FROM checks c
CROSS JOIN runs n ON n.id = c.run_id
CROSS JOIN projects p ON p.name = @project
CROSS JOIN check_projects cp ON cp.project_id = p.id AND cp.check_id = c.id
JOIN searches s ON s.id = c.search_id
JOIN keywords k ON k.id = s.keyword_id
LEFT JOIN rankings r ON r.target_id = (SELECT id FROM targets WHERE identity = @identity)
  AND r.search_id = c.search_id AND r.moment = n.moment AND r.check_id = c.id
LEFT JOIN urls u ON u.id = r.url_id
LEFT JOIN hosts h ON h.id = u.host_id
WHERE c.run_id = @runId AND c.state NOT IN ('planned', 'running') AND n.confirms IS NULL AND (n.origin <> 'import' OR r.check_id IS NOT NULL)
ORDER BY c.search_id`;

/** Rankings of a target in checks that belong to projects which do not follow it. */
const otherRankingsSql = `
SELECT p.name AS project, t.value AS target, NULL AS competitor, k.text AS keyword, m.service, m.country, m.language, m.device, nullif(m.location, '') AS location, l.slot, ${seenDateSql} AS local_date, ${rankingColumns("t.match = 'place'")}
FROM rankings r
CROSS JOIN targets t ON t.id = r.target_id
CROSS JOIN checks c ON c.id = r.check_id
JOIN runs n ON n.id = c.run_id
JOIN check_projects cp ON cp.check_id = c.id
JOIN projects p ON p.id = cp.project_id
JOIN slots l ON l.run_id = c.run_id AND l.project_id = p.id
JOIN searches s ON s.id = c.search_id
JOIN keywords k ON k.id = s.keyword_id
JOIN markets m ON m.id = s.market_id
LEFT JOIN urls u ON u.id = r.url_id
LEFT JOIN hosts h ON h.id = u.host_id
WHERE r.target_id = @targetId AND ${inRange(seenDateSql)} AND NOT EXISTS (
  SELECT 1 FROM check_projects o JOIN projects op ON op.id = o.project_id WHERE o.check_id = r.check_id AND op.name IN (SELECT value FROM json_each(@followers)))
ORDER BY r.search_id, r.moment, r.check_id`;

const checksSql = `
SELECT c.id AS check_id, c.run_id, iif(n.confirms IS NULL, n.origin, 'confirm') AS origin, n.moment AS due_at,
  (SELECT json_group_array(name) FROM (SELECT p.name FROM check_projects cp JOIN projects p ON p.id = cp.project_id WHERE cp.check_id = c.id ORDER BY p.name)) AS projects,
  k.text AS keyword, m.service, m.country, m.language, m.device, nullif(m.location, '') AS location, c.state, c.sequence, c.depth, c.paging, c.deep, c.fresh_for_ms, c.pages_read, c.pages_reused,
  c.checked_at, c.finished_at, c.source, c.features AS serp_features, c.reason, c.remedy, n.discarded_at, n.discard_reason
FROM checks c
CROSS JOIN runs n ON n.id = c.run_id
JOIN searches s ON s.id = c.search_id
JOIN keywords k ON k.id = s.keyword_id
JOIN markets m ON m.id = s.market_id
WHERE c.run_id = @runId AND (@project IS NULL OR ${belongsToProject('c.id')}) AND ${checkInRange}
ORDER BY c.search_id`;

const volumesSql = `
SELECT k.text AS keyword, v.service, v.country, v.language, v.month, v.observed_at, v.search_volume, v.cpc_micro_usd, v.competition, v.competition_level, v.intent,
  v.related_keywords, v.source, v.purchase_id
FROM volumes v CROSS JOIN keywords k ON k.id = v.keyword_id
WHERE ${inRange('v.month')}
ORDER BY v.keyword_id, v.service, v.country, v.language, v.month`;

/** Of a project: what its own runs reserved for its checks, and for keyword data. */
const ledgerSql = `
SELECT e.id AS entry, e.at, e.kind, v.currency, e.amount, e.reservation_id, e.purchase_id, v.run_id, v.check_id, v.day_key AS budget_day, v.month_key AS budget_month,
  q.service, q.request_key, q.attempt, k.text AS keyword, m.country, m.language, m.device, nullif(m.location, '') AS location, q.moment AS due_at, q.page, q.price, q.charged, q.state AS purchase_state,
  q.opened_at, q.settled_at, q.error_code, q.message, q.reconciled, q.reconciled_at, iif(e.hash IS NULL, NULL, lower(hex(e.hash))) AS hash, n.discarded_at, n.discard_reason
FROM ledger e
CROSS JOIN reservations v ON v.id = e.reservation_id
CROSS JOIN runs n ON n.id = v.run_id
LEFT JOIN purchases q ON q.id = e.purchase_id
LEFT JOIN searches s ON s.id = q.search_id
LEFT JOIN keywords k ON k.id = s.keyword_id
LEFT JOIN markets m ON m.id = s.market_id
WHERE ${inRange('v.day_key')} AND (@project IS NULL OR CASE WHEN v.check_id IS NULL
  THEN EXISTS (SELECT 1 FROM slots l JOIN projects p ON p.id = l.project_id WHERE l.run_id = v.run_id AND p.name = @project)
  ELSE ${belongsToProject('v.check_id')} END)
ORDER BY e.id`;

/** The state of `@runs`: digests of recorded rows, and counts of checks by state. */
const statesSql = `
SELECT n.id, n.closed_at, n.discarded_at, NULL AS subject, NULL AS rows, NULL AS digest FROM runs n WHERE n.id IN (SELECT value FROM json_each(@runs))
UNION ALL SELECT c.run_id, max(c.finished_at), NULL, c.state, count(*), NULL FROM checks c
  WHERE c.run_id IN (SELECT value FROM json_each(@runs)) GROUP BY c.run_id, c.state
UNION ALL SELECT d.key, NULL, NULL, d.subject, d.rows, d.digest FROM history_digests d
  WHERE d.subject = 'checks' AND d.key IN (SELECT value FROM json_each(@runs))
UNION ALL SELECT d.key, NULL, NULL, d.subject, d.rows, d.digest FROM history_digests d
  WHERE d.subject IN ('rankings', 'pages') AND d.key IN (SELECT moment FROM runs WHERE id IN (SELECT value FROM json_each(@runs)))
ORDER BY 4, 1`;

/** Rows with columns that are exported as they are. */
type RankingRow = Row & { checked_at: number | null; market_id: number };
type VolumeRow = Row & VolumeKey;

export class Exports {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /** The ranking of each followed target in each check, failures included: by project, slot, target and search. */
  *rankings(followed: readonly ProjectTargets[], filter: ExportFilter): Generator<Row> {
    const markets = this.#markets();
    for (const { project, targets } of followed) {
      for (const runId of this.#runs({ ...filter, project })) {
        for (const slot of this.#slots(runId, project)) {
          for (const { identity, value, isCompetitor } of targets) {
            const shared = { project, target: value, competitor: isCompetitor ? 1 : 0, slot: slot.slot };
            for (const row of this.#db.sql<RankingRow>(rankingsSql).iterate({ runId, project, identity })) {
              const date = seenDate(row.checked_at, slot);
              if ((filter.from ?? date) > date || (filter.to ?? date) < date) continue;
              yield Object.assign(row, shared, { local_date: date }, markets.get(row.market_id));
            }
          }
        }
      }
    }
  }

  /** The other rankings: of targets, and in checks of projects, that the config no longer names. */
  *otherRankings(followed: readonly ProjectTargets[], filter: ExportFilter): Generator<Row> {
    const targets = this.#db.sql<TableRow<'targets', 'id' | 'identity'>>(
      'SELECT id, identity FROM targets ORDER BY id',
    );
    for (const { id, identity } of targets.all()) {
      const followers = followed.filter(({ targets }) => targets.some((target) => target.identity === identity));
      const values = { targetId: id, followers: JSON.stringify(followers.map(({ project }) => project)) };
      yield* this.#db.sql(otherRankingsSql).iterate({ ...values, ...toRange(filter) });
    }
  }

  /** Every check, by slot and search. */
  *checks(filter: ExportFilter): Generator<Row> {
    for (const runId of this.#runs(filter)) {
      yield* this.#db.sql(checksSql).iterate({ runId, project: filter.project ?? null, ...toRange(filter) });
    }
  }

  /**
   * Metrics of the months of the range; `keys`: of these keywords only. They are stored under the first name of a
   * service, and as `service#purchase` where they were bought again.
   */
  *volumes(filter: ExportFilter, keys?: readonly VolumeKey[]): Generator<Row> {
    const { from, to } = toRange(filter);
    const wanted = keys === undefined ? null : new Set(keys.map(joinVolumeKey));
    const months = { from: from?.slice(0, 7) ?? null, to: to?.slice(0, 7) ?? null };
    for (const row of this.#db.sql<VolumeRow>(volumesSql).iterate(months)) {
      const [first = '', again] = row.service.split('#');
      const service = this.#db.presentServiceName(first);
      if (wanted !== null && !wanted.has(joinVolumeKey({ ...row, service }))) continue;
      yield Object.assign(row, { service: again === undefined ? service : `${service}#${again}` });
    }
  }

  /** The results on each page of each check. */
  serps(filter: ExportFilter): Generator<Row> {
    return serpElements(this.#db, this.#runs(filter), { project: filter.project ?? null, ...toRange(filter) });
  }

  /** Every entry of the ledger with its purchase, in the order of the chain. */
  *ledger(filter: ExportFilter): Generator<Row> {
    const hashes = new EntryHashes((text) => this.#db.sql(text));
    for (const row of this.#db.sql(ledgerSql).iterate({ ...toRange(filter), project: filter.project ?? null })) {
      row['hash'] ??= hashes.of(Number(row['entry'])).toString('hex'); // only the last of a transaction is stored
      yield row;
    }
  }

  /** The local months, `YYYY-MM`, in which a project may have rows of its runs. */
  months(project: string): string[] {
    const { first, last } = this.#db
      .sql<{ first: string | null; last: string }>(
        `SELECT min(l.local_date) AS first, date(max(l.local_date), '+1 day') AS last
         FROM slots l JOIN projects p ON p.id = l.project_id WHERE p.name = ?`,
      )
      .get(project) ?? { first: null, last: '' };
    return first === null ? [] : monthsFrom(first.slice(0, 7), last.slice(0, 7));
  }

  /** The months, `YYYY-MM`, that have metrics, each with a state that changes with them. */
  volumeMonths(): { readonly month: string; readonly state: string }[] {
    return this.#db
      .sql<TableRow<'history_digests', 'key' | 'rows' | 'digest'>>(
        "SELECT key, rows, digest FROM history_digests WHERE subject = 'volumes' ORDER BY key",
      )
      .all()
      .map(({ key, rows, digest }) => ({
        month: `${Math.floor(key / 100)}-${String(key % 100).padStart(2, '0')}`,
        state: `${rows} ${digest}`,
      }));
  }

  /** Changes with the rows of the range: with its runs, their checks and rankings. */
  state(filter: ExportFilter): string {
    const runs = JSON.stringify(this.#runs(filter));
    const rows = this.#db.sql(statesSql).all({ runs });
    return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
  }

  /** By id. */
  #markets(): Map<number, Row> {
    const rows = this.#db
      .sql<TableRow<'markets', 'id' | 'service' | 'country' | 'language' | 'device'> & { location: string | null }>(
        "SELECT id, service, country, language, device, nullif(location, '') AS location FROM markets",
      )
      .all();
    return new Map(rows.map(({ id, ...market }) => [id, market]));
  }

  /** The slots of a project that a run was for. */
  #slots(runId: number, project: string): Pick<SlotClaim, 'slot' | 'timezone' | 'localDate'>[] {
    return this.#db
      .sql<Pick<SlotClaim, 'slot' | 'timezone' | 'localDate'>>(
        `SELECT l.slot, l.timezone, l.local_date AS localDate FROM slots l JOIN projects p ON p.id = l.project_id
         WHERE l.run_id = ? AND p.name = ? ORDER BY l.slot`,
      )
      .all(runId, project);
  }

  /** Runs that may have something in the range, by slot. One without slots, made on demand, is of its day in UTC. */
  #runs(filter: ExportFilter): number[] {
    return this.#db
      .sql<TableRow<'runs', 'id'>>(
        `SELECT n.id FROM runs n WHERE EXISTS (
           SELECT 1 FROM slots l JOIN projects p ON p.id = l.project_id
           WHERE l.run_id = n.id AND (@project IS NULL OR p.name = @project) AND ${inRange('l.local_date')})
         OR (EXISTS (SELECT 1 FROM checks c WHERE c.run_id = n.id AND c.checked_at BETWEEN @fromAt AND @toAt) AND (
           EXISTS (SELECT 1 FROM slots l JOIN projects p ON p.id = l.project_id
             WHERE l.run_id = n.id AND (@project IS NULL OR p.name = @project) AND ${seenWithin('n.id', 'l.timezone')})
           OR (@project IS NULL AND NOT EXISTS (SELECT 1 FROM slots l WHERE l.run_id = n.id))))
         OR (@project IS NULL AND NOT EXISTS (SELECT 1 FROM slots l WHERE l.run_id = n.id) AND ${inRange("date(n.moment / 1000, 'unixepoch')")})
         ORDER BY n.moment, n.id`,
      )
      .all({ ...toRange(filter), ...toMoments(filter), project: filter.project ?? null })
      .map(({ id }) => id);
  }
}

/** SQL: whether dates of the range are among those from the first to the last page of a run. */
function seenWithin(runId: string, timezone: string): string {
  const seen = (edge: 'min' | 'max'): string =>
    `local_date((SELECT ${edge}(checked_at) FROM checks WHERE run_id = ${runId} AND checked_at IS NOT NULL), ${timezone})`;
  return `(@from IS NULL OR ${seen('max')} >= @from) AND (@to IS NULL OR ${seen('min')} <= @to)`;
}

function monthsFrom(first: string, last: string): string[] {
  const months: string[] = [];
  for (let at = new Date(`${first}-01`); at.toISOString().slice(0, 7) <= last; at.setUTCMonth(at.getUTCMonth() + 1))
    months.push(at.toISOString().slice(0, 7));
  return months;
}

function toRange({ from = null, to = null }: { readonly from?: string | null; readonly to?: string | null }) {
  return { from, to };
}

/** UTC milliseconds that contain the local dates of the range in every time zone. */
function toMoments({ from, to }: ExportFilter): { fromAt: number; toAt: number } {
  return {
    fromAt: from === undefined ? 0 : Date.parse(`${from}T00:00:00Z`) - dayMs,
    toAt: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(`${to}T00:00:00Z`) + 2 * dayMs,
  };
}

function joinVolumeKey({ keyword, service, country, language }: VolumeKey): string {
  return JSON.stringify([keyword, service, country, language]);
}
