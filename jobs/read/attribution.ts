// What a project's change is made of, between any two dates of its history.

import { type AttributionQuery, InvalidQuery, type KeywordQuery } from '../../src/read/contract.ts';
import type { AttributionAnswer } from '../../src/read/records.ts';
import { Attribution, attributionLine } from '../../src/tracker/causes/attribution.ts';
import {
  type ChangeSummary,
  changeParts,
  changeSummary,
  type ExplainedChange,
  explainedChange,
} from '../../src/tracker/causes/change-summary.ts';
import type { Comparison } from '../../src/tracker/changes/change.ts';
import type { Project } from '../../src/tracker/project.ts';
import { addDays, isDate } from '../../src/tracker/schedule/local-time.ts';
import { daysBetween } from '../../src/tracker/schedule/time-units.ts';
import { readClickChanges } from '../clicks/click-changes.ts';
import type { JobContext } from '../context.ts';
import { baselineRow, keptRow, rowPair, withPlaces } from './causes/attributed-rows.ts';
import { featureRatios } from './causes/read-causes.ts';
import type { ProjectHistory } from './project-history.ts';

/** Measured clicks are compared over whole weeks. */
const [weekDays, measuredDaysMax] = [7, 238];

/** Throws InvalidQuery. */
export function readAttribution(
  context: JobContext,
  history: ProjectHistory,
  { by, ...asked }: Omit<AttributionQuery, 'project'>,
): AttributionAnswer {
  const { project, ctrCurve } = history;
  const { from, to, shownFrom, shownTo, pairs } = comparedRows(context, history, asked);
  const split = by === 'competitor' ? withPlaces(context, project, pairs, ctrCurve) : null;
  const attribution = new Attribution(split?.rows ?? pairs.map(({ attributed }) => attributed), ctrCurve);
  const [groups, total] = [attribution.by(by).map(attributionLine), attribution.total()];
  return {
    ...{ from: shownFrom, to: shownTo, by, ctrCurve },
    targets: [...new Set(pairs.map(({ own }) => own.value))],
    total: total.rows === 0 ? null : attributionLine(total),
    ...(split !== null && { pages: split.pages }),
    measured: project.isPart ? null : measuredChange(context, project, from, to),
    rowsTotal: groups.length,
    rows: groups,
  };
}

/** Changes that are explained, and rows whose pages say who took clicks: those with the most clicks. */
const [explainedMax, placesMax] = [200, 200];

/** Throws InvalidQuery. */
export function readChangeSummary(context: JobContext, history: ProjectHistory, query: KeywordQuery): ChangeSummary {
  const { project, ctrCurve } = history;
  const compared = comparedRows(context, history, {
    filter: query.filter,
    to: query.date,
    comparison: history.comparisonOf(query.compare),
  });
  const { rows } = withPlaces(context, project, compared.pairs, ctrCurve, placesMax);
  const moved = history.movedRows(query).slice(0, explainedMax);
  const changes = history.causes(moved, query).map((causes, index): ExplainedChange => {
    const row = moved[index];
    if (row === undefined) throw new Error('each row has causes');
    return explainedChange(row, causes);
  });
  return changeSummary({
    ...changeParts(new Attribution(rows, ctrCurve)),
    from: compared.shownFrom,
    to: compared.shownTo,
    changes,
  });
}

interface AskedDates extends Pick<AttributionQuery, 'from' | 'to' | 'filter'> {
  /** Absent: that of the config. */
  readonly comparison?: Comparison;
}

/** The rows of a filter on two dates. */
function comparedRows(context: JobContext, history: ProjectHistory, { filter, ...asked }: AskedDates) {
  const { from, to } = chosenDates(history, asked);
  const [before, compared] = from === null ? [null, {}] : [history.table({ date: from }), { compare: from }];
  const query = { date: to ?? asked.to, ...compared, filter };
  const rows = history.summedRows(query);
  const ratios = to === null ? new Map<string, number>() : featureRatios(context, history.project, to);
  // a date of an import has no table: its rows have the rank that they are compared with
  const earlier = before === null || before.date === null ? null : before.byId();
  const pairs = rows.map((row) => {
    const of = earlier?.get(row.id);
    const then = earlier === null ? baselineRow(row) : of && keptRow(of, ratios);
    return rowPair(row, then, keptRow(row, ratios));
  });
  return { from, to, shownFrom: before?.date ?? from, shownTo: history.table(query).date, pairs };
}

/** The newest date, and the one that the config compares it with. Null: nothing was checked. */
function chosenDates(
  { trails: { dates }, comparison }: ProjectHistory,
  { comparison: chosen, ...asked }: Omit<AskedDates, 'filter'>,
): { readonly from: string | null; readonly to: string | null } {
  for (const name of ['from', 'to'] as const) {
    const date = asked[name];
    if (date !== undefined && !isDate(date))
      throw new InvalidQuery(`${name}: "${date}" is not a date such as 2026-11-20`);
  }
  const newest = (until: string): string | null => dates.findLast((date) => date <= until) ?? null;
  const to = newest(asked.to ?? '9999');
  const from = to === null ? null : newest(asked.from ?? comparedDate(chosen ?? comparison, to));
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to)
    throw new InvalidQuery(`from: ${asked.from} is after ${asked.to}`);
  return { from, to };
}

/** The last date that a comparison allows. */
function comparedDate(comparison: Comparison, to: string): string {
  switch (comparison.kind) {
    case 'previous':
      return addDays(to, -1);
    case 'days':
      return addDays(to, -comparison.days);
    case 'date':
      return comparison.date;
    case 'last-month':
      return addDays(`${to.slice(0, 7)}-01`, -1);
  }
}

/** What Search Console counted, over as many whole weeks as lie between the dates. Null: no days are stored. */
function measuredChange(
  context: JobContext,
  project: Project,
  from: string | null,
  to: string | null,
): AttributionAnswer['measured'] {
  const { clicks } = context.store;
  const property = clicks.property(project);
  if (from === null || to === null || property === null || clicks.newestFinal(project.id, property, to) === null)
    return null;
  const weeks = Math.ceil(Math.round(daysBetween(from, to)) / weekDays);
  const days = Math.min(measuredDaysMax, Math.max(1, weeks) * weekDays);
  const { rows: _, ...measured } = readClickChanges(context, project, { to, days, by: 'query' });
  return measured;
}
