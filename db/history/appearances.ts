// What own results show in searches, stored where it differs from the appearance before. Bench: `throughput`.
import { type Appearance, isNewAppearance } from '../../src/tracker/changes/appearance.ts';
import { pageKey } from '../../src/tracker/targets/target.ts';
import type { Connection } from '../connection/client.ts';
import { splitUrl } from '../connection/names.ts';
import { isStanding, type NewPage } from './checks/pages.ts';

/** What a page shows of one URL. */
export interface ShownResult extends Omit<Appearance, 'source'> {
  readonly url: string;
}

/** An appearance, and when a page first showed it so, UTC milliseconds. */
interface StoredAppearance extends Appearance {
  readonly seenAt: number;
}

/** A URL in a search at the moment of a run. */
interface ShownAt {
  readonly searchId: number;
  readonly url: string;
  readonly moment: number;
}

interface AppearanceRow extends Omit<StoredAppearance, 'sitelinks' | 'hasImage'> {
  readonly sitelinks: string | null;
  readonly hasImage: number | null;
}

const textOf = (id: string) => `(SELECT text FROM appearance_texts WHERE id = a.${id})`;
const columns = `g.observed_at AS seenAt, g.source, ${textOf('title_id')} AS title, ${textOf('snippet_id')} AS snippet,
  ${textOf('sitelinks_id')} AS sitelinks, a.has_image AS hasImage`;

/** The newest row at a moment; those from discarded runs are left out. */
const newestAt = (searchId: string, urlId: string, moment: string) =>
  `a.search_id = ${searchId} AND a.url_id = ${urlId} AND a.moment = (
    SELECT w.moment FROM appearances w JOIN pages p ON p.id = w.page_id
    WHERE w.search_id = ${searchId} AND w.url_id = ${urlId} AND w.moment <= ${moment} AND ${isStanding}
    ORDER BY w.moment DESC LIMIT 1)`;

export class Appearances {
  readonly #db: Connection;

  constructor(db: Connection) {
    this.#db = db;
  }

  /**
   * Stores what a page shows of these URLs: a row only where `isNewAppearance` finds news since the newest row of the
   * same search and URL. A field that became unknown is no news, so its last known value stands. A page from before
   * another page of its search writes none. Call inside the transaction that archives the page.
   */
  keep(pageId: number, page: Pick<NewPage, 'searchId' | 'moment' | 'source'>, results: readonly ShownResult[]): void {
    const { searchId, moment, source } = page;
    if (results.length === 0 || this.#hasLaterPage(searchId, moment)) return;
    const { names } = this.#db;
    const kept = new Set<number>();
    for (const { url, ...shown } of results) {
      const urlId = names.urlId(spelling(url));
      // one page shows https://www.google.com/ at 1 and http://www.google.com/ at 7: the first decides
      if (kept.has(urlId)) continue;
      kept.add(urlId);
      const before = this.#newest(searchId, urlId, moment);
      if (before !== null && !isNewAppearance(before, { ...shown, source })) continue;
      const { title, snippet, sitelinks, hasImage } = shown;
      const textId = (text: string | null) => (text === null ? null : names.appearanceTextId(text));
      const row = {
        searchId,
        urlId,
        moment,
        pageId,
        titleId: textId(title),
        snippetId: textId(snippet),
        sitelinksId: textId(sitelinks === null ? null : JSON.stringify(sitelinks)),
        hasImage: hasImage === null ? null : Number(hasImage),
      };
      // the first page of a moment that shows a URL decides
      this.#db.insert('appearances', row, 'ON CONFLICT DO NOTHING');
    }
  }

  #hasLaterPage(searchId: number, moment: number): boolean {
    const later = this.#db.sql('SELECT 1 FROM pages WHERE search_id = ? AND moment > ? LIMIT 1');
    return later.get(searchId, moment) !== undefined;
  }

  #newest(searchId: number, urlId: number, moment: number): StoredAppearance | null {
    const row = this.#db
      .sql<AppearanceRow>(
        `SELECT ${columns} FROM appearances a JOIN pages g ON g.id = a.page_id WHERE ${newestAt('@searchId', '@urlId', '@moment')}`,
      )
      .get({ searchId, urlId, moment });
    return row === undefined ? null : stored(row);
  }

  /** What the search showed of the URL in a run of this moment, as far as it was seen then or before. Null: never. */
  at(searchId: number, url: string, moment: number): StoredAppearance | null {
    return this.atEach([{ searchId, url, moment }])[0] ?? null;
  }

  /** The same of many, in their order, by one statement. */
  atEach(wanted: readonly ShownAt[]): (StoredAppearance | null)[] {
    const found: (StoredAppearance | null)[] = wanted.map(() => null);
    const list = wanted.map(({ searchId, url, moment }) => {
      const { scheme, host, rest } = splitUrl(spelling(url));
      return [searchId, moment, host, rest, scheme];
    });
    const rows = this.#db.sql<AppearanceRow & { readonly at: number }>(
      `SELECT j.key AS at, ${columns} FROM json_each(?) j CROSS JOIN hosts h ON h.name = j.value ->> 2
         CROSS JOIN urls u ON u.host_id = h.id AND u.rest = j.value ->> 3 AND u.scheme = j.value ->> 4
         CROSS JOIN appearances a ON ${newestAt('(j.value ->> 0)', 'u.id', '(j.value ->> 1)')}
         CROSS JOIN pages g ON g.id = a.page_id`,
    );
    for (const { at, ...row } of rows.iterate(JSON.stringify(list))) found[at] = stored(row);
    return found;
  }
}

/** One for all spellings of a page: engines add parameters that differ each day. */
function spelling(url: string): string {
  const key = pageKey(url);
  return key === null ? url : `https://${key}`;
}

function stored({ sitelinks, hasImage, ...row }: AppearanceRow): StoredAppearance {
  return {
    ...row,
    sitelinks: sitelinks === null ? null : (JSON.parse(sitelinks) as string[]), // `keep` wrote it
    hasImage: hasImage === null ? null : hasImage === 1,
  };
}
