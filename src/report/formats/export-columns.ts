// The columns of `export`, table by table, named as in the database where possible.

import { fields } from '../../read/fields.ts';
import { rowStatusText } from '../../tracker/observation.ts';
import { classifyDestination } from '../../tracker/targets/target.ts';
import { columnsOf } from './columns.ts';
import type { CsvColumn } from './csv.ts';

/** A database row by column. Lists are texts: names joined by `|`, or JSON. */
export type ExportRow = Readonly<Record<string, unknown>>;
type Column = CsvColumn<ExportRow>;

const none: readonly string[] = [];

const of = columnsOf<ExportRow>();
// the database has a value of the kind of each column
const text = (name: string, about: string): Column =>
  of.text(name, about, (row) => (row[name] ?? null) as string | null);
const number = (name: string, about: string): Column =>
  of.number(name, about, (row) => (row[name] ?? null) as number | null);
const date = (name: string, about: string): Column =>
  of.date(name, about, (row) => (row[name] ?? null) as number | null);
const boolean = (name: string, about: string): Column =>
  of.boolean(name, about, (row) => (row[name] === null || row[name] === undefined ? null : row[name] === 1));
/** Neighbouring rows often have equal names: the last parsed list is cached. */
const names = (name: string, about: string): Column => {
  let lastText: unknown = null;
  let lastItems = none;
  return of.list(name, about, (row) => {
    const text = row[name];
    if (text !== lastText) {
      lastText = text;
      lastItems = text ? String(text).split('|') : none;
    }
    return lastItems;
  });
};
const jsonList = (name: string, about: string): Column =>
  of.list(name, about, (row) => (row[name] ? (JSON.parse(String(row[name])) as string[]) : none));

const market: readonly Column[] = [
  text('service', 'Service of the market'),
  text('country', 'Country of the market, ISO 3166-1'),
  text('language', 'Language of the market, BCP 47'),
];
const device = text('device', 'desktop or mobile');
const location = text('location', 'Place or coordinate inside the country; empty for the country as a whole');

const destination = of.text('destination', fields.destination.about, ({ url }) =>
  typeof url === 'string' && url !== '' ? classifyDestination(url) : null,
);

const discardNote = text('note', 'Why its run was discarded; empty unless it was');

const rankings: readonly Column[] = [
  text('project', 'Project id'),
  text('keyword', 'Tracked keyword'),
  ...market,
  device,
  text('target', 'Target as configured'),
  boolean('competitor', 'Whether the target is a competitor; empty if the project no longer tracks it'),
  text('slot', 'Local date and time the run was due'),
  text('local_date', 'Local date on which the pages were seen; if none was read, the date of the slot'),
  date('checked_at', 'When the pages were read, UTC; empty for ranks of other tools, which have a date only'),
  text('status', rowStatusText),
  number('rank', 'Rank among organic results over all pages; empty unless ranked'),
  number('absolute_rank', 'Position among all elements; empty where unknown'),
  number('page', 'Results page of the ranking'),
  text('url', fields.url.about),
  number('depth', 'Requested results pages; if not found, all of them were read'),
  names('serp_features', 'SERP features on the pages'),
  names('owned_features', 'SERP features that link to the target'),
  text('reason', 'Why there is no rank'),
  text('source', 'service/source of the pages'),
  number('run_id', 'Run of the check'),
  number('check_id', 'The check'),
  destination,
  text('note', 'Warnings about the row: seen on another day than its slot, or its run was discarded'),
  location,
  number('local_rank', fields.localRank.about),
];

const checks: readonly Column[] = [
  number('check_id', 'The check: one search in one run'),
  number('run_id', 'The run'),
  text('origin', 'Why the run was opened: schedule, backfill, import or confirm'),
  date('due_at', 'Moment of the slot, UTC; for a late run, when it was opened'),
  jsonList('projects', 'Projects that share the check'),
  text('keyword', 'Keyword that was searched'),
  ...market,
  device,
  text('state', 'planned, running, ok, incomplete, failed, deferred or unknown_paid'),
  number('sequence', 'Order of execution: lower numbers first'),
  number('depth', 'Requested results pages'),
  text('paging', 'until-found, until-all-found, full, anchored, or from-4: from page 4'),
  boolean('deep', 'Whether it was the deep check of its project'),
  number('fresh_for_ms', 'Maximum age of reused pages, milliseconds'),
  number('pages_read', 'Pages that were read'),
  number('pages_reused', 'Pages that were read, but not bought for this check'),
  date('checked_at', 'When the oldest page was read, UTC'),
  date('finished_at', 'When the check ended, UTC'),
  text('source', 'service/source of the pages'),
  names('serp_features', 'SERP features on the pages'),
  text('reason', 'Why the check is not ok'),
  text('remedy', 'What to do about it'),
  discardNote,
  location,
];

const volumes: readonly Column[] = [
  text('keyword', 'Keyword'),
  text('service', 'Service; `name#812`: requested again in the same month, by purchase 812'),
  text('country', 'Country, ISO 3166-1'),
  text('language', 'Language, BCP 47'),
  text('month', 'Month of the metrics'),
  date('observed_at', 'When they were received, UTC'),
  number('search_volume', 'Searches a month'),
  number('cpc_micro_usd', 'Cost per click, millionths of a USD'),
  number('competition', 'Ad competition, 0 to 100'),
  text('competition_level', 'low, medium or high'),
  text('intent', 'commercial, informational, navigational or transactional'),
  text('related_keywords', 'Related keywords as a JSON array; empty if none are known'),
  text('source', 'service/source'),
  number('purchase_id', 'Purchase of the metrics'),
];

const serps: readonly Column[] = [
  number('check_id', 'Check that used the page'),
  number('run_id', 'The run'),
  date('due_at', 'Moment of the slot, UTC; for a late run, when it was opened'),
  text('keyword', 'Keyword that was searched'),
  ...market,
  device,
  number('page_id', 'Id of the page: the same in all checks that used it'),
  number('page', 'Number of the results page'),
  number('purchase_id', 'Purchase of the page'),
  date('observed_at', 'When it was read, UTC'),
  text('source', 'service/source'),
  boolean('last', 'Whether the engine marked it as the last page'),
  number('last_place', 'Position of the last element of the page; empty if the service does not report it'),
  text('element', 'organic, or the name of a SERP feature; empty on a page without any'),
  number('number', 'Number of the organic result or feature on the page'),
  number('organic_rank', 'Rank among organic results over all pages; empty if an earlier page was not read'),
  number('place', 'Position among all elements of the page; empty if the service does not report it'),
  number('link', 'Number of the link in the feature'),
  text('url', 'Target of the link; only the site, without a scheme, if the engine hid the page'),
  destination,
  discardNote,
  location,
];

const ledger: readonly Column[] = [
  number('entry', 'Number in the chain'),
  date('at', 'When the entry was recorded, UTC'),
  text('kind', 'reserve, spend, unknown, release, confirm or refund'),
  text('currency', 'serp_credit or micro_usd'),
  number('amount', 'Credits, or millionths of a USD'),
  number('reservation_id', 'Reservation of the entry'),
  number('run_id', 'Run that made the reservation'),
  number('check_id', 'Check of the reservation; empty for keyword data and requests on demand'),
  text('budget_day', 'Local date of its budget window'),
  text('budget_month', 'Local month of its budget window'),
  number('purchase_id', 'Purchase of the entry, if it has one'),
  text('service', 'Service of the purchase'),
  text('request_key', 'Idempotency key of the request'),
  number('attempt', 'Number of the attempt'),
  text('keyword', 'Keyword of the page that was bought'),
  text('country', 'Country of the market, ISO 3166-1'),
  text('language', 'Language of the market, BCP 47'),
  device,
  date('due_at', 'Moment the request was for, UTC'),
  number('page', 'Number of the results page'),
  number('price', 'Maximum cost, as reserved'),
  number('charged', 'Actual cost'),
  text('purchase_state', 'open, paid, free or unknown: the outcome as first recorded'),
  date('opened_at', 'When the purchase was recorded, UTC'),
  date('settled_at', 'When its outcome was known, UTC'),
  text('error_code', 'What went wrong'),
  text('message', 'In words'),
  text('reconciled', 'charged or free: the outcome found later'),
  date('reconciled_at', 'When, UTC'),
  text('hash', 'Hash over this entry and all earlier ones, hex'),
  discardNote,
  location,
];

/** The exportable tables. */
export const exportColumns = { rankings, checks, volumes, serps, ledger } as const;

export type ExportSubject = keyof typeof exportColumns;
