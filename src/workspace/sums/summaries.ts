// The sums of rows in the shape of the read API.
import { computeHeadline } from '../../rows/headline.ts';
import { addToSums, type Sums, startSums } from '../../rows/sums.ts';
import { changeClasses } from '../../tracker/changes/change.ts';
import { type Bucket, buckets } from '../../tracker/changes/visibility.ts';
import type { ChangeClass } from '../../tracker/observation.ts';
import type { ClickSums } from '../click-records.ts';
import type { KeywordRow, Summary } from '../records.ts';
import { sumClicks } from './click-sums.ts';

/** Which curve sums use, and what they say of their rows. */
export interface SummaryFacts {
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
  for (const row of rows) addToSums(sums, row);
  const targets = [...new Set(rows.map(({ target }) => target))];
  return { ...summaryOf(sums, date, compare), targets, ...sumClicks(rows) };
}

function summaryOf(sums: Sums, date: string | null, compare: string): Omit<Summary, keyof ClickSums | 'targets'> {
  return {
    date,
    compare,
    ...computeHeadline(sums),
    buckets: counts(buckets, sums.buckets),
    changes: counts<ChangeClass>(changeClasses, sums.classes),
  };
}

function counts<Name extends Bucket | ChangeClass>(
  names: readonly Name[],
  counted: ReadonlyMap<Name, number>,
): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name) => [name, counted.get(name) ?? 0])) as Record<Name, number>;
}
