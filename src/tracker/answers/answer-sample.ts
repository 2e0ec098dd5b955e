// One AI answer with its text, its citations, and the targets that they and the text belong to. Pure.
import type { Project } from '../project.ts';
import { answerSightings, type SeenAnswer } from './answer-sightings.ts';

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

interface StoredSample extends SeenAnswer, Pick<AnswerSample, 'period' | 'sample' | 'source' | 'model'> {
  /** UTC milliseconds. */
  readonly observedAt: number;
  readonly citations: readonly { readonly url: string; readonly title: string | null }[];
}

/** A citation belongs to the first target that it is a page of: own targets come first. */
export function answerSamples(
  project: Pick<Project, 'targets' | 'competitors' | 'brandTerms'>,
): (search: Pick<AnswerSample, 'engine' | 'prompt' | 'country' | 'language'>, answer: StoredSample) => AnswerSample {
  const look = answerSightings(project);
  const targets = [...project.targets, ...project.competitors].map(({ value }) => value);
  return ({ engine, prompt, country, language }, answer) => {
    const seen = look(answer);
    const ownerOf = (url: string): number => seen.findIndex(({ pages }) => pages.includes(url));
    const { period, sample, observedAt, source, model, text } = answer;
    return {
      ...{ period, engine, prompt, country, language, sample },
      ...{ observedAt: new Date(observedAt).toISOString(), source, model, text },
      citations: answer.citations.map(({ url, title }) => {
        const owner = ownerOf(url);
        return { url, title, target: targets[owner] ?? null, isOwn: owner >= 0 && owner < project.targets.length };
      }),
      mentions: targets.filter((_, at) => seen[at]?.isMentioned === true),
    };
  };
}
