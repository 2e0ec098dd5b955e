// The parameters of questions to history: each is written once, and parsed by its schema wherever it is given.
import * as z from 'zod/mini';
import { comparisonHint, parseComparison } from '../tracker/changes/change.ts';
import { buckets } from '../tracker/changes/visibility.ts';
import { marketName } from '../tracker/project.ts';
import { isDate } from '../tracker/schedule/local-time.ts';
import {
  type Choice,
  granularities,
  InvalidQuery,
  type KeywordFilter,
  type KeywordQuery,
  type ProjectReader,
  type Range,
  type SortKey,
} from './contract.ts';
import { fields, rangeFields, sortFields } from './fields.ts';
import { textMatcher } from './keyword-filter.ts';
import type { ProjectFacts } from './records.ts';

/** Parameters by name: the shape of one schema. */
export type Parameters = Readonly<Record<string, z.ZodMiniType>>;

const charactersMax = 2_000;

/** A parameter that may be left out, with its meaning for readers. */
export function maybe<Schema extends z.ZodMiniType>(schema: Schema, about: string) {
  return z.optional(schema).check(z.describe(about));
}

/** One that has a value where it is left out. */
export function preset<Schema extends z.ZodMiniType>(schema: Schema, value: z.output<Schema>, about: string) {
  return z._default(schema, value as never).check(z.describe(`${about}; default: ${value}`)); // a value of the schema
}

/** One that is needed. */
export function needed<Schema extends z.ZodMiniType>(schema: Schema, about: string) {
  return schema.check(z.describe(about));
}

// Messages complete the sentence `from: "2026-11-5" is not ...`.

export const text = () => z.string({ error: 'a text' }).check(z.maxLength(charactersMax, { error: 'so long a text' }));
export function day() {
  const error = 'a date such as 2026-11-20';
  return z.iso.date({ error }).check(z.refine(isDate, { error }));
}
export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  z.enum(values, { error: values.join(', ') });
export const flag = () => z.boolean({ error: 'true or false' });
export function whole(min: number, max: number, error = `a number from ${min} to ${max}`) {
  return z.int({ error }).check(z.minimum(min, { error }), z.maximum(max, { error }));
}

const comparison = () =>
  z.string().check(z.refine((written) => parseComparison(written) !== null, { error: comparisonHint }));

/** `a|b`: one of these; `!a`: not this one. */
function choice(values?: readonly string[]) {
  const pattern = values && `^!?(?:${values.join('|')})(?:\\|!?(?:${values.join('|')}))*$`;
  const parts = z.string({ error: 'a text' }).check(
    z.meta(pattern === undefined ? {} : { pattern }),
    z.check(({ value, issues }) => {
      const { any, none } = parseChoice(value);
      const wrong = values && [...any, ...none].find((part) => !values.includes(part));
      if (wrong !== undefined)
        issues.push({ code: 'custom', input: wrong, message: values?.join(', ') ?? '', path: [] });
    }),
  );
  return z.pipe(parts, z.transform(parseChoice));
}

function parseChoice(written: string): Choice {
  const values = written.split('|').filter(Boolean);
  return {
    any: values.filter((value) => !value.startsWith('!')),
    none: values.filter((value) => value.startsWith('!')).map((value) => value.slice(1)),
  };
}

const rangePattern = /^(?:(-?\d+(?:\.\d+)?)|(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?)$/;

/** `1..10`, `..10`, `1..` or `7`. */
function range() {
  const error = 'a range; write 1..10, ..10 or 1..';
  const written = z
    .string({ error })
    .check(
      z.refine((given) => given !== '..' && rangePattern.test(given) && !isBackwards(parseRange(given)), { error }),
    );
  return z.pipe(written, z.transform(parseRange));
}

function parseRange(written: string): Range {
  const [from = '', to = from] = written.split('..');
  const numberOf = (end: string) => (end === '' ? null : Number(end));
  return { min: numberOf(from), max: numberOf(to) };
}

function isBackwards({ min, max }: Range): boolean {
  return min !== null && max !== null && min > max;
}

/** Words, or a regular expression. Throws InvalidQuery. */
function words(parameter: string) {
  const written = text().check(
    z.refine((given) => {
      textMatcher(parameter, given.trim());
      return true;
    }),
  );
  return z.pipe(
    written,
    z.transform((given) => given.trim()),
  );
}

/** `rank,-searchVolume`: `-` sorts descending. Throws InvalidQuery. */
export function parseSort(written: string): SortKey[] {
  const names = written.split(',').map((name) => name.trim());
  return names.filter(Boolean).map((name) => {
    const column = sortFields.find((known) => known === name.replace(/^-/, ''));
    if (column === undefined) throw new InvalidQuery(`sort: no column "${name}"; known: ${sortFields.join(', ')}`);
    return { column, descending: name.startsWith('-') };
  });
}

/** Parameters of the filter that are choices, with the condition that each is. */
const choices = {
  market: [
    'market',
    'US, US en, US en mobile, or with a location US en mobile Austin,Texas,United States; a|b and !a as for tags',
  ],
  country: ['country', 'country codes'],
  location: ['location', 'places and coordinates inside a country, such as Austin,Texas,United States'],
  device: ['device', 'desktop or mobile', fields.device.values],
  target: ['target', 'own targets; without it the first one; * means all'],
  status: [
    'status',
    'ranked, not_found, not_followed, incomplete, failed, deferred or unknown_paid',
    fields.status.values,
  ],
  change: [
    'changeClass',
    'improved, declined, unchanged, entered, dropped, first_check or not_comparable',
    fields.changeClass.values,
  ],
  significance: [
    'significance',
    'noise, likely or certain: the change against the noise of the keyword',
    fields.significance.values,
  ],
  intent: ['intent', 'commercial, informational, navigational or transactional', fields.intent.values],
  bucket: ['bucket', '1, 2-3, 4-10, 11-20, 21-50, 51-100, not_found or unknown', buckets],
  feature: ['feature', 'SERP features that are shown'],
  owned: ['ownedFeature', 'SERP features that show the target'],
  lost: ['lostFeature', 'SERP features that showed the target in the compared check, and no longer do'],
  above: ['above', 'competitors that rank above our best target'],
  below: ['below', 'competitors that rank below our best target'],
  passedBy: ['passedBy', 'competitors that ranked below it in the compared check, and rank above it now'],
  passed: ['passed', 'competitors that ranked above it in the compared check, and rank below it now'],
} as const satisfies Readonly<Record<string, readonly [keyof KeywordFilter, string, (readonly string[])?]>>;

const choiceNames = Object.keys(choices) as (keyof typeof choices)[]; // the keys of a literal are known

/** The parameters of a filter. docs/workspace.md explains them. */
export const filterShape = {
  q: maybe(words('q'), 'words that the keyword contains, in any order; /.../ is a regular expression'),
  url: maybe(words('url'), 'part of the ranking URL; /.../ is a regular expression'),
  tag: maybe(z.array(choice()), 'a tag; a|b means either, !a means not; given several times, all must hold'),
  ...(Object.fromEntries(
    choiceNames.map((name) => {
      const [, about, values] = choices[name] as readonly [string, string, (readonly string[])?];
      return [name, maybe(choice(values), about)];
    }),
  ) as Record<keyof typeof choices, ReturnType<typeof maybe<ReturnType<typeof choice>>>>), // of each name
  ...(Object.fromEntries(rangeFields.map(({ parameter, about }) => [parameter, maybe(range(), about)])) as Record<
    string,
    ReturnType<typeof maybe<ReturnType<typeof range>>>
  >), // of ranges
  otherUrl: maybe(flag(), 'true: another URL ranks than the preferred one; false: the preferred one ranks'),
};

/** What a period takes. */
export const periodShape = { from: maybe(day(), 'first local date'), to: maybe(day(), 'last local date') };

export const stateShape = {
  date: maybe(day(), 'rows as they stood on this local date; default: the newest'),
  compare: maybe(comparison(), `${comparisonHint}; default: as the config has it`),
};
export const tableShape = { ...stateShape, ...filterShape };
export const sortShape = {
  sort: maybe(
    z.pipe(text(), z.transform(parseSort)),
    `columns, a leading - sorts descending: ${sortFields.join(', ')}`,
  ),
};
export const chartShape = {
  ...periodShape,
  granularity: preset(oneOf(granularities), 'day', 'day, week or month; a week or month shows its last date'),
  ...tableShape,
};

/** What names a search. */
export const searchShape = {
  keyword: needed(text(), 'tracked keyword, as the config writes it'),
  country: needed(text(), 'country code'),
  language: needed(text(), 'language code'),
  device: needed(oneOf(fields.device.values), 'desktop or mobile'),
  location: maybe(text(), 'of the search; default: the country as a whole'),
};
export const serpShape = { ...searchShape, date: maybe(day(), 'default: the newest') };

/** Of every list: its pages and forms. */
export const everyRow = 'all';
export const rowsMax = 10_000;
const limitError = `a number from 1 to ${rowsMax}, or ${everyRow}`;
export const formats = ['json', 'csv', 'ndjson', 'xlsx'] as const;
export const pagingShape = {
  limit: maybe(
    z.union([whole(1, rowsMax, limitError), z.literal(everyRow)], { error: limitError }),
    `rows of a page, 1 to ${rowsMax}; default: 100. all: every row`,
  ),
  cursor: maybe(text(), '`next` of the previous page'),
  offset: maybe(whole(0, 999_999_999), 'rows to skip, without a cursor'),
};

/** Of answers that are also given as files. `columns`: their fields. */
export function fileShape(columns: readonly string[]) {
  const names = text().check(
    z.check(({ value, issues }) => {
      const wrong = value.split(',').find((name) => name !== '' && !columns.includes(name));
      if (wrong !== undefined) issues.push({ code: 'custom', input: wrong, message: columns.join(', '), path: [] });
    }),
  );
  return {
    fields: maybe(
      z.pipe(
        names,
        z.transform((written) => written.split(',').filter(Boolean)),
      ),
      'only these fields, in this order: keyword,rank,url',
    ),
    format: maybe(
      oneOf(formats),
      'json, csv, ndjson or xlsx; default: by Accept. All but JSON hold all rows; JSON does with limit=all',
    ),
  };
}

/**
 * The values of parameters as they stand in an address: empty ones are left out. Throws InvalidQuery for an unknown
 * parameter and a value that it cannot have. `at`: what the parameters stand in.
 */
export function parseQuery<Schema extends z.ZodMiniObject>(
  schema: Schema,
  query: URLSearchParams,
  at = '',
): z.output<Schema> {
  const written: Record<string, unknown> = {};
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name).filter(Boolean);
    const kind = Object.hasOwn(schema.shape, name) ? kindOf(schema.shape[name]) : undefined;
    if (values.length === 0 && kind !== undefined) continue;
    const isChoice = Object.hasOwn(choices, name);
    if (values.length > 1 && kind !== 'array' && !isChoice)
      throw new InvalidQuery(`${at}${name}: is given several times`);
    written[name] = kind === 'array' ? values : typed(values.join('|'), kind);
  }
  return parseValues(schema, written, at);
}

/** The same of values with their types. */
export function parseValues<Schema extends z.core.$ZodObject>(
  schema: Schema,
  written: unknown,
  at = '',
): z.output<Schema> {
  const parsed = z.safeParse(schema, written, { reportInput: true });
  if (!parsed.success) {
    const { issues } = parsed.error;
    // what is missing may stand there under another name
    const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
    throw new InvalidQuery(at + complaint(issue, Object.keys(schema._zod.def.shape)));
  }
  const { from, to } = parsed.data as { readonly from?: unknown; readonly to?: unknown };
  if (typeof from === 'string' && typeof to === 'string' && from > to)
    throw new InvalidQuery(`${at}from: ${from} is after ${to}`);
  return parsed.data;
}

/** What a parameter is, where it is given. */
function kindOf(schema: z.core.$ZodType | undefined): string | undefined {
  const { def } = schema?._zod ?? {};
  const isWrapped = def?.type === 'optional' || def?.type === 'default';
  return isWrapped ? kindOf((def as z.core.$ZodOptionalDef).innerType) : def?.type; // of these two types
}

function typed(written: string, kind: string | undefined): unknown {
  if ((kind === 'number' || kind === 'int' || kind === 'union') && /^-?\d{1,15}$/.test(written)) return Number(written);
  return kind === 'boolean' && /^(true|false)$/.test(written) ? written === 'true' : written;
}

function complaint(issue: z.core.$ZodIssue | undefined, known: readonly string[]): string {
  if (issue === undefined) return 'is not valid';
  const name = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys')
    return `${[name, issue.keys[0]].filter(Boolean).join('.')}: no such parameter; known: ${known.join(', ')}`;
  if (issue.input === undefined) return `${name}: missing`;
  if (/^[A-Z]/.test(issue.message)) return `${name}: ${issue.message}`;
  const shown = typeof issue.input === 'string' ? issue.input : JSON.stringify(issue.input);
  return `${name.replace(/\.\d+$/, '')}: "${shown.slice(0, 100)}" is not ${issue.message}`;
}

type Filtered = z.output<z.ZodMiniObject<typeof filterShape>>;

/** The filter of the parameters; those of others are left alone. */
export function filterOf(asked: Partial<Filtered>): KeywordFilter {
  const given = asked as Readonly<Record<string, unknown>>; // by their names
  const ranges = rangeFields.flatMap(({ field, parameter }) =>
    given[parameter] === undefined ? [] : [[field, given[parameter]] as const],
  );
  const conditions = choiceNames.flatMap((name) =>
    given[name] === undefined ? [] : [[choices[name][0], given[name]] as const],
  );
  const { q, url, tag, otherUrl } = asked;
  return {
    ...(q && { text: q }),
    ...(url && { url }),
    ...(tag && { tags: tag }),
    ...Object.fromEntries(conditions),
    ...(ranges.length > 0 && { ranges: Object.fromEntries(ranges) }),
    ...(otherUrl !== undefined && { otherUrl }),
  };
}

const filterSchema = z.strictObject(filterShape);

/** Parses a filter. Throws InvalidQuery. */
export function parseFilter(query: URLSearchParams, at = ''): KeywordFilter {
  return filterOf(parseQuery(filterSchema, query, at));
}

/** What a filter finds: names that only the project has. */
const namesOf: { readonly [Field in keyof KeywordFilter]?: (facts: ProjectFacts) => readonly string[] } = {
  tags: ({ tags }) => tags,
  market: ({ markets }) =>
    markets.flatMap((market) => [market.country, `${market.country} ${market.language}`, marketName(market)]),
  country: ({ markets }) => markets.map(({ country }) => country),
  location: ({ markets }) => markets.flatMap(({ location }) => location ?? []),
  target: ({ targets }) => [...targets, '*'],
  feature: ({ features }) => features,
  ownedFeature: ({ features }) => features,
  lostFeature: ({ features }) => features,
  above: ({ competitors }) => competitors,
  below: ({ competitors }) => competitors,
  passedBy: ({ competitors }) => competitors,
  passed: ({ competitors }) => competitors,
};
const namesShown = 10;

/** Throws InvalidQuery for a name in the filter that the project never had: the answer would be empty. */
export function checkNames(
  reader: ProjectReader,
  { date, compare, filter }: Pick<KeywordQuery, 'date' | 'compare' | 'filter'>,
): void {
  let facts: ProjectFacts | undefined;
  for (const [field, namesIn] of Object.entries(namesOf)) {
    const condition = filter[field as keyof typeof namesOf]; // it has these
    for (const choice of [condition ?? []].flat() as Choice[]) {
      facts ??= reader.facts();
      const known = new Set(namesIn(facts));
      // a page without a feature is what its absence says
      const asked = field.endsWith('eature') ? choice.any : [...choice.any, ...choice.none];
      for (const name of asked) if (!known.has(name) && !isFound(field, name)) throw unknownName(field, name, known);
    }
  }
  /** On the date of the question, perhaps. */
  function isFound(field: string, name: string): boolean {
    if (field === 'target') return false;
    const only = { any: [name], none: [] };
    const alone = { target: { any: ['*'], none: [] }, [field]: field === 'tags' ? [only] : only };
    return reader.keywords({ date, compare, filter: alone, sort: [] }).length > 0;
  }
}

function unknownName(field: string, name: string, known: ReadonlySet<string>): InvalidQuery {
  const parameter = field === 'tags' ? 'tag' : (choiceNames.find((each) => choices[each][0] === field) ?? field);
  const shown = [...known].slice(0, namesShown).join(', ');
  const more = known.size > namesShown ? ` and ${known.size - namesShown} more` : '';
  return new InvalidQuery(`${parameter}: "${name}" is not ${known.size === 0 ? 'in this project' : shown + more}`);
}

/** The meaning of each parameter. */
export function meanings(shape: Parameters): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, schema]) => [name, z.globalRegistry.get(schema)?.description ?? '']),
  );
}
