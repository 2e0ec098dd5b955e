// Sorts rows of a table by one column, as the address has it: `clicks`, or `-clicks` for descending.

/** @typedef {string | number | null | undefined} Sortable */

const collator = new Intl.Collator('en', { numeric: true });

/**
 * A sorted copy. Rows without a value come last both ways; equal rows keep their order.
 * @template Row
 * @param {readonly Row[]} rows
 * @param {(row: Row) => Sortable} valueIn
 * @param {boolean} isDescending
 */
export function sorted(rows, valueIn, isDescending) {
  return rows.toSorted((a, b) => {
    const [left, right] = [valueIn(a), valueIn(b)];
    if (left == null || right == null) return Number(left == null) - Number(right == null);
    const order =
      typeof left === 'number' && typeof right === 'number'
        ? left - right
        : collator.compare(String(left), String(right));
    return isDescending ? -order : order;
  });
}

/** @param {string | null} written @returns {{ key: string, isDescending: boolean } | null} */
export function parseSorting(written) {
  if (written === null || written === '') return null;
  return { key: written.replace(/^-/, ''), isDescending: written.startsWith('-') };
}

/**
 * What a click on a column's header asks for: the other direction of the current column; else numbers from the largest.
 * @param {string | null} written
 * @param {{ key: string, numeric?: boolean }} column
 */
export function nextSorting(written, { key, numeric = false }) {
  const current = parseSorting(written);
  const isDescending = current?.key === key ? !current.isDescending : numeric;
  return isDescending ? `-${key}` : key;
}
