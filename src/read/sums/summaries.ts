// The sums of rows in the shape of the read API, and the groups of rows that segments sum.

import { RowClicks } from '../../tracker/clicks/row-sums.ts';
import { getOrInsert } from '../../tracker/maps.ts';
import { marketName } from '../../tracker/project.ts';
import type { SegmentKind } from '../contract.ts';
import { filterRows } from '../keyword-filter.ts';
import type { KeywordRow, SavedView, Summary } from '../records.ts';
import { addToSums, startSums, wholeSums } from '../row-sums.ts';
import { parseView } from '../saved-view.ts';

/** Which curve sums use, and what they say of their rows. */
interface SummaryFacts {
  readonly ctrCurve: string;
  readonly date: string | null;
  readonly compare: string;
}

/**
 * The rows that sums may take together: those of targets of which no result can belong to an earlier one of them.
 * `overlaps`: pairs of targets that share results.
 */
export function summedRows<Row extends KeywordRow>(
  rows: readonly Row[],
  targets: readonly string[],
  overlaps: readonly (readonly [string, string])[],
): readonly Row[] {
  if (overlaps.length === 0) return rows;
  const shown = new Set(rows.map(({ target }) => target));
  const apart = new Set<string>();
  for (const target of targets) {
    const isInside = overlaps.some(([a, b]) => (a === target && apart.has(b)) || (b === target && apart.has(a)));
    if (shown.has(target) && !isInside) apart.add(target);
  }
  return apart.size === shown.size ? rows : rows.filter(({ target }) => apart.has(target));
}

/** Throws RangeError for an unknown curve. */
export function summarize(rows: readonly KeywordRow[], { ctrCurve, date, compare }: SummaryFacts): Summary {
  const sums = startSums(ctrCurve);
  const clicks = new RowClicks();
  for (const row of rows) {
    addToSums(sums, row);
    clicks.add(row);
  }
  return {
    date,
    compare,
    ...wholeSums(sums),
    targets: [...new Set(rows.map(({ target }) => target))],
    measuredClicks: clicks.measuredClicks,
    impressions: clicks.impressions,
  };
}

/** The groups, largest first. A row without a tag or intent is in the group with the empty name. */
export function groupRows<Row extends KeywordRow>(
  rows: readonly Row[],
  by: Exclude<SegmentKind, 'view'>,
): [string, Row[]][] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    for (const segment of segmentsOf(row, by)) {
      const group = getOrInsert(groups, segment, () => []);
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
  return views.map(({ name, query }) => [name, filterRows(rows, parseView(query).filter)]);
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
