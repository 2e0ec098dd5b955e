// Writes report.xlsx: a summary sheet and a sheet for each table. The workbook format is in src/report/formats.

import type { ColumnNote, CsvOptions } from '../../../src/report/formats/csv.ts';
import { csvRows } from '../../../src/report/formats/csv-rows.ts';
import { type SheetTable, xlsxChunks } from '../../../src/report/formats/workbook/xlsx.ts';
import { answerColumnNotes } from '../../../src/report/tables/answers.ts';
import { cannibalizationColumnNotes } from '../../../src/report/tables/cannibalization.ts';
import { clickChangeColumnNotes } from '../../../src/report/tables/click-changes.ts';
import { competitorColumnNotes } from '../../../src/report/tables/competitors.ts';
import { destinationColumnNotes } from '../../../src/report/tables/destinations.ts';
import { discoveredColumnNotes } from '../../../src/report/tables/discovered-competitors.ts';
import { gridColumnNotes, gridSumColumnNotes } from '../../../src/report/tables/grid.ts';
import { intentColumnNotes } from '../../../src/report/tables/intents.ts';
import { localPackColumnNotes } from '../../../src/report/tables/local-pack.ts';
import { moverColumnNotes } from '../../../src/report/tables/movers.ts';
import { periodColumnNotes } from '../../../src/report/tables/period.ts';
import { problemColumnNotes } from '../../../src/report/tables/problems.ts';
import { rankChangeColumnNotes } from '../../../src/report/tables/rank-changes.ts';
import { featureColumnNotes } from '../../../src/report/tables/serp-features.ts';
import { movementColumnNotes } from '../../../src/report/tables/serp-movement.ts';
import { spendColumnNotes } from '../../../src/report/tables/spend.ts';
import { summaryColumnNotes } from '../../../src/report/tables/summary.ts';
import { volumeColumnNotes } from '../../../src/report/tables/volumes.ts';
import { coverSheet, type WorkbookFacts } from './workbook-cover.ts';

/** What the cells of each table are; those of a table that is not named here are texts. */
export const sheetColumns: Readonly<Record<string, () => readonly ColumnNote[]>> = {
  'rank-changes.csv': rankChangeColumnNotes,
  'summary.csv': summaryColumnNotes,
  'movers.csv': moverColumnNotes,
  'problems.csv': problemColumnNotes,
  'intents.csv': intentColumnNotes,
  'grid.csv': gridColumnNotes,
  'grid-summary.csv': gridSumColumnNotes,
  'spend.csv': spendColumnNotes,
  'volumes.csv': volumeColumnNotes,
  'answers.csv': answerColumnNotes,
  'click-changes.csv': clickChangeColumnNotes,
  'competitors.csv': competitorColumnNotes,
  'serp-features.csv': featureColumnNotes,
  'serp-movement.csv': movementColumnNotes,
  'cannibalization.csv': cannibalizationColumnNotes,
  'discovered-competitors.csv': discoveredColumnNotes,
  'destinations.csv': destinationColumnNotes,
  'local-pack.csv': localPackColumnNotes,
  'period.csv': periodColumnNotes,
};

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
  const notes = new Map(sheetColumns[name]?.().map((note) => [note.name, note.kind]));
  return {
    name: name.replace(/\.csv$/, ''),
    columns: header.map((column) => ({ name: column, kind: notes.get(column) ?? 'text' })),
    rows,
  };
}

function* decodeText(pieces: Iterable<Buffer>): Generator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const piece of pieces) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}
