// Rows of AI answers of a project by period: shares of each target, of all prompts of an engine and of each prompt.
import type { PromptSearch, StoredAnswer } from '../../../db/history/answers.ts';
import type { AnswerRow } from '../../../src/report/tables/answers.ts';
import { periodStart } from '../../../src/tracker/answers/answer-period.ts';
import { answerShare } from '../../../src/tracker/answers/answer-share.ts';
import { type AnswerSighting, answerSightings } from '../../../src/tracker/answers/answer-sightings.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';

const pagesMax = 10;

/** Answers of one prompt, or of all prompts of an engine, in one period. */
interface Group {
  readonly engine: string;
  readonly search: PromptSearch | null;
  readonly period: string;
  readonly asked: number;
  readonly sources: ReadonlySet<string>;
  /** Of each answer, by target. */
  readonly seen: readonly (readonly AnswerSighting[])[];
}

/**
 * Rows of the periods that begin within the dates, both inclusive: oldest period first, in it each engine with all its
 * prompts, then each of them. Each row is compared with the period before that has answers.
 */
export function answerRows(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  dates: { readonly from: string; readonly to: string },
  warning: string | null = null,
): AnswerRow[] {
  const { prompts, service } = project;
  if (prompts === undefined) return [];
  const look = answerSightings(project);
  const rows: AnswerRow[] = [];
  for (const engine of prompts.engines) {
    const ofPrompts = prompts.list.map(({ prompt, country, language }) => {
      const search = { prompt, engine, service, country, language };
      // answers of projects that ask more often begin other periods
      const answers = store.answers
        .list(search, '', dates.to)
        .filter(({ period, sample }) => period === periodStart(period, prompts.every) && sample <= prompts.samples);
      return { search, byPeriod: Map.groupBy(answers, ({ period }) => period) };
    });
    const periods = [...new Set(ofPrompts.flatMap(({ byPeriod }) => [...byPeriod.keys()]))].sort();
    const groupsOf = (period: string): Group[] => {
      const each = ofPrompts.map(({ search, byPeriod }) =>
        toGroup(search, period, prompts.samples, byPeriod.get(period) ?? [], look),
      );
      return [mergeGroups(engine, period, each), ...each];
    };
    for (const [index, period] of periods.entries()) {
      if (period < dates.from) continue;
      const previous = periods[index - 1];
      const before = previous === undefined ? [] : groupsOf(previous);
      for (const [at, group] of groupsOf(period).entries())
        rows.push(...toRows(project, group, before[at] ?? null, warning));
    }
  }
  return rows.sort((a, b) => (a.period < b.period ? -1 : a.period > b.period ? 1 : 0));
}

function toGroup(
  search: PromptSearch,
  period: string,
  asked: number,
  answers: readonly StoredAnswer[],
  look: (answer: StoredAnswer) => AnswerSighting[],
): Group {
  const sources = new Set(answers.map(({ source }) => source));
  return { engine: search.engine, search, period, asked, sources, seen: answers.map(look) };
}

function mergeGroups(engine: string, period: string, groups: readonly Group[]): Group {
  return {
    engine,
    search: null,
    period,
    asked: groups.reduce((sum, { asked }) => sum + asked, 0),
    sources: new Set(groups.flatMap(({ sources }) => [...sources])),
    seen: groups.flatMap(({ seen }) => seen),
  };
}

function toRows(project: Project, group: Group, before: Group | null, warning: string | null): AnswerRow[] {
  const { engine, search, period, asked } = group;
  const { prompt = null, country = null, language = null } = search ?? {};
  const isComparable = before !== null && before.seen.length > 0 && isSame(before.sources, group.sources);
  return [...project.targets, ...project.competitors].map(({ value }, at) => ({
    project: project.id,
    period,
    engine,
    prompt,
    country,
    language,
    target: value,
    isOwn: at < project.targets.length,
    asked,
    ...sharesOf(group, at),
    pages: citedPages(group, at),
    before: isComparable ? { period: before.period, ...sharesOf(before, at) } : null,
    warning,
  }));
}

function sharesOf({ seen }: Group, target: number): Pick<AnswerRow, 'cited' | 'mentioned'> {
  const count = (is: (sighting: AnswerSighting | undefined) => boolean): number =>
    seen.filter((sightings) => is(sightings[target])).length;
  return {
    cited: answerShare(
      count((sighting) => (sighting?.pages.length ?? 0) > 0),
      seen.length,
    ),
    mentioned: answerShare(
      count((sighting) => sighting?.isMentioned === true),
      seen.length,
    ),
  };
}

function citedPages({ seen }: Group, target: number): string[] {
  const counts = new Map<string, number>();
  for (const sightings of seen)
    for (const page of new Set(sightings[target]?.pages)) counts.set(page, (counts.get(page) ?? 0) + 1);
  return [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, pagesMax)
    .map(([page]) => page);
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}
