// Rows of AI overviews by period, from pages that checks have bought: in k of n checks, and whom they cite.

import { batchesOf } from '../../../db/connection/batches.ts';
import type { OverviewCheck } from '../../../db/reads/reports/overviews.ts';
import { type AnswerRow, overviewEngine } from '../../../src/read/answer-row.ts';
import { type AnswerSighting, periodStart } from '../../../src/tracker/answers/answers.ts';
import { byText, sumOf } from '../../../src/tracker/figures.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { addDays, localDate, startOfDay } from '../../../src/tracker/schedule/local-time.ts';
import { type CompiledTargets, compileTargets } from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';
import { type AnswerGroup, answerLines, countAnswers } from './answer-groups.ts';
import { UrlNumbers } from './url-numbers.ts';

/** Without a first date: so long before the last one. */
const daysMax = 100;
/** After so many overviews, periods before the newest two are left out whole. */
const overviewsMax = 100_000;
/** Before the first date: what the first period is compared with. */
const beforeDays = 31;
/** The newest period, and the one that it is compared with. */
const detailedPeriods = 2;
/** Checks whose links are looked up together. */
const checksPerRead = 1_000;
const quarterHourMs = 900_000;

/** A page of targets, by their indexes. */
interface CitedPage {
  readonly url: string;
  readonly targets: readonly number[];
}

const noPages: readonly CitedPage[] = Object.freeze([]);
/** Replaced by a list at the first overview. */
const noOverviews: (readonly CitedPage[])[] = [];
const noSources: ReadonlySet<string> = new Set();

/** Checks of a search, or of all, in one period: a hundred thousand searches have one each. */
interface Sample {
  asked: number;
  sources: ReadonlySet<string>;
  shown: number;
  /** The pages of targets in each overview with links. */
  seen: (readonly CitedPage[])[];
}

interface Period extends Sample {
  readonly start: string;
  readonly bySearch: Map<number, Sample>;
}

const noSample = (): Sample => ({ asked: 0, sources: noSources, shown: 0, seen: noOverviews });

interface OverviewRows {
  /** Over all checks: newest period first. */
  readonly rows: readonly AnswerRow[];
  /** Of searches, in the newest period. */
  readonly ofSearches: Iterable<AnswerRow>;
  /** First date of the newest period; empty: none. */
  readonly newest: string;
}

/**
 * For each period a row of each target over all checks; for the newest one also of each search that showed an overview
 * in it or in the period before. No rows where no check showed one: the source may have none.
 */
export function overviewRows(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  dates: { readonly from: string; readonly to: string },
  warning: string | null,
): OverviewRows {
  const periods = readPeriods({ store }, project, dates);
  const [newest] = periods;
  const isEmpty = periods.every(({ shown }) => shown === 0);
  if (newest === undefined || newest.start < dates.from || isEmpty) return { rows: [], ofSearches: [], newest: '' };
  const targets = project.targets.length + project.competitors.length;
  const groups = periods.map((period) => toGroup(period.start, period, targets));
  const rows = groups
    .filter(({ period }) => period >= dates.from)
    .flatMap((group, at) => answerLines(project, group, groups[at + 1] ?? null, warning));
  return { rows, ofSearches: searchRows(store, project, newest, periods[1] ?? null, warning), newest: newest.start };
}

function* searchRows(
  store: JobContext['store'],
  project: Project,
  period: Period,
  before: Period | null,
  warning: string | null,
): Generator<AnswerRow> {
  const targets = project.targets.length + project.competitors.length;
  const isShown = (id: number): boolean => [period, before].some((one) => (one?.bySearch.get(id)?.shown ?? 0) > 0);
  const searches = store.overviews.searches([...period.bySearch.keys()].filter(isShown));
  searches.sort((a, b) => byText(a.keyword, b.keyword) || a.id - b.id);
  for (const { id, keyword, country, language, device, location } of searches) {
    const names = { prompt: keyword, country, language, device, location: location === '' ? null : location };
    const of = (one: Period): AnswerGroup => toGroup(one.start, one.bySearch.get(id) ?? noSample(), targets);
    yield* answerLines(project, { ...of(period), ...names }, before === null ? null : of(before), warning);
  }
}

/** Newest first, each whole. Of the newest two, each search has its own sample. */
function readPeriods(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  dates: { readonly from: string; readonly to: string },
): Period[] {
  const { id, timezone, prompts } = project;
  const until = dates.to === '9999' ? Number.MAX_SAFE_INTEGER : startOfDay(addDays(dates.to, 1), timezone) - 1;
  const from = dates.from === '' ? 0 : startOfDay(addDays(dates.from, -beforeDays), timezone);
  const query = { project: id, from, until };
  const startOf = periodStarts(timezone, prompts?.every ?? 'week');
  const cited = new CitedPages(store, project);
  const sets = new SourceSets();
  const addAsked = (sample: Sample, source: string, checks: number): void => {
    sample.asked += checks;
    sample.sources = sets.with(sample.sources, source);
  };
  const periods = new Map<string, Period>();
  const periodOf = (start: string): Period => {
    return getOrInsert(periods, start, () => ({ start, bySearch: new Map<number, Sample>(), ...noSample() }));
  };
  const isWanted = (start: string): boolean => {
    if (periods.has(start) || periods.size < detailedPeriods) return true;
    const overviews = sumOf(periods.values(), ({ shown }) => shown);
    const newest = [...periods.keys()].reduce((latest, one) => (one > latest ? one : latest));
    return overviews < overviewsMax && (dates.from !== '' || start >= addDays(newest, -daysMax));
  };
  const runs = store.overviews.runs(query);
  if (!runs.some((run) => store.overviews.areShown(run, query))) return [];
  for (const run of runs) {
    const counts = store.overviews.counts(run, query);
    const starts = new Set(counts.flatMap(({ first, last }) => [startOf(first), startOf(last)]));
    if (![...starts].every(isWanted)) break;
    const [start] = starts;
    if (start === undefined) continue;
    const isDetailed = starts.size > 1 || periods.size < detailedPeriods || newestOf(periods).includes(start);
    if (isDetailed) {
      for (const [check, pages] of cited.of(store.overviews.checks(run, query, 'all'))) {
        const period = periodOf(startOf(check.checkedAt));
        const search = getOrInsert(period.bySearch, check.searchId, noSample);
        for (const sample of [period, search]) {
          addAsked(sample, check.source, 1);
          if (check.urlIds !== null) addOverview(sample, pages);
        }
      }
      continue;
    }
    const period = periodOf(start);
    for (const { source, checks } of counts) addAsked(period, source, checks);
    if (counts.some(({ shown }) => shown > 0))
      for (const [{ urlIds }, pages] of cited.of(store.overviews.checks(run, query, 'shown')))
        if (urlIds !== null) addOverview(period, pages);
  }
  return [...periods.values()].sort((a, b) => byText(b.start, a.start));
}

/** Consecutive checks are mostly of one quarter of an hour, whose period is found once. */
function periodStarts(timezone: string, every: Parameters<typeof periodStart>[1]): (at: number) => string {
  let lastQuarter = Number.NaN;
  let lastStart = '';
  return (at) => {
    const quarter = Math.floor(at / quarterHourMs);
    if (quarter !== lastQuarter) {
      lastQuarter = quarter;
      lastStart = periodStart(localDate(at, timezone), every);
    }
    return lastStart;
  };
}

function newestOf(periods: ReadonlyMap<string, Period>): string[] {
  return [...periods.keys()].sort().slice(-detailedPeriods);
}

/** Overviews without links have no pages, and say nothing about whom they cite: they count as shown only. */
function addOverview(sample: Sample, pages: readonly CitedPage[] | null): void {
  sample.shown += 1;
  if (pages === null) return;
  if (sample.seen === noOverviews) sample.seen = [pages];
  else sample.seen.push(pages);
}

/** Equal sets are one: a hundred thousand searches of one source would have a set each. */
class SourceSets {
  readonly #known = new Map<string, ReadonlySet<string>>();

  with(sources: ReadonlySet<string>, source: string): ReadonlySet<string> {
    if (sources.has(source)) return sources;
    const names = [...sources, source].sort();
    const key = names.join('\n');
    return getOrInsert(this.#known, key, () => new Set(names));
  }
}

/** Finds the pages of targets among the links of overviews. Each URL is read and matched once. */
class CitedPages {
  readonly #store: JobContext['store'];
  readonly #compiled: CompiledTargets;
  /** 0: of no target; others are one more than an index in `#pages`. */
  readonly #known = new UrlNumbers();
  readonly #pages: CitedPage[] = [];

  constructor(store: JobContext['store'], { targets, competitors }: Project) {
    this.#store = store;
    this.#compiled = compileTargets([...targets, ...competitors]);
  }

  /** Each check with these pages; null: its overview has no links, or it has none. */
  *of(checks: Iterable<OverviewCheck>): Generator<readonly [OverviewCheck, readonly CitedPage[] | null]> {
    for (const batch of batchesOf(checks, checksPerRead)) {
      this.#read(batch.flatMap(({ urlIds }) => urlIds ?? []));
      for (const check of batch)
        yield [check, check.urlIds === null || check.urlIds.length === 0 ? null : this.#among(check.urlIds)];
    }
  }

  #among(urlIds: readonly number[]): readonly CitedPage[] {
    const found = urlIds.flatMap((id) => this.#pageOf(id) ?? []);
    return found.length === 0 ? noPages : found;
  }

  #pageOf(urlId: number): CitedPage | undefined {
    if (this.#known.of(urlId) === undefined) this.#read([urlId]);
    return this.#pages[(this.#known.of(urlId) ?? 0) - 1];
  }

  #read(urlIds: readonly number[]): void {
    const unknown = new Set(urlIds.filter((id) => this.#known.of(id) === undefined));
    if (unknown.size === 0) return;
    for (const [id, url] of this.#store.overviews.urls([...unknown])) {
      const targets = this.#compiled.matchingIndexes(url);
      this.#known.set(id, targets.length === 0 ? 0 : this.#pages.push({ url, targets }));
    }
  }
}

function toGroup(period: string, { asked, sources, shown, seen }: Sample, targets: number): AnswerGroup {
  const look = (pages: readonly CitedPage[]): AnswerSighting[] =>
    Array.from({ length: targets }, (_, index) => ({
      pages: pages.flatMap((page) => (page.targets.includes(index) ? page.url : [])),
      isMentioned: false,
    }));
  return {
    engine: overviewEngine,
    prompt: null,
    country: null,
    language: null,
    device: null,
    location: null,
    period,
    asked,
    shown,
    sources,
    ...countAnswers(targets, seen.values().map(look)),
  };
}
