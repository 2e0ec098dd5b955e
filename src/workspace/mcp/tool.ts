// The shape of a tool that an assistant may call. Its parameters are those of the read API.
import * as z from 'zod/mini';
import type { HistoryReader, KeywordQuery, ProjectReader, SortKey } from '../../read/contract.ts';
import { endpoints } from '../../read/endpoints.ts';
import type { ListRows } from '../../read/lazy-rows.ts';
import {
  checkNames,
  filterShape,
  maybe,
  needed,
  type Parameters,
  parseFilter,
  parseQuery,
  parseValues,
  preset,
  stateShape,
  text,
  whole,
} from '../../read/queries.ts';
import type { KeywordRow } from '../../read/records.ts';
import { sumOf } from '../../tracker/figures.ts';
import { rowsWithFields } from '../row-files.ts';

/** Reads history for an assistant. Throws NotFound and InvalidQuery. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly schema: z.ZodMiniObject;
  readonly read: (reader: HistoryReader, input: unknown) => object;
}

/** How much of what is tracked an answer rests on, and of when. */
interface Coverage {
  /** How many projects it is about, where no project was named. */
  readonly projects?: number;
  /** Of the newest checks that are counted; null: nothing was checked yet. */
  readonly date: string | null;
  /** Of several projects the one whose newest checks are oldest: null where one was never checked. */
  readonly oldest?: string | null;
  /** What changes are against, where the answer compares. */
  readonly compare?: string;
  /** The first and last date with checks in the period that was asked for, and how many there are. */
  readonly dates?: { readonly first: string | null; readonly last: string | null; readonly count: number };
  /** Rows (keyword, market, own target) with a complete check, of all rows of the filter, project or projects. */
  readonly checked: number;
  readonly total: number;
  /** The others: not checked, failed, or checked in part. Nothing is known about their ranks on the date. */
  readonly missing: number;
}

/** Of rows of the keyword table. */
function coverageOfRows(reader: ProjectReader, query: KeywordQuery): Coverage {
  const { date, compare, checked, total } = reader.summary(query);
  return { date, compare, checked, total, missing: total - checked };
}

/** Of the newest checks of a project, or of all. */
function coverageOfProjects(
  reader: HistoryReader,
  {
    project: named,
    from = '',
    to = '9999',
  }: { readonly project?: string; readonly from?: string; readonly to?: string },
): Coverage {
  const facts = named === undefined ? undefined : reader.of(named).facts();
  const dates = facts?.dates.filter((date) => date >= from && date <= to);
  const projects = reader.projects(facts?.project);
  const newest = projects.map(({ date }) => date ?? '').sort();
  const sum = (of: 'checked' | 'total') => sumOf(projects, (project) => project[of]);
  const rows = { checked: sum('checked'), total: sum('total'), missing: sum('total') - sum('checked') };
  const date = newest.at(-1) || null;
  if (dates === undefined) return { projects: projects.length, date, oldest: newest[0] || null, ...rows };
  return { date, dates: { first: dates[0] ?? null, last: dates.at(-1) ?? null, count: dates.length }, ...rows };
}

type Input<Shape extends Parameters> = z.output<z.ZodMiniObject<Shape>>;

interface Named {
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

interface Definition<Shape extends Parameters, Reader> extends Named {
  readonly input: Shape;
  /** The rows of the keyword table that it answers about; absent: the newest ones of the project, or of all. */
  readonly rows?: (input: Input<Shape>) => KeywordQuery | undefined;
  readonly read: (reader: Reader, input: Input<Shape>) => object;
}

/** Binds a tool's function to the types of its parameters. */
export function tool<Shape extends Parameters & { readonly project: typeof project }>(
  definition: Definition<Shape, ProjectReader>,
): Tool {
  return withCoverage<Shape>({
    ...definition,
    read: (history, asked) => definition.read(history.of(projectIn(asked)), asked),
  });
}

function withCoverage<Shape extends Parameters>(definition: Definition<Shape, HistoryReader>): Tool {
  const { name, title, about, input, rows, read } = definition;
  const schema = z.strictObject(input);
  return {
    ...{ name, title, about, schema },
    read(history, written) {
      const asked = parseValues(schema, written);
      const query = rows?.(asked);
      if (query === undefined) return { ...read(history, asked), coverage: coverageOfProjects(history, asked) };
      const reader = history.of(projectIn(asked));
      checkNames(reader, query);
      return { ...read(history, asked), coverage: coverageOfRows(reader, query) };
    },
  };
}

/** Empty: a tool that is about all. */
function projectIn(asked: { readonly project?: string }): string {
  return asked.project ?? '';
}

/**
 * A path of the read API as a tool, with its parameters: those of its filter as one. `rows`: what the rows of a list
 * are called. `fixed`: parameters that have one value here.
 */
export function toolOf(
  path: string,
  definition: Named & {
    readonly input?: Parameters;
    readonly fixed?: Readonly<Record<string, unknown>>;
    readonly rows?: string;
    readonly limit?: number;
    readonly answer?: (value: never, limit: number) => object;
  },
): Tool {
  const endpoint = endpoints.find((each) => each.path === path);
  if (endpoint === undefined) throw new Error(`there is no ${path}`);
  const { input, fixed = {}, rows, limit: shown, answer = (value: object) => value, ...named } = definition;
  const isFiltered = 'q' in endpoint.parameters;
  const own = Object.entries(endpoint.parameters).filter(
    ([name]) => !Object.hasOwn(fixed, name) && !(isFiltered && Object.hasOwn(filterShape, name)),
  );
  const shape: Parameters = {
    ...(path.includes('{project}') && { project }),
    ...(path.includes('{id}') && { id }),
    ...Object.fromEntries(own),
    ...(isFiltered && { filter: tableInput.filter }),
    ...input,
    ...(shown !== undefined && { limit: limit(shown) }),
  };
  return withCoverage({
    ...{ ...named, input: shape },
    ...(isFiltered && { rows: (asked: unknown) => tableOf(asked as TableInput) }), // of these parameters
    read(history, asked) {
      const { filter, limit: rowsAsked = 0, ...given } = asked as AskedTool; // of these parameters
      const query = { ...given, ...(isFiltered && parametersIn(filter)), ...fixed };
      const names = { project: given.project ?? '', id: given.id ?? '' };
      const value = endpoint.read(history, { ...names, query: query as never }); // parsed by its schemas
      if (rows === undefined) return answer(value as never, rowsAsked); // of `read`
      const all = value as ListRows; // of a list
      return { total: all.length, [rows]: all.slice(0, rowsAsked) };
    },
  });
}

interface AskedTool {
  readonly project?: string;
  readonly id?: string;
  readonly limit?: number;
  readonly filter?: string;
}

export const project = needed(text(), 'id of a project, from list_projects');
export const id = needed(text(), 'id of a row of keyword_table');
export const tableInput = {
  project,
  filter: maybe(
    text(),
    'query string such as tag=shoes&device=mobile&rank=1..10; rankledger://docs/filters explains it',
  ),
  ...stateShape,
};

const limitMax = 500;
/** An assistant reads few rows well. Answers say how many there are. */
export const limit = (rows: number) => preset(whole(1, limitMax), rows, 'rows at most');

const filterSchema = z.strictObject(filterShape);

/** The parameters of a filter. Throws InvalidQuery. */
function parametersIn(filter = ''): object {
  return parseQuery(filterSchema, new URLSearchParams(filter), 'filter: ');
}

interface TableInput {
  readonly filter?: string | undefined;
  readonly date?: string | undefined;
  readonly to?: string | undefined;
  readonly compare?: string | undefined;
  readonly sort?: readonly SortKey[] | undefined;
}

/** The rows of the keyword table that a tool asks for; of a period those of its end. Throws InvalidQuery. */
export function tableOf({ filter, date, to, compare, sort = [] }: TableInput): KeywordQuery {
  const parsed = parseFilter(new URLSearchParams(filter), 'filter: ');
  return { date: date ?? to, compare, filter: parsed, sort: [...sort] };
}

/** What rows are about. */
const naming = ['project', 'country', 'language', 'device', 'location', 'target', 'date', 'from', 'to'];

/** `same`: what the rows are about that is so in all of them, said once. Fewer words for an assistant to read. */
export function shared<Row extends object>(rows: readonly Row[]): { readonly same: object; readonly rows: object[] } {
  const cellOf = (row: Row, name: string) => (row as Readonly<Record<string, unknown>>)[name] ?? null;
  const [first] = rows;
  const same =
    first === undefined ? [] : naming.filter((name) => rows.every((row) => cellOf(row, name) === cellOf(first, name)));
  return {
    same: Object.fromEntries(
      same.flatMap((name) => (first && cellOf(first, name) !== null ? [[name, cellOf(first, name)]] : [])),
    ),
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !same.includes(name)))),
  };
}

/** Rows of the table with the fields that were asked for, or the usual ones in few words. */
export function shortRows(rows: readonly KeywordRow[], asked: readonly string[] | undefined, usual: readonly string[]) {
  const plain = rowsWithFields(rows, asked ?? usual);
  if (asked !== undefined) return shared(plain);
  return shared(
    plain.map((row, at) => {
      const { rank = null, status, change = null, changeClass } = rows[at] ?? {};
      return { ...row, rank: rank ?? status, change: change ?? changeClass };
    }),
  );
}
