// The table volumes.csv: metrics of the keywords, by market and month.

import { batchesOf } from '../../../db/connection/batches.ts';
import type { KeywordMonths, MonthlyVolume } from '../../../db/history/volumes.ts';
import { reportTable } from '../../../src/report/formats/table-writer.ts';
import { type VolumeEntry, type VolumeRow, volumeColumns, volumeRows } from '../../../src/report/tables/volumes.ts';
import { sortedEntries, sumOf } from '../../../src/tracker/figures.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { variantWords } from '../../../src/tracker/searches.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';

/**
 * Of a small project a year and the month before it; of a large one what makes a file of some megabytes: `export` has
 * all months.
 */
const monthsMax = 13;
const linesMax = 250_000;
const keywordsPerRead = 500;

interface Market {
  readonly service: string;
  readonly country: string;
  readonly language: string;
  readonly keywords: readonly string[];
}

export const volumeTable = reportTable({
  name: 'volumes',
  columns: volumeColumns,
  start: (scope: ReportScope) => ({ rest: () => readRows(scope) }),
});

function* readRows({ context, run, slot, project, warning }: ReportScope): Generator<VolumeRow> {
  const series = context.store.volumeSeries;
  const newest = monthWindowKey(Math.max(run.moment, slot.at), slot.timezone);
  const markets = listMarkets(project);
  const keywordCount = sumOf(markets, ({ keywords }) => keywords.length);
  const monthCount = Math.min(monthsMax, Math.max(1, Math.floor(linesMax / Math.max(1, keywordCount))));
  for (const market of markets) {
    const { country, language, keywords } = market;
    const months = series.months(market, monthEarlier(newest, monthsMax - 1), newest).slice(0, monthCount);
    const words = new Map(months.length === 0 ? [] : keywords.map((keyword) => [keyword, variantWords(keyword)]));
    for (const month of months) {
      const asked = [month, monthEarlier(month, 1), monthEarlier(month, 12)];
      const entries: VolumeEntry[] = [];
      for (const batch of batchesOf(keywords, keywordsPerRead)) {
        for (const found of series.of(market, batch, asked)) {
          const entry = toEntry(found, words.get(found.keyword) ?? '');
          if (entry !== null) entries.push(entry);
        }
      }
      yield* volumeRows({ project: project.id, country, language, month, warning }, entries);
    }
  }
}

/** Devices share metrics. */
function listMarkets({ service, keywords }: ReportScope['project']): Market[] {
  const markets = new Map<string, { country: string; language: string; keywords: Set<string> }>();
  let last: { country: string; language: string; keywords: Set<string> } | undefined;
  for (const { keyword, country, language } of keywords) {
    if (last === undefined || last.country !== country || last.language !== language) {
      const key = `${country}\n${language}`;
      last = markets.get(key) ?? { country, language, keywords: new Set() };
      markets.set(key, last);
    }
    last.keywords.add(keyword);
  }
  return sortedEntries(markets).map(([, market]) => ({ ...market, service, keywords: [...market.keywords] }));
}

function toEntry({ keyword, months }: KeywordMonths, words: string): VolumeEntry | null {
  const [now = null, monthBefore = null, yearBefore = null]: readonly (MonthlyVolume | null)[] = months;
  if (now === null) return null;
  return {
    keyword,
    words,
    now,
    monthBefore: monthBefore?.searchVolume ?? null,
    yearBefore: yearBefore?.searchVolume ?? null,
  };
}

/** `2026-01` less one month is `2025-12`. */
function monthEarlier(month: string, by: number): string {
  const count = Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1 - by;
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`;
}
