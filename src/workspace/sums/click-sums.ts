// Sums of measured clicks over rows. Languages of a country share their clicks: they count once.
import type { ClickSums } from '../click-records.ts';
import type { KeywordRow } from '../records.ts';

export function sumClicks(rows: Iterable<KeywordRow>): ClickSums {
  const counted = new Set<string>();
  const sums = { measuredClicks: 0, impressions: 0 };
  for (const { measuredClicks, impressions, keyword, country, device, target } of rows) {
    if (measuredClicks === null || impressions === null) continue;
    const key = [keyword, country, device, target].join('\n');
    if (counted.has(key)) continue;
    counted.add(key);
    sums.measuredClicks += measuredClicks;
    sums.impressions += impressions;
  }
  return counted.size === 0 ? { measuredClicks: null, impressions: null } : sums;
}
