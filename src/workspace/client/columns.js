// The columns of the keyword table: which there are, which are shown, and its order in words.
import { isFile } from './api.js';
import { parseSort } from './table-order.js';

/**
 * @typedef {object} Column
 * @property {string} name in the address
 * @property {string} label
 * @property {string} [sort] what the read API sorts by
 * @property {readonly string[]} fields of the read API, for files
 * @property {boolean} [isNumber]
 * @property {boolean} [isHidden] unless it is chosen
 * @property {boolean} [ofConsole] shown where the project has measured clicks, unless others are chosen
 */

/** @type {readonly Column[]} */
export const columns = [
  { name: 'keyword', label: 'Keyword', sort: 'keyword', fields: ['keyword'] },
  { name: 'market', label: 'Market', sort: 'country', fields: ['country', 'language'] },
  { name: 'device', label: 'Device', sort: 'device', fields: ['device'] },
  { name: 'target', label: 'Target', sort: 'target', fields: ['target'] },
  { name: 'rank', label: 'Rank', sort: 'rank', fields: ['rank', 'status'], isNumber: true },
  { name: 'change', label: 'Change', sort: 'change', fields: ['change', 'changeClass'], isNumber: true },
  { name: 'significance', label: 'Significance', fields: ['significance', 'bandBest', 'bandWorst'], isHidden: true },
  {
    name: 'previous',
    label: 'Previous',
    sort: 'previousRank',
    fields: ['previousRank'],
    isNumber: true,
    isHidden: true,
  },
  { name: 'trend', label: 'Trend', fields: [] },
  { name: 'best', label: 'Best', sort: 'bestRank', fields: ['bestRank'], isNumber: true },
  {
    name: 'days-in-top-10',
    label: 'Days in top 10',
    sort: 'daysInTop10',
    fields: ['daysInTop10'],
    isNumber: true,
    isHidden: true,
  },
  { name: 'volume', label: 'Volume', sort: 'searchVolume', fields: ['searchVolume'], isNumber: true },
  { name: 'clicks', label: 'Clicks', sort: 'estimatedClicks', fields: ['estimatedClicks'], isNumber: true },
  {
    name: 'clicks-change',
    label: 'Clicks change',
    sort: 'estimatedClicksChange',
    fields: ['estimatedClicksChange'],
    isNumber: true,
    isHidden: true,
  },
  {
    name: 'measured',
    label: 'Measured clicks',
    sort: 'measuredClicks',
    fields: ['measuredClicks'],
    isNumber: true,
    ofConsole: true,
  },
  {
    name: 'impressions',
    label: 'Impressions',
    sort: 'impressions',
    fields: ['impressions'],
    isNumber: true,
    ofConsole: true,
  },
  {
    name: 'position',
    label: 'Average position',
    sort: 'averagePosition',
    fields: ['averagePosition'],
    isNumber: true,
    isHidden: true,
  },
  { name: 'cpc', label: 'CPC', sort: 'cpc', fields: ['cpc'], isNumber: true, isHidden: true },
  { name: 'competition', label: 'Competition', fields: ['competition'], isNumber: true, isHidden: true },
  { name: 'intent', label: 'Intent', fields: ['intent'], isHidden: true },
  { name: 'features', label: 'SERP features', fields: ['serpFeatures', 'ownedFeatures', 'lostFeatures'] },
  { name: 'url', label: 'URL', sort: 'url', fields: ['url'] },
  { name: 'preferred', label: 'Preferred URL', fields: ['preferredUrl', 'urlIsPreferred'], isHidden: true },
  { name: 'tags', label: 'Tags', fields: ['tags'] },
  { name: 'status', label: 'Status', sort: 'status', fields: ['status'], isHidden: true },
  { name: 'checked', label: 'Seen', sort: 'checkedAt', fields: ['checkedAt', 'date'], isHidden: true },
  { name: 'compared', label: 'Compared date', fields: ['previousDate'], isHidden: true },
  { name: 'source', label: 'Source', fields: ['source'], isHidden: true },
  { name: 'note', label: 'Note', fields: ['note'], isHidden: true },
];

/**
 * The columns to show: those of the address, else those that the browser remembers, else the usual ones. The keyword
 * is always the first.
 * @param {string | null} written names, separated by commas
 * @param {unknown} remembered names, or null
 * @param {{ readonly targets: number, readonly hasTrend?: boolean, readonly hasClicks?: boolean }} facts a column that
 * is the same in each row is left out, unless it is chosen
 */
export function chosenColumns(written, remembered, { targets, hasTrend = false, hasClicks = false }) {
  const known = columns.filter(({ name }) => name !== 'trend' || hasTrend);
  const names = written ? written.split(',') : Array.isArray(remembered) && remembered.length > 0 ? remembered : null;
  if (names === null)
    return known.filter(
      ({ name, isHidden, ofConsole }) =>
        (!isHidden || (isFile() && name === 'clicks-change')) &&
        (name !== 'target' || targets > 1) &&
        (!ofConsole || hasClicks),
    );
  return known.filter(({ name }) => name === 'keyword' || names.includes(name));
}

/** The fields of these columns for a file, each once. @param {readonly Column[]} chosen */
export function fieldsOf(chosen) {
  return [...new Set(chosen.flatMap(({ fields }) => fields))];
}

/** The order of the table in words. @param {string | null} written */
export function orderText(written) {
  const keys = parseSort(written).map(({ column, descending }) => {
    const label = columns.find(({ sort }) => sort === column)?.label ?? column;
    return `${label}, ${descending ? 'descending' : 'ascending'}`;
  });
  if (keys.length > 0) return `by ${keys.join('; ')}`;
  return isFile() ? 'by the size of their change in estimated clicks' : 'in the order of the config';
}
