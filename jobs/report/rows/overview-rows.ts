// Rows of AI overviews by period, from pages that checks have bought: in k of n checks, and whom they cite.
import type { OverviewCheck } from '../../../db/reads/reports/overviews.ts';
import { type AnswerRow, overviewEngine } from '../../../src/report/rows/answer-row.ts';
import { periodStart } from '../../../src/tracker/answers/answer-period.ts';
import type { AnswerSighting } from '../../../src/tracker/answers/answer-sightings.ts';
import { addDays } from '../../../src/tracker/changes/baseline.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { localDate, startOfDay } from '../../../src/tracker/schedule/local-time.ts';
import { compileTargets } from '../../../src/tracker/targets/target.ts';
import type { JobContext } from '../../context.ts';
import { type AnswerGroup, answerLines } from './answer-groups.ts';

/** Without a first date: so long before the last one. */
const daysMax = 100;
/** After so many overviews, periods before the newest two are left out whole. */
const overviewsMax = 100_000;
/** Before the first date: what the first period is compared with. */
const beforeDays = 31;
/** The newest period, and the one that it is compared with. */
const detailedPeriods = 2;
const urlsPerRead = 5_000;
const nothingSeen: readonly string[] = Object.freeze([]);

/** Checks of a search, or of all, in one period. */
interface Sample {
  asked: number;
  readonly sources: Set<string>;
  /** The links of each overview. */
  readonly shown: (readonly number[])[];
}

interface Period extends Sample {
  readonly start: string;
  readonly bySearch: Map<number, Sample>;
}

const noSample = (): Sample => ({ asked: 0, sources: new Set(), shown: [] });

/**
 * For each period a row of each target over all checks; for the newest one also of each search that showed an overview
 * in it or in the period before. No rows where no check showed one: the source may have none.
 */
export function overviewRows(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  dates: { readonly from: string; readonly to: string },
  warning: string | null,
): AnswerRow[] {
  const periods = readPeriods({ store }, project, dates);
  if (periods.every(({ shown }) => shown.length === 0)) return [];
  const look = sightings(store, project, periods);
  const rows: AnswerRow[] = [];
  for (const [at, period] of periods.entries()) {
    if (period.start < dates.from) break;
    const before = periods[at + 1] ?? null;
    const [group, previous] = [period, before].map((one) => (one === null ? null : toGroup(one.start, one, look)));
    if (group != null) rows.push(...answerLines(project, group, previous ?? null, warning));
    if (at === 0) rows.push(...searchRows(store, project, period, before, look, warning));
  }
  return rows;
}

function searchRows(
  store: JobContext['store'],
  project: Project,
  period: Period,
  before: Period | null,
  look: Look,
  warning: string | null,
): AnswerRow[] {
  const isShown = (id: number): boolean =>
    [period, before].some((one) => (one?.bySearch.get(id)?.shown.length ?? 0) > 0);
  const searches = store.overviews.searches([...period.bySearch.keys()].filter(isShown));
  return searches
    .sort((a, b) => (a.keyword < b.keyword ? -1 : a.keyword > b.keyword ? 1 : a.id - b.id))
    .flatMap(({ id, keyword, country, language, device, location }) => {
      const names = { prompt: keyword, country, language, device, location: location === '' ? null : location };
      const of = (one: Period): AnswerGroup => toGroup(one.start, one.bySearch.get(id) ?? noSample(), look);
      return answerLines(project, { ...of(period), ...names }, before === null ? null : of(before), warning);
    });
}

/** Newest first, each whole. Of the newest two, each search has its own sample. */
function readPeriods(
  { store }: Pick<JobContext, 'store'>,
  { id, timezone, prompts }: Project,
  dates: { readonly from: string; readonly to: string },
): Period[] {
  const every = prompts?.every ?? 'week';
  const until = dates.to === '9999' ? Number.MAX_SAFE_INTEGER : startOfDay(addDays(dates.to, 1), timezone) - 1;
  const from = dates.from === '' ? 0 : startOfDay(addDays(dates.from, -beforeDays), timezone);
  const query = { project: id, from, until };
  const startOf = (at: number): string => periodStart(localDate(at, timezone), every);
  const periods = new Map<string, Period>();
  const periodOf = (start: string): Period => {
    const period = periods.get(start) ?? { start, bySearch: new Map<number, Sample>(), ...noSample() };
    periods.set(start, period);
    return period;
  };
  const isWanted = (start: string): boolean => {
    if (periods.has(start) || periods.size < detailedPeriods) return true;
    const overviews = periods.values().reduce((sum, { shown }) => sum + shown.length, 0);
    const newest = [...periods.keys()].reduce((latest, one) => (one > latest ? one : latest));
    return overviews < overviewsMax && (dates.from !== '' || start >= addDays(newest, -daysMax));
  };
  for (const run of store.overviews.runs(query)) {
    const counts = store.overviews.counts(run, query);
    const starts = new Set(counts.flatMap(({ first, last }) => [startOf(first), startOf(last)]));
    if (![...starts].every(isWanted)) break;
    const [start] = starts;
    if (start === undefined) continue;
    const isDetailed = starts.size > 1 || periods.size < detailedPeriods || newestOf(periods).includes(start);
    if (isDetailed) {
      for (const check of store.overviews.checks(run, query, 'all'))
        addCheck(periodOf(startOf(check.checkedAt)), check);
      continue;
    }
    const period = periodOf(start);
    for (const { source, checks } of counts) {
      period.asked += checks;
      period.sources.add(source);
    }
    if (counts.some(({ shown }) => shown > 0))
      for (const { urlIds } of store.overviews.checks(run, query, 'shown'))
        if (urlIds !== null) period.shown.push(urlIds);
  }
  return [...periods.values()].sort((a, b) => (a.start < b.start ? 1 : -1));
}

function newestOf(periods: ReadonlyMap<string, Period>): string[] {
  return [...periods.keys()].sort().slice(-detailedPeriods);
}

function addCheck(period: Period, { searchId, source, urlIds }: OverviewCheck): void {
  const search = period.bySearch.get(searchId) ?? noSample();
  period.bySearch.set(searchId, search);
  for (const sample of [period, search]) {
    sample.asked += 1;
    sample.sources.add(source);
    if (urlIds !== null) sample.shown.push(urlIds);
  }
}

type Look = (urlIds: readonly number[]) => AnswerSighting[];

/** The cited pages of each target. Each URL is read and matched once. */
function sightings(store: JobContext['store'], project: Project, periods: readonly Period[]): Look {
  const targets = [...project.targets, ...project.competitors];
  const compiled = compileTargets(targets);
  const cited = new Map<number, { readonly url: string; readonly targets: readonly number[] }>();
  const ids = new Set(periods.flatMap(({ shown }) => shown.flat()));
  for (const chunk of chunks([...ids], urlsPerRead))
    for (const [id, url] of store.overviews.urls(chunk)) {
      const indexes = compiled.matchingIndexes(url);
      if (indexes.length > 0) cited.set(id, { url, targets: indexes });
    }
  const none = { pages: nothingSeen, isMentioned: false };
  return (urlIds) => {
    const found: AnswerSighting[] = targets.map(() => none);
    for (const id of urlIds) {
      const { url = '', targets: indexes = [] } = cited.get(id) ?? {};
      for (const index of indexes) found[index] = { pages: [...(found[index]?.pages ?? []), url], isMentioned: false };
    }
    return found;
  };
}

/** An overview without links says nothing about whom it cites: it counts as shown only. */
function toGroup(period: string, { asked, sources, shown }: Sample, look: Look): AnswerGroup {
  return {
    engine: overviewEngine,
    prompt: null,
    country: null,
    language: null,
    device: null,
    location: null,
    period,
    asked,
    shown: shown.length,
    sources,
    seen: shown.filter((urlIds) => urlIds.length > 0).map(look),
  };
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
