// The shape of a tool that an assistant may call, and the parameters that several tools share.
import { z } from 'zod';
import { type HistoryReader, InvalidQuery, type KeywordQuery } from '../contract.ts';
import { filterParameters, parseFilter, parseSort } from '../keyword-filter.ts';

/** Reads history for an assistant. Throws NotFound and InvalidQuery. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly schema: z.ZodObject;
  readonly read: (reader: HistoryReader, input: unknown) => object;
}

/** Binds a tool's function to the types of its parameters. */
export function tool<Shape extends z.ZodRawShape>(definition: {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly input: Shape;
  readonly read: (reader: HistoryReader, input: z.infer<z.ZodObject<Shape>>) => object;
}): Tool {
  const { name, title, about, input, read } = definition;
  const schema = z.object(input);
  return { name, title, about, schema, read: (reader, given) => read(reader, schema.parse(given)) };
}

const charactersMax = 2_000;
const text = () => z.string().max(charactersMax);

export const project = text().describe('id of a project, from list_projects');
export const id = text().describe('id of a row of keyword_table');
export const period = {
  from: text().optional().describe('first local date, such as 2026-01-31'),
  to: text().optional().describe('last local date'),
};
export const tableInput = {
  project,
  filter: text()
    .optional()
    .describe('query string such as tag=shoes&device=mobile&rank=1..10; rankledger://docs/filters explains it'),
  date: text().optional().describe('rows as they stood on this local date; default: the newest'),
  compare: text().optional().describe('previous, last-month, a number of days such as 7d, or a date'),
};

const limitMax = 500;
/** An assistant reads few rows well. Answers say how many there are. */
export const limit = (rows: number) => z.number().int().min(1).max(limitMax).default(rows).describe('rows at most');

interface TableInput {
  readonly project: string;
  readonly filter?: string | undefined;
  readonly date?: string | undefined;
  readonly compare?: string | undefined;
  readonly sort?: string | undefined;
}

/** Throws InvalidQuery, also for a parameter that no filter has: misspelt, it would quietly show every row. */
export function keywordQuery({ project: of, filter = '', date, compare, sort }: TableInput): KeywordQuery {
  const parameters = new URLSearchParams(filter);
  const known = Object.keys(filterParameters);
  for (const name of parameters.keys()) {
    if (!known.includes(name)) throw new InvalidQuery(`filter: no parameter ${name}; known: ${known.join(', ')}`);
  }
  return {
    project: of,
    date,
    compare,
    filter: parseFilter(parameters),
    sort: parseSort(sort ?? null),
  };
}

/** Without the keys that are undefined. */
export function given<Key extends string>(
  input: { readonly [Name in Key]?: string | undefined },
): { readonly [Name in Key]?: string } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    readonly [Name in Key]?: string;
  };
}
