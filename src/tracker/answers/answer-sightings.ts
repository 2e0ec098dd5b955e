// Which targets an AI answer cites, by their pages, and which it mentions, by their names. Pure.
import type { Project, Target } from '../project.ts';
import { deriveBrandTerms } from '../targets/brand.ts';
import { compileTargets } from '../targets/target.ts';

/** The part of an answer that counts. */
export interface SeenAnswer {
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
    const terms = deriveBrandTerms({ targets: [target], ...(isOwn && brandTerms !== undefined && { brandTerms }) });
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
