// The columns of the keyword table: which there are, and which are shown.

/**
 * @typedef {object} Column
 * @property {string} name in the address
 * @property {string} label
 * @property {string} [sort] what the read API sorts by
 * @property {readonly string[]} fields of the read API, for files
 * @property {boolean} [isNumber]
 * @property {boolean} [isHidden] unless it is chosen
 */

/** @type {readonly Column[]} */
export const columns = [
  { name: 'keyword', label: 'Keyword', sort: 'keyword', fields: ['keyword'] },
  { name: 'market', label: 'Market', sort: 'country', fields: ['country', 'language'] },
  { name: 'device', label: 'Device', sort: 'device', fields: ['device'] },
  { name: 'target', label: 'Target', sort: 'target', fields: ['target'] },
  { name: 'rank', label: 'Rank', sort: 'rank', fields: ['rank', 'status'], isNumber: true },
  { name: 'change', label: 'Change', sort: 'change', fields: ['change', 'changeClass'], isNumber: true },
  {
    name: 'previous',
    label: 'Previous',
    sort: 'previousRank',
    fields: ['previousRank'],
    isNumber: true,
    isHidden: true,
  },
  { name: 'best', label: 'Best', sort: 'bestRank', fields: ['bestRank'], isNumber: true },
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
  { name: 'cpc', label: 'CPC', sort: 'cpc', fields: ['cpc'], isNumber: true, isHidden: true },
  { name: 'competition', label: 'Competition', fields: ['competition'], isNumber: true, isHidden: true },
  { name: 'intent', label: 'Intent', fields: ['intent'], isHidden: true },
  { name: 'features', label: 'SERP features', fields: ['serpFeatures', 'ownedFeatures'] },
  { name: 'url', label: 'URL', sort: 'url', fields: ['url'] },
  { name: 'preferred', label: 'Preferred URL', fields: ['preferredUrl'], isHidden: true },
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
 * @param {{ readonly targets: number }} facts a column that is the same in each row is left out, unless it is chosen
 */
export function chosenColumns(written, remembered, { targets }) {
  const names = written ? written.split(',') : Array.isArray(remembered) && remembered.length > 0 ? remembered : null;
  if (names === null) return columns.filter(({ name, isHidden }) => !isHidden && (name !== 'target' || targets > 1));
  return columns.filter(({ name }) => name === 'keyword' || names.includes(name));
}

/** The fields of these columns for a file, each once. @param {readonly Column[]} chosen */
export function fieldsOf(chosen) {
  return [...new Set(chosen.flatMap(({ fields }) => fields))];
}
