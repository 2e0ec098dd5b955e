// Groups rows of the keyword table by tag, market, device and the like.
import { marketName } from '../../tracker/project.ts';
import type { SegmentKind } from '../contract.ts';
import { filterRows, parseFilter } from '../keyword-filter.ts';
import type { KeywordRow, SavedView } from '../records.ts';

/** The groups, largest first. A row without a tag or intent is in the group with the empty name. */
export function groupRows<Row extends KeywordRow>(
  rows: readonly Row[],
  by: Exclude<SegmentKind, 'view'>,
): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    for (const segment of segmentsOf(row, by)) {
      const group = groups.get(segment) ?? [];
      groups.set(segment, group);
      group.push(row);
    }
  }
  return [...groups].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
}

/** The rows of each saved view, in the order of the views. */
export function viewGroups<Row extends KeywordRow>(
  rows: readonly Row[],
  views: readonly SavedView[],
): [string, readonly Row[]][] {
  return views.map(({ name, query }) => [name, filterRows(rows, parseFilter(new URLSearchParams(query)))]);
}

function segmentsOf(row: KeywordRow, by: Exclude<SegmentKind, 'view'>): readonly string[] {
  switch (by) {
    case 'tag':
      return row.tags.length === 0 ? [''] : row.tags;
    case 'market':
      return [marketName(row)];
    case 'intent':
      return [row.intent ?? ''];
    default:
      return [row[by]];
  }
}
