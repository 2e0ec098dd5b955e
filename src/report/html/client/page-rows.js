// The rows of the keyword table: unpacking, sorting and filtering. No DOM.
import { unpackTrail } from './trail.js';

/** @import { PageData, PageRow } from '../page-data.ts' */

/**
 * @param {PageData} data
 * @param {number} index
 * @returns {PageRow}
 */
export function rowAt(data, index) {
  const { rows } = data;
  return {
    index,
    keyword: rows.keyword[index] ?? '',
    market: data.markets[rows.market[index] ?? -1] ?? { country: '', language: '', device: '' },
    target: data.targets[rows.target[index] ?? -1] ?? '',
    tags: (rows.tags[index] ?? []).map((tag) => data.tags[tag] ?? ''),
    status: rows.status[index] ?? 'deferred',
    changeClass: rows.changeClass[index] ?? 'not_comparable',
    rank: rows.rank[index] ?? null,
    previousRank: rows.previousRank[index] ?? null,
    change: rows.change[index] ?? null,
    bestRank: rows.bestRank[index] ?? null,
    depth: rows.depth[index] ?? null,
    volume: rows.volume[index] ?? null,
    clicks: rows.clicks[index] ?? null,
    clicksChange: rows.clicksChange[index] ?? null,
    url: data.urls[rows.url[index] ?? -1] ?? null,
    previousUrl: data.urls[rows.previousUrl[index] ?? -1] ?? null,
    features: data.featureSets[rows.features[index] ?? -1] ?? [],
    owned: data.featureSets[rows.owned[index] ?? -1] ?? [],
    checkedAt: rows.checkedAt[index] ?? null,
    previousCheckedAt: rows.previousCheckedAt[index] ?? null,
    note: data.notes[rows.note[index] ?? -1] ?? null,
    trail: unpackTrail(rows.trail[index] ?? ''),
  };
}

/**
 * @typedef {object} Wanted
 * @property {string} text Part of a keyword or an address.
 * @property {number} tag -1: any. The same for `market` and `target`.
 * @property {number} market
 * @property {number} target
 * @property {string} status Empty: any.
 * @property {string} changeClass Empty: any; `moved`: improved, declined, entered or dropped.
 */

/** @type {Wanted} */
export const anything = Object.freeze({ text: '', tag: -1, market: -1, target: -1, status: '', changeClass: '' });

const moved = ['improved', 'declined', 'entered', 'dropped'];

/**
 * Indices of the rows that match a filter, in file order.
 * @param {PageData} data
 * @param {Wanted} wanted
 */
export function filtered({ rows, urls }, wanted) {
  const text = wanted.text.trim().toLowerCase();
  const urlsWithText = text === '' ? null : new Set(urls.keys().filter((id) => urls[id]?.toLowerCase().includes(text)));
  const kept = [];
  for (let index = 0; index < rows.keyword.length; index += 1) {
    if (wanted.market >= 0 && rows.market[index] !== wanted.market) continue;
    if (wanted.target >= 0 && rows.target[index] !== wanted.target) continue;
    if (wanted.tag >= 0 && !rows.tags[index]?.includes(wanted.tag)) continue;
    if (wanted.status !== '' && rows.status[index] !== wanted.status) continue;
    const changeClass = rows.changeClass[index] ?? '';
    if (
      wanted.changeClass === 'moved'
        ? !moved.includes(changeClass)
        : wanted.changeClass && changeClass !== wanted.changeClass
    )
      continue;
    if (
      urlsWithText !== null &&
      !urlsWithText.has(rows.url[index] ?? -1) &&
      !rows.keyword[index]?.toLowerCase().includes(text)
    )
      continue;
    kept.push(index);
  }
  return kept;
}

/** Sort keys of the table. Rows without the value come last in both directions. */
export const sortKeys = Object.freeze([
  'keyword',
  'market',
  'target',
  'rank',
  'change',
  'bestRank',
  'volume',
  'clicks',
  'clicksChange',
  'url',
]);

/**
 * Sorts indices in place.
 * @param {PageData} data
 * @param {number[]} indices
 * @param {string} key one of `sortKeys`; anything else leaves the order of the file
 * @param {boolean} isDescending
 */
export function sorted({ rows, urls, markets, targets }, indices, key, isDescending) {
  const compareText = new Intl.Collator('en', { numeric: true }).compare;
  const sign = isDescending ? -1 : 1;
  /** @type {Readonly<Record<string, (index: number) => string | null>>} */
  const texts = {
    keyword: (index) => rows.keyword[index] ?? null,
    market: (index) => Object.values(markets[rows.market[index] ?? -1] ?? {}).join(' '),
    target: (index) => targets[rows.target[index] ?? -1] ?? null,
    url: (index) => urls[rows.url[index] ?? -1] ?? null,
  };
  const text = texts[key];
  if (text !== undefined) {
    const values = new Map(indices.map((index) => [index, text(index)]));
    return indices.sort((a, b) => order(values.get(a) ?? null, values.get(b) ?? null, compareText, sign) || a - b);
  }
  const column = readNumbers(rows, key);
  if (column === null) return indices.sort((a, b) => a - b);
  return indices.sort(
    (a, b) => order(column[a] ?? null, column[b] ?? null, (one, other) => one - other, sign) || a - b,
  );
}

/**
 * @param {PageData['rows']} rows
 * @param {string} key
 */
function readNumbers(rows, key) {
  if (key === 'rank' || key === 'change' || key === 'bestRank') return rows[key];
  return key === 'volume' || key === 'clicks' || key === 'clicksChange' ? rows[key] : null;
}

/**
 * @template Value
 * @param {Value | null} a
 * @param {Value | null} b
 * @param {(a: Value, b: Value) => number} compare
 * @param {number} sign
 */
function order(a, b, compare, sign) {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return sign * compare(a, b);
}
