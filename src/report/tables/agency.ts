// The files of the agency report: all projects, one row a day (long) and one column a day (wide).

import type { LastRanking } from '../../read/note.ts';
import { estimatedClicks } from '../../tracker/changes/visibility.ts';
import type { ClickNumbers } from '../../tracker/clicks/clicks.ts';
import { faultsIn } from '../../tracker/clicks/known-faults.ts';
import { rounded } from '../../tracker/figures.ts';
import { type RowStatus, rowStatusText } from '../../tracker/observation.ts';
import type { NamedMarket } from '../../tracker/project.ts';
import { daysBetween } from '../../tracker/schedule/time-units.ts';
import { columnsOf, fieldColumns, searchFields } from '../formats/columns.ts';
import type { CsvColumn, SharedColumns } from '../formats/csv.ts';
import type { ManifestFile } from './manifest.ts';

/** A target in a search: the first columns of both files. */
export interface AgencySubject extends NamedMarket {
  readonly project: string;
  readonly keyword: string;
  readonly target: string;
  readonly isPlace: boolean;
  readonly tags: readonly string[];
}

/** The result of a subject on a local date. */
export interface AgencyDay {
  readonly date: string;
  readonly status: RowStatus;
  readonly rank: number | null;
  readonly absoluteRank: number | null;
  readonly page: number | null;
  readonly url: string | null;
  /** Null: not checked. */
  readonly depth: number | null;
  /** UTC milliseconds. */
  readonly checkedAt: number | null;
  readonly source: string | null;
  readonly runId: number;
  readonly warning: string | null;
}

export interface AgencyLongRow {
  readonly subject: AgencySubject;
  readonly day: AgencyDay;
  readonly role: 'own' | 'competitor';
  readonly searchVolume: number | null;
  readonly estimatedClicks: number | null;
  readonly change: number | null;
  /** Of a day on which the keyword waited: its newest ranking before. */
  readonly last?: LastRanking;
  /** Counted on this date; null: nothing is reported. */
  readonly clicks: ClickNumbers | null;
}

/** A day whose complete check proves a ranking can be compared. */
export interface ProvenDay extends AgencyDay {
  readonly isComplete: boolean;
  /** Its run is suspect: it is no baseline. */
  readonly isSuspect: boolean;
}

/** A day with runs, on which a keyword may have waited. */
export interface RunDay {
  readonly date: string;
  readonly runId: number;
}

/**
 * The rows of one subject, oldest first. `searchVolume`: the newest known, for all days, so that only ranks move
 * clicks. `runDays`: days on which a keyword without a check waited; it has a row from its first ranking on.
 */
export function agencyLongRows(
  { subject, role, searchVolume }: Pick<AgencyLongRow, 'subject' | 'role' | 'searchVolume'>,
  days: Iterable<ProvenDay>,
  ctrCurve: string,
  runDays: readonly RunDay[] = [],
  clicks: ReadonlyMap<string, ClickNumbers> = new Map(),
): AgencyLongRow[] {
  const rows: AgencyLongRow[] = [];
  let before: ProvenDay | null = null;
  let last: ProvenDay | null = null;
  let next = 0;
  const addWaiting = (until: string | null): void => {
    for (; next < runDays.length; next += 1) {
      const runDay = runDays[next];
      if (runDay === undefined || (until !== null && runDay.date >= until)) break;
      if (last === null || last.checkedAt === null) continue;
      const ageDays = Math.round(daysBetween(last.date, runDay.date));
      const { rank, checkedAt, depth } = last;
      rows.push({
        subject,
        day: { ...notChecked, ...runDay },
        role,
        searchVolume,
        estimatedClicks: null,
        change: null,
        clicks: clicks.get(runDay.date) ?? null,
        last: { rank, checkedAt, ageDays, depth: depth ?? 0 },
      });
    }
    if (until !== null && runDays[next]?.date === until) next += 1;
  };
  for (const day of days) {
    addWaiting(day.date);
    const isProven = day.isComplete && (day.status === 'ranked' || day.status === 'not_found');
    const change =
      isProven && before !== null && before.source === day.source ? rankChange(before.rank, day.rank) : null;
    // like `rankChangeRow`: an incomplete check may prove an exact rank, which has clicks, but no change
    const isCounted = (isProven || day.rank !== null) && !subject.isPlace;
    const estimated = rounded(isCounted ? estimatedClicks(searchVolume, day.rank, ctrCurve) : null, 2);
    const counted = clicks.get(day.date) ?? null;
    rows.push({ subject, day, role, searchVolume, estimatedClicks: estimated, change, clicks: counted });
    if (isProven && !day.isSuspect) before = day;
    if (isProven) last = day;
  }
  addWaiting(null);
  return rows;
}

const notChecked = {
  status: 'deferred',
  rank: null,
  absoluteRank: null,
  page: null,
  url: null,
  depth: null,
  checkedAt: null,
  source: null,
  warning: null,
} as const;

function rankChange(before: number | null, rank: number | null): number | null {
  return before === null || rank === null ? null : before - rank;
}

export interface AgencyWideRow {
  readonly subject: AgencySubject;
  /** By date. */
  readonly days: ReadonlyMap<string, AgencyDay>;
  readonly warning: string | null;
}

const { text, number, day } = columnsOf<AgencyLongRow>();
const subjectOf = ({ subject }: Pick<AgencyLongRow, 'subject'>): AgencySubject => subject;

/** The target may be a competitor. */
const targetColumn = <Row extends Pick<AgencyLongRow, 'subject'>>(): CsvColumn<Row> =>
  columnsOf<Row>().text('target', 'Target as configured', ({ subject }) => subject.target);

const longSubject: readonly CsvColumn<AgencyLongRow>[] = [
  ...fieldColumns(subjectOf, ...searchFields),
  targetColumn<AgencyLongRow>(),
];
const longTags: readonly CsvColumn<AgencyLongRow>[] = fieldColumns(subjectOf, 'tags');

/** Mostly empty, but for the role. */
const longRest: readonly CsvColumn<AgencyLongRow>[] = [
  text('role', 'own or competitor: whose target it is', (row) => row.role),
  ...fieldColumns(
    ({ last }: AgencyLongRow) => ({
      lastRank: last?.rank ?? null,
      lastCheckedAt: last?.checkedAt ?? null,
      lastAgeDays: last?.ageDays ?? null,
    }),
    'lastRank',
    'lastCheckedAt',
    'lastAgeDays',
  ),
  ...fieldColumns(subjectOf, 'location'),
  number(
    'measured_clicks',
    'Clicks that Search Console counted on this date, in Pacific time; empty: nothing is reported',
    ({ clicks }) => clicks?.clicks ?? null,
  ),
  number(
    'impressions',
    'Impressions that it counted on this date, in Pacific time, one for each results page; empty: nothing is reported, or unknown',
    ({ clicks }) => clicks?.impressions ?? null,
  ),
  ...fieldColumns(
    ({ clicks, subject, day }: AgencyLongRow) => ({
      averagePosition: rounded(clicks?.averagePosition ?? null, 2),
      localRank: subject.isPlace ? day.rank : null,
    }),
    'averagePosition',
    'localRank',
  ),
  text(
    'impressions_fault',
    'What is wrong with the impressions of this date, as the search engine has confirmed; empty: nothing is known',
    ({ clicks, day }) => (clicks === null ? null : (faultsIn(day.date, day.date)[0]?.text ?? null)),
  ),
];

export const agencyLongColumns: readonly CsvColumn<AgencyLongRow>[] = [
  ...longSubject,
  day('date', 'Local date on which the pages were seen; if none was read, the date of the slot', ({ day }) => day.date),
  text('status', `${rowStatusText}: of the most complete check of the day`, ({ day }) => day.status),
  number('rank', 'Organic rank; empty unless ranked', ({ day }) => day.rank),
  number('absolute_rank', 'Position among all elements of the pages', ({ day }) => day.absoluteRank),
  number('page', 'Results page of the ranking', ({ day }) => day.page),
  ...fieldColumns(({ day }: AgencyLongRow) => day, 'url', 'depth', 'checkedAt'),
  ...longTags,
  ...fieldColumns(({ day }: AgencyLongRow) => day, 'source', 'runId'),
  text('warning', 'Warnings: a suspect run, simulated data', ({ day }) => day.warning),
  number('search_volume', 'Searches a month, the newest known: the same on all dates', (row) => row.searchVolume),
  number(
    'estimated_clicks',
    'Clicks a month: search_volume x click-through rate of the rank; 0 where not found',
    (row) => row.estimatedClicks,
  ),
  number(
    'change',
    'Rank of the previous complete check in this file minus rank: positive is better; empty unless both are ranked and come from one source',
    (row) => row.change,
  ),
  ...longRest,
];

/** The columns that all days of a subject share, or all without a waiting day, clicks and a local rank. */
export const agencyLongShared: readonly SharedColumns<AgencyLongRow>[] = [
  ...[longSubject, longTags].map((columns) => ({ columns, same: ({ subject }: AgencyLongRow) => subject })),
  {
    columns: longRest,
    same: (row) => (row.last === undefined && row.clicks === null && !row.subject.isPlace ? row.subject : row),
  },
];

/** The columns of all-projects-wide.csv for these dates. A cell is a rank, or the status without one. */
export function agencyWideColumns(dates: readonly string[]): CsvColumn<AgencyWideRow>[] {
  const { text } = columnsOf<AgencyWideRow>();
  return [
    ...fieldColumns(subjectOf, ...searchFields),
    targetColumn<AgencyWideRow>(),
    ...fieldColumns(subjectOf, 'tags'),
    ...dates.map(
      (date): CsvColumn<AgencyWideRow> =>
        text(date, 'Organic rank on that date; without one the status; empty without a check', ({ days }) =>
          formatDay(days.get(date)),
        ),
    ),
    text('warning', 'Warnings: suspect runs, simulated data', (row) => row.warning),
    ...fieldColumns(subjectOf, 'location'),
  ];
}

function formatDay(day: AgencyDay | undefined): string | null {
  if (day === undefined) return null;
  return day.rank === null ? day.status : String(day.rank);
}

/** manifest.json of the agency folder: files and checksums. */
export interface AgencyManifest {
  readonly format: 1;
  /** Local dates of the first and the last column; null if nothing was ever checked. */
  readonly from: string | null;
  readonly to: string | null;
  readonly projects: readonly {
    readonly project: string;
    readonly rows: number;
    readonly warning: string | null;
  }[];
  readonly csv: { readonly bom: boolean; readonly delimiter: string; readonly safe: boolean };
  readonly files: readonly ManifestFile[];
  readonly generatedAt: string;
}
