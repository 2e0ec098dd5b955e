// The headline numbers of a project, for the portfolio.

import type { ProjectOverview, SpendDay } from '../../src/read/records.ts';
import { sumDates } from '../../src/read/sums/series.ts';
import { isOverSubject } from '../../src/tracker/changes/alerts.ts';
import { figureDecimals, rounded, sumOf } from '../../src/tracker/figures.ts';
import { addDays, localDate } from '../../src/tracker/schedule/local-time.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import type { JobContext } from '../context.ts';
import { windowKeysAt } from '../purchase/money.ts';
import type { TableRow } from './columns/column-rows.ts';
import type { ProjectHistory } from './project-history.ts';
import type { HistorySettings } from './settings.ts';

/** A line of these days from this many dates: each date of each project is read for itself. */
const [sparklineDays, sparklineDates] = [90, 30];
const alertDays = 7;

/** What a list of projects reads once for all of them. */
interface Present {
  readonly today: string;
  readonly spend: ProjectOverview['spend'];
  /** By project: alerts of the newest days. One alert goes to several channels. */
  readonly alerts: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `project` null: of all. */
export function readPresent({ store, clock, timezone }: JobContext, project: string | null): Present {
  const at = clock.now();
  const period = { project, from: at - alertDays * dayMs, until: at };
  const created = store.alertDeliveries.createdWithin(period).filter(({ subject }) => !isOverSubject(subject));
  const alerts = Map.groupBy(created, (alert) => alert.project);
  const windows = store.ledger.windows('', windowKeysAt(at, timezone));
  const spentToday = new Map(windows.filter(({ scope }) => scope === 'day').map((of) => [of.currency, of.spent]));
  return {
    today: localDate(at, timezone),
    spend: windows
      .filter(({ scope }) => scope === 'month')
      .map(({ currency, spent, cap }) => ({ currency, spent, spentToday: spentToday.get(currency) ?? 0, cap })),
    alerts: new Map(
      [...alerts].map(([id, of]) => [id, new Set(of.map(({ runId, rule, subject }) => `${runId} ${rule} ${subject}`))]),
    ),
  };
}

/** What history says of a project; it stays until history changes. */
export type Headline = Omit<ProjectOverview, 'alerts' | 'today' | 'spend' | 'ownSpend' | 'database'>;

export function projectOverview(
  { store }: JobContext,
  headline: Headline,
  { alerts, today, spend }: Present,
): ProjectOverview {
  const { pageMicroUsd, suspect, isSimulated, ...numbers } = headline;
  const ownSpend = spendOfMonth(store, headline.project, today);
  const alertCount = alerts.get(headline.project)?.size ?? 0;
  return { ...numbers, alerts: alertCount, today, spend, ownSpend, pageMicroUsd, suspect, isSimulated };
}

/** Of the first own target. */
export function readHeadline({ isSimulated, pagePrices }: HistorySettings, history: ProjectHistory): Headline {
  const { project } = history;
  const [target] = project.targets;
  const table = history.table({});
  const rows = table.rows.filter((row) => row.target === target?.value);
  const { checked, total, averageRank, top3, top10, visibility } = history.summarize(rows, {});
  return {
    project: project.id,
    engine: project.engine ?? null,
    date: table.date,
    keywords: project.keywords.length,
    checked,
    total,
    averageRank,
    top3,
    top10,
    visibility,
    ...visibilityChanges(history, target?.value),
    sparkline: sparkline(history, rows),
    pageMicroUsd: pagePrices?.get(project.service) ?? null,
    suspect: table.suspect,
    isSimulated: isSimulated(project.service),
  };
}

/** Purchases of unknown outcome count, as in the budget. */
function spendOfMonth(store: JobContext['store'], project: string, today: string): ProjectOverview['ownSpend'] {
  const days = store.dailySpend.days({ project, from: `${today.slice(0, 7)}-01`, to: today });
  const spentIn = (some: readonly SpendDay[]): number => sumOf(some, ({ spent, unknown }) => spent + unknown);
  return [...Map.groupBy(days, ({ currency }) => currency)].map(([currency, ofCurrency]) => ({
    currency,
    spent: spentIn(ofCurrency),
    spentToday: spentIn(ofCurrency.filter(({ date }) => date === today)),
  }));
}

/** As a report with these baselines has it: failed checks and other sources move nothing. */
function visibilityChanges(
  history: ProjectHistory,
  target: string | undefined,
): Pick<ProjectOverview, 'visibilityChange' | 'visibilityChangeOver'> {
  const [day, week, month] = [1, 7, 30].map((days) =>
    target === undefined ? { visibilityChange: null, comparable: 0 } : history.visibilityChange(target, days),
  );
  const change = (of: typeof day): number | null => rounded(of?.visibilityChange ?? null, figureDecimals);
  return {
    visibilityChange: { day: change(day), week: change(week), month: change(month) },
    visibilityChangeOver: {
      day: day?.comparable ?? 0,
      week: week?.comparable ?? 0,
      month: month?.comparable ?? 0,
    },
  };
}

function sparkline(history: ProjectHistory, rows: readonly TableRow[]): readonly (number | null)[] {
  const { dates } = history.trails;
  const last = dates.at(-1);
  const from = last === undefined ? '' : addDays(last, 1 - sparklineDays);
  const newest = dates.flatMap((date, index) => (date >= from ? [index] : []));
  const step = Math.ceil(newest.length / sparklineDates);
  const chosen = newest.filter((_, at) => (newest.length - 1 - at) % step === 0);
  return sumDates(history.sumsOf(rows), dates, chosen, history.ctrCurve, []).visibility;
}
