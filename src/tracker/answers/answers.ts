// AI answers: their periods, and the targets that they cite and mention. Pure.
import type { Project, Target, TrackedPrompts } from '../project.ts';
import { dayMs } from '../schedule/time-units.ts';
import { deriveBrandTerms } from '../targets/brand.ts';
import { compileTargets } from '../targets/target.ts';

const daysOfWeek = 7;

/** The first date of the period: the date itself, the Monday of its week (ISO 8601), or the first of its month. */
export function periodStart(date: string, every: TrackedPrompts['every']): string {
  if (every === 'day') return date;
  if (every === 'month') return `${date.slice(0, 'yyyy-mm'.length)}-01`;
  const at = Date.parse(`${date}T00:00:00Z`);
  const sinceMonday = (new Date(at).getUTCDay() + daysOfWeek - 1) % daysOfWeek;
  return new Date(at - sinceMonday * dayMs).toISOString().slice(0, date.length);
}

/** The part of an answer that counts. */
interface SeenAnswer {
  readonly text: string;
  readonly citations: readonly { readonly url: string }[];
}

/** What an answer shows of one target. */
export interface AnswerSighting {
  /** Its cited pages, in the order of the answer. */
  readonly pages: readonly string[];
  readonly isMentioned: boolean;
}

/**
 * Names of own targets are the `brandTerms` of the project, where it has them; others are those in their domains. Names
 * are whole words in any case; `Adventure Works` and `adventure-works` are the same. Addresses in the text are no
 * mentions.
 */
export function answerSightings(
  project: Pick<Project, 'targets' | 'competitors' | 'brandTerms'>,
): (answer: SeenAnswer) => AnswerSighting[] {
  const targets: readonly Target[] = [...project.targets, ...project.competitors];
  const compiled = compileTargets(targets);
  const names = targets.map((target, index) => {
    const { brandTerms } = project;
    const isOwn = index < project.targets.length;
    const terms = deriveBrandTerms({ targets: [target], brandTerms: isOwn ? brandTerms : undefined });
    return terms.map(words).filter((name) => name.trim() !== '');
  });
  return ({ text, citations }) => {
    const pages = targets.map((): string[] => []);
    for (const { url } of citations) for (const index of compiled.matchingIndexes(url)) pages[index]?.push(url);
    const said = words(text.replace(/https?:\/\/\S+/g, ' '));
    return targets.map((_, index) => ({
      pages: pages[index] ?? [],
      isMentioned: names[index]?.some((name) => said.includes(name)) === true,
    }));
  };
}

/** Its words in lower case, each between spaces. */
function words(text: string): string {
  const normal = text.normalize('NFC').toLowerCase();
  return ` ${normal.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()} `;
}

/** A page that an answer cites. */
interface SampleCitation {
  readonly url: string;
  readonly title: string | null;
  /** The target that it is a page of; null: of none. */
  readonly target: string | null;
  readonly isOwn: boolean;
}

/** An answer as it was bought. */
export interface AnswerSample {
  /** First local date of the day, week or month. */
  readonly period: string;
  readonly engine: string;
  readonly prompt: string;
  readonly country: string;
  readonly language: string;
  /** From 1. */
  readonly sample: number;
  readonly observedAt: string;
  /** service/source of the answer. */
  readonly source: string;
  /** As the source names it; null: it does not. */
  readonly model: string | null;
  readonly text: string;
  /** In the order of the answer. */
  readonly citations: readonly SampleCitation[];
  /** Targets that the text names. */
  readonly mentions: readonly string[];
}

/** A sample as it was answered. */
export interface StoredAnswer extends SeenAnswer, Pick<AnswerSample, 'period' | 'sample' | 'source' | 'model'> {
  /** UTC milliseconds. */
  readonly observedAt: number;
  readonly citations: readonly { readonly url: string; readonly title: string | null }[];
}

/** A citation belongs to the first target that it is a page of: own targets come first. */
export function answerSamples(
  project: Pick<Project, 'targets' | 'competitors' | 'brandTerms'>,
): (search: Pick<AnswerSample, 'engine' | 'prompt' | 'country' | 'language'>, answer: StoredAnswer) => AnswerSample {
  const look = answerSightings(project);
  const targets = [...project.targets, ...project.competitors].map(({ value }) => value);
  return ({ engine, prompt, country, language }, answer) => {
    const seen = look(answer);
    const ownerOf = (url: string): number => seen.findIndex(({ pages }) => pages.includes(url));
    const { period, sample, observedAt, source, model, text } = answer;
    return {
      period,
      engine,
      prompt,
      country,
      language,
      sample,
      observedAt: new Date(observedAt).toISOString(),
      source,
      model,
      text,
      citations: answer.citations.map(({ url, title }) => {
        const owner = ownerOf(url);
        return { url, title, target: targets[owner] ?? null, isOwn: owner >= 0 && owner < project.targets.length };
      }),
      mentions: targets.filter((_, at) => seen[at]?.isMentioned === true),
    };
  };
}
