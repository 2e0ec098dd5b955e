// Encodes rows as CSV or JSON lines, as a stream. Parquet is in parquet.ts, which is loaded on demand.
import { type ColumnNote, type CsvColumn, csvChunks, dateWriter, defaultCsvOptions } from './csv.ts';

/** Encodes rows as a stream: it pulls rows on demand, and closes their source when the consumer stops. */
export type Encoder = <Row>(
  columns: readonly CsvColumn<Row>[],
  rows: Iterable<Row>,
) => Iterable<string | Uint8Array<ArrayBuffer>>;

/** A table whose rows are read once, during writing. */
export interface ExportTable {
  readonly columns: readonly ColumnNote[];
  encoded(encode: Encoder): Iterable<string | Uint8Array<ArrayBuffer>>;
  /** Rows so far. */
  count(): number;
}

const chunkRows = 500;

export function exportTable<Row>(columns: readonly CsvColumn<Row>[], rows: Iterable<Row>): ExportTable {
  let count = 0;
  function* counted(): Generator<Row> {
    for (const row of rows) {
      count += 1;
      yield row;
    }
  }
  return { columns, encoded: (encode) => encode(columns, counted()), count: () => count };
}

/** Guarded against formulas, like every CSV. */
export const csvLines: Encoder = (columns, rows) => csvChunks(columns, rows, { ...defaultCsvOptions, bom: false });

/** One object a line; lists are arrays, dates ISO 8601. */
export function* jsonLines<Row>(columns: readonly CsvColumn<Row>[], rows: Iterable<Row>): Generator<string> {
  const fields = columns.map(fieldWriter);
  let chunk = '';
  let lines = 0;
  for (const row of rows) {
    let line = '{';
    for (let at = 0; at < fields.length; at += 1) line += fields[at]?.(row) ?? '';
    chunk += `${line}}\n`;
    lines += 1;
    if (lines % chunkRows !== 0) continue;
    yield chunk;
    chunk = '';
  }
  if (chunk !== '') yield chunk;
}

/** The same objects as one document, `{"rows": [...]}`. */
export function* jsonDocument<Row>(columns: readonly CsvColumn<Row>[], rows: Iterable<Row>): Generator<string> {
  yield '{"rows":[';
  let separator = '\n';
  for (const lines of jsonLines(columns, rows)) {
    yield separator + lines.trimEnd().replaceAll('\n', ',\n'); // a line break in a text is written otherwise
    separator = ',\n';
  }
  yield '\n]}\n';
}

/**
 * Returns a function that formats a field. It caches the last one, because neighbouring rows often have equal values.
 */
function fieldWriter<Row>(column: CsvColumn<Row>, at: number): (row: Row) => string {
  const start = `${at === 0 ? '' : ','}${JSON.stringify(column.name)}:`;
  if (column.kind === 'number') {
    return (row) => {
      const value = column.value(row);
      return start + (Number.isFinite(value) ? `${value}` : 'null');
    };
  }
  if (column.kind === 'date') {
    const write = dateWriter(column.value);
    return (row) => {
      const written = write(row);
      return start + (written === '' ? 'null' : `"${written}"`);
    };
  }
  if (column.kind === 'boolean') return (row) => `${start}${column.value(row)}`;
  let last: string | number | readonly string[] | null = null;
  let field = `${start}null`;
  return (row) => {
    const value = column.value(row);
    if (value !== last) {
      last = value;
      field = start + JSON.stringify(value);
    }
    return field;
  };
}
