// period.csv: one row per tracked keyword, market and own target over a period: start, end, best, worst, average.

import type { Row } from '../../read/row.ts';
import { cappedRank, mean } from '../../read/row-sums.ts';
import { type Change, compare, notComparable } from '../../tracker/changes/change.ts';
import { sumOf } from '../../tracker/figures.ts';
import type { Observation } from '../../tracker/observation.ts';
import { columnsOf, fieldColumns, searchFields } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** What the complete check of a day proves. */
export interface PeriodDay extends Observation {
  /** Local date on which the pages were seen. */
  readonly date: string;
  /** Its run is suspect: no change begins there. */
  readonly isSuspect: boolean;
}

/** Local dates, both inclusive. */
export interface PeriodFacts {
  readonly from: string;
  readonly to: string;
  /** Days on which pages of the project were seen. */
  readonly dayCount: number;
}

type PeriodSubject = Pick<
  Row,
  | 'project'
  | 'keyword'
  | 'country'
  | 'language'
  | 'device'
  | 'location'
  | 'target'
  | 'tags'
  | 'searchVolume'
  | 'isPlace'
>;

export interface PeriodRow extends Omit<PeriodSubject, 'isPlace'>, PeriodFacts {
  /** Null without a complete check, like all below. */
  readonly start: PeriodDay | null;
  readonly end: PeriodDay | null;
  readonly change: Change;
  readonly best: PeriodDay | null;
  /** Of the days on which the target ranked. */
  readonly worst: PeriodDay | null;
  readonly averageRank: number | null;
  readonly averageCapped: number | null;
  readonly daysChecked: number;
  readonly daysRanked: number;
  readonly daysInTop3: number;
  readonly daysInTop10: number;
  readonly warning: string | null;
}

/** `days`: those with a complete check, oldest first. */
export function periodRow(
  subject: PeriodSubject,
  { from, to, dayCount }: PeriodFacts,
  days: readonly PeriodDay[],
  warning: string | null,
): PeriodRow {
  const { project, keyword, country, language, device, location, target, tags, searchVolume, isPlace } = subject;
  const ranked = days.flatMap((day) => (day.rank === null ? [] : [{ day, rank: day.rank }]));
  const ranks = ranked.map(({ rank }) => rank);
  const [best, worst] = [Math.min(...ranks), Math.max(...ranks)];
  const start = days.find(({ isSuspect }) => !isSuspect) ?? null;
  const end = days.at(-1) ?? null;
  return {
    ...{
      project,
      keyword,
      country,
      language,
      device,
      location,
      target,
      tags,
      searchVolume,
      from,
      to,
      dayCount,
      start,
      end,
    },
    change: changeBetween(start, end),
    best: ranked.find(({ rank }) => rank === best)?.day ?? null,
    worst: ranked.find(({ rank }) => rank === worst)?.day ?? null,
    averageRank: average(ranks),
    averageCapped: average(days.map(({ rank, depth }) => cappedRank(rank, isPlace ? 1 : depth))),
    daysChecked: days.length,
    daysRanked: ranks.length,
    daysInTop3: ranks.filter((rank) => rank <= 3).length,
    daysInTop10: ranks.filter((rank) => rank <= 10).length,
    warning,
  };
}

function changeBetween(start: PeriodDay | null, end: PeriodDay | null): Change {
  if (end === null) return notComparable('no complete check in the period');
  if (start === null) return notComparable('every complete check is of a suspect run');
  if (start === end) return notComparable('one complete check in the period');
  return compare(start, end);
}

/** Two decimals. */
function average(values: readonly number[]): number | null {
  const value = mean({ sum: sumOf(values), count: values.length });
  return value === null ? null : Math.round(value * 100) / 100;
}

const { text, number, day } = columnsOf<PeriodRow>();

export const periodColumns: readonly CsvColumn<PeriodRow>[] = [
  ...fieldColumns((row: PeriodRow) => row, ...searchFields, 'target'),
  day('from', 'First local date of the period', (row) => row.from),
  day('to', 'Last local date of the period', (row) => row.to),
  day('start_date', 'First local date with a complete check, without suspect runs', (row) => row.start?.date ?? ''),
  text('start_status', 'Status on that date: ranked or not_found', (row) => row.start?.status ?? null),
  number('start_rank', 'Organic rank on that date; empty unless ranked', (row) => row.start?.rank ?? null),
  day('end_date', 'Last local date with a complete check', (row) => row.end?.date ?? ''),
  text('end_status', 'Status on that date: ranked or not_found', (row) => row.end?.status ?? null),
  number('end_rank', 'Organic rank on that date; empty unless ranked', (row) => row.end?.rank ?? null),
  number(
    'change',
    'start_rank - end_rank: positive is better; empty unless both are ranked and comparable',
    (row) => row.change.change,
  ),
  text(
    'change_class',
    'improved, declined, unchanged, entered, dropped or not_comparable (the note says why)',
    (row) => row.change.changeClass,
  ),
  number('best_rank', 'Best rank in the period', (row) => row.best?.rank ?? null),
  day('best_date', 'The first date with it', (row) => row.best?.date ?? ''),
  number('worst_rank', 'Worst rank of the days on which the target ranked', (row) => row.worst?.rank ?? null),
  day('worst_date', 'The first date with it', (row) => row.worst?.date ?? ''),
  number('average_rank_ranked', 'Average of the days on which the target ranked', (row) => row.averageRank),
  number(
    'average_rank_capped',
    'Average of days_checked, counting "not found" as depth x 10 + 1',
    (row) => row.averageCapped,
  ),
  number('days', 'Days on which pages of the project were seen', (row) => row.dayCount),
  number('days_checked', 'Days on which the keyword had a complete check', (row) => row.daysChecked),
  number('days_ranked', 'Days of days_checked with a rank; on the others, not found', (row) =>
    ofChecked(row, row.daysRanked),
  ),
  number('days_in_top_3', 'Days of days_checked with rank 1 to 3', (row) => ofChecked(row, row.daysInTop3)),
  number('days_in_top_10', 'Days of days_checked with rank 1 to 10', (row) => ofChecked(row, row.daysInTop10)),
  number('search_volume', 'Searches a month, as of the end', (row) => row.searchVolume),
  text('start_url', 'The page that ranked at the start', (row) => row.start?.url ?? null),
  text('end_url', 'The page that ranked at the end', (row) => row.end?.url ?? null),
  ...fieldColumns((row: PeriodRow) => row, 'tags'),
  text('note', 'Why start and end are not comparable', (row) => row.change.reason),
  text('warning', 'Warnings about the row: suspect runs, late runs, simulated data', (row) => row.warning),
  ...fieldColumns((row: PeriodRow) => row, 'location'),
];

function ofChecked({ daysChecked }: PeriodRow, days: number): number | null {
  return daysChecked === 0 ? null : days;
}
