// Reads the keywords of any export or plain list, one row at a time.
import { parseCountry } from '../../tracker/countries.ts';
import { unguardFormulas } from '../../tracker/formula-guard.ts';
import { parsePlace, placeInCells } from '../cells/places.ts';
import { isOrganic, parseDevice } from '../cells/values.ts';
import { entryPlace, serpbearEntries } from '../history/serpbear.ts';
import { isKeyword, normalKeywordText, shortened, webAddress } from '../history/table.ts';
import { firstRows, firstText, rowsBelow } from '../text/beginning.ts';
import { delimiters, parseRows, type Row } from '../text/delimited.ts';
import { decodeText, detectEncoding } from '../text/encoding.ts';
import { parseJson } from '../text/json-file.ts';
import { recognise } from '../text/recognise.ts';
import { UnreadableFile } from '../text/unreadable-file.ts';
import { type ListLayout, listLayout } from './list-columns.ts';
import type { ListedKeyword, ListRejectReason, ListRole, RejectedRow } from './listed-keyword.ts';

export interface KeywordListFile {
  /** The tool, `csv` for any other table, or `list`. */
  readonly format: string;
  /** Streams the file with bounded memory. JSON is read whole. */
  readonly rows: Iterable<ListedKeyword | RejectedRow>;
}

/**
 * Recognises a list and reads it. Each call of `bytes` yields the chunks from the start. Throws UnreadableFile if it
 * finds no column of keywords, or the file is not text.
 */
export function readKeywordList(
  bytes: () => Iterable<Uint8Array>,
  map: ReadonlyMap<ListRole, string>,
): KeywordListFile {
  const encoding = detectEncoding(bytes());
  const text = (): Iterable<string> => decodeText(bytes(), encoding);
  const first = firstText(text());
  if (first.trim() === '') throw new UnreadableFile('it is empty', 'Export it again.');
  if (/^\s*[[{]/.test(first)) return { format: 'serpbear', rows: jsonRows(parseJson(text())) };
  const found = recognise(first, [map], (_map, header, around) => listLayout(header, map, around));
  if (found !== null) {
    const { layout, delimiter, line } = found;
    const rows = (): Iterable<Row> => rowsBelow(parseRows(text(), delimiter), line);
    return {
      format: layout.format,
      rows: { [Symbol.iterator]: () => tableRows(layout, unguarded(rows(), delimiter)) },
    };
  }
  if (map.size > 0 || !isPlainList(first)) throw unrecognised(first);
  const rows = (): Iterable<Row> => rowsBelow(parseRows(text(), ','), headerOfList(first));
  return { format: 'list', rows: { [Symbol.iterator]: () => listRows(unguarded(rows(), ',')) } };
}

/** The line that names a list; 0: none. Throws UnreadableFile for a list of addresses or sites. */
function headerOfList(first: string): number {
  const [header, ...below] = firstRows(first, ',').map(({ line, cells: [cell = ''] }) => ({ line, cell }));
  if (header === undefined) return 0;
  const isUrl = isUrlHeader(header.cell);
  const isAddressed = below.length > 0 && below.every(({ cell }) => webAddress(cell) !== null);
  if (isAddressed && (below.length > 1 || isUrl || webAddress(header.cell) !== null))
    throw new UnreadableFile('it is a list of addresses, which are no keywords', 'Name a list of keywords.');
  return isUrl ? header.line : 0;
}

function isUrlHeader(cell: string): boolean {
  return /^(page |ranking |landing )?urls?$/i.test(cell);
}

/** Whether most of the first lines are one cell. Anything else is a table whose header is unknown. */
function isPlainList(first: string): boolean {
  const rows = firstRows(first, ',');
  const plain = rows.filter(({ cells }) => isOneCell(cells));
  return isOneCell(rows[0]?.cells ?? []) && plain.length * 2 > rows.length;
}

function isOneCell(cells: readonly string[]): boolean {
  return cells.length === 1 && !/[;\t]/.test(cells[0] ?? '');
}

function unrecognised(first: string): UnreadableFile {
  const widest = delimiters
    .flatMap((delimiter) => firstRows(first, delimiter))
    .reduce<readonly string[]>((best, { cells }) => (cells.length > best.length ? cells : best), []);
  const has = shortened(widest.slice(0, 20).join(', '));
  return new UnreadableFile(`it has no column of keywords; it has: ${has}`, 'Name it: --map keyword=COLUMN.');
}

/** Our own tables, and those of other careful tools, guard text that a spreadsheet would run as a formula. */
function* unguarded(rows: Iterable<Row>, delimiter: string): Generator<Row> {
  for (const row of rows) yield { ...row, cells: row.cells.map((cell) => unguardFormulas(cell, delimiter)) };
}

function* listRows(rows: Iterable<Row>): Generator<ListedKeyword | RejectedRow> {
  for (const { line, cells, isBroken } of rows) {
    const keyword = normalKeywordText(cells[0] ?? '');
    if (isBroken) yield { line, refused: 'broken_row', said: '"' };
    else if (!isOneCell(cells)) yield { line, refused: 'several_cells', said: shortened(cells.join(', ')) };
    else if (!isKeyword(keyword)) yield { line, refused: 'bad_keyword', said: shortened(keyword) };
    else if (isAddress(keyword)) yield { line, refused: 'address', said: shortened(keyword) };
    else yield { line, keyword, ...noFacts };
  }
}

/** With a scheme or a path. The name of a site is a keyword that many people search. */
function isAddress(keyword: string): boolean {
  return webAddress(keyword) !== null && keyword.includes('/');
}

const noFacts = {
  country: null,
  language: null,
  location: null,
  device: null,
  tags: [],
  preferredUrl: null,
  urls: [],
  rank: null,
} as const;

function* tableRows(layout: ListLayout, rows: Iterable<Row>): Generator<ListedKeyword | RejectedRow> {
  for (const row of rows) {
    const cells = row.isBroken ? [] : layout.repaired(row.cells);
    const read = readRow(layout, row.line, cells);
    if (typeof read !== 'string') yield read;
    else if (read === 'unknown_market') yield { line: row.line, refused: read, said: writtenMarket(layout, cells) };
    else yield { line: row.line, refused: read, said: shortened(row.isBroken ? '"' : row.cells.join(' | ')) };
  }
}

/** `socks: Narnia mobile`: the keyword, and what its row says of the market. */
function writtenMarket({ columns }: ListLayout, cells: readonly string[]): string {
  const cell = (role: 'keyword' | 'country' | 'device'): string => cells[columns.get(role) ?? -1] ?? '';
  return shortened(`${cell('keyword')}: ${cell('country')} ${cell('device')}`.trim());
}

/** A country and a language in one cell: `US-en`. */
const countryAndLanguage = /^([A-Z]{2})-([a-z]{2,3})$/;

function readRow(layout: ListLayout, line: number, cells: readonly string[]): ListedKeyword | ListRejectReason {
  const { width, columns, campaign } = layout;
  if (cells.length < width || cells.slice(width).some((cell) => cell !== '')) return 'broken_row';
  const cell = (role: Exclude<ListRole, 'url'>): string => cells[columns.get(role) ?? -1] ?? '';
  const keyword = normalKeywordText(cell('keyword'));
  if (!isKeyword(keyword)) return 'bad_keyword';
  if (isAddress(keyword)) return 'address';
  const database = cell('country');
  const [, market = database.replace(/^mobile-/, ''), language = ''] = countryAndLanguage.exec(database) ?? [];
  const isSilent = market === '' || market === '__';
  const said = isSilent ? { country: campaign.market?.country ?? null, place: null } : parsePlace(market);
  const named = database.startsWith('mobile-') ? 'mobile' : cell('device');
  const device = named === '' ? (campaign.market?.device ?? null) : parseDevice(named);
  if (said === null || (named !== '' && device === null)) return 'unknown_market';
  const isRanking = layout.element === -1 || isOrganic(cells[layout.element] ?? '');
  const rank = cells[layout.rank] ?? '';
  return {
    line,
    keyword,
    country: said.country,
    language: cell('language') || language || null,
    location: placeInCells(cells, layout.locations) ?? said.place ?? campaign.place ?? null,
    device,
    tags: tagsIn(cell('tags')),
    preferredUrl: webAddress(cell('preferred_url')),
    urls: isRanking ? layout.urls.flatMap((at) => webAddress(cells[at] ?? '') ?? []) : [],
    rank: /^\d+$/.test(rank) ? Number(rank) : null,
  };
}

function tagsIn(cell: string): string[] {
  return cell
    .split(/[|,;]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '' && tag !== '-');
}

function* jsonRows(document: unknown): Generator<ListedKeyword | RejectedRow> {
  const entries = serpbearEntries(document);
  if (entries === null) throw new UnreadableFile('it is JSON of an unknown kind', 'Export the keywords as CSV.');
  for (const [index, entry] of entries.entries()) {
    const text = (name: string): string => String((entry as Record<string, unknown>)[name] ?? '').trim();
    const keyword = normalKeywordText(text('keyword'));
    const line = index + 1;
    if (!isKeyword(keyword)) yield { line, refused: 'bad_keyword', said: shortened(keyword) };
    else {
      const url = webAddress(text('url'));
      const facts = {
        country: parseCountry(text('country')),
        device: parseDevice(text('device')),
        location: entryPlace(entry),
      };
      // a list, or the JSON text of one
      const tags = tagsIn(text('tags').replace(/["[\]]/g, ''));
      yield { line, keyword, ...noFacts, ...facts, tags, urls: url === null ? [] : [url] };
    }
  }
}
