// The scope that report tables are made from.

import type { ClaimedSlot, RunRow } from '../../../db/history/runs/runs.ts';
import type { AnswerRow } from '../../../src/read/answer-row.ts';
import type { CsvOptions } from '../../../src/report/formats/csv.ts';
import type { PageClicks } from '../../../src/report/html/data/page-data.ts';
import type { CompetitorRow } from '../../../src/report/tables/competitors.ts';
import { type DataKind, reportWarning } from '../../../src/report/tables/manifest.ts';
import type { MoverRow } from '../../../src/report/tables/movers.ts';
import type { PeriodRow } from '../../../src/report/tables/period.ts';
import type { SpendRow } from '../../../src/report/tables/spend.ts';
import type { ChangeParts } from '../../../src/tracker/causes/change-summary.ts';
import type { Comparison } from '../../../src/tracker/changes/change.ts';
import type { ReportTemplate } from '../../../src/tracker/changes/client-reports.ts';
import { type Note, notesOf } from '../../../src/tracker/changes/note.ts';
import { byText } from '../../../src/tracker/figures.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { ReportTableName } from '../../../src/tracker/report-tables.ts';
import { ProjectClicks } from '../../clicks/project-clicks.ts';
import { curveOf } from '../../clicks/site-curve.ts';
import { findService, type JobContext } from '../../context.ts';
import { lateNote } from '../../slot-day.ts';
import { describeDisputes } from '../price-disputes.ts';
import { findSuspicion, runsOfReport } from './report-rows.ts';
import { RunCosts } from './run-costs.ts';
import { confirmedUpdates, updateNotes } from './suspected-updates.ts';

/** Local dates, both inclusive. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** All absent: the daily report, against the baseline of the config. */
export interface ReportQuestion {
  /** Local date: the state at its end. */
  readonly asOf?: string;
  readonly period?: Period;
  /** The baseline is not that of the config. */
  readonly hasOtherBaseline?: boolean;
}

export interface ReportSettings {
  /** Absolute. */
  readonly directory: string;
  readonly csv: CsvOptions;
  readonly ctrCurve: string;
  /** Whether report.html and the index of all reports are written; absent: they are not. */
  readonly html?: boolean;
  /** Absent: all. That of a period is written where one is asked for. */
  readonly tables?: ReadonlySet<ReportTableName>;
  /** Whether the tables are written once more as report.xlsx; absent: they are not. */
  readonly xlsx?: boolean;
  /** Whether the page is printed as report.pdf afterwards, by `writePdf`; absent: it is not. */
  readonly pdf?: boolean;
  readonly comparison: Comparison;
  /** Absent: the daily report. */
  readonly question?: ReportQuestion;
  /** Whether the folder is no folder of all reports: it gets neither an index nor a link to the newest. */
  readonly isApart?: boolean;
  /** How much older than asked a baseline may be; absent: a quarter of the distance, and at least 36 hours. */
  readonly toleranceMs?: number;
  /** Saved views by project, for the page; absent: none. */
  readonly views?: ReadonlyMap<string, readonly { readonly name: string; readonly query: string }[]>;
  /** Those of the config; others stand in the store. */
  readonly notes?: readonly Note[];
  /** Absent: the usual look. */
  readonly template?: ReportTemplate;
  /** By project, where it differs from `template`. */
  readonly templates?: ReadonlyMap<string, ReportTemplate>;
  /** Days of the agency's files, of all projects together; absent: they are not written. */
  readonly agencyDays?: number;
  /** Called after each table: the owner of the run gives its heartbeat there. */
  readonly onTable?: () => void;
}

/** One project in one run. */
export interface ReportScope {
  readonly context: JobContext;
  readonly settings: ReportSettings;
  readonly run: RunRow;
  /** Whose checks the report is made of, oldest first: the run's own, after those that a backfill filled in. */
  readonly runs: readonly [RunRow, ...RunRow[]];
  readonly slot: ClaimedSlot;
  readonly project: Project;
  /** Of the run, as far as it concerns the project: what others lack is not in its report. */
  readonly state: RunRow['state'];
  readonly kind: DataKind;
  /** The warning at the top of each report; null: none. */
  readonly warning: string | null;
  /** Measured clicks up to the slot; null: the project has none. */
  readonly clicks: ProjectClicks | null;
  readonly costs: RunCosts;
  readonly findings: ReportFindings;
}

/** Results of tables that the report page shows too: filled in while the tables are made, before the page. */
interface ReportFindings {
  competitors: readonly CompetitorRow[];
  spend: readonly SpendRow[];
  /** Of a period: the rows with the largest volumes. */
  period: readonly PeriodRow[];
  answers: readonly AnswerRow[];
  movers: readonly MoverRow[];
  /** The largest changes of clicks; null: the project has no clicks. */
  clickChanges: PageClicks['changes'] | null;
  /** Null: no row has a volume. */
  changeParts: (ChangeParts & { readonly from: string | null }) | null;
}

/** What reading the stored pages of one project in one run takes. */
export interface SerpScope extends Pick<ReportScope, 'runs' | 'slot' | 'project'> {
  readonly context: Pick<JobContext, 'store'>;
  readonly settings: Pick<ReportSettings, 'comparison' | 'toleranceMs' | 'notes'>;
}

/** `costs`: those of the reports of other projects, where they are made together. */
export function reportScope(
  context: JobContext,
  settings: ReportSettings,
  run: RunRow,
  slot: ClaimedSlot,
  project: Project,
  costs = new RunCosts(context.store.runFacts),
): ReportScope {
  const { kind } = findService(context, project.service);
  const runs = runsOfReport(context.store, run, slot);
  const warning = reportWarning(
    findSuspicion({ store: context.store, project, runs }),
    kind,
    describeDisputes(
      context.store,
      runs.map(({ id }) => id),
      project.service,
    ),
    lateNote(context, slot),
  );
  const { checks, complete } = context.store.runCounts.outcome(
    runs.map(({ id }) => id),
    project.id,
  );
  const state = complete === checks ? 'complete' : run.state;
  const findings: ReportFindings = {
    competitors: [],
    spend: [],
    period: [],
    answers: [],
    movers: [],
    clickChanges: null,
    changeParts: null,
  };
  const days = { timezone: slot.timezone, ofRun: slot.localDate };
  const ctrCurve = curveOf(context.store, project, settings.ctrCurve, slot.localDate);
  const withDays = { ...settings, ctrCurve, csv: { ...settings.csv, days } };
  const clicks = ProjectClicks.until(context.store.clicks, project, slot.localDate);
  return { context, settings: withDays, run, runs, slot, project, state, kind, warning, clicks, costs, findings };
}

/** Notes of the project, notes for all and updates, by date; of the same date those of the config first. */
export function projectNotes({
  context: { store },
  settings,
  project,
}: Pick<SerpScope, 'context' | 'settings' | 'project'>): Note[] {
  const updates = [...confirmedUpdates(store, project.timezone), ...updateNotes(store, project.id)];
  const all = [...(settings.notes ?? []), ...store.notes.list(), ...updates];
  return notesOf(all, project).toSorted((a, b) => byText(a.date, b.date));
}
