// A keyword's history as CSV for a spreadsheet, with the columns of a rankings export.
import type { HistoryRow } from '../../../../jobs/query/read-history.ts';
import { type CsvColumn, csvChunks, defaultCsvOptions } from '../../../report/formats/csv.ts';
import { type ExportRow, exportColumns } from '../../../report/formats/export-columns.ts';

/** Rows for people have no check id; all other columns are those of `export`. */
const columns: readonly CsvColumn<ExportRow>[] = exportColumns.rankings.filter(({ name }) => name !== 'check_id');

export function historyCsv(rows: readonly HistoryRow[]): Generator<string> {
  return csvChunks(columns, rows.map(exported), { ...defaultCsvOptions, bom: false });
}

/** The stored moment. Ranks of another tool have a day only, not a moment. */
function exported({ competitor, localDate, checkedAt, absoluteRank, localRank, runId, ...row }: HistoryRow): ExportRow {
  return {
    ...row,
    competitor: competitor ? 1 : 0,
    local_date: localDate,
    checked_at: checkedAt?.includes('T') === true ? Date.parse(checkedAt) : null,
    absolute_rank: absoluteRank,
    local_rank: localRank ?? null,
    serp_features: row.serpFeatures.join('|'),
    owned_features: row.ownedFeatures.join('|'),
    run_id: runId,
  };
}
