// Detects the format of a file by its first lines.
import { firstRows } from './beginning.ts';
import { type Delimiter, delimiters } from './delimited.ts';

export interface Recognised<Format, Layout> {
  readonly format: Format;
  readonly layout: Layout;
  readonly delimiter: Delimiter;
  /** Line of the header, 1-based; without one, the line before the first row. */
  readonly line: number;
}

/** The rows of the first lines, beside the header. */
export interface RowsAround {
  readonly above: readonly (readonly string[])[];
  readonly below: readonly (readonly string[])[];
}

/** Returns the layout of a header with these rows around it; null: not a header of the format. */
type LayoutOf<Format, Layout> = (format: Format, header: readonly string[], around: RowsAround) => Layout | null;

/**
 * The first format that finds a header among the first lines, with the delimiter that yields most columns; null: none.
 */
export function recognise<Format, Layout extends { readonly width: number; readonly hasHeader?: boolean }>(
  first: string,
  formats: readonly Format[],
  layoutOf: LayoutOf<Format, Layout>,
): Recognised<Format, Layout> | null {
  const tables = delimiters.map((delimiter) => ({ delimiter, rows: firstRows(first, delimiter) }));
  for (const format of formats) {
    const candidates = tables.flatMap(({ delimiter, rows }): Recognised<Format, Layout>[] => {
      for (const [at, { cells, line }] of rows.entries()) {
        const around = {
          above: rows.slice(0, at).map((row) => row.cells),
          below: rows.slice(at + 1).map((row) => row.cells),
        };
        const layout = layoutOf(format, cells, around);
        if (layout !== null) return [{ format, layout, delimiter, line: layout.hasHeader === false ? line - 1 : line }];
      }
      return [];
    });
    const [best] = candidates.sort((a, b) => b.layout.width - a.layout.width);
    if (best !== undefined) return best;
  }
  return null;
}
