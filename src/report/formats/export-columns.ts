// The columns of `export`, table by table, named as in the database where possible.
import { classifyDestination } from '../../tracker/destination.ts';
import { rowStatusText } from '../../tracker/observation.ts';
import type { CsvColumn } from './csv.ts';
import { destinationDescription, urlDescription } from './url-columns.ts';

/** A database row by column. Lists are texts: names joined by `|`, or JSON. */
export type ExportRow = Readonly<Record<string, unknown>>;
type Column = CsvColumn<ExportRow>;

const none: readonly string[] = [];

const text = (name: string, description: string): Column => ({
  name,
  kind: 'text',
  description,
  value: (row) => (row[name] ?? null) as string | null,
});
const number = (name: string, description: string): Column => ({
  name,
  kind: 'number',
  description,
  value: (row) => (row[name] ?? null) as number | null,
});
const date = (name: string, description: string): Column => ({
  name,
  kind: 'date',
  description,
  value: (row) => (row[name] ?? null) as number | null,
});
const boolean = (name: string, description: string): Column => ({
  name,
  kind: 'boolean',
  description,
  value: (row) => (row[name] === null || row[name] === undefined ? null : row[name] === 1),
});
/** Neighbouring rows often have equal names: the last parsed list is cached. */
const names = (name: string, description: string): Column => {
  let lastText: unknown = null;
  let lastItems = none;
  return {
    name,
    kind: 'list',
    description,
    value(row) {
      const text = row[name];
      if (text !== lastText) {
        lastText = text;
        lastItems = text ? String(text).split('|') : none;
      }
      return lastItems;
    },
  };
};
const jsonList = (name: string, description: string): Column => ({
  name,
  kind: 'list',
  description,
  value: (row) => (row[name] ? (JSON.parse(String(row[name])) as string[]) : none),
});

const market: readonly Column[] = [
  text('service', 'Service of the market'),
  text('country', 'Country of the market, ISO 3166-1'),
  text('language', 'Language of the market, BCP 47'),
];
const device = text('device', 'desktop or mobile');

const destination: Column = {
  name: 'destination',
  kind: 'text',
  description: destinationDescription,
  value: ({ url }) => (typeof url === 'string' && url !== '' ? classifyDestination(url) : null),
};

const discardNote = text('note', 'Whether its run was discarded, and why');

const rankings: readonly Column[] = [
  text('project', 'Project id'),
  text('keyword', 'Tracked keyword'),
  ...market,
  device,
  text('target', 'Target as configured'),
  boolean('competitor', 'Whether the target is a competitor; empty for one that the project does not follow any more'),
  text('slot', 'Local date and time the run was due'),
  text('local_date', 'Local date on which the pages were seen; of what was not read, of the slot'),
  date('checked_at', 'When the pages were read, UTC; empty where another tool saw it, which tells the day only'),
  text('status', rowStatusText),
  number('rank', 'Place among organic results over all pages; empty unless ranked'),
  number('absolute_rank', 'Place among all elements; empty where it cannot be known'),
  number('page', 'Results page it is on'),
  text('url', urlDescription),
  number('depth', 'Results pages asked; read, if not found'),
  names('serp_features', 'SERP features on the pages'),
  names('owned_features', 'Those of them that link to the target'),
  text('reason', 'Why there is no rank'),
  text('source', 'service/source of the pages'),
  number('run_id', 'The run that made the check'),
  number('check_id', 'The check'),
  destination,
  text(
    'note',
    'What to know before believing the row: it was seen on another day than its slot, or its run was discarded',
  ),
];

const checks: readonly Column[] = [
  number('check_id', 'The check: one search in one run'),
  number('run_id', 'The run'),
  text('origin', 'Why the run was opened: schedule, backfill or import'),
  date('due_at', 'The moment of the slot, of a late run when it was opened, UTC'),
  jsonList('projects', 'Projects that wanted it'),
  text('keyword', 'Keyword that was searched'),
  ...market,
  device,
  text('state', 'planned, running, ok, incomplete, failed, deferred or unknown_paid'),
  number('sequence', 'Order of work: lower goes first'),
  number('depth', 'Results pages asked'),
  text('paging', 'until-found, until-all-found, full, anchored, or from-4: from page 4'),
  boolean('deep', 'Whether it was the deep check of its project'),
  number('fresh_for_ms', 'How old a page may be to be used again, milliseconds'),
  number('pages_read', 'Pages it was read from'),
  number('pages_reused', 'Those of them that were not bought for this check'),
  date('checked_at', 'When the oldest page was read, UTC'),
  date('finished_at', 'When the check ended, UTC'),
  text('source', 'service/source of the pages'),
  names('serp_features', 'SERP features on the pages'),
  text('reason', 'Why it is not ok'),
  text('remedy', 'What to do about it'),
  discardNote,
];

const volumes: readonly Column[] = [
  text('keyword', 'Keyword'),
  text('service', 'Service that was asked; `name#812`: asked again in the same month, by purchase 812'),
  text('country', 'Country, ISO 3166-1'),
  text('language', 'Language, BCP 47'),
  text('month', 'Month of the metrics'),
  date('observed_at', 'When they came, UTC'),
  number('search_volume', 'Searches a month'),
  number('cpc_micro_usd', 'Cost a click, millionths of a USD'),
  number('competition', 'Ad competition, 0 to 100'),
  text('competition_level', 'low, medium or high'),
  text('intent', 'commercial, informational, navigational or transactional'),
  text('related_keywords', 'Related keywords as a JSON array; empty where none are known'),
  text('source', 'service/source'),
  number('purchase_id', 'The purchase that brought them'),
];

const serps: readonly Column[] = [
  number('check_id', 'The check that was read from the page'),
  number('run_id', 'The run'),
  date('due_at', 'The moment of the slot, of a late run when it was opened, UTC'),
  text('keyword', 'Keyword that was searched'),
  ...market,
  device,
  number('page_id', 'The page: the same in every check that used it'),
  number('page', 'Number of the results page'),
  number('purchase_id', 'The purchase that brought it'),
  date('observed_at', 'When it was read, UTC'),
  text('source', 'service/source'),
  boolean('last', 'Whether the engine said that nothing follows'),
  number('last_place', 'Place of the last element of the page; empty where the service did not tell'),
  text('element', 'organic, or the name of a SERP feature; empty on a page without any'),
  number('number', 'The how manieth organic result or feature of the page'),
  number('organic_rank', 'Place among organic results over all pages; empty where a page before was not read'),
  number('place', 'Place among all elements of the page; empty where the service did not tell'),
  number('link', 'The how manieth link of the feature'),
  text('url', 'Where it leads; the site alone, without a scheme, where the engine hid the page'),
  destination,
  discardNote,
];

const ledger: readonly Column[] = [
  number('entry', 'Number in the chain'),
  date('at', 'When it was entered, UTC'),
  text('kind', 'reserve, spend, unknown, release, confirm or refund'),
  text('currency', 'serp_credit or micro_usd'),
  number('amount', 'Credits, or millionths of a USD'),
  number('reservation_id', 'The reservation it belongs to'),
  number('run_id', 'The run that reserved it'),
  number('check_id', 'The check it was reserved for; empty for keyword data and requests on demand'),
  text('budget_day', 'Local date it counts to'),
  text('budget_month', 'Local month it counts to'),
  number('purchase_id', 'The purchase, where the entry is of one'),
  text('service', 'Service that was asked'),
  text('request_key', 'Idempotency key of the request'),
  number('attempt', 'Which try of the request it was'),
  text('keyword', 'Keyword of the page that was bought'),
  text('country', 'Country of the market, ISO 3166-1'),
  text('language', 'Language of the market, BCP 47'),
  device,
  date('due_at', 'Moment the request was for, UTC'),
  number('page', 'Number of the results page'),
  number('price', 'The most it could cost'),
  number('charged', 'What it cost'),
  text('purchase_state', 'open, paid, free or unknown: as it was seen when it was made'),
  date('opened_at', 'When it was written down, UTC'),
  date('settled_at', 'When its outcome was known, UTC'),
  text('error_code', 'What went wrong'),
  text('message', 'In words'),
  text('reconciled', 'charged or free: what became known later'),
  date('reconciled_at', 'When, UTC'),
  text('hash', 'Hash of the entry and all before it, hex'),
  discardNote,
];

/** The exportable tables. */
export const exportColumns = { rankings, checks, volumes, serps, ledger } as const;

export type ExportSubject = keyof typeof exportColumns;
