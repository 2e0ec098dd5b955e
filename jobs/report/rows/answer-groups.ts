// Shares of AI answers by target, of one prompt or keyword, or of all together; each compared with the period before.
import type { AnswerRow } from '../../../src/report/rows/answer-row.ts';
import { answerShare } from '../../../src/tracker/answers/answer-share.ts';
import type { AnswerSighting } from '../../../src/tracker/answers/answer-sightings.ts';
import type { Project } from '../../../src/tracker/project.ts';

const pagesMax = 10;

/** Answers of one prompt, or of all prompts of an engine, in one period. */
export interface AnswerGroup
  extends Pick<AnswerRow, 'engine' | 'prompt' | 'country' | 'language' | 'device' | 'location'> {
  readonly period: string;
  readonly asked: number;
  /** AI overviews: checks that show one. Null: an assistant, which always answers. */
  readonly shown: number | null;
  readonly sources: ReadonlySet<string>;
  /** Of each answer, by target. */
  readonly seen: readonly (readonly AnswerSighting[])[];
}

/** `group` of another period is compared with it; null: none. */
export function answerLines(
  project: Project,
  group: AnswerGroup,
  before: AnswerGroup | null,
  warning: string | null,
): AnswerRow[] {
  const { seen: _, sources, shown, ...facts } = group;
  const isSameSource = before !== null && isSame(before.sources, sources);
  const previous = isSameSource && (before.seen.length > 0 || presence(before) !== null) ? before : null;
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

function sharesOf({ seen, shown }: AnswerGroup, target: number): Pick<AnswerRow, 'cited' | 'mentioned'> {
  const count = (is: (sighting: AnswerSighting | undefined) => boolean): number =>
    seen.filter((sightings) => is(sightings[target])).length;
  const cited = count((sighting) => (sighting?.pages.length ?? 0) > 0);
  return {
    cited: answerShare(cited, seen.length),
    // the texts of overviews are not kept
    mentioned:
      shown === null
        ? answerShare(
            count((sighting) => sighting?.isMentioned === true),
            seen.length,
          )
        : null,
  };
}

function citedPages({ seen }: AnswerGroup, target: number): string[] {
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
