// The shape of a tool that an assistant may call, and the parameters that several tools share.

import { z } from 'zod';
import { sumOf } from '../../tracker/figures.ts';
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
function coverageOfRows(reader: HistoryReader, query: KeywordQuery): Coverage {
  const { date, compare, checked, total } = reader.summary(query);
  return { date, compare, checked, total, missing: total - checked };
}

const namedInput = z.object({ project: z.string().optional(), from: z.string().optional(), to: z.string().optional() });

/** Of the newest checks of a project, or of all. */
function coverageOfProjects(reader: HistoryReader, input: unknown): Coverage {
  const { project: named, from = '', to = '9999' } = namedInput.parse(input);
  const facts = named === undefined ? undefined : reader.project(named);
  const dates = facts?.dates.filter((date) => date >= from && date <= to);
  const projects = reader.projects(facts?.project);
  const newest = projects.map(({ date }) => date ?? '').sort();
  const sum = (of: 'checked' | 'total') => sumOf(projects, (project) => project[of]);
  const rows = { checked: sum('checked'), total: sum('total'), missing: sum('total') - sum('checked') };
  const date = newest.at(-1) || null;
  if (dates === undefined) return { projects: projects.length, date, oldest: newest[0] || null, ...rows };
  return { date, dates: { first: dates[0] ?? null, last: dates.at(-1) ?? null, count: dates.length }, ...rows };
}

/** Binds a tool's function to the types of its parameters. Its answers have `coverage`. */
export function tool<Shape extends z.ZodRawShape>(definition: {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly input: Shape;
  /** The rows of the keyword table that it answers about; absent: the newest ones of the project, or of all. */
  readonly rows?: (input: z.infer<z.ZodObject<Shape>>) => KeywordQuery | undefined;
  readonly read: (reader: HistoryReader, input: z.infer<z.ZodObject<Shape>>) => object;
}): Tool {
  const { name, title, about, input, rows, read } = definition;
  const schema = z.object(input);
  return {
    ...{ name, title, about, schema },
    read(reader, written) {
      const asked = schema.parse(written);
      const answer = read(reader, asked);
      const query = rows?.(asked);
      const coverage = query === undefined ? coverageOfProjects(reader, asked) : coverageOfRows(reader, query);
      return { ...answer, coverage };
    },
  };
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
  readonly filter?: string;
  readonly date?: string;
  readonly compare?: string;
  readonly sort?: string;
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
