// The order of a table as the address holds it: `rank,-searchVolume`. `-` sorts descending.

/** @typedef {{ readonly column: string, readonly descending: boolean }} SortKey */
/** @typedef {string | number | null | undefined} Sortable */

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
 * The order after a click on a column: one direction, then the other, then not by it. `add` keeps the other columns.
 * `largestFirst`: the first click sorts descending.
 * @param {string | null} written
 * @param {string} column
 * @param {{ readonly add?: boolean, readonly largestFirst?: boolean }} [options]
 */
export function nextSort(written, column, { add = false, largestFirst = false } = {}) {
  const keys = parseSort(written);
  const known = keys.find((key) => key.column === column);
  const next =
    known === undefined
      ? { column, descending: largestFirst }
      : known.descending === largestFirst
        ? { column, descending: !largestFirst }
        : null;
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

const collator = new Intl.Collator('en', { numeric: true });

/**
 * A sorted copy. Rows without a value come last both ways; equal rows keep their order. Unknown columns are left out.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {readonly SortKey[]} keys
 * @param {(column: string) => ((row: Row) => Sortable) | undefined} valueIn
 */
export function sorted(rows, keys, valueIn) {
  const orders = keys.flatMap(({ column, descending }) => {
    const value = valueIn(column);
    return value === undefined ? [] : [{ value, descending }];
  });
  return rows.toSorted((a, b) => {
    for (const { value, descending } of orders) {
      const order = compareValues(value(a), value(b), descending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

/** @param {Sortable} a @param {Sortable} b @param {boolean} descending */
function compareValues(a, b, descending) {
  if (a == null || b == null) return Number(a == null) - Number(b == null);
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
  return descending ? -order : order;
}
