// Makes attribution.csv: the rows of the report against those of the run before, for the first own target.
import { reportTable } from '../../../src/report/formats/table-writer.ts';
import { type AttributionRow, attributionColumns } from '../../../src/report/tables/attribution.ts';
import { Attribution, attributionGroupings, attributionLine } from '../../../src/tracker/causes/attribution.ts';
import { changeParts } from '../../../src/tracker/causes/change-summary.ts';
import { baselineSpan } from '../../../src/tracker/changes/change.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { type KeptRow, keptRow, type RowPair, rowPair, withPlaces } from '../../read/causes/attributed-rows.ts';
import { featureRatios } from '../../read/causes/read-causes.ts';
import { reportRows } from '../../read/rows/report-rows.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';

export const attributionTable = reportTable({
  name: 'attribution',
  columns: attributionColumns,
  neededFor: 'page',
  start(scope: ReportScope) {
    const [target] = scope.project.targets;
    return target === undefined ? null : { rest: () => lines(scope, target) };
  },
});

/** The rows as they stood before: those of the newest run that the comparison allows. */
function earlierRows(
  { context: { store }, settings, runs, slot, project }: ReportScope,
  target: Target,
  ratios: ReadonlyMap<string, number>,
): { readonly date: string | null; readonly rows: ReadonlyMap<string, KeptRow> } {
  const { comparison, ctrCurve } = settings;
  const { until } = baselineSpan(comparison, { ...slot, moment: runs[0].moment });
  const [oldest, ...others] = store.reportRuns.latestWithBackfills(project.id, Math.min(until, runs[0].moment - 1));
  const last = others.at(-1) ?? oldest;
  const before = last === undefined ? undefined : store.runs.slotsOf(last.id).find((of) => of.project === project.id);
  if (oldest === undefined || before === undefined) return { date: null, rows: new Map() };
  const rows = new Map<string, KeptRow>();
  const ofTarget = { ...project, targets: [target] };
  const source = { store, project: ofTarget, slot: before, comparison: { kind: 'previous' }, ctrCurve } as const;
  for (const row of reportRows({ ...source, runs: [oldest, ...others] })) rows.set(row.id, keptRow(row, ratios));
  return { date: before.localDate, rows };
}

function* lines(scope: ReportScope, target: Target): Generator<AttributionRow> {
  const { context, settings, runs, slot, run, project, warning } = scope;
  const { comparison, ctrCurve, toleranceMs } = settings;
  const ratios = featureRatios(context, project, slot.localDate);
  const earlier = earlierRows(scope, target, ratios);
  const source = { store: context.store, project: { ...project, targets: [target] }, runs, slot, comparison, ctrCurve };
  const pairs: RowPair[] = [];
  for (const row of reportRows(toleranceMs === undefined ? source : { ...source, toleranceMs }))
    pairs.push(rowPair(row, earlier.rows.get(row.id), keptRow(row, ratios)));
  const { rows } = withPlaces(context, project, pairs, ctrCurve);
  const attribution = new Attribution(rows, ctrCurve);
  const total = attribution.total();
  if (total.rows === 0) return;
  scope.findings.changeParts = { ...changeParts(attribution), from: earlier.date };
  const dates = { from: earlier.date, to: slot.localDate };
  const of = { project: project.id, runId: run.id, target: target.value, ...dates, ctrCurve, warning };
  yield { of, by: 'total', line: attributionLine(total) };
  for (const by of attributionGroupings)
    for (const group of attribution.by(by)) yield { of, by, line: attributionLine(group) };
}
