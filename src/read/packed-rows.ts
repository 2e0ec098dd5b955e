// The codec of rows in report.html: a column for each field takes half the size of objects, and parses faster.
import { getOrInsert } from '../tracker/maps.ts';
import { minuteMs } from '../tracker/schedule/time-units.ts';
import { type ApiField, type Field, type FieldValues, fields } from './fields.ts';
import { Interned } from './interned.ts';

/** Columns by field. Those without any value are left out. */
export interface PackedRows {
  /** Numbers and records as they are; texts, lists, minutes as indices into `texts`, -1 for none; flags as 1 and 0. */
  readonly rows: { readonly keyword: readonly string[] } & { readonly [Name in ApiField]?: readonly unknown[] };
  /** By field, or by the name that fields share. */
  readonly texts: Readonly<Record<string, readonly Text[]>>;
}

/** A text, a list of texts, or minutes since 1970 in UTC. */
type Text = string | number | readonly string[];
type UnpackedRow = Pick<FieldValues, ApiField>;
type Cell = (value: never) => unknown;

const none = -1;
/** The place of a row is its id, and each keyword is another text. */
const packed = (Object.entries(fields) as [ApiField, Field][]) // of a literal
  .filter(([name, { only }]) => only !== 'files' && name !== 'id' && name !== 'keyword');

function textsOf(name: string, { texts = name }: Field): string {
  return texts;
}

export class RowPacker {
  readonly #texts = new Map<string, Interned<Text>>();
  /** Rows share equal lists. */
  readonly #lists = new Map<readonly string[], number>();

  /** An empty text stands for a URL that another tool did not record. -1 for none. */
  url(url: string | null): number {
    return url === null || url === '' ? none : this.#in('urls').idOf(url);
  }

  /** -1 for none. */
  features(names: readonly string[]): number {
    return names.length === 0 ? none : this.#in('features').idOf(names);
  }

  pack(rows: readonly { readonly [Name in ApiField]?: unknown }[]): PackedRows['rows'] {
    const columns: Record<string, readonly unknown[]> = { keyword: rows.map(({ keyword }) => keyword) };
    for (const [name, field] of packed) {
      const cell = this.#cell(name, field);
      const column = rows.map((row) => cell((row[name] ?? null) as never)); // of the kind of the field
      if (column.some((value) => value !== null && value !== none)) columns[name] = column;
    }
    return columns as PackedRows['rows']; // by the names of fields
  }

  texts(): PackedRows['texts'] {
    return Object.fromEntries([...this.#texts].map(([name, texts]) => [name, texts.list()]));
  }

  #cell(name: ApiField, field: Field): Cell {
    const texts = this.#in(textsOf(name, field));
    switch (field.kind) {
      case 'text':
      case 'day':
        return (text: string | null) => (text === null || text === '' ? none : texts.idOf(text));
      case 'moment':
        return (at: number | null) => (at === null ? none : texts.idOf(Math.floor(at / minuteMs)));
      case 'list':
        return (list: readonly string[]) => this.#listId(texts, list);
      case 'boolean':
        return (flag: boolean | null) => (flag === null ? null : Number(flag));
      default:
        return (value: unknown) => value;
    }
  }

  #listId(texts: Interned<Text>, list: readonly string[]): number {
    if (list.length === 0) return none;
    return getOrInsert(this.#lists, list, () => texts.idOf(list));
  }

  #in(name: string): Interned<Text> {
    return getOrInsert(this.#texts, name, () => new Interned<Text>());
  }
}

/** A row by its index. Its id is the index. */
export function unpackRow(from: PackedRows, index: number): UnpackedRow {
  const values = Object.fromEntries(packed.map(([name]) => [name, packedValue(from, name, index)]));
  return { ...values, id: `${index}`, keyword: from.rows.keyword[index] ?? '' } as UnpackedRow; // by their kinds
}

/** Null, or an empty list, where the row has none. */
function packedValue({ rows, texts }: PackedRows, name: ApiField, index: number): unknown {
  const field: Field = fields[name];
  const value = rows[name]?.[index] ?? null;
  if (field.kind === 'number') return value;
  if (field.kind === 'boolean') return value === null ? null : value === 1;
  if (field.kind === 'record') return value ?? undefined;
  const text = texts[textsOf(name, field)]?.[typeof value === 'number' ? value : none];
  if (field.kind === 'moment') return typeof text === 'number' ? text * minuteMs : null;
  return text ?? (field.kind === 'list' ? [] : null);
}
