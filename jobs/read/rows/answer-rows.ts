// Rows of AI answers of a project by period: shares of each target, of all prompts of an engine and of each prompt.
import type { PromptSearch } from '../../../db/history/answers.ts';
import type { AnswerRow } from '../../../src/read/answer-row.ts';
import {
  type AnswerSighting,
  answerSightings,
  periodStart,
  type StoredAnswer,
} from '../../../src/tracker/answers/answers.ts';
import { byText, sumOf } from '../../../src/tracker/figures.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';
import { type AnswerGroup, addCounts, answerLines, countAnswers } from './answer-groups.ts';
import { overviewRows } from './overview-rows.ts';

/**
 * Rows of the periods that begin within the dates, both inclusive: oldest period first, in it each engine with all its
 * prompts, then each of them; AI overviews come last. Each row is compared with the period before that has answers.
 */
export function* answerRows(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  dates: { readonly from: string; readonly to: string },
  warning: string | null = null,
): Generator<AnswerRow> {
  const overviews = overviewRows({ store }, project, dates, warning);
  const rows = [...promptRows({ store }, project, dates, warning), ...overviews.rows];
  rows.sort((a, b) => byText(a.period, b.period));
  const later = rows.findIndex(({ period }) => period > overviews.newest);
  const end = later === -1 ? rows.length : later;
  yield* rows.slice(0, end);
  yield* overviews.ofSearches;
  yield* rows.slice(end);
}

function promptRows(
  { store }: Pick<JobContext, 'store'>,
  project: Project,
  dates: { readonly from: string; readonly to: string },
  warning: string | null,
): AnswerRow[] {
  const { prompts, service } = project;
  if (prompts === undefined) return [];
  const look = answerSightings(project);
  const targets = project.targets.length + project.competitors.length;
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
    const groupsOf = (period: string): AnswerGroup[] => {
      const each = ofPrompts.map(({ search, byPeriod }) =>
        toGroup(search, period, prompts.samples, byPeriod.get(period) ?? [], targets, look),
      );
      return [mergeGroups(engine, period, each), ...each];
    };
    for (const [index, period] of periods.entries()) {
      if (period < dates.from) continue;
      const previous = periods[index - 1];
      const before = previous === undefined ? [] : groupsOf(previous);
      for (const [at, group] of groupsOf(period).entries())
        rows.push(...answerLines(project, group, before[at] ?? null, warning));
    }
  }
  return rows;
}

function toGroup(
  { service: _, ...search }: PromptSearch,
  period: string,
  asked: number,
  answers: readonly StoredAnswer[],
  targets: number,
  look: (answer: StoredAnswer) => AnswerSighting[],
): AnswerGroup {
  const sources = new Set(answers.map(({ source }) => source));
  const counted = countAnswers(targets, answers.values().map(look));
  return { ...search, device: null, location: null, period, asked, shown: null, sources, ...counted };
}

function mergeGroups(engine: string, period: string, groups: readonly AnswerGroup[]): AnswerGroup {
  return {
    engine,
    prompt: null,
    country: null,
    language: null,
    device: null,
    location: null,
    period,
    asked: sumOf(groups, ({ asked }) => asked),
    shown: null,
    sources: new Set(groups.flatMap(({ sources }) => [...sources])),
    ...addCounts(groups),
  };
}
