// The filters of the bar: their parameters, what can be chosen, and how people read their values.
import { fields, rangeFields } from '../../read/fields.ts';
import type { ProjectFacts } from '../../read/records.ts';
import { buckets } from '../../tracker/changes/visibility.ts';
import { changed } from './address.ts';
import { plain, statusText } from './words.ts';

export interface Filter {
  /** Parameter of the read API. */
  readonly name: string;
  readonly label: string;
  readonly kind: 'text' | 'choice' | 'range' | 'flag';
  /** Of a choice: what can be chosen. */
  readonly values?: (facts: ProjectFacts) => readonly string[];
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)].sort();

const rangeLabels: Readonly<Record<string, string>> = {
  rank: 'Rank',
  move: 'Ranks gained or lost',
  volume: 'Searches a month',
  cpc: 'Cost a click, US$',
  clicks: 'Estimated clicks',
  daysInTop10: 'Days in the top 10, of 30',
};

/** In the order of the menu. */
export const filters: readonly Filter[] = [
  { name: 'q', label: 'Keyword', kind: 'text' },
  { name: 'tag', label: 'Tag', kind: 'choice', values: ({ tags }) => tags },
  {
    name: 'market',
    label: 'Market',
    kind: 'choice',
    values: ({ markets }) => unique(markets.map(({ country, language }) => `${country} ${language}`)),
  },
  { name: 'device', label: 'Device', kind: 'choice', values: ({ markets }) => unique(markets.map((of) => of.device)) },
  {
    name: 'location',
    label: 'Location',
    kind: 'choice',
    values: ({ markets }) => unique(markets.flatMap(({ location }) => location ?? [])),
  },
  {
    name: 'target',
    label: 'Target',
    kind: 'choice',
    values: ({ targets }) => (targets.length > 1 ? [...targets, '*'] : []),
  },
  ...rangeFields.map(({ parameter }): Filter => {
    return { name: parameter, label: rangeLabels[parameter] ?? plain(parameter), kind: 'range' };
  }),
  { name: 'bucket', label: 'Rank bucket', kind: 'choice', values: () => buckets },
  { name: 'change', label: 'Change', kind: 'choice', values: () => fields.changeClass.values },
  {
    name: 'significance',
    label: 'Certainty of the change',
    kind: 'choice',
    values: () => fields.significance.values,
  },
  { name: 'above', label: 'Ranks above us', kind: 'choice', values: ({ competitors }) => competitors },
  { name: 'below', label: 'Ranks below us', kind: 'choice', values: ({ competitors }) => competitors },
  { name: 'passedBy', label: 'Passed us', kind: 'choice', values: ({ competitors }) => competitors },
  { name: 'passed', label: 'Passed by us', kind: 'choice', values: ({ competitors }) => competitors },
  { name: 'intent', label: 'Intent', kind: 'choice', values: () => fields.intent.values },
  { name: 'feature', label: 'SERP feature', kind: 'choice', values: ({ features }) => features },
  { name: 'owned', label: 'Own SERP feature', kind: 'choice', values: ({ features }) => features },
  { name: 'lost', label: 'Lost SERP feature', kind: 'choice', values: ({ features }) => features },
  { name: 'url', label: 'Ranking URL', kind: 'text' },
  { name: 'otherUrl', label: 'Preferred URL', kind: 'flag' },
  { name: 'status', label: 'Status', kind: 'choice', values: () => fields.status.values },
];

/** With the older parameter `country`, which saved views may have. */
export const filterNames: readonly string[] = [...filters.map(({ name }) => name), 'country'];

const byName: ReadonlyMap<string, Filter> = new Map(filters.map((filter) => [filter.name, filter]));

/** What is wrong with words or a `/regex/`, as the server reads them; null: nothing. */
export function textComplaint(written: string): string | null {
  const source = /^\/(.+)\/i?$/s.exec(written.trim())?.[1];
  if (source === undefined) return null;
  try {
    new RegExp(source, 'iu');
    return null;
  } catch {
    return `/${source}/ is not a regular expression`;
  }
}

/** A value of a filter as people read it. */
export function valueText(name: string, value: string): string {
  if (name === 'status') return statusText(value);
  if (name === 'bucket') return bucketText(value);
  if (name === 'target' && value === '*') return 'all targets';
  if (name === 'device') return value === 'mobile' ? 'phone' : value;
  return ['change', 'feature', 'owned', 'lost'].includes(name) ? plain(value) : value;
}

function bucketText(bucket: string): string {
  if (bucket === 'not_found' || bucket === 'unknown') return plain(bucket);
  return bucket === '1' ? 'rank 1' : `ranks ${bucket.replace('-', '–')}`;
}

interface Chip {
  readonly name: string;
  readonly label: string;
  readonly text: string;
  /** What is wrong with it; null: nothing. */
  readonly complaint: string | null;
  /** The query without it. */
  readonly without: URLSearchParams;
}

/** The active filters. Each `tag` is another condition; the values of another choice are alternatives. */
export function chipsOf(query: URLSearchParams): Chip[] {
  return filterNames.flatMap((name) => {
    const written = query.getAll(name).filter(Boolean);
    if (written.length === 0) return [];
    const conditions = name === 'tag' ? written : [written.join('|')];
    return conditions.map((value, index) => ({
      name,
      label: byName.get(name)?.label ?? plain(name),
      text: conditionText(name, value),
      complaint: name === 'q' || name === 'url' ? textComplaint(value) : null,
      without: changed(query, { [name]: name === 'tag' ? written.toSpliced(index, 1) : null }),
    }));
  });
}

function conditionText(name: string, value: string): string {
  const kind = byName.get(name)?.kind ?? 'choice';
  if (kind === 'flag') return value === 'true' ? 'another URL ranks' : 'ranks';
  if (kind === 'range') return rangeText(value);
  if (kind === 'text') return value;
  const { any, none } = parseChoice(value);
  const words = (values: readonly string[]) => values.map((one) => valueText(name, one)).join(' or ');
  return [any.length > 0 ? words(any) : '', none.length > 0 ? `not ${words(none)}` : ''].filter(Boolean).join(', ');
}

/** `a|!b`: one of `any`, none of `none`. */
export function parseChoice(written: string): { readonly any: string[]; readonly none: string[] } {
  const values = written.split('|').filter(Boolean);
  return {
    any: values.filter((value) => !value.startsWith('!')),
    none: values.filter((value) => value.startsWith('!')).map((value) => value.slice(1)),
  };
}

export function writeChoice({
  any,
  none,
}: {
  readonly any: readonly string[];
  readonly none: readonly string[];
}): string {
  return [...any, ...none.map((value) => `!${value}`)].join('|');
}

/** `1..10` as `1 to 10`. */
function rangeText(value: string): string {
  const [from = '', to = from] = value.split('..');
  if (from === to) return from;
  if (from === '') return `at most ${to}`;
  return to === '' ? `at least ${from}` : `${from} to ${to}`;
}

export function withoutFilters(query: URLSearchParams): URLSearchParams {
  return changed(query, Object.fromEntries(filterNames.map((name) => [name, null])));
}

/** The `url` filter that finds this URL and no other. */
export const exactUrl = exactly;

/** The `q` filter that finds this keyword and no other. */
export const exactKeyword = exactly;

function exactly(text: string): string {
  const expression = `/^${text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$/`;
  return expression.length > 200 ? text.slice(0, 200) : expression;
}
