// Widths of the columns of a sheet: as wide as their header and the texts of the first rows, within limits.
import type { ColumnNote } from '../csv.ts';

/** Rows that are looked at: held until the widths are known. */
const rowsRead = 100;
/** Characters of the font. */
const [widthMin, widthMax] = [6, 48];
/** Beside a text: the padding of the cell, and beside a header the button of its filter. */
const [padding, filterButton] = [2, 4];
/** Of values that are shown in another form than they are written. */
const shown: Readonly<Partial<Record<ColumnNote['kind'], number>>> = { date: 19, day: 10, boolean: 6 };

/** The widths, and all rows. */
export function measureColumns(
  columns: readonly Pick<ColumnNote, 'name' | 'kind'>[],
  rows: Iterable<readonly string[]>,
): { readonly widths: readonly number[]; readonly rows: Iterable<readonly string[]> } {
  const iterator = Iterator.from(rows);
  const first: (readonly string[])[] = [];
  for (let next = iterator.next(); next.done !== true; next = iterator.next()) {
    first.push(next.value);
    if (first.length === rowsRead) break;
  }
  const widths = columns.map(({ name, kind }, at) => {
    const texts = first.map((cells) => cells[at]?.length ?? 0);
    const content = shown[kind] ?? texts.reduce((most, length) => Math.max(most, length), 0);
    return Math.min(widthMax, Math.max(widthMin, name.length + filterButton, content + padding));
  });
  const all = function* (): Generator<readonly string[]> {
    yield* first;
    if (first.length === rowsRead) yield* iterator;
  };
  return { widths, rows: all() };
}
