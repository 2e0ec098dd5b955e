// The shape of a path of the read API. What it takes and answers is written once, in zod.
import * as z from 'zod/mini';
import type { HistoryReader, KeywordQuery, ProjectReader } from './contract.ts';
import type { ListRows } from './lazy-rows.ts';
import { checkNames, fileShape, filterOf, type Parameters, pagingShape } from './queries.ts';
import type { KeywordRow } from './records.ts';

export interface Endpoint {
  /** Segments in braces are parameters: `/v1/projects/{project}`. */
  readonly path: string;
  /** `list`: rows that are paged, and also given as files. `document`: one JSON object, perhaps with rows. */
  readonly kind: 'list' | 'document';
  readonly about: string;
  /** What its query takes, but for pages and forms of lists. */
  readonly parameters: Parameters;
  /** All that its query takes. */
  readonly query: z.ZodMiniObject;
  /** Of a document; of a list that of a row. */
  readonly record: z.ZodMiniType;
  /** Of files, in their order; without, it is given as JSON only. */
  readonly columns?: readonly string[];
  /** The rows of a document as a table. */
  readonly rows?: (value: never) => readonly object[];
  /** Throws NotFound and InvalidQuery. */
  readonly read: (reader: HistoryReader, request: ReadRequest) => unknown;
  /** Adds to a page of rows what exports do not have. */
  readonly withPage?: (reader: HistoryReader, request: ReadRequest, rows: readonly KeywordRow[]) => readonly object[];
}

/** A path of editors, as documents show it. */
export interface EditPath {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly about: string;
  /** Fields of the body with their meaning. */
  readonly parameters: Readonly<Record<string, string>>;
  /** JSON Schema of the body. */
  readonly schema: object;
  /** What it answers with, and its JSON Schema. */
  readonly answer: { readonly name: string; readonly schema: z.core.JSONSchema.BaseSchema };
}

/** A decoded request. */
export interface ReadRequest<Query = never> {
  /** Empty if the path does not name one, like `id`. */
  readonly project: string;
  readonly id: string;
  readonly query: Query;
}

type Asked<Shape extends Parameters> = ReadRequest<z.output<z.ZodMiniObject<Shape>>>;

/** A path in a project asks the reader of the project. */
type ReaderOf<Path extends string> = Path extends `${string}{project}${string}` ? ProjectReader : HistoryReader;

interface Entry<Path extends string, Shape extends Parameters> {
  readonly path: Path;
  readonly about: string;
  readonly parameters: Shape;
}

/** A list of rows. `sometimes`: fields that only some rows have, which files without them leave out. */
export function list<const Path extends string, Shape extends Parameters, Row extends object>(
  entry: Entry<Path, Shape> & {
    readonly row: z.ZodMiniType<Row>;
    readonly sometimes?: readonly (keyof Row & string)[];
    readonly read: (reader: ReaderOf<Path>, request: Asked<Shape>) => ListRows<Row>;
    readonly withPage?: (
      reader: ReaderOf<Path>,
      request: Asked<Shape>,
      rows: readonly KeywordRow[],
    ) => readonly object[];
  },
): Endpoint {
  const { row, sometimes = [], read, withPage, ...rest } = entry;
  const all = fieldsOf(row);
  const columns = all.filter((name) => !sometimes.some((rare) => rare === name));
  return {
    ...rest,
    kind: 'list',
    record: row,
    columns,
    query: z.strictObject({ ...entry.parameters, ...pagingShape, ...fileShape(all) }),
    read: checked(entry, read),
    withPage: withPage && ((history, request, rows) => withPage(readerOf(entry, history, request), request, rows)),
  };
}

/** One object. `columns` and `rows`: it is given as a table, too. */
export function document<const Path extends string, Shape extends Parameters, Answer extends object>(
  entry: Entry<Path, Shape> & {
    readonly answer: z.ZodMiniType<Answer>;
    readonly columns?: readonly string[];
    readonly rows?: (value: Answer) => readonly object[];
    readonly read: (reader: ReaderOf<Path>, request: Asked<Shape>) => Answer;
  },
): Endpoint {
  const { answer, read, columns, parameters } = entry;
  return {
    ...entry,
    kind: 'document',
    record: answer,
    query: z.strictObject({ ...parameters, ...(columns !== undefined && fileShape(columns)) }),
    read: checked(entry, read),
  };
}

/** Throws NotFound. */
function readerOf<Path extends string>(
  { path }: { readonly path: Path },
  history: HistoryReader,
  { project }: Pick<ReadRequest, 'project'>,
): ReaderOf<Path> {
  return (path.includes('{project}') ? history.of(project) : history) as ReaderOf<Path>; // of this path
}

/** The fields of a record. */
export function fieldsOf(record: z.ZodMiniType): readonly string[] {
  return Object.keys((record as z.ZodMiniObject).shape); // every record is an object
}

/** Refuses names in filters that the project does not have. */
function checked<Path extends string, Shape extends Parameters>(
  entry: Entry<Path, Shape>,
  read: (reader: ReaderOf<Path>, request: Asked<Shape>) => unknown,
): Endpoint['read'] {
  return (history, request: Asked<Shape>) => {
    const reader = readerOf(entry, history, request);
    if ('q' in entry.parameters) {
      const { date, to } = request.query as { readonly date?: string; readonly to?: string }; // of these parameters
      checkNames(reader as ProjectReader, { ...keywordQuery(request), date: date ?? to }); // filters are of a project
    }
    return read(reader, request);
  };
}

/** The rows of the keyword table of parsed parameters. */
export function keywordQuery({ query }: { readonly query: object }): KeywordQuery {
  const { date, compare, sort = [] }: Partial<KeywordQuery> = query;
  return { date, compare, filter: filterOf(query), sort };
}
