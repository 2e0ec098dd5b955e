// Writes report.xlsx: a summary sheet and a sheet for each table. The workbook format is in src/report/formats.

import type { ColumnNote, CsvOptions } from '../../../src/report/formats/csv.ts';
import { csvRows } from '../../../src/report/formats/csv-rows.ts';
import { type SheetTable, xlsxChunks } from '../../../src/report/formats/workbook/xlsx.ts';
import { tableColumns } from '../../../src/report/tables/table-columns.ts';
import type { ReportTableName } from '../../../src/tracker/report-tables.ts';
import { coverSheet, type WorkbookFacts } from './workbook-cover.ts';

/** A table as it was written. */
export interface WrittenTable {
  /** Of its file. */
  readonly name: string;
  readonly rows: number | null;
  /** Its bytes again, in pieces. */
  readonly read: () => Iterable<Buffer>;
}

/**
 * Pieces of the workbook. Tables are read again one after the other, so that memory holds some hundred rows, however
 * many there are.
 */
export function workbookChunks(
  facts: WorkbookFacts,
  tables: readonly WrittenTable[],
  csv: CsvOptions,
): Generator<Uint8Array> {
  const ofRows = tables.filter(({ name }) => name.endsWith('.csv'));
  return xlsxChunks([coverSheet(facts, ofRows), ...ofRows.map((table) => toSheet(table, csv))]);
}

function toSheet({ name, read }: WrittenTable, csv: CsvOptions): SheetTable {
  const rows = csvRows(decodeText(read()), csv);
  const header: readonly string[] = rows.next().value ?? [];
  const table = name.replace(/\.csv$/, '');
  const columns: readonly ColumnNote[] = tableColumns[table as ReportTableName]; // each CSV file is one
  const kinds = new Map(columns.map((column) => [column.name, column.kind]));
  return {
    name: table,
    columns: header.map((column) => ({ name: column, kind: kinds.get(column) ?? 'text' })),
    rows,
  };
}

function* decodeText(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}
