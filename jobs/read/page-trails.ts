// The best ranking page of rows on each date of a range, read for this range only.

import { batchesOf } from '../../db/connection/batches.ts';
import { InvalidQuery } from '../../src/read/contract.ts';
import type { RowPages } from '../../src/read/sums/page-turns.ts';
import { buildTrail } from '../../src/read/sums/timeline.ts';
import { marketName } from '../../src/tracker/project.ts';
import { rankOfCode } from '../../src/tracker/rank-codes.ts';
import { classifyDestination, targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import type { TableRow } from './columns/column-rows.ts';
import type { RankTrails } from './columns/rank-trails.ts';
import { SeriesAxis } from './rows/series-axis.ts';

/** Rows times dates: more take over a second. */
const cellsMax = 400_000;
const rowsPerRead = 500;

/** `indices`: all dates of the range. Throws InvalidQuery for more than `cellsMax` rows times dates. */
export function* pageTrails(
  { store }: Pick<JobContext, 'store'>,
  rows: readonly TableRow[],
  trails: RankTrails,
  indices: readonly number[],
): Generator<RowPages> {
  if (rows.length * indices.length > cellsMax)
    throw new InvalidQuery(
      `from: ${rows.length} rows on ${indices.length} dates are too many to compare pages; filter, or choose fewer dates`,
    );
  const axis = new SeriesAxis(trails.seriesDates(indices));
  const moments = axis.dates.flatMap(({ runs }) => runs.map(({ moment }) => moment));
  const incomplete = new Set(
    axis.dates.flatMap(({ runs }) => runs.flatMap(({ id }) => store.reportSeries.incomplete(id))),
  );
  const ofMarket = Map.groupBy(rows, (row) => `${targetKey(row.own)}\n${marketName(row)}`);
  for (const group of ofMarket.values()) {
    for (const batch of batchesOf(group, rowsPerRead)) {
      const [first] = batch;
      if (first === undefined) continue;
      const series = store.reportSeries.of({
        target: targetKey(first.own),
        market: first.market,
        keywords: batch.map(({ keyword }) => keyword),
        from: Math.min(...moments),
        until: Math.max(...moments),
        spanning: axis.spanning,
      });
      const found = [...series].map(({ rankings }) =>
        buildTrail(
          rankings,
          (ranking) => axis.indexOf(ranking),
          indices.length,
          (id) => !incomplete.has(id),
        ),
      );
      const texts = new Map(
        store.serpContents.urls([...new Set(found.flatMap(({ urlSteps }) => urlSteps.map(([, id]) => id)))]),
      );
      for (const [index, { codes, urlSteps }] of found.entries()) {
        const row = batch[index];
        if (row === undefined) continue;
        const ranks = Array.from(codes, (code) => rankOfCode(code));
        yield { row, ranks, urls: urlsOn(ranks, urlSteps, texts) };
      }
    }
  }
}

function urlsOn(
  ranks: readonly (number | null)[],
  steps: readonly (readonly [number, number])[],
  texts: ReadonlyMap<number, string>,
): (string | null)[] {
  let step = -1;
  return ranks.map((rank, date) => {
    while ((steps[step + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= date) step += 1;
    const id = steps[step]?.[1];
    const url = rank === null || id === undefined ? undefined : texts.get(id);
    return url !== undefined && classifyDestination(url) === 'exact' ? url : null;
  });
}
