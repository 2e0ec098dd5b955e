// Writes Parquet: typed columns in row groups, each written when full, so that memory holds only one.
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { CsvColumn } from './csv.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Rows per group: large enough to compress well (twice as many save 1 %), small enough for a process below 350 MB. */
const rowsPerGroup = 10_000;

/**
 * Writes a table: text as STRING, numbers as INT64, dates as TIMESTAMP (UTC, milliseconds), booleans as BOOLEAN, lists
 * as LIST of STRING. All are nullable except lists, which may be empty. Yields a chunk per row group, and the footer.
 * Throws RangeError for a number that is not an integer.
 */
export function* parquetChunks<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: Iterable<Row>,
): Generator<Uint8Array<ArrayBuffer>> {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: buildSchema(columns), createdBy: 'rankledger' });
  let values: unknown[][] = columns.map(() => []);
  let held = 0;
  const writeGroup = (): Uint8Array<ArrayBuffer> => {
    const columnData = columns.map(({ name }, at) => ({ name, data: values[at] ?? [] }));
    void file.write({ columnData, rowGroupSize: held });
    values = columns.map(() => []);
    held = 0;
    return taken(bytes);
  };
  for (const row of rows) {
    for (let at = 0; at < columns.length; at += 1) {
      const column = columns[at];
      if (column !== undefined) values[at]?.push(toCell(column, row));
    }
    held += 1;
    if (held === rowsPerGroup) yield writeGroup();
  }
  if (held > 0) yield writeGroup();
  void file.finish();
  yield taken(bytes);
}

/** Takes the bytes written since the last call; the writer continues to count its offsets. */
function taken(bytes: ByteWriter): Uint8Array<ArrayBuffer> {
  const piece = new Uint8Array(bytes.getBuffer());
  bytes.index = 0;
  return piece;
}

function toCell<Row>(column: CsvColumn<Row>, row: Row): unknown {
  if (column.kind === 'list') return column.value(row);
  const value = column.value(row);
  if (value === null || column.kind === 'text' || column.kind === 'boolean') return value;
  if (column.kind === 'day') return String(value);
  return column.kind === 'date' ? new Date(Number(value)) : BigInt(value);
}

function buildSchema<Row>(columns: readonly CsvColumn<Row>[]): SchemaElement[] {
  return [{ name: 'root', num_children: columns.length }, ...columns.flatMap(toSchemaElements)];
}

function toSchemaElements<Row>({ name, kind }: CsvColumn<Row>): SchemaElement[] {
  const text = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
  switch (kind) {
    case 'text':
    case 'day':
      return [{ name, repetition_type: 'OPTIONAL', ...text }];
    case 'number':
      return [{ name, repetition_type: 'OPTIONAL', type: 'INT64' }];
    case 'boolean':
      return [{ name, repetition_type: 'OPTIONAL', type: 'BOOLEAN' }];
    case 'date':
      return [
        {
          name,
          repetition_type: 'OPTIONAL',
          type: 'INT64',
          converted_type: 'TIMESTAMP_MILLIS',
          logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
        },
      ];
    case 'list':
      return [
        { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'REQUIRED', ...text },
      ];
  }
}
