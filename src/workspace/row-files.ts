// The rows of a list as text: CSV, NDJSON or JSON. Servers write it, and a report in a browser.

import { type ApiField, apiRow, apiValue, columnName } from '../read/fields.ts';
import type { KeywordRow } from '../read/records.ts';
import { type CsvColumn, csvChunks } from '../report/formats/csv.ts';

/** Formats with their media types. `json` with all rows, not one page of them. */
export const textTypes = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const;
export type TextFormat = keyof typeof textTypes;

/** `rows`: with the fields that they are to show. `fields`: the columns of CSV, also without rows. */
export function textChunks(rows: readonly object[], format: TextFormat, fields: readonly string[]): Iterable<string> {
  if (format === 'ndjson') return lines(rows);
  return format === 'csv' ? csvChunks(listColumns(rows, fields), rows) : wholeDocument(rows);
}

function* lines(rows: readonly object[]): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

/** The answer that a last page has, with all rows. */
function* wholeDocument(rows: readonly object[]): Generator<string> {
  yield '{"data":[';
  for (const [index, row] of rows.entries()) yield `${index === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`;
  yield `\n],"total":${rows.length},"next":null}\n`;
}

/** The rows as plain objects with these fields, in this order; without any with all. */
export function rowsWithFields(rows: readonly object[], fields: readonly string[] = []): readonly object[] {
  if (fields.length === 0) return rows.map(plainRow);
  const cell = (row: object, field: string): unknown =>
    isKeywordRow(row) ? apiValue(row, field as ApiField) : (row as Record<string, unknown>)[field]; // it is known
  return rows.map((row) => Object.fromEntries(fields.map((field) => [field, cell(row, field) ?? null])));
}

/** Rows of the keyword table compute each field when it is read: this one has all of them. */
function plainRow(row: object): object {
  return isKeywordRow(row) ? apiRow(row) : row;
}

function isKeywordRow(row: object): row is KeywordRow {
  return 'keyword' in row && 'complete' in row;
}

/** One column per field, then those that only some rows have, in snake case. Objects in a cell are JSON. */
export function listColumns(rows: readonly object[], fields: readonly string[]): CsvColumn<object>[] {
  const all = new Set(fields);
  for (const row of rows) for (const field in row) all.add(field);
  return [...all].map((field) => {
    const name = columnName(field).replaceAll(/[ -]/g, '_');
    const value = (row: object): unknown => (row as Record<string, unknown>)[field] ?? null;
    const first = rows.map(value).find((cell) => cell !== null);
    const column = { name, description: name };
    if (typeof first === 'number') return { ...column, kind: 'number', value: (row) => value(row) as number | null };
    if (typeof first === 'boolean') return { ...column, kind: 'boolean', value: (row) => value(row) as boolean | null };
    if (Array.isArray(first) && rows.every((row) => isTextList(value(row))))
      return { ...column, kind: 'list', value: (row) => value(row) as string[] };
    return { ...column, kind: 'text', value: (row) => toText(value(row)) };
  });
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function toText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
