// The ranks of all targets in the search of one row, from its checks.

import type { Project, Target } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { KeywordHistory, RankPoint } from '../../src/workspace/records.ts';
import type { JobContext } from '../context.ts';
import { historyRows } from '../query/read-history.ts';
import type { TableRow } from './columns/column-rows.ts';

interface Period {
  readonly from?: string;
  readonly to?: string;
}

/** That of the row's own target first, then the others in the order of the config. */
export function rankLines(
  context: JobContext,
  project: Project,
  row: TableRow,
  period: Period,
): KeywordHistory['lines'] {
  const points = pointsByTarget(context, project, row, period);
  const others = project.targets.filter((target) => targetKey(target) !== targetKey(row.own));
  const lineOf = (isOwn: boolean) => (target: Target) => ({
    target: target.value,
    isOwn,
    points: points.get(target.value) ?? [],
  });
  return [...[row.own, ...others].map(lineOf(true)), ...project.competitors.map(lineOf(false))];
}

/** Of the checks that count. */
function pointsByTarget(
  context: JobContext,
  project: Project,
  { keyword, country, device, language, location }: TableRow,
  { from, to }: Period,
): ReadonlyMap<string, RankPoint[]> {
  const points = new Map<string, RankPoint[]>();
  const period = { from, to };
  for (const check of historyRows(context, [project], { keyword, country, device, ...period })) {
    if (check.language !== language || check.location !== location || check.discarded) continue;
    const line = points.get(check.target) ?? [];
    points.set(check.target, line);
    const { localDate: date, checkedAt, status, rank, url, depth, serpFeatures, ownedFeatures, note } = check;
    line.push({ date, checkedAt, status, rank, url, depth, serpFeatures, ownedFeatures, note });
  }
  return points;
}
