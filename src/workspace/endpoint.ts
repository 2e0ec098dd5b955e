// The shape of a path of the read API, and how its parameters are read.
import { type HistoryReader, InvalidQuery } from './contract.ts';
import type { KeywordRow } from './records.ts';

/** `list`: rows that are paged, and also given as CSV and NDJSON. `document`: one JSON object, perhaps with rows. */
type AnswerKind = 'list' | 'document';

export interface Endpoint {
  /** Segments in braces are parameters: `/v1/projects/{project}`. */
  readonly path: string;
  readonly kind: AnswerKind;
  readonly about: string;
  /** Query parameters with their meaning. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the rows of a list, or of a document that has rows, in the order of their columns. */
  readonly fields?: readonly string[];
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
}

/** A decoded request. */
export interface ReadRequest {
  /** Empty if the path does not name one, like `id`. */
  readonly project: string;
  readonly id: string;
  readonly query: URLSearchParams;
}

/** The parameters of these names that have a value. */
export function given<Name extends string>(
  query: URLSearchParams,
  ...names: Name[]
): { readonly [Key in Name]?: string } {
  const written = names.map((name) => [name, query.get(name)] as const).filter(([, value]) => value);
  return Object.fromEntries(written) as { readonly [Key in Name]?: string };
}

export function oneOf<Value extends string>(name: string, written: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === written);
  if (value === undefined) throw new InvalidQuery(`${name}: "${written}" is not ${values.join(', ')}`);
  return value;
}
