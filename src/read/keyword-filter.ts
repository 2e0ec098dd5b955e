// Filters and sorts the keyword table.

import { bucketOf } from '../tracker/changes/visibility.ts';
import { marketName } from '../tracker/project.ts';
import { type Choice, InvalidQuery, type KeywordFilter, type Range, type SortKey } from './contract.ts';
import { testExpression } from './expression.ts';
import { rangeFields, type SortField } from './fields.ts';
import type { KeywordRow } from './records.ts';

/** As a target of the filter: all of them. */
const everyTarget = '*';

/**
 * The filter with its target: the first own one unless it names others, or `*`. Targets may match the same results, as
 * a domain and a prefix inside it do: nothing opens on the sum of both.
 */
export function withTarget(filter: KeywordFilter, targets: readonly string[]): KeywordFilter {
  const { target, ...others } = filter;
  const [first] = targets;
  if (target?.any.includes(everyTarget) === true) {
    return target.none.length === 0 ? others : { ...others, target: { any: [], none: target.none } };
  }
  return target !== undefined || first === undefined ? filter : { ...filter, target: { any: [first], none: [] } };
}

/**
 * Rows that match, in their order; conditions on competitors need their ranks and are left out. Throws InvalidQuery for
 * a regular expression that takes too long.
 */
export function filterRows<Row extends KeywordRow>(rows: readonly Row[], filter: KeywordFilter): readonly Row[] {
  const conditions = compileFilter(filter);
  const matched = conditions.length === 0 ? rows : rows.filter((row) => conditions.every((holds) => holds(row)));
  // texts last: expressions see few rows
  const withText = matchText(matched, 'q', filter.text, ({ keyword }) => keyword);
  return matchText(withText, 'url', filter.url, ({ url }) => url ?? '');
}

function matchText<Row extends KeywordRow>(
  rows: readonly Row[],
  parameter: string,
  written: string | undefined,
  textOf: (row: Row) => string,
): readonly Row[] {
  if (written === undefined) return rows;
  const matches = textMatcher(parameter, written)(rows.map(textOf));
  return rows.filter((_, index) => matches[index]);
}

type Condition = (row: KeywordRow) => boolean;

function compileFilter(filter: KeywordFilter): Condition[] {
  const conditions: Condition[] = [];
  const where = <Wanted, Value>(
    wanted: Wanted | undefined,
    read: (row: KeywordRow) => Value,
    holds: (wanted: Wanted, value: Value) => boolean,
  ): void => {
    if (wanted !== undefined) conditions.push((row) => holds(wanted, read(row)));
  };
  where(filter.country, (row) => row.country, isOneChosen);
  where(filter.location, (row) => row.location ?? null, isOneChosen);
  where(filter.device, (row) => row.device, isOneChosen);
  where(filter.market, marketNames, isChosen);
  where(filter.target, (row) => row.target, isOneChosen);
  where(filter.status, (row) => row.status, isOneChosen);
  where(filter.changeClass, (row) => row.changeClass, isOneChosen);
  where(filter.significance, (row) => row.significance, isOneChosen);
  where(filter.intent, (row) => row.intent, isOneChosen);
  where(filter.bucket, rowBucket, isOneChosen);
  for (const choice of filter.tags ?? []) where(choice, (row) => row.tags, isChosen);
  for (const { field } of rangeFields) where(filter.ranges?.[field], (row) => row[field], isWithin);
  where(filter.feature, (row) => row.serpFeatures, isChosen);
  where(filter.ownedFeature, (row) => row.ownedFeatures, isChosen);
  where(filter.lostFeature, (row) => row.lostFeatures, isChosen);
  where(filter.otherUrl, ranksOtherUrl, (wanted, isOther) => isOther === wanted);
  return conditions;
}

/** Whether the values satisfy the condition: at least one of `any`, none of `none`. */
export function isChosen({ any, none }: Choice, values: readonly string[]): boolean {
  if (none.some((value) => values.includes(value))) return false;
  return any.length === 0 || any.some((value) => values.includes(value));
}

/** `value` null: the row has none. */
function isOneChosen({ any, none }: Choice, value: string | null): boolean {
  if (value === null) return any.length === 0;
  return !none.includes(value) && (any.length === 0 || any.includes(value));
}

function isWithin({ min, max }: Range, value: number | null): boolean {
  return value !== null && (min === null || value >= min) && (max === null || value <= max);
}

/** All names of a market that a filter may use: country, with language, with device. */
function marketNames({ country, language, device, location }: KeywordRow): string[] {
  return [country, `${country} ${language}`, marketName({ country, language, device, location })];
}

/** The bucket of a row, as sums count it: a row without a complete check is `unknown`. */
function rowBucket({ status, rank, incomplete }: Pick<KeywordRow, 'status' | 'rank' | 'incomplete'>): string {
  const isProven = (status === 'ranked' || status === 'not_found') && incomplete === undefined;
  return isProven ? bucketOf(rank) : 'unknown';
}

/** Whether another URL ranks than the preferred one. Null: none is preferred, or the ranking page is not known. */
export function ranksOtherUrl({ urlIsPreferred }: Pick<KeywordRow, 'urlIsPreferred'>): boolean | null {
  return urlIsPreferred === null ? null : !urlIsPreferred;
}

/** The place of a row's keyword among the sorted keywords of its project, where it is known: collation is slow. */
export const keywordPlace = Symbol('keywordPlace');

/** A sorted copy. Rows without the value come last; equal rows keep their order. */
export function sortRows<Row extends KeywordRow>(rows: readonly Row[], keys: readonly SortKey[]): readonly Row[] {
  if (keys.length === 0) return rows;
  const columns = keys.map(({ column, descending }) => ({ values: sortValues(rows, column), descending }));
  const order = Array.from(rows, (_, index) => index).sort((a, b) => {
    for (const { values, descending } of columns) {
      const [one, other] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
      if (one === other) continue;
      const [lacks, otherLacks] = [Number.isNaN(one), Number.isNaN(other)];
      if (lacks || otherLacks) {
        if (lacks !== otherLacks) return lacks ? 1 : -1;
        continue;
      }
      return descending ? other - one : one - other;
    }
    return a - b;
  });
  return order.flatMap((index) => rows[index] ?? []);
}

/** Numbers in the order of the column's values; NaN: the row has none. */
function sortValues(rows: readonly KeywordRow[], column: SortField): Float64Array {
  if (column === 'keyword' && rows.every((row) => keywordPlace in row))
    return Float64Array.from(rows, (row) => Number((row as { readonly [keywordPlace]?: number })[keywordPlace]));
  const values = rows.map((row) => row[column]);
  const texts = new Set(values.filter((value) => typeof value === 'string'));
  const isPlain = column === 'url'; // not words: code units are an order, and fast
  const places = isPlain ? placesOf([...texts].sort(), () => 1) : textPlaces([...texts]);
  return Float64Array.from(values, (value) =>
    value === null ? Number.NaN : typeof value === 'number' ? value : (places.get(value) ?? Number.NaN),
  );
}

/** The place of each text among all, in the order of a dictionary, numbers by value. */
export function textPlaces(texts: readonly string[]): ReadonlyMap<string, number> {
  const { compare } = new Intl.Collator('en', { numeric: true });
  return placesOf([...texts].sort(compare), compare);
}

/** Equal texts share a place. */
function placesOf(sorted: readonly string[], compare: (a: string, b: string) => number): ReadonlyMap<string, number> {
  let place = 0;
  return new Map(
    sorted.map((text, index) => {
      if (index > 0 && compare(sorted[index - 1] ?? '', text) !== 0) place = index;
      return [text, place];
    }),
  );
}

const charactersMax = 200;

/** Whether a text matches, one answer per text. Throws InvalidQuery for an expression that takes too long. */
type TextMatcher = (texts: readonly string[]) => readonly boolean[];

/**
 * Matches texts that contain all words of `written`, in any case and order; `/.../` is a regular expression. Throws
 * InvalidQuery for an invalid or too long expression.
 */
export function textMatcher(parameter: string, written: string): TextMatcher {
  if (written.length > charactersMax) throw new InvalidQuery(`${parameter}: longer than ${charactersMax} characters`);
  const source = /^\/(.+)\/i?$/s.exec(written)?.[1];
  if (source !== undefined) return expressionMatcher(parameter, source);
  const words = written.toLowerCase().split(/\s+/).filter(Boolean);
  const containsAll = (text: string): boolean => {
    const lower = text.toLowerCase();
    return words.every((word) => lower.includes(word));
  };
  return (texts) => texts.map(containsAll);
}

function expressionMatcher(parameter: string, source: string): TextMatcher {
  try {
    new RegExp(source, 'iu');
  } catch {
    throw new InvalidQuery(`${parameter}: /${source}/ is not a regular expression`);
  }
  return (texts) => {
    try {
      return testExpression(source, texts);
    } catch (error) {
      if (error instanceof InvalidQuery) throw error;
      throw new InvalidQuery(`${parameter}: /${source}/ takes too long; write a simpler expression`);
    }
  };
}
