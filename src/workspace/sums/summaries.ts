// The sums of rows in the shape of the read API.
import { computeHeadline } from '../../report/rows/headline.ts';
import { addToSums, type SummedRow, type Sums, startSums } from '../../report/rows/sums.ts';
import { changeClasses } from '../../tracker/changes/change.ts';
import { type Bucket, buckets } from '../../tracker/changes/visibility.ts';
import type { ChangeClass } from '../../tracker/observation.ts';
import type { Summary } from '../records.ts';

/** Which curve sums use, and what they say of their rows. */
export interface SummaryFacts {
  readonly ctrCurve: string;
  readonly date: string | null;
  readonly compare: string;
}

/** Throws RangeError for an unknown curve. */
export function summarize(rows: Iterable<SummedRow>, { ctrCurve, date, compare }: SummaryFacts): Summary {
  const sums = startSums(ctrCurve);
  for (const row of rows) addToSums(sums, row);
  return summaryOf(sums, date, compare);
}

function summaryOf(sums: Sums, date: string | null, compare: string): Summary {
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
