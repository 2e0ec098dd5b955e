// Groups rows of the keyword table by tag, market, device and the like.
import type { SegmentKind } from '../../src/workspace/contract.ts';
import type { KeywordRow } from '../../src/workspace/records.ts';
import type { TableRow } from './keyword-rows.ts';

/** The groups, largest first. A row without a tag or intent is in the group with the empty name. */
export function groupRows(rows: readonly TableRow[], by: Exclude<SegmentKind, 'view'>): [string, TableRow[]][] {
  const groups = new Map<string, TableRow[]>();
  for (const entry of rows) {
    for (const segment of segmentsOf(entry.row, by)) {
      const group = groups.get(segment) ?? [];
      groups.set(segment, group);
      group.push(entry);
    }
  }
  return [...groups].sort(([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a < b ? -1 : 1));
}

function segmentsOf(row: KeywordRow, by: Exclude<SegmentKind, 'view'>): readonly string[] {
  switch (by) {
    case 'tag':
      return row.tags.length === 0 ? [''] : row.tags;
    case 'market':
      return [`${row.country} ${row.language} ${row.device}`];
    case 'intent':
      return [row.intent ?? ''];
    default:
      return [row[by]];
  }
}
