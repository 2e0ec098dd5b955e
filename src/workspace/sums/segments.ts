// Groups rows of the keyword table by tag, market, device and the like.
import { marketName } from '../../tracker/project.ts';
import type { SegmentKind } from '../contract.ts';
import { filterRows, parseFilter } from '../keyword-filter.ts';
import type { KeywordRow, SavedView } from '../records.ts';

/** The groups, largest first. A row without a tag or intent is in the group with the empty name. */
export function groupRows<Entry extends { readonly row: KeywordRow }>(
  rows: readonly Entry[],
  by: Exclude<SegmentKind, 'view'>,
): [string, Entry[]][] {
  const groups = new Map<string, Entry[]>();
  for (const entry of rows) {
    for (const segment of segmentsOf(entry.row, by)) {
      const group = groups.get(segment) ?? [];
      groups.set(segment, group);
      group.push(entry);
    }
  }
  return [...groups].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
}

/** The rows of each saved view, in the order of the views. */
export function viewGroups<Entry extends { readonly row: KeywordRow }>(
  rows: readonly Entry[],
  views: readonly SavedView[],
): [string, Entry[]][] {
  const all = rows.map(({ row }) => row);
  return views.map(({ name, query }) => {
    const shown = new Set(filterRows(all, parseFilter(new URLSearchParams(query))));
    return [name, rows.filter(({ row }) => shown.has(row))];
  });
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
