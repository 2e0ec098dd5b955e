// The sums of rows in the shape of the read API.
import { headlineOf } from '../../src/report/rows/headline.ts';
import type { Sums } from '../../src/report/rows/sums.ts';
import { changeClasses } from '../../src/tracker/change.ts';
import type { ChangeClass } from '../../src/tracker/observation.ts';
import { type Bucket, buckets } from '../../src/tracker/visibility.ts';
import type { Summary } from '../../src/workspace/records.ts';

export function summaryOf(sums: Sums, date: string | null, compare: string): Summary {
  return {
    date,
    compare,
    ...headlineOf(sums),
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
