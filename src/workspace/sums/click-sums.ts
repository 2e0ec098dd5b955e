// Sums of measured clicks over rows of the keyword table.
import { RowClicks } from '../../tracker/clicks/row-sums.ts';
import type { ClickSums } from '../click-records.ts';
import type { KeywordRow } from '../records.ts';

export function sumClicks(rows: Iterable<KeywordRow>): ClickSums {
  const sums = new RowClicks();
  for (const row of rows) sums.add(row);
  return { measuredClicks: sums.measuredClicks, impressions: sums.impressions };
}
