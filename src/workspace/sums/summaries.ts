// The sums of rows in the shape of the read API.
import { computeHeadline } from '../../report/rows/headline.ts';
import { addToSums, type SummedRow, type Sums, startSums } from '../../report/rows/sums.ts';
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

/** A row of the table with the values that sums need. */
interface Summed {
  readonly row: KeywordRow;
  readonly summed: SummedRow;
}

/** Throws RangeError for an unknown curve. */
export function summarize(rows: readonly Summed[], { ctrCurve, date, compare }: SummaryFacts): Summary {
  const sums = startSums(ctrCurve);
  for (const { summed } of rows) addToSums(sums, summed);
  return { ...summaryOf(sums, date, compare), ...sumClicks(rows.map(({ row }) => row)) };
}

function summaryOf(sums: Sums, date: string | null, compare: string): Omit<Summary, keyof ClickSums> {
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
