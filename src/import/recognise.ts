// Which of the known formats a file is in, by what stands among its first lines.
import { firstRows } from './beginning.ts';
import { type Delimiter, delimiters } from './delimited.ts';

export interface Recognised<Format, Layout> {
  readonly format: Format;
  readonly layout: Layout;
  readonly delimiter: Delimiter;
  /** Where its header stands, from 1. */
  readonly line: number;
}

/** The layout that a format sees in a header with these rows under it; null where it is no header of the format. */
type LayoutOf<Format, Layout> = (
  format: Format,
  header: readonly string[],
  below: readonly (readonly string[])[],
) => Layout | null;

/** The first of the formats that knows a header among the first lines, and of the delimiters the one that gives it most columns; null: none does. */
export function recognise<Format, Layout extends { readonly width: number }>(
  first: string,
  formats: readonly Format[],
  layoutOf: LayoutOf<Format, Layout>,
): Recognised<Format, Layout> | null {
  const tables = delimiters.map((delimiter) => ({ delimiter, rows: firstRows(first, delimiter) }));
  for (const format of formats) {
    const candidates = tables.flatMap(({ delimiter, rows }): Recognised<Format, Layout>[] => {
      for (const [at, { cells, line }] of rows.entries()) {
        const below = rows.slice(at + 1).map((row) => row.cells);
        const layout = layoutOf(format, cells, below);
        if (layout !== null) return [{ format, layout, delimiter, line }];
      }
      return [];
    });
    const [best] = candidates.sort((a, b) => b.layout.width - a.layout.width);
    if (best !== undefined) return best;
  }
  return null;
}
