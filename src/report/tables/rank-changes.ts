// rank-changes.csv: one row per tracked keyword, market and own target, with its change.

import { fileFields } from '../../read/fields.ts';
import type { Row } from '../../read/row.ts';
import { byText } from '../../tracker/figures.ts';
import { fieldColumns } from '../formats/columns.ts';
import { type CsvColumn, type CsvOptions, csvHeader, lineWriter } from '../formats/csv.ts';
import { type Scratch, SortedLines } from '../formats/sorted-lines.ts';
import type { TableLines } from '../formats/table-writer.ts';

export const rankChangeColumns: readonly CsvColumn<Row>[] = fieldColumns((row: Row) => row, ...fileFields);

/** The sort keys beside size of change and keyword; hundreds of consecutive rows share them. */
type SortKeys = Pick<Row, 'project' | 'country' | 'language' | 'device' | 'location' | 'target'>;

/**
 * Rows by size of traffic change, unknown changes last, ties by project, keyword, country, language, device and target.
 * `scratch`: where the lines of many rows wait to be sorted.
 */
export function startRankChanges(options: CsvOptions, scratch: Scratch): TableLines<Row> {
  const write = lineWriter(rankChangeColumns, options);
  const order = new RowOrder();
  const lines = new SortedLines((a, b) => order.compare(a, b), scratch);
  let count = 0;
  return {
    add(row) {
      order.add(row);
      lines.add(write(row));
      count += 1;
    },
    count: () => count,
    taken: () => '',
    *rest() {
      yield csvHeader(rankChangeColumns, options);
      yield* lines.chunks();
      order.forget();
    },
  };
}

/** The sort keys of rows, by column. */
class RowOrder {
  #sizes: number[] = [];
  #keywords: string[] = [];
  #sortKeys: SortKeys[] = [];

  add(row: Row): void {
    this.#sizes.push(row.estimatedClicksChange === null ? -1 : Math.abs(row.estimatedClicksChange));
    this.#keywords.push(row.keyword);
    this.#sortKeys.push(this.#sortKeysFor(row));
  }

  forget(): void {
    this.#sizes = [];
    this.#keywords = [];
    this.#sortKeys = [];
  }

  #sortKeysFor({ project, country, language, device, location, target }: Row): SortKeys {
    const last = this.#sortKeys.at(-1);
    const isLast =
      last !== undefined &&
      last.target === target &&
      last.device === device &&
      last.country === country &&
      last.language === language &&
      last.project === project;
    return isLast ? last : { project, country, language, device, location, target };
  }

  compare(a: number, b: number): number {
    const sizes = this.#sizes;
    if (sizes[a] !== sizes[b]) return (sizes[b] ?? 0) - (sizes[a] ?? 0);
    const [keys, other] = [this.#sortKeys[a], this.#sortKeys[b]];
    if (keys === undefined || other === undefined) return 0;
    return (
      byText(keys.project, other.project) ||
      byText(this.#keywords[a] ?? '', this.#keywords[b] ?? '') ||
      byText(keys.country, other.country) ||
      byText(keys.language, other.language) ||
      byText(keys.device, other.device) ||
      byText(keys.target, other.target)
    );
  }
}
