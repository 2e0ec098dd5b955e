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
const urlsPerRead = 5_000;
const nothingSeen: readonly string[] = Object.freeze([]);

/** Checks of one period, newest first. */
interface Period {
  readonly start: string;
  readonly checks: OverviewCheck[];
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
): AnswerRow[] {
  const periods = readPeriods({ store }, project, dates);
  if (periods.every(({ checks }) => checks.every(({ urlIds }) => urlIds === null))) return [];
  const look = sightings(store, project, periods);
  const rows: AnswerRow[] = [];
  for (const [at, period] of periods.entries()) {
    if (period.start < dates.from) break;
    const before = periods[at + 1];
    const of = (one: Period, checks = one.checks): AnswerGroup => toGroup(one.start, checks, look);
    rows.push(...answerLines(project, of(period), before === undefined ? null : of(before), warning));
    if (at === 0) rows.push(...searchRows(store, project, period, before, look, warning));
  }
  return rows;
}

function searchRows(
  store: JobContext['store'],
  project: Project,
  period: Period,
  before: Period | undefined,
  look: Look,
  warning: string | null,
): AnswerRow[] {
  const [now, earlier] = [period, before].map((one) => Map.groupBy(one?.checks ?? [], ({ searchId }) => searchId));
  const isShown = (checks: readonly OverviewCheck[] = []): boolean => checks.some(({ urlIds }) => urlIds !== null);
  const shown = [...(now ?? [])].filter(([id, checks]) => isShown(checks) || isShown(earlier?.get(id)));
  const searches = store.overviews.searches(shown.map(([id]) => id));
  return searches
    .sort((a, b) => (a.keyword < b.keyword ? -1 : a.keyword > b.keyword ? 1 : a.id - b.id))
    .flatMap(({ id, keyword, country, language, device, location }) => {
      const names = { prompt: keyword, country, language, device, location: location === '' ? null : location };
      const group = { ...toGroup(period.start, now?.get(id) ?? [], look), ...names };
      const previous = before === undefined ? null : toGroup(before.start, earlier?.get(id) ?? [], look);
      return answerLines(project, group, previous, warning);
    });
}

/** Newest first, each whole. A check that reused the pages of another one is no further sample. */
function readPeriods(
  { store }: Pick<JobContext, 'store'>,
  { id, timezone, prompts }: Project,
  dates: { readonly from: string; readonly to: string },
): Period[] {
  const every = prompts?.every ?? 'week';
  const until = dates.to === '9999' ? Number.MAX_SAFE_INTEGER : startOfDay(addDays(dates.to, 1), timezone) - 1;
  const periods = new Map<string, Period>();
  const seen = new Set<string>();
  let overviews = 0;
  const from = dates.from === '' ? 0 : startOfDay(addDays(dates.from, -beforeDays), timezone);
  for (const check of store.overviews.checks(id, from, until)) {
    const date = localDate(check.checkedAt, timezone);
    const { size } = seen;
    if (seen.add(`${check.searchId} ${check.checkedAt}`).size === size) continue;
    const start = periodStart(date, every);
    const known = periods.get(start);
    if (known === undefined) {
      const [newest = start] = [...periods.keys()].sort().slice(-1);
      if (periods.size >= 2 && (overviews >= overviewsMax || (dates.from === '' && start < addDays(newest, -daysMax))))
        break;
    }
    const period = known ?? { start, checks: [] };
    periods.set(start, period);
    period.checks.push(check);
    if (check.urlIds !== null) overviews += 1;
  }
  return [...periods.values()].sort((a, b) => (a.start < b.start ? 1 : -1));
}

type Look = (urlIds: readonly number[]) => AnswerSighting[];

/** The cited pages of each target. Each URL is read and matched once. */
function sightings(store: JobContext['store'], project: Project, periods: readonly Period[]): Look {
  const targets = [...project.targets, ...project.competitors];
  const compiled = compileTargets(targets);
  const cited = new Map<number, { readonly url: string; readonly targets: readonly number[] }>();
  const ids = new Set(periods.flatMap(({ checks }) => checks.flatMap(({ urlIds }) => urlIds ?? [])));
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
function toGroup(period: string, checks: readonly OverviewCheck[], look: Look): AnswerGroup {
  const shown = checks.flatMap(({ urlIds }) => (urlIds === null ? [] : [urlIds]));
  return {
    engine: overviewEngine,
    prompt: null,
    country: null,
    language: null,
    device: null,
    location: null,
    period,
    asked: checks.length,
    shown: shown.length,
    sources: new Set(checks.map(({ source }) => source)),
    seen: shown.filter((urlIds) => urlIds.length > 0).map(look),
  };
}

function* chunks<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
