// The contract of a source of AI answers: a prompt goes to an engine; its text comes back with the pages it cites.
import type * as z from 'zod';
import type { Charged } from './charged.ts';
import type { PageBody } from './errors.ts';
import type { SourceContext, SourceDependencies, SourceKind } from './source.ts';

/** The engines whose answers are tracked: the search engine's own AI mode, and four assistants. */
export const answerEngines = ['ai-mode', 'chatgpt', 'perplexity', 'gemini', 'copilot'] as const;
export type AnswerEngine = (typeof answerEngines)[number];

export interface AnswerRequest {
  readonly engine: AnswerEngine;
  readonly prompt: string;
  /** ISO 3166-1, upper case. */
  readonly country: string;
  /** BCP 47: `en`, `pt-BR`. */
  readonly language: string;
  /** From 1: an engine answers the same prompt differently each time. Only simulated sources read it. */
  readonly sample: number;
}

/** A page that an answer cites. */
export interface AnswerCitation {
  readonly url: string;
  readonly title: string | null;
}

export interface AiAnswer {
  /** Text or Markdown; never empty. */
  readonly text: string;
  /** In the order of the answer, each page once. Pages that were only searched are none. */
  readonly citations: readonly AnswerCitation[];
  /** As the source names it; absent where it does not. */
  readonly model?: string;
  /** The prompt to which the source says that this is the answer; absent where it names none. */
  readonly prompt?: string;
}

export interface FetchedAnswer extends AiAnswer {
  readonly body: PageBody;
  /** Its cost in micro-USD if the source states it. */
  readonly microUsdStated?: number;
  /** UTC milliseconds. */
  readonly observedAt: number;
}

export interface AnswerSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly engines: readonly AnswerEngine[];
  /** How many requests it takes at once. */
  readonly concurrency: number;
  /** The most that one answer may cost, in micro-USD. */
  priceMicroUsd(engine: AnswerEngine): number;
  /** Throws ServiceError WORKER_FAILED; `charged` says whether the failure cost anything at the source. */
  fetchAnswer(request: AnswerRequest, context: SourceContext): Promise<FetchedAnswer>;
  close?(): Promise<void>;
}

/** The price of an answer, and how its format is known. */
interface AnswerEngineFacts {
  readonly engine: AnswerEngine;
  /** The most that one answer may cost: what is reserved. */
  readonly microUsdMax: number;
  /** The month of the price list, `2026-08`. */
  readonly asOf: string;
  /** Where the format of requests and answers is documented, and when that was read. */
  readonly format: string;
}

/** Facts about a source of AI answers that need no request. */
export interface AnswerFacts {
  /** The name for people. */
  readonly title: string;
  readonly engines: readonly AnswerEngineFacts[];
  readonly failureCharge: Charged;
  /** Whether a request without an answer is charged, in the source's words. */
  readonly failureRule: string;
  /** Default limit of requests, unless the config sets another. */
  readonly rate: { readonly requestsPerSecond: number; readonly concurrency: number };
  /** An example for the config: a YAML service of five lines at most. */
  readonly example: string;
}

/** A source of AI answers as its registry loads it. `create` throws ZodError for options that do not fit. */
export interface AnswerModule {
  readonly facts: AnswerFacts;
  readonly options: z.ZodType;
  create(options: unknown, dependencies: SourceDependencies): AnswerSource | Promise<AnswerSource>;
}
