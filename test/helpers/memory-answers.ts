// A service whose AI answers are scripted and counted, beside sandbox pages.
import {
  type AnswerRequest,
  type AnswerSource,
  answerEngines,
  createSearchDataService,
  type FetchedAnswer,
  type SearchDataService,
  type SourceContext,
  type SourceKind,
} from '../../src/service/index.ts';
import type { JobClock } from './job-clock.ts';
import { memorySource } from './memory-source.ts';

export const answerPrice = 20_000;

export interface AnswerScript {
  /** Default: live, which costs money. */
  readonly kind?: SourceKind;
  /** Default: an answer that names and cites acme.example. */
  readonly answer?: (request: AnswerRequest, call: number, context: SourceContext) => Partial<FetchedAnswer>;
  readonly concurrency?: number;
}

export interface MemoryAnswers {
  readonly service: SearchDataService;
  readonly asked: AnswerRequest[];
  /** Idempotency keys in the order of the requests. */
  readonly keys: (string | undefined)[];
}

export function memoryAnswers(clock: JobClock, script: AnswerScript = {}): MemoryAnswers {
  const { kind = 'live', concurrency = 2 } = script;
  const asked: AnswerRequest[] = [];
  const keys: (string | undefined)[] = [];
  const answers: AnswerSource = {
    name: 'memory',
    kind,
    engines: answerEngines,
    concurrency,
    priceMicroUsd: () => answerPrice,
    async fetchAnswer(request, context) {
      asked.push(request);
      keys.push(context.idempotencyKey);
      const usual = {
        text: 'Acme is a good choice.',
        citations: [{ url: 'https://acme.example/shoes', title: 'Acme' }],
        body: { contentType: 'application/json', text: '{}' } as const,
        observedAt: kind === 'live' ? clock.now() : context.at,
      };
      return { ...usual, ...script.answer?.(request, asked.length, context) };
    },
  };
  const { serp } = memorySource({ kind: 'sandbox' });
  if (serp === undefined) throw new Error('the memory source has pages');
  return { service: createSearchDataService({ source: { serp, answers }, clock }), asked, keys };
}
