// Ids for repeated texts: projects, keywords, markets, searches, targets, URLs, feature types. Bench: `throughput`.

import { createHash } from 'node:crypto';
import type { Market, Search } from '../../src/tracker/project.ts';
import { foldKeyword } from '../../src/tracker/searches.ts';
import { classifyDestination } from '../../src/tracker/targets/target.ts';
import type { NewTableRow, TableName, TableRow } from '../schema/rows.ts';
import { columnName, inserted, type Prepare, type Value } from './statement.ts';

/** Ids that are remembered of each table: some texts repeat within a run. */
const rememberedMax = 2_000;

/** Of a SHA-256: its first half. */
const digestBytes = 16;

/** The market among the columns of a row. */
export function marketIn(row: TableRow<'markets', keyof Market>): Market {
  return {
    service: row.service,
    country: row.country,
    language: row.language,
    device: row.device,
    ...(row.location !== '' && { location: row.location }),
  };
}

/** A market as the parameters of SQL. */
export function marketValues<M extends { readonly location?: string | undefined }>(
  market: M,
): Omit<M, 'location'> & { location: string } {
  return { ...market, location: market.location ?? '' };
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  readonly rest: string;
}

/** Splits a URL, or a host alone, into its stored parts; any other text is stored whole in `rest`. */
export function splitUrl(url: string): UrlParts {
  const separator = url.indexOf('://');
  if (separator <= 0 && classifyDestination(url) === 'host_only') return { scheme: '', host: url, rest: '' };
  if (separator <= 0) return { scheme: '', host: '', rest: url };
  const from = separator + 3;
  let end = from;
  while (end < url.length && !'/?#'.includes(url.charAt(end))) end += 1;
  return { scheme: url.slice(0, separator), host: url.slice(from, end).toLowerCase(), rest: url.slice(end) };
}

export function joinUrl({ scheme, host, rest }: UrlParts): string {
  return scheme === '' ? `${host}${rest}` : `${scheme}://${host}${rest}`;
}

/** Like `joinUrl`, for a row of urls and its host: SQLite returns one string instead of four. */
export const urlSql = (url = 'u', host = 'h'): string =>
  `iif(${url}.scheme = '', '', ${url}.scheme || '://') || ${host}.name || ${url}.rest`;

export class Names {
  readonly #sql: Prepare;
  readonly #ids = new Map<TableName, Map<string, number>>();
  readonly #featureTypes = new Map<number, string>();
  /** Of keywords that projects spell differently: the spelling under which their searches are stored. */
  readonly #stored = new Map<string, string>();
  /** The same for purchases: one for all spellings. */
  readonly #bought = new Map<string, string>();
  /** Searches of several spellings in one market, which older versions have made: each with all of them. */
  readonly #twins = new Map<number, readonly number[]>();

  constructor(sql: Prepare) {
    this.#sql = sql;
  }

  /** After a rollback: ids that were given out in it no longer exist. */
  forget(): void {
    this.#ids.clear();
    this.#featureTypes.clear();
  }

  projectId(name: string): number {
    return this.#intern('projects', name, { name });
  }

  /**
   * From now on, the spellings of each group are one keyword: the first that was ever searched, else the first of the
   * group. Spellings that have searches of their own, from older versions, go on with their histories, which only
   * grow; their pages are bought once and serve all of them.
   */
  shareSpellings(groups: readonly (readonly string[])[]): void {
    for (const map of [this.#stored, this.#bought, this.#twins]) map.clear();
    for (const group of groups) {
      const searches = this.#sql<{ id: number; text: string; marketId: number }>(
        `SELECT s.id, k.text, s.market_id AS marketId FROM keywords k JOIN searches s ON s.keyword_id = k.id
         WHERE k.text IN (SELECT value FROM json_each(?)) ORDER BY k.id`,
      ).all(JSON.stringify(group));
      const searched = new Set(searches.map(({ text }) => text));
      const first = searches[0]?.text ?? group[0] ?? '';
      for (const spelling of group) {
        this.#stored.set(spelling, searched.has(spelling) ? spelling : first);
        this.#bought.set(spelling, first);
      }
      for (const same of Map.groupBy(searches, ({ marketId }) => marketId).values())
        if (same.length > 1)
          for (const { id } of same)
            this.#twins.set(
              id,
              same.map((each) => each.id),
            );
    }
    this.forget();
  }

  /** The spelling under which pages of a keyword are bought. */
  boughtKeyword(keyword: string): string {
    return this.#bought.get(keyword) ?? keyword;
  }

  /** A search, and those of other spellings in its market: their pages are its pages. */
  searchesAlike(searchId: number): readonly number[] {
    return this.#twins.get(searchId) ?? [searchId];
  }

  /** The spelling under which the searches of a keyword are stored. `stored_keyword` in SQL. */
  storedKeyword(keyword: string): string {
    return this.#stored.get(keyword) ?? keyword;
  }

  keywordId(keyword: string): number {
    return this.textId(this.storedKeyword(keyword));
  }

  /** Of a text that is kept as it is: a prompt. */
  textId(text: string): number {
    return this.#intern('keywords', text, { text });
  }

  /** Every stored spelling of a keyword. Reads all keywords; those of ASCII without a call for each. */
  spellings(keyword: string): string[] {
    const folded = foldKeyword(keyword);
    const fold = /^[\x20-\x7e]*$/.test(folded) ? 'lower(text)' : 'fold_keyword(text)';
    return this.#sql<TableRow<'keywords', 'text'>>(`SELECT text FROM keywords WHERE ${fold} = ? ORDER BY text`)
      .all(folded)
      .map(({ text }) => text);
  }

  marketId({ service, country, language, device, location = '' }: Market): number {
    const key = [service, country, language, device, location].join('\0');
    return this.#intern('markets', key, { service, country, language, device, location });
  }

  searchId({ keyword, market }: Search): number {
    const row = { keywordId: this.keywordId(keyword), marketId: this.marketId(market) };
    return this.#intern('searches', `${row.keywordId} ${row.marketId}`, row);
  }

  /** The search's id if it was ever stored. Stores nothing. */
  knownSearchId(search: Search): number | null {
    const { keyword, market } = search;
    return this.#read(
      `SELECT s.id FROM searches s JOIN keywords k ON k.id = s.keyword_id JOIN markets m ON m.id = s.market_id
       WHERE k.text = ? AND m.service = ? AND m.country = ? AND m.language = ? AND m.device = ? AND m.location = ?`,
      [
        this.storedKeyword(keyword),
        market.service,
        market.country,
        market.language,
        market.device,
        market.location ?? '',
      ],
    );
  }

  /** The same of many searches, in their order, with one statement per market. */
  knownSearchIds(searches: readonly Search[]): (number | null)[] {
    const ids: (number | null)[] = searches.map(() => null);
    for (const places of Map.groupBy(searches.keys(), (at) => JSON.stringify(searches[at]?.market)).values()) {
      const market = searches[places[0] ?? 0]?.market;
      if (market === undefined) continue;
      const keywords = JSON.stringify(places.map((at) => this.storedKeyword(searches[at]?.keyword ?? '')));
      const found = this.#sql<{ at: number; id: number }>(
        `SELECT j.key AS at, s.id FROM markets m CROSS JOIN json_each(@keywords) j CROSS JOIN keywords k ON k.text = j.value
           JOIN searches s ON s.keyword_id = k.id AND s.market_id = m.id
           WHERE m.service = @service AND m.country = @country AND m.language = @language AND m.device = @device
             AND m.location = @location`,
      ).all({ keywords, ...marketValues(market) });
      for (const { at, id } of found) ids[places[at] ?? 0] = id;
    }
    return ids;
  }

  targetId({ identity, match, value }: Pick<TableRow<'targets'>, 'identity' | 'match' | 'value'>): number {
    return this.#intern('targets', identity, { identity, match, value }, { identity });
  }

  /** The target's id if it was ever stored. Stores nothing. */
  knownTargetId(identity: string): number | null {
    return this.#read('SELECT id FROM targets WHERE identity = ?', [identity]);
  }

  urlId(url: string): number {
    const known = this.#known('urls').get(url);
    if (known !== undefined) return known;
    const { scheme, host, rest } = splitUrl(url);
    const hostId = this.#intern('hosts', host, { name: host });
    return this.#intern('urls', url, { hostId, rest, scheme });
  }

  url(id: number): string {
    const row = this.#sql<{ url: string }>(
      `SELECT ${urlSql()} AS url FROM urls u JOIN hosts h ON h.id = u.host_id WHERE u.id = ?`,
    ).get(id);
    if (row === undefined) throw new Error(`no URL has the id ${id}`);
    return row.url;
  }

  placeId(place: Omit<TableRow<'places'>, 'id'>): number {
    return this.#intern('places', JSON.stringify(Object.values(place)), place);
  }

  place(id: number): Omit<TableRow<'places'>, 'id'> {
    const row = this.#sql<TableRow<'places'>>(
      'SELECT name, place_id AS placeId, cid, category, address, phone, website FROM places WHERE id = ?',
    ).get(id);
    if (row === undefined) throw new Error(`no place has the id ${id}`);
    return row;
  }

  /** Of a text that a result shows. Long texts are found by their digests. */
  appearanceTextId(text: string): number {
    const digest = createHash('sha256').update(text).digest().subarray(0, digestBytes);
    return this.#intern('appearance_texts', text, { digest, text }, { digest });
  }

  featureTypeId(name: string): number {
    return this.#intern('feature_types', name, { name });
  }

  /** Each is read once: there are some dozen. */
  featureTypeName(id: number): string {
    const known = this.#featureTypes.get(id);
    if (known !== undefined) return known;
    const row = this.#sql<TableRow<'feature_types', 'name'>>('SELECT name FROM feature_types WHERE id = ?').get(id);
    if (row === undefined) throw new Error(`no feature type has the id ${id}`);
    this.#featureTypes.set(id, row.name);
    return row.name;
  }

  #known(table: TableName): Map<string, number> {
    let known = this.#ids.get(table);
    if (known === undefined || known.size >= rememberedMax) {
      known = new Map();
      this.#ids.set(table, known);
    }
    return known;
  }

  /** `identity`: the columns by which a row is found, where these are not all. */
  #intern<Name extends TableName>(table: Name, key: string, row: NewTableRow<Name>, identity: object = row): number {
    const known = this.#known(table);
    const id = known.get(key) ?? this.#find(table, identity) ?? this.#add(table, row) ?? this.#find(table, identity);
    if (id === null) throw new Error(`${table} ${key} could neither be found nor added`);
    known.set(key, id);
    return id;
  }

  /** Null if another process was first. */
  #add(table: TableName, row: object): number | null {
    const { changes, lastInsertRowid } = inserted(this.#sql, table, row, 'ON CONFLICT DO NOTHING');
    return changes === 0 ? null : Number(lastInsertRowid);
  }

  #find(table: TableName, identity: object): number | null {
    const isIt = Object.keys(identity).map((name) => `${columnName(name)} = ?`);
    return this.#read(`SELECT id FROM ${table} WHERE ${isIt.join(' AND ')}`, Object.values(identity) as Value[]);
  }

  #read(select: string, values: readonly Value[]): number | null {
    return this.#sql<{ id: number }>(select).get(...values)?.id ?? null;
  }
}
