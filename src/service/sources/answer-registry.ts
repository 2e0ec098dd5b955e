// All sources of AI answers by name, loaded on first use. registry.ts holds the sources of result pages.
import type * as z from 'zod';
import type { AnswerEngine, AnswerFacts, AnswerModule, AnswerSource } from '../model/answer-source.ts';
import type { SourceDependencies, SourceKind } from '../model/source.ts';
import { createNamed, describeOptions, type SourceOption } from './loading.ts';

interface AnswerEntry {
  readonly kind: SourceKind;
  readonly load: () => Promise<AnswerModule>;
}

function sold(load: () => Promise<{ readonly vendor: AnswerModule }>): AnswerEntry {
  return { kind: 'live', load: async () => (await load()).vendor };
}

const registry: ReadonlyMap<string, AnswerEntry> = new Map([
  ['sandbox', { kind: 'sandbox', load: async () => (await import('./sandbox.ts')).answerModule }],
  ['dataforseo', sold(() => import('./dataforseo-answers.ts'))],
  ['brightdata', sold(() => import('./brightdata-answers.ts'))],
  ['searchapi', sold(() => import('./searchapi-answers.ts'))],
]);

/** The names that `answers` of a service may use, in the order in which they are offered. */
export const answerSourceNames: readonly string[] = [...registry.keys()];

/** What kind of source of answers a name stands for; undefined for an unknown name. */
export function answerKindOf(name: string): SourceKind | undefined {
  return registry.get(name)?.kind;
}

/** The engines whose answers the source has; undefined for an unknown name. */
export async function answerEnginesOf(name: string): Promise<readonly AnswerEngine[] | undefined> {
  return (await registry.get(name)?.load())?.facts.engines.map(({ engine }) => engine);
}

/**
 * Makes the source of AI answers of that name. Throws Error with one message that names the source and the remedy, like
 * `createMetricsSource`.
 */
export async function createAnswerSource(
  name: string,
  options: unknown,
  dependencies: SourceDependencies,
): Promise<AnswerSource> {
  const known = registry.get(name);
  if (known === undefined) {
    throw new Error(`There is no source "${name}" of AI answers. Known sources: ${answerSourceNames.join(', ')}.`);
  }
  const { create } = await known.load();
  return await createNamed(`Source "${name}" of AI answers`, () => create(options, dependencies));
}

/** The form of what `answers` of that source may say besides. Undefined for an unknown name. */
export async function answerOptionsSchema(name: string): Promise<z.ZodType | undefined> {
  return (await registry.get(name)?.load())?.options;
}

/** Describes a source of AI answers and its options under `answers` in a config. Undefined for an unknown name. */
export async function describeAnswerSource(
  name: string,
): Promise<{ readonly facts: AnswerFacts; readonly options: readonly SourceOption[] } | undefined> {
  const known = registry.get(name);
  if (known === undefined) return undefined;
  const { facts, options } = await known.load();
  return { facts, options: await describeOptions(options) };
}
