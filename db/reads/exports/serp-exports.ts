// Archived SERPs as rows for `export`: one per organic result or feature link. Reads only.
import { batchesOf } from '../../connection/batches.ts';
import type { Connection } from '../../connection/client.ts';
import { urlSql } from '../../connection/names.ts';
import { decodePage } from '../../connection/serp-archive.ts';
import type { Row } from '../../connection/statement.ts';
import { checkInRange } from '../../history/checks/seen-date.ts';
import type { TableRow } from '../../schema/rows.ts';

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
WHERE c.run_id = @runId AND (@project IS NULL OR EXISTS (
  SELECT 1 FROM check_projects o JOIN projects p ON p.id = o.project_id WHERE o.check_id = c.id AND p.name = @project)) AND ${checkInRange}
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
export function* serpElements(
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
