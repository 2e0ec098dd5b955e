// Shares of AI answers by target, of one prompt or keyword, or of all together; each compared with the period before.
import type { AnswerRow } from '../../../src/read/answer-row.ts';
import { answerShare } from '../../../src/tracker/answers/answer-share.ts';
import type { AnswerSighting } from '../../../src/tracker/answers/answers.ts';
import { byText, sumOf } from '../../../src/tracker/figures.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { pageIdentity } from '../../../src/tracker/targets/target.ts';
import { withoutTracking } from '../../../src/tracker/tracking.ts';

const pagesMax = 10;

/** Answers of one prompt, or of all prompts of an engine, in one period. */
export interface AnswerGroup
  extends Pick<AnswerRow, 'engine' | 'prompt' | 'country' | 'language' | 'device' | 'location'> {
  readonly period: string;
  readonly asked: number;
  /** AI overviews: checks that show one. Null: an assistant, which always answers. */
  readonly shown: number | null;
  readonly sources: ReadonlySet<string>;
  /** Answers that were given; of AI overviews those with links. */
  readonly answers: number;
  /** By target. */
  readonly counts: readonly TargetCounts[];
}

/** By page (`pageIdentity`): its address without tracking parameters, and how many answers cite it. */
type CitedPages = ReadonlyMap<string, { readonly url: string; readonly count: number }>;

/** Answers that cite and name a target, and how many cite each of its pages. */
interface TargetCounts {
  readonly cited: number;
  readonly mentioned: number;
  readonly pages: CitedPages;
}

/** `seen`: of each answer, by target. */
export function countAnswers(
  targets: number,
  seen: Iterable<readonly AnswerSighting[]>,
): Pick<AnswerGroup, 'answers' | 'counts'> {
  const counts = Array.from({ length: targets }, () => ({
    cited: 0,
    mentioned: 0,
    pages: new Map() as Map<string, { url: string; count: number }>,
  }));
  let answers = 0;
  for (const sightings of seen) {
    answers += 1;
    for (const [index, of] of counts.entries()) {
      const { pages = [], isMentioned = false } = sightings[index] ?? {};
      if (pages.length > 0) of.cited += 1;
      if (isMentioned) of.mentioned += 1;
      for (const [key, url] of new Map(pages.map((page) => [pageIdentity(page), page]))) cite(of.pages, key, url, 1);
    }
  }
  return { answers, counts };
}

function cite(pages: Map<string, { url: string; count: number }>, key: string, url: string, count: number): void {
  const known = pages.get(key);
  pages.set(key, { url: known?.url ?? withoutTracking(url), count: (known?.count ?? 0) + count });
}

/** Of several groups together. */
export function addCounts(groups: readonly AnswerGroup[]): Pick<AnswerGroup, 'answers' | 'counts'> {
  const pages = (target: number): CitedPages => {
    const sums = new Map<string, { url: string; count: number }>();
    for (const { counts } of groups)
      for (const [key, { url, count }] of counts[target]?.pages ?? []) cite(sums, key, url, count);
    return sums;
  };
  const sum = (of: (group: AnswerGroup) => number): number => sumOf(groups, of);
  return {
    answers: sum(({ answers }) => answers),
    counts: (groups[0]?.counts ?? []).map((_, target) => ({
      cited: sum(({ counts }) => counts[target]?.cited ?? 0),
      mentioned: sum(({ counts }) => counts[target]?.mentioned ?? 0),
      pages: pages(target),
    })),
  };
}

/** `group` of another period is compared with it; null: none. */
export function answerLines(
  project: Project,
  group: AnswerGroup,
  before: AnswerGroup | null,
  warning: string | null,
): AnswerRow[] {
  const { answers: _, counts: __, sources, shown, ...facts } = group;
  const isSameSource = before !== null && isSame(before.sources, sources);
  const previous = isSameSource && (before.answers > 0 || presence(before) !== null) ? before : null;
  return [...project.targets, ...project.competitors].map(({ value }, at) => ({
    project: project.id,
    ...facts,
    target: value,
    isOwn: at < project.targets.length,
    shown: presence(group),
    ...sharesOf(group, at),
    pages: citedPages(group, at),
    before:
      previous === null ? null : { period: previous.period, shown: presence(previous), ...sharesOf(previous, at) },
    warning,
  }));
}

function presence({ shown, asked }: AnswerGroup): AnswerRow['shown'] {
  return shown === null ? null : answerShare(shown, asked);
}

function sharesOf({ answers, counts, shown }: AnswerGroup, target: number): Pick<AnswerRow, 'cited' | 'mentioned'> {
  const { cited = 0, mentioned = 0 } = counts[target] ?? {};
  // the texts of overviews are not kept
  return { cited: answerShare(cited, answers), mentioned: shown === null ? answerShare(mentioned, answers) : null };
}

function citedPages({ counts }: AnswerGroup, target: number): string[] {
  return [...(counts[target]?.pages.values() ?? [])]
    .sort((a, b) => b.count - a.count || byText(a.url, b.url))
    .slice(0, pagesMax)
    .map(({ url }) => url);
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((each) => other.has(each));
}
