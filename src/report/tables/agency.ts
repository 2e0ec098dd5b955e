// The files of the agency report: all projects, one row a day (long) and one column a day (wide).

import type { LastRanking } from '../../rows/note.ts';
import { roundCents } from '../../rows/row.ts';
import { estimatedClicks } from '../../tracker/changes/visibility.ts';
import type { ClickNumbers } from '../../tracker/clicks/clicks.ts';
import { type RowStatus, rowStatusText } from '../../tracker/observation.ts';
import { dayMs } from '../../tracker/schedule/time-units.ts';
import { ageColumns } from '../formats/age-columns.ts';
import { clickColumns, positionColumn } from '../formats/click-columns.ts';
import { type CsvColumn, columnNotes, type SharedColumns } from '../formats/csv.ts';
import { localRankColumn, urlDescription } from '../formats/url-columns.ts';
import { locationColumn, searchColumns } from '../rows/search-columns.ts';
import type { ManifestFile } from './manifest.ts';

/** A target in a search: the first columns of both files. */
export interface AgencySubject {
  readonly project: string;
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
  readonly target: string;
  readonly isPlace?: boolean;
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
      const ageDays = Math.round((Date.parse(runDay.date) - Date.parse(last.date)) / dayMs);
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
    const isCounted = (isProven || day.rank !== null) && subject.isPlace !== true;
    const estimated = roundCents(isCounted ? estimatedClicks(searchVolume, day.rank, ctrCurve) : null);
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

function subjectColumns<Row extends { readonly subject: AgencySubject }>(): CsvColumn<Row>[] {
  return [
    ...searchColumns<Row>(({ subject }) => subject),
    { name: 'target', kind: 'text', description: 'Target as configured', value: ({ subject }) => subject.target },
  ];
}

const tags = <Row extends { readonly subject: AgencySubject }>(): CsvColumn<Row> => ({
  name: 'tags',
  kind: 'list',
  description: 'Tags of the keyword',
  value: ({ subject }) => subject.tags,
});

const longSubject = subjectColumns<AgencyLongRow>();
const longTags = [tags<AgencyLongRow>()];

/** Mostly empty, but for the role. */
const longRest: readonly CsvColumn<AgencyLongRow>[] = [
  { name: 'role', kind: 'text', description: 'own or competitor: whose target it is', value: (row) => row.role },
  ...ageColumns<AgencyLongRow>((row) => row.last),
  locationColumn(({ subject }) => subject),
  ...clickColumns<AgencyLongRow>('on this date, in Pacific time', ({ clicks }) =>
    clicks === null ? null : { measuredClicks: clicks.clicks, impressions: clicks.impressions },
  ),
  positionColumn(({ clicks }) => roundCents(clicks?.averagePosition ?? null)),
  localRankColumn(({ subject, day }) => (subject.isPlace === true ? day.rank : null)),
];

/** The columns of all-projects-long.csv, in order. */
export const agencyLongColumns: readonly CsvColumn<AgencyLongRow>[] = [
  ...longSubject,
  {
    name: 'date',
    kind: 'day',
    description: 'Local date on which the pages were seen; if none was read, the date of the slot',
    value: ({ day }) => day.date,
  },
  {
    name: 'status',
    kind: 'text',
    description: `${rowStatusText}: of the most complete check of the day`,
    value: ({ day }) => day.status,
  },
  { name: 'rank', kind: 'number', description: 'Organic rank; empty unless ranked', value: ({ day }) => day.rank },
  {
    name: 'absolute_rank',
    kind: 'number',
    description: 'Position among all elements of the pages',
    value: ({ day }) => day.absoluteRank,
  },
  { name: 'page', kind: 'number', description: 'Results page of the ranking', value: ({ day }) => day.page },
  { name: 'url', kind: 'text', description: urlDescription, value: ({ day }) => day.url },
  {
    name: 'depth',
    kind: 'number',
    description: 'Requested results pages; if not found, all of them were read',
    value: ({ day }) => day.depth,
  },
  { name: 'checked_at', kind: 'date', description: 'When the pages were read, UTC', value: ({ day }) => day.checkedAt },
  ...longTags,
  { name: 'source', kind: 'text', description: 'service/source of the pages', value: ({ day }) => day.source },
  { name: 'run_id', kind: 'number', description: 'Run of the check', value: ({ day }) => day.runId },
  {
    name: 'warning',
    kind: 'text',
    description: 'Warnings: a suspect run, simulated data',
    value: ({ day }) => day.warning,
  },
  {
    name: 'search_volume',
    kind: 'number',
    description: 'Searches a month, the newest known: the same on all dates',
    value: (row) => row.searchVolume,
  },
  {
    name: 'estimated_clicks',
    kind: 'number',
    description: 'Clicks a month: search_volume x click-through rate of the rank; 0 where not found',
    value: (row) => row.estimatedClicks,
  },
  {
    name: 'change',
    kind: 'number',
    description:
      'Rank of the previous complete check in this file minus rank: positive is better; empty unless both are ranked and come from one source',
    value: (row) => row.change,
  },
  ...longRest,
];

/** The columns that all days of a subject share, or all without a waiting day, clicks and a local rank. */
export const agencyLongShared: readonly SharedColumns<AgencyLongRow>[] = [
  ...[longSubject, longTags].map((columns) => ({ columns, same: ({ subject }: AgencyLongRow) => subject })),
  {
    columns: longRest,
    same: (row) => (row.last === undefined && row.clicks === null && row.subject.isPlace !== true ? row.subject : row),
  },
];

/** The columns of all-projects-wide.csv for these dates. A cell is a rank, or the status without one. */
export function agencyWideColumns(dates: readonly string[]): CsvColumn<AgencyWideRow>[] {
  return [
    ...subjectColumns<AgencyWideRow>(),
    tags<AgencyWideRow>(),
    ...dates.map(
      (date): CsvColumn<AgencyWideRow> => ({
        name: date,
        kind: 'text',
        description: 'Organic rank on that date; without one the status; empty without a check',
        value: ({ days }) => formatDay(days.get(date)),
      }),
    ),
    {
      name: 'warning',
      kind: 'text',
      description: 'Warnings: suspect runs, simulated data',
      value: (row) => row.warning,
    },
    locationColumn(({ subject }) => subject),
  ];
}

/** Name, kind and meaning of each column, for the documentation. */
export const agencyLongColumnNotes = () => columnNotes(agencyLongColumns);
export const agencyWideColumnNotes = () => columnNotes(agencyWideColumns(['2026-11-20']));

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
