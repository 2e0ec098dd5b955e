// The rows of a keyword table from columns; rows of which columns do not know all are read from history.
import { batchesOf } from '../../../db/connection/batches.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { batchRows, type RowSource } from '../../report/rows/report-rows.ts';
import { ColumnRow, type TableRow } from './column-row.ts';
import type { RunRanks } from './run-ranks.ts';
import { TargetColumns } from './target-columns.ts';

/** Searches of one statement. */
const searchesPerRead = 500;

/** The rows in the order of a report. Only for a report of a single run. */
export function columnRows(source: RowSource, ranks: RunRanks): TableRow[] {
  const { searches } = ranks;
  const { project, runs, slot } = source;
  const month = monthWindowKey(Math.max(runs[0].moment, slot.at), slot.timezone);
  const metrics = ranks.metrics(project.service, month);
  const byTarget = project.targets.map((own) => {
    const columns = new TargetColumns({ source, own, ranks, metrics });
    const others = searches.indices.filter((index) => !columns.baselines.isPlain(index));
    const rest = readInFull(source, ranks, others, own);
    return { columns, others: new Map(others.map((index, at) => [index, rest[at]])) };
  });
  const rows: TableRow[] = [];
  let first = 0;
  for (const count of searches.batches) {
    for (const { columns, others } of byTarget) {
      for (let index = first; index < first + count; index += 1) {
        const row = columns.baselines.isPlain(index) ? new ColumnRow(columns, index) : others.get(index);
        if (row !== undefined) rows.push(row);
      }
    }
    first += count;
  }
  return rows;
}

/** In the order of `indices`. */
function readInFull(source: RowSource, ranks: RunRanks, indices: readonly number[], target: Target): TableRow[] {
  const { searches } = ranks;
  const ofTarget = { ...source, project: { ...source.project, targets: [target] } };
  const found = new Map<number, TableRow>();
  for (const [market, group] of Map.groupBy(indices, (index) => searches.search(index).market)) {
    for (const batch of batchesOf(group, searchesPerRead)) {
      const keywords = batch.map((index) => searches.search(index).tracked);
      let next = 0;
      for (const row of batchRows(ofTarget, { market, keywords })) {
        const searchIndex = batch[next] ?? 0;
        next += 1;
        found.set(searchIndex, Object.assign(row, { searchIndex }));
      }
    }
  }
  return indices.flatMap((index) => found.get(index) ?? []);
}
