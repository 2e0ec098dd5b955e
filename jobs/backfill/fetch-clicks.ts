// Fetches the days of clicks that are missing or not final yet. Days are stored one by one: a failure loses none.

import type { ClickRow, NamedTotal, QueryRow } from '../../db/history/clicks.ts';
import { keywordKey, type SearchConsole, type SearchType, ServiceError } from '../../src/service/terms.ts';
import { addClicks } from '../../src/tracker/clicks/clicks.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { addDays } from '../../src/tracker/schedule/local-time.ts';
import type { JobContext } from '../context.ts';

const searchTypes: readonly SearchType[] = ['web', 'image', 'video', 'news', 'discover', 'googleNews'];

/** The API has hours of so many days. */
const hourDays = 10;

/** Search Console dates its days in Pacific time. */
const reportZone = 'America/Los_Angeles';

export interface ClicksPeriod {
  readonly from: string;
  readonly to: string;
}

export interface FetchedClicks {
  readonly project: string;
  readonly property: string;
  readonly from: string;
  readonly to: string;
  /** Days fetched now; `fresh` of them are not final. */
  readonly days: number;
  readonly fresh: number;
  /** Days known already, and final. */
  readonly known: number;
  /** By query and page. */
  readonly rows: number;
  readonly clicks: number;
  readonly impressions: number;
  /** Of these, those of queries that the API hides or leaves out. */
  readonly hiddenClicks: number;
  readonly hiddenImpressions: number;
  /** The sums of the rows that the API gives by query alone, and by page alone. */
  readonly queryClicks: number;
  readonly pageClicks: number;
  /** What Search Console refuses to give, with its words: the rest is stored. */
  readonly refused: readonly string[];
}

/** The months before today, in the time zone of Search Console. */
export function clicksPeriod(now: number, months: number): ClicksPeriod {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: reportZone }).format(now);
  const first = new Date(`${today}T00:00:00Z`);
  const day = first.getUTCDate();
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() - months);
  const lastDay = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(day, lastDay));
  return { from: first.toISOString().slice(0, 10), to: today };
}

export interface ClicksRequest extends ClicksPeriod {
  readonly project: string;
  readonly property: string;
}

/** Throws ServiceError; the days before it are stored. */
export async function fetchClicks(
  { store, clock }: Pick<JobContext, 'store' | 'clock'>,
  source: SearchConsole,
  { project, property, from, to }: ClicksRequest,
  signal: AbortSignal,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<FetchedClicks> {
  const web = await source.days(from, to, 'web', signal);
  const { days } = web;
  const final = store.clicks.finalDates(project, property);
  const due = days.filter(({ date }) => !final.has(date));
  const sums = { fresh: 0, rows: 0, clicks: 0, impressions: 0, hiddenClicks: 0, hiddenImpressions: 0 };
  const alone = { queryClicks: 0, pageClicks: 0 };
  for (const [index, day] of due.entries()) {
    onProgress(index, due.length);
    const queries = inNormalForm<QueryRow>(await source.queries(day.date, signal));
    const pages = inNormalForm<ClickRow>(await source.pages(day.date, signal));
    const totals = {
      queries: totalsInNormalForm(await source.totals(day.date, 'query', signal)),
      pages: await source.totals(day.date, 'page', signal),
    };
    store.clicks.put(project, property, day, { queries, pages, totals }, clock.now());
    alone.queryClicks += sumOf(totals.queries, (row) => row.clicks);
    alone.pageClicks += sumOf(totals.pages, (row) => row.clicks);
    const shownClicks = sumOf(queries, (row) => row.clicks);
    const shownImpressions = sumOf(queries, (row) => row.impressions);
    sums.fresh += day.isFinal ? 0 : 1;
    sums.rows += pages.length;
    sums.clicks += day.clicks;
    sums.impressions += day.impressions;
    sums.hiddenClicks += Math.max(0, day.clicks - shownClicks);
    sums.hiddenImpressions += Math.max(0, day.impressions - shownImpressions);
  }
  const refused: string[] = [];
  const answered = new Set(days.map(({ date }) => date));
  for (const type of searchTypes)
    await unlessRefused(refused, `search type ${type}`, async () => {
      // a day that the API no longer has must not count as one without impressions
      const missing = store.clicks.datesWithout(type, project, property).filter((date) => answered.has(date));
      const [first, last = first] = [missing[0], missing.at(-1)];
      if (first === undefined || last === undefined) return;
      const { days: counted, firstFresh } = type === 'web' ? web : await source.days(first, last, type, signal);
      const byDate = new Map(counted.map(({ isFinal: _, ...day }) => [day.date, day]));
      const none = { clicks: 0, impressions: 0, averagePosition: null };
      const final = missing.filter((date) => firstFresh === null || date < firstFresh);
      const totals = final.map((date) => byDate.get(date) ?? { date, ...none });
      store.clicks.putTypeTotals(type, project, property, totals);
    });
  await unlessRefused(refused, 'hours', async () => {
    store.clicks.putHours(project, await source.hours(addDays(to, 1 - hourDays), to, signal));
  });
  store.clicks.noteFetch(project, property, clock.now());
  const known = days.length - due.length;
  return { project, property, from, to, days: due.length, known, ...sums, ...alone, refused };
}

/** How a part of the API is refused: it is unknown there, or forbidden to a user who may read the days of web. */
const refusals: readonly ServiceError['code'][] = ['INVALID_REQUEST', 'IP_NOT_WHITELISTED'];

/** A part of the API that is refused fails no other part. */
async function unlessRefused(refused: string[], what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ServiceError) || !refusals.includes(error.code)) throw error;
    refused.push(`${what}: ${error.message}`);
  }
}

/** Queries as keywords are compared: several spellings of one are one. */
function totalsInNormalForm(rows: readonly NamedTotal[]): NamedTotal[] {
  const named = rows.map(({ name, ...row }) => ({ query: name, country: '', device: '', ...row }));
  return inNormalForm(named).map(({ query: name, clicks, impressions, averagePosition }) => {
    return { name, clicks, impressions, averagePosition };
  });
}

/** Queries as keywords are compared: rows of one query in several spellings are one. */
function inNormalForm<Row extends QueryRow & { readonly page?: string }>(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const query = keywordKey(row.query) || row.query;
    const key = [query, row.page, row.country, row.device].join('\n');
    const known = sums.get(key);
    const { clicks, impressions, averagePosition } = known === undefined ? row : addClicks(known, row);
    const numbers = { clicks, impressions: impressions ?? 0, averagePosition: averagePosition ?? row.averagePosition };
    sums.set(key, { ...row, query, ...numbers });
  }
  return [...sums.values()];
}
