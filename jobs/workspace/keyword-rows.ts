// The keyword table of a project on a date, with the numbers of its report of that date.
import type { RecentRanks } from '../../src/rows/row.ts';

import type { Comparison } from '../../src/tracker/changes/change.ts';
import type { Note } from '../../src/tracker/changes/note.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays, localDate, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { ProjectClicks } from '../clicks/project-clicks.ts';
import type { JobContext } from '../context.ts';
import { findSuspicion, type RowSource, reportRows } from '../report/rows/report-rows.ts';
import type { SerpScope } from '../report/rows/report-scope.ts';
import { columnRows, type TableRow } from './columns/column-rows.ts';
import { trailKey } from './columns/project-searches.ts';
import type { RunRanks } from './columns/run-ranks.ts';

/** All rows of a project as they stood on a date. */
export interface KeywordTable {
  /** Of the run that it shows. Null: nothing was checked on or before the date. */
  readonly date: string | null;
  readonly runId: number | null;
  readonly suspect: string | null;
  /** What it was read from. Null: nothing. */
  readonly source: Pick<SerpScope, 'runs' | 'slot'> | null;
  readonly rows: readonly TableRow[];
  /** Null: the project has none. */
  readonly clicks: ProjectClicks | null;
  readonly byId: () => ReadonlyMap<string, TableRow>;
}

export interface KeywordTableQuery {
  readonly recent: RecentRanks;
  readonly project: Project;
  /** Absent: the newest. */
  readonly date?: string | undefined;
  readonly comparison: Comparison;
  readonly notes: readonly Note[];
  readonly ctrCurve: string;
  readonly toleranceMs?: number | undefined;
}

const empty: KeywordTable = {
  date: null,
  runId: null,
  suspect: null,
  source: null,
  rows: [],
  clicks: null,
  byId: () => new Map(),
};

/** Reads the newest run on or before the date, with the backfills that filled it in. */
export function readKeywordTable(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  ranks: RunRanks,
  { project, date, comparison, notes, ctrCurve, toleranceMs, recent }: KeywordTableQuery,
): KeywordTable {
  const until =
    date === undefined ? clock.now() : Math.min(clock.now(), startOfDay(addDays(date, 1), project.timezone) - 1);
  const [oldest, ...others] = store.reportRuns.latestWithBackfills(project.id, until);
  if (oldest === undefined) return empty;
  const runs = [oldest, ...others] as const;
  const slot = store.runs.slotsOf((others.at(-1) ?? oldest).id).find((slot) => slot.project === project.id);
  if (slot === undefined) return empty;
  const clicks = ProjectClicks.until(store.clicks, project.id, date ?? localDate(until, project.timezone));
  const source = {
    store,
    ...(clicks === null ? {} : { clicks }),
    project,
    runs,
    slot,
    comparison,
    ctrCurve,
    notes,
    toleranceMs,
    recent,
  };
  const isOneRun = others.length === 0 && ranks.isWhole(oldest.id);
  const rows = isOneRun ? columnRows(source, ranks) : [...historyRows(source, ranks)];
  let byId: Map<string, TableRow> | undefined;
  return {
    date: newestDate(rows, slot.timezone) ?? slot.localDate,
    runId: (others.at(-1) ?? oldest).id,
    suspect: findSuspicion(source),
    source: { runs, slot },
    rows,
    clicks,
    byId: () => {
      byId ??= new Map(rows.map((row) => [row.id, row]));
      return byId;
    },
  };
}

function* historyRows(source: RowSource, { searches }: RunRanks): Generator<TableRow> {
  for (const row of reportRows(source)) {
    yield Object.assign(row, { searchIndex: searches.indexOf(trailKey(row.keyword, row)) ?? -1 });
  }
}

function newestDate(rows: readonly TableRow[], timezone: string): string | null {
  let newest: number | null = null;
  for (const { checkedAt } of rows) {
    if (checkedAt !== null && (newest === null || checkedAt > newest)) newest = checkedAt;
  }
  return newest === null ? null : localDate(newest, timezone);
}
