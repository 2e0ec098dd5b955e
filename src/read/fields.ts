// The fields of the keyword row: the one table from which files, the read API, filters, pages and the reference derive.
import { changeClasses } from '../tracker/changes/change.ts';
import { rowStatuses, rowStatusText, significances } from '../tracker/observation.ts';
import { devices } from '../tracker/project.ts';

export interface Field {
  /**
   * What its values are; null is missing. `moment`: UTC milliseconds, written as ISO 8601. `day`: a local date.
   * `record`: an object, in JSON only.
   */
  readonly kind: 'text' | 'number' | 'boolean' | 'moment' | 'day' | 'list' | 'record';
  /** One line for readers. */
  readonly about: string;
  /** Its vocabulary; absent: it has none. */
  readonly values?: readonly string[];
  /** Every row has a value. */
  readonly always?: true;
  /** `files`: rank-changes.csv and its sheet have it. `api`: the read API, its pages and report.html. Absent: both. */
  readonly only?: 'files' | 'api';
  /** Its texts stand with those of other fields of this name in report.html. */
  readonly texts?: string;
  /** The table can be sorted by it. */
  readonly sorts?: true;
  /** The parameter by which the table is filtered: a range of this number. */
  readonly range?: { readonly parameter: string; readonly about: string };
  /** The name of its column in files, where that is not its own in snake case. */
  readonly column?: string;
}

/** In the order of files and of the read API: what people read, then where it comes from. */
export const fields = {
  keyword: { kind: 'text', about: 'Tracked keyword', always: true, sorts: true },
  country: { kind: 'text', about: 'Country of the market, ISO 3166-1', always: true, sorts: true },
  language: { kind: 'text', about: 'Language of the market, BCP 47', always: true, sorts: true },
  device: { kind: 'text', about: 'desktop or mobile', values: devices, always: true, sorts: true },
  location: { kind: 'text', about: 'Place or coordinate inside the country; empty for the country as a whole' },
  target: { kind: 'text', about: 'Own target as configured', always: true, sorts: true },
  status: { kind: 'text', about: rowStatusText, values: rowStatuses, always: true, sorts: true },
  rank: {
    kind: 'number',
    about: 'Rank among organic results over all pages; empty unless ranked',
    sorts: true,
    range: { parameter: 'rank', about: 'a range of ranks: 1..10, ..3, 11..' },
  },
  previousRank: { kind: 'number', about: 'Rank in the baseline', sorts: true },
  change: {
    kind: 'number',
    about: 'previous_rank - rank: positive is better; empty unless both are ranked and comparable',
    sorts: true,
    range: { parameter: 'move', about: 'a range of changes: 3.. gained three or more, ..-3 lost three or more' },
  },
  changeClass: {
    kind: 'text',
    about: 'improved, declined, unchanged, entered, dropped, first_check or not_comparable (the note says why)',
    values: changeClasses,
    always: true,
  },
  significance: {
    kind: 'text',
    about: 'noise, likely or certain: the change against the noise band; empty without a comparable change',
    values: significances,
  },
  bandBest: {
    kind: 'number',
    about: 'Noise band: the best usual rank of the keyword; empty for a target that did not rank before',
  },
  bandWorst: { kind: 'number', about: 'Noise band: the worst usual rank of the keyword' },
  bestRank: {
    kind: 'number',
    about: 'Best rank in the history of the search, also in checks of other projects',
    sorts: true,
  },
  daysInTop10: {
    kind: 'number',
    about:
      'Days, of the 30 up to date, on which a complete check proved a rank from 1 to 10; empty where none of them has a complete check, and for places',
    sorts: true,
    range: { parameter: 'daysInTop10', about: 'a range of days in the top 10, of the last 30: 25.., ..5' },
    column: 'days_in_top_10',
  },
  localRank: {
    kind: 'number',
    about:
      'Of a target that is a place: its position in the local results, which is also its rank; empty if it is not in them',
    only: 'files',
  },
  url: {
    kind: 'text',
    texts: 'urls',
    about: 'Ranking URL of the target; only its site, without a scheme, if the engine hid the page',
    sorts: true,
  },
  previousUrl: { kind: 'text', texts: 'urls', about: 'The same in the baseline' },
  urlChanged: {
    kind: 'boolean',
    about: 'Whether the ranking URL changed; empty unless both are known',
    only: 'files',
  },
  preferredUrl: {
    kind: 'text',
    texts: 'urls',
    about: 'URL that should rank, from the config; empty where it belongs to another target',
  },
  urlIsPreferred: {
    kind: 'boolean',
    about: 'Whether the preferred URL ranks; empty without one, or where the ranking page is not known',
  },
  searchVolume: {
    kind: 'number',
    about: 'Searches a month',
    sorts: true,
    range: { parameter: 'volume', about: 'a range of searches a month' },
  },
  estimatedClicks: {
    kind: 'number',
    about: 'Clicks per month: search_volume x click-through rate of the rank; 0 if not found',
    sorts: true,
    range: { parameter: 'clicks', about: 'a range of estimated clicks a month' },
  },
  estimatedClicksChange: {
    kind: 'number',
    about: 'Its change from the baseline, at the same volume; empty if not comparable',
    sorts: true,
  },
  measuredClicks: {
    kind: 'number',
    about: 'Clicks that Search Console counted in the 28 days up to the newest final day; empty: nothing is reported',
    sorts: true,
  },
  impressions: {
    kind: 'number',
    about:
      'Impressions that it counted in the 28 days up to the newest final day, one for each results page; empty: nothing is reported, or unknown',
    sorts: true,
  },
  averagePosition: { kind: 'number', about: 'Average position of these impressions: not a rank', sorts: true },
  cpc: {
    kind: 'number',
    about: 'Cost a click, USD',
    sorts: true,
    range: { parameter: 'cpc', about: 'a range of US dollars a click' },
  },
  competition: { kind: 'number', about: 'Ad competition, 0 to 100' },
  competitionLevel: { kind: 'text', about: 'low, medium or high', only: 'files' },
  intent: {
    kind: 'text',
    about: 'commercial, informational, navigational or transactional',
    values: ['commercial', 'informational', 'navigational', 'transactional'],
  },
  serpFeatures: { kind: 'list', texts: 'features', about: 'SERP features on the pages' },
  ownedFeatures: {
    kind: 'list',
    texts: 'features',
    about: 'SERP features that link to the target; one that a page shows without links is in serp_features alone',
  },
  lostFeatures: {
    kind: 'list',
    texts: 'features',
    about: 'SERP features that showed the target in the baseline, and no longer do in as many pages',
    only: 'api',
  },
  tags: { kind: 'list', about: 'Tags of the keyword' },
  note: { kind: 'text', about: 'Why a number is missing or not comparable, and other remarks' },
  date: { kind: 'day', about: 'Local date on which the pages were read; if none was read, local date of the run' },
  previousDate: { kind: 'day', about: 'Local date on which the pages of the baseline were read', only: 'api' },
  last: {
    kind: 'record',
    about: 'Where the keyword was not checked: its newest rank before, its local date and its age in days',
    only: 'api',
  },
  lastRank: {
    kind: 'number',
    about: 'Where the keyword was not checked: its newest rank before; empty if it was not found then',
    only: 'files',
  },
  lastAgeDays: { kind: 'number', about: 'Whole days between last_checked_at and this slot', only: 'files' },
  incomplete: {
    kind: 'record',
    about: 'true: the check is incomplete; it proves this rank, or that a place is absent, and no sum counts it',
    only: 'api',
  },
  absoluteRank: {
    kind: 'number',
    about: 'Position among all elements of the pages; empty where unknown',
    only: 'files',
  },
  page: { kind: 'number', about: 'Results page of the ranking', only: 'files' },
  depth: { kind: 'number', about: 'Requested results pages; if not found, all of them were read' },
  destination: {
    kind: 'text',
    about:
      'Precision of the URL: exact, host_only (the engine hid the page: only the site is known) or hidden (a redirect of the engine); empty without a URL',
    only: 'files',
  },
  bandObservations: {
    kind: 'number',
    about: 'Earlier ranks that decide the band, the baseline included',
    only: 'files',
  },
  volumeMonth: { kind: 'text', about: 'Month of the metrics', only: 'files' },
  lastCheckedAt: { kind: 'moment', about: 'When the pages of last_rank were read, UTC', only: 'files' },
  checkedAt: { kind: 'moment', about: 'When the pages were read, UTC', sorts: true },
  previousCheckedAt: { kind: 'moment', about: 'When the pages of the baseline were read, UTC', only: 'files' },
  source: { kind: 'text', about: 'service/source of the pages' },
  runId: { kind: 'number', about: 'Run of the check' },
  project: { kind: 'text', about: 'Project id', only: 'files' },
  id: {
    kind: 'text',
    about: 'Names the row in `/keywords/{id}`: stable while the database is',
    always: true,
    only: 'api',
  },
} as const satisfies Readonly<Record<string, Field>>;

type Fields = typeof fields;
export type FieldName = keyof Fields;

/** The fields of the read API. */
export type ApiField = {
  [Name in FieldName]: Fields[Name] extends { readonly only: 'files' } ? never : Name;
}[FieldName];

interface Values {
  readonly text: string | null | undefined;
  readonly number: number | null;
  readonly boolean: boolean | null;
  readonly moment: number | null;
  readonly day: string | null;
  readonly list: readonly string[];
  readonly record: object | true | undefined;
}

/** A value for each field, of its kind. */
export type FieldValues = { readonly [Name in FieldName]: Values[Fields[Name]['kind']] };

const all: readonly (readonly [FieldName, Field])[] = Object.entries(fields) as [FieldName, Field][]; // of a literal

/** The columns of rank-changes.csv. */
export const fileFields: readonly FieldName[] = all.flatMap(([name, { only }]) => (only === 'api' ? [] : [name]));

/** The fields of the read API that every row has. */
export const apiFields: readonly ApiField[] = all.flatMap(
  ([name, { only, kind }]) => (only === 'files' || kind === 'record' ? [] : [name as ApiField]), // `only` says so
);

/** The fields by which the table can be sorted. */
export type SortField = {
  [Name in FieldName]: Fields[Name] extends { readonly sorts: true } ? Name : never;
}[FieldName];
export const sortFields = all.flatMap(([name, { sorts }]) => (sorts === true ? [name as SortField] : [])); // `sorts` says so

/** The fields by ranges of which the table can be filtered. */
export type RangeField = {
  [Name in FieldName]: Fields[Name] extends { readonly range: object } ? Name : never;
}[FieldName];
export const rangeFields = all.flatMap(
  ([name, { range }]) => (range === undefined ? [] : [{ field: name as RangeField, ...range }]), // `range` says so
);

/** A field as the read API writes it. */
export function apiValue(row: Partial<FieldValues>, name: ApiField): unknown {
  const value = row[name];
  return fields[name].kind === 'moment' && typeof value === 'number' ? new Date(value).toISOString() : value;
}

/** The row as the read API writes it: fields that it lacks are left out. */
export function apiRow(row: Partial<FieldValues>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, { only }] of all) {
    if (only === 'files') continue;
    const value = apiValue(row, name as ApiField); // `only` says so
    if (value !== undefined) written[name] = value;
  }
  return written;
}

/** The name of a field as a column of files. */
export function columnName(field: string): string {
  const known: Field | undefined = Object.hasOwn(fields, field) ? fields[field as FieldName] : undefined; // it has it
  return known?.column ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
