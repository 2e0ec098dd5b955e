// Bought pages: archived SERPs, raw bodies, which check read which page, doubted answers. Bench: `throughput`.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { sumOf } from '../../../src/tracker/figures.ts';
import { unlinkedFeatures } from '../../../src/tracker/targets/match.ts';

import { type ListedPlace, placeUrl } from '../../../src/tracker/targets/target.ts';

import type { Connection } from '../../connection/client.ts';
import type { Names } from '../../connection/names.ts';
import {
  type ArchivedPage,
  type ArchivedPlace,
  decodePage,
  decodeShown,
  encodePage,
} from '../../connection/serp-archive.ts';

import { hasKeySql, storedKey } from '../../schema/money-codes.ts';
import type { TableRow } from '../../schema/rows.ts';
import { isSameSourceSql } from './conditions.ts';

/** What a results page lists. `globalRank`: 1-based position among all elements of the page; null: unknown. */
export interface PageContents {
  readonly organic: readonly { readonly url: string; readonly globalRank: number | null }[];
  readonly lastGlobalRank: number | null;
  readonly features: readonly { readonly type: string; readonly links: readonly string[] }[];
  /** Unpaid local results, in order; absent: none. */
  readonly places?: readonly StoredPlace[];
}

/** A local result. Absent fields are unknown. */
export interface StoredPlace extends ListedPlace {
  readonly category?: string;
  readonly phone?: string;
  /** 0 to 5. */
  readonly rating?: number;
  readonly reviews?: number;
}

export interface NewPage extends PageContents {
  readonly searchId: number;
  readonly moment: number;
  readonly page: number;
  readonly purchaseId: number;
  readonly observedAt: number;
  /** `service/source`, and `:name` behind it where that source had others behind it. */
  readonly source: string;
  /** The engine said that nothing follows. */
  readonly last: boolean;
}

export interface StoredPage extends PageContents {
  readonly id: number;
  readonly page: number;
  readonly observedAt: number;
  readonly source: string;
  readonly last: boolean;
}

interface StoredBody {
  readonly contentType: 'text/html' | 'application/json';
  readonly text: string;
}

type PageRow = TableRow<'pages', 'id' | 'page' | 'observedAt' | 'source' | 'last' | 'archive'>;
const pageColumns = 'p.id, p.page, p.observed_at AS observedAt, p.source, p.last, p.archive';

/** Whether the run that bought a page `p` was neither discarded nor made by a clock that ran ahead. */
export const isStanding = `NOT EXISTS (
  SELECT 1 FROM purchases b JOIN reservations v ON v.id = b.reservation_id JOIN runs dr ON dr.id = v.run_id
  WHERE b.id = p.purchase_id AND (dr.discarded_at IS NOT NULL
    OR EXISTS (SELECT 1 FROM slots ds WHERE ds.run_id = dr.id AND ds.kind LIKE 'ahead-%')))`;

/** With a checksum at the end, so that a body which has changed is not read as another one. */
const bodyParameters = { [constants.ZSTD_c_checksumFlag]: 1 };
/** The least that zlib takes as the size of its pieces. */
const chunkBytesMin = 64;

/** In one piece, whose size is known beforehand: a fifth faster for a page of some kilobytes. */
function compressed(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const chunkSize = Math.max(chunkBytesMin, bytes.length);
  return zstdCompressSync(bytes, { params: bodyParameters, pledgedSrcSize: bytes.length, chunkSize });
}

export class Pages {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  insert(page: NewPage): number {
    const archive: ArchivedPage = {
      organic: page.organic.map(({ url, globalRank }) => ({ urlId: this.#db.names.urlId(url), globalRank })),
      lastGlobalRank: page.lastGlobalRank,
      features: page.features.map(({ type, links }) => ({
        typeId: this.#db.names.featureTypeId(type),
        urlIds: links.map((link) => this.#db.names.urlId(link)),
      })),
      places: (page.places ?? []).map(({ name, rating, reviews = null, ...place }) => {
        const { placeId = '', cid = '', category = '', address = '', phone = '', website = '' } = place;
        return {
          placeId: this.#db.names.placeId({ name, placeId, cid, category, address, phone, website }),
          rating: rating === undefined ? null : Math.round(rating * 10),
          reviews,
        };
      }),
    };
    const { searchId, moment, purchaseId, observedAt, source } = page;
    const row = { searchId, moment, page: page.page, purchaseId, observedAt, source, last: page.last ? 1 : 0 };
    return Number(this.#db.record('pages', { ...row, archive: encodePage(archive) }).lastInsertRowid);
  }

  /**
   * Stores a received body, compressed, until it is pruned. `readable` false: possibly paid but not parsed; a later
   * answer replaces it.
   */
  keepBody(purchaseId: number, body: StoredBody, readable: boolean): void {
    this.#db.insert(
      'bodies',
      {
        purchaseId,
        contentType: body.contentType,
        readable: readable ? 1 : 0,
        body: compressed(body.text),
      },
      `ON CONFLICT (purchase_id)
   DO UPDATE SET content_type = excluded.content_type, readable = excluded.readable, body = excluded.body WHERE readable = 0`,
    );
  }

  body(purchaseId: number): StoredBody | null {
    const row = this.#db
      .sql<TableRow<'bodies', 'contentType' | 'body'>>(
        'SELECT content_type AS contentType, body FROM bodies WHERE purchase_id = ?',
      )
      .get(purchaseId);
    if (row === undefined) return null;
    return { contentType: row.contentType, text: zstdDecompressSync(row.body).toString('utf8') };
  }

  /** An answer of this purchase key that was received and never read: it is read again rather than bought again. */
  unreadBody(requestKey: string): { purchaseId: number; receivedAt: number; body: StoredBody } | null {
    const row = this.#db
      .sql<{ purchaseId: number; receivedAt: number }>(
        // a repeated answer counts as observed when it arrived
        `SELECT p.id AS purchaseId, coalesce(p.reconciled_at, p.opened_at) AS receivedAt FROM purchases p JOIN bodies b ON b.purchase_id = p.id
         WHERE ${hasKeySql('p', '@key')} AND b.readable = 0 ORDER BY p.attempt DESC LIMIT 1`,
      )
      .get({ key: storedKey(requestKey) });
    if (row === undefined) return null;
    const body = this.body(row.purchaseId);
    return body === null ? null : { ...row, body };
  }

  markReadable(purchaseId: number): void {
    this.#db.sql('UPDATE bodies SET readable = 1 WHERE purchase_id = ?').run(purchaseId);
  }

  /**
   * Pages of a search that need not be bought: those of the same moment (paid by another project or an earlier
   * attempt), and those of the same source observed at `since` or later (null: none). Leaves out discarded runs and
   * runs whose clock was ahead. Returns the newest of each page number.
   */
  reusable(searchId: number, moment: number, since: number | null, source: string): Map<number, StoredPage> {
    const found = new Map<number, StoredPage>();
    for (const row of this.#ofMoment(searchId, moment, since, source)) found.set(row.page, this.#stored(row));
    return found;
  }

  /** Two statements, because fresh pages are searched in the whole history of the search. */
  #ofMoment(searchId: number, moment: number, since: number | null, source: string): PageRow[] {
    const searches = JSON.stringify(this.#db.names.searchesAlike(searchId));
    const ofSearches = 'search_id IN (SELECT value FROM json_each(@searches))';
    if (since === null)
      return this.#db
        .sql<PageRow>(`SELECT ${pageColumns} FROM pages p WHERE ${ofSearches} AND moment = @moment`)
        .all({ searches, moment });
    return this.#db
      .sql<PageRow>(
        `SELECT ${pageColumns} FROM pages p WHERE ${ofSearches} AND (moment = @moment OR (observed_at >= @since AND moment <= @moment AND (source = @source OR substr(source, 1, length(@source) + 1) = @source || ':')
           AND ${isStanding}))
         ORDER BY moment = @moment, observed_at`,
      )
      .all({ searches, moment, since, source });
  }

  /**
   * For each search: the number of pages down to `depth` that `reusable` would find from any source, without reading
   * them.
   */
  countReusable(
    wanted: readonly { readonly searchId: number; readonly depth: number }[],
    moment: number,
    since: number | null,
  ): number[] {
    const fresh = since === null ? '' : `OR (observed_at >= @since AND moment <= @moment AND ${isStanding})`;
    const searches = JSON.stringify(
      wanted.map(({ searchId, depth }) => [this.#db.names.searchesAlike(searchId), depth]),
    );
    return this.#db
      .sql<{ n: number }>(
        `SELECT (SELECT count(DISTINCT page) FROM pages p WHERE search_id IN (SELECT value FROM json_each(j.value -> 0)) AND page <= j.value ->> 1
           AND (moment = @moment ${fresh})) AS n FROM json_each(@searches) j`,
      )
      .all({ searches, moment, ...(since === null ? {} : { since }) })
      .map(({ n }) => n);
  }

  attach(checkId: number, page: number, pageId: number): void {
    this.#db.insert('check_pages', { checkId, page, pageId }, 'ON CONFLICT (check_id, page) DO NOTHING');
  }

  /** How many of these pages were not bought for the check: they cost it nothing. */
  countBoughtElsewhere(checkId: number, pageIds: readonly number[]): number {
    return this.#db.number(
      `SELECT count(*) FROM json_each(@pageIds) j JOIN pages g ON g.id = j.value
       JOIN purchases p ON p.id = g.purchase_id JOIN reservations v ON v.id = p.reservation_id WHERE v.check_id IS NOT @checkId`,
      { pageIds: JSON.stringify(pageIds), checkId },
    );
  }

  /** The pages a check was read from, in page order. */
  ofCheck(checkId: number): StoredPage[] {
    return this.#db
      .sql<PageRow>(
        `SELECT ${pageColumns} FROM check_pages cp JOIN pages p ON p.id = cp.page_id WHERE cp.check_id = ? ORDER BY cp.page`,
      )
      .all(checkId)
      .map((row) => this.#stored(row));
  }

  /** Features that a check shows without links, so that whom they show is unknown. */
  unlinkedFeatures(checkId: number): string[] {
    const pages = this.ofCheck(checkId);
    const places = sumOf(pages, (page) => page.places?.length ?? 0);
    return unlinkedFeatures(
      pages.flatMap(({ features }) => features),
      places,
    );
  }

  #stored({ archive: bytes, last, ...row }: PageRow): StoredPage {
    const archive = decodePage(bytes);
    return {
      ...row,
      last: last === 1,
      organic: archive.organic.map(({ urlId, globalRank }) => ({ url: this.#db.names.url(urlId), globalRank })),
      lastGlobalRank: archive.lastGlobalRank,
      features: archive.features.map(({ typeId, urlIds }) => ({
        type: this.#db.names.featureTypeName(typeId),
        links: urlIds.map((urlId) => this.#db.names.url(urlId)),
      })),
      ...(archive.places.length > 0 && { places: archive.places.map((each) => readPlace(this.#db.names, each)) }),
    };
  }
}

/** A place of an archived page. */
export function readPlace(names: Names, { placeId, rating, reviews }: ArchivedPlace): StoredPlace {
  const { name, ...details } = names.place(placeId);
  return {
    name,
    ...Object.fromEntries(Object.entries(details).filter(([, text]) => text !== '')),
    ...(rating !== null && { rating: rating / 10 }),
    ...(reviews !== null && { reviews }),
  };
}

/** Purchases in a service's error rate: limited, so that a long history costs no more. */
const purchasesMax = 2000;

/** Earlier answers for a page that are compared with a new one. */
const doubtedAnswersMax = 32;

/** An answer that was bought for a page and not believed. */
export interface DoubtedPurchase {
  readonly purchaseId: number;
  readonly errorCode: string;
  /** When it was bought, UTC milliseconds. */
  readonly at: number;
}

/** A page that a check of a run was read from. */
interface RunPageLinks {
  readonly keyword: string;
  readonly page: number;
  readonly links: readonly string[];
}

export class PageHistory {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Links of the last complete check before `checkId`, by page number: organic ones, or those of places on a page that
   * has places alone. Discarded runs are left out, and those that are suspect for a project of the check. Null: no such
   * check.
   */
  lastComplete(searchId: number, source: string, checkId: number): ReadonlyMap<number, readonly string[]> | null {
    const check = this.#db
      .sql<TableRow<'checks', 'id'>>(
        `SELECT c.id FROM checks c JOIN runs r ON r.id = c.run_id
         WHERE c.search_id = @searchId AND c.id < @checkId AND c.state = 'ok' AND ${isSameSourceSql('c.source', '@source')} AND r.discarded_at IS NULL
           AND NOT EXISTS (
             SELECT 1 FROM check_projects cp JOIN slots o ON o.project_id = cp.project_id AND o.run_id = c.run_id
             WHERE cp.check_id = c.id AND o.suspect_reason IS NOT NULL)
         ORDER BY c.id DESC LIMIT 1`,
      )
      .get({ searchId, checkId, source });
    if (check === undefined) return null;
    const rows = this.#db
      .sql<TableRow<'pages', 'page' | 'archive'>>(
        'SELECT cp.page, p.archive FROM check_pages cp JOIN pages p ON p.id = cp.page_id WHERE cp.check_id = ?',
      )
      .all(check.id);
    return new Map(rows.map((row) => [row.page, this.#shownIn(row.archive)]));
  }

  /** Answers for this page that were bought since the last accepted one, newest first, without the accepted one. */
  doubtedAnswers(searchId: number, page: number, codes: readonly string[], without: number): DoubtedPurchase[] {
    return this.#db
      .sql<DoubtedPurchase>(
        `SELECT p.id AS purchaseId, p.error_code AS errorCode, p.opened_at AS at FROM purchases p
         WHERE p.search_id = @searchId AND p.page = @page AND p.error_code IS NOT NULL AND p.id <> @without
           AND p.error_code IN (SELECT value FROM json_each(@codes))
           AND p.id > coalesce((SELECT max(g.purchase_id) FROM pages g WHERE g.search_id = @searchId AND g.page = @page), 0)
         ORDER BY p.id DESC LIMIT @limit`,
      )
      .all({ searchId, page, codes: JSON.stringify(codes), without, limit: doubtedAnswersMax });
  }

  /**
   * The share, 0 to 1, of a service's recent purchases with this doubt that no later fetch confirmed. Leaves out the
   * search under judgement. A doubt without a later fetch counts.
   */
  errorRate(service: string, code: string, searchId: number): number {
    const row = this.#db
      .sql<{ bought: number; wrong: number }>(
        `SELECT count(*) AS bought, coalesce(sum(p.error_code = @code AND NOT EXISTS (
             SELECT 1 FROM pages g JOIN purchases b ON b.id = g.purchase_id
             WHERE g.search_id = p.search_id AND g.moment = p.moment AND g.page = p.page AND b.error_code = @code)), 0) AS wrong
         FROM purchases p
         WHERE p.id > (SELECT coalesce(max(id), 0) FROM purchases) - @limit AND p.service = @service AND p.page IS NOT NULL
           AND p.state <> 'open' AND p.search_id <> @searchId`,
      )
      .get({ service, code, searchId, limit: purchasesMax });
    const { bought, wrong } = row ?? { bought: 0, wrong: 0 };
    return bought === 0 ? 0 : wrong / bought;
  }

  /** Of the newest checks of a run that have ended, their pages. */
  ofRun(runId: number, limit: number): RunPageLinks[] {
    return this.#db
      .sql<TableRow<'pages', 'page' | 'archive'> & { keyword: string }>(
        `SELECT k.text AS keyword, cp.page, p.archive FROM checks c JOIN check_pages cp ON cp.check_id = c.id JOIN pages p ON p.id = cp.page_id
           JOIN searches s ON s.id = c.search_id JOIN keywords k ON k.id = s.keyword_id
         WHERE c.run_id = ? AND c.state IN ('ok', 'incomplete') ORDER BY c.id DESC LIMIT ?`,
      )
      .all(runId, limit)
      .map(({ archive, ...row }) => ({ ...row, links: this.#linksIn(archive) }));
  }

  #shownIn(archive: Buffer): readonly string[] {
    const links = this.#linksIn(archive);
    if (links.length > 0) return links;
    return decodePage(archive).places.map((each) => {
      const place = readPlace(this.#db.names, each);
      return placeUrl(place) ?? place.name;
    });
  }

  #linksIn(archive: Buffer): readonly string[] {
    return decodeShown(archive).urlIds.map((id) => this.#db.names.url(id));
  }
}
