// The order of a table as the address holds it: `rank,-searchVolume`.

/** @typedef {{ readonly column: string, readonly descending: boolean }} SortKey */

/** @param {string | null} written @returns {SortKey[]} */
export function parseSort(written) {
  return (written ?? '')
    .split(',')
    .filter((part) => part.replace('-', '') !== '')
    .map((part) => ({ column: part.replace(/^-/, ''), descending: part.startsWith('-') }));
}

/** @param {readonly SortKey[]} keys */
function writeSort(keys) {
  return keys.map(({ column, descending }) => `${descending ? '-' : ''}${column}`).join(',') || null;
}

/**
 * The order after a click on a column: ascending, then descending, then not by it. `add` keeps the other columns.
 * @param {string | null} written
 * @param {string} column
 * @param {{ readonly add?: boolean }} [options]
 */
export function nextSort(written, column, { add = false } = {}) {
  const keys = parseSort(written);
  const known = keys.find((key) => key.column === column);
  const next =
    known === undefined ? { column, descending: false } : known.descending ? null : { column, descending: true };
  if (!add) return writeSort(next === null ? [] : [next]);
  const kept = keys.map((key) => (key.column === column ? next : key)).filter((key) => key !== null);
  return writeSort(known === undefined && next !== null ? [...kept, next] : kept);
}

/**
 * `ascending` or `descending` for the first column of the order, else null.
 * @param {string | null} written
 * @param {string | undefined} column
 */
export function ariaSort(written, column) {
  const [first] = parseSort(written);
  if (first === undefined || first.column !== column) return null;
  return first.descending ? 'descending' : 'ascending';
}

/**
 * The arrow beside a column, with its number in an order of several.
 * @param {string | null} written
 * @param {string | undefined} column
 */
export function sortArrow(written, column) {
  const keys = parseSort(written);
  const at = keys.findIndex((key) => key.column === column);
  if (at < 0) return '';
  return `${keys[at]?.descending ? '▼' : '▲'}${keys.length > 1 ? at + 1 : ''}`;
}
