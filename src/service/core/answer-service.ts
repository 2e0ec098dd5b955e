// Asks a source of AI answers within a time limit. Every failure is a ServiceError that says what was charged.
import { isSameQuery } from '../engines/page/query.ts';
import type { AnswerCitation, AnswerRequest, AnswerSource, FetchedAnswer } from '../model/answer-source.ts';
import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { startDeadline, untilAborted } from '../model/time/deadline.ts';
import type { CallOptions } from './calls.ts';
import { toServiceError } from './purchase.ts';

/** Assistants search, read and write, which usually takes minutes. */
const answerTimeoutMs = 300_000;

/** AI answers of one source. */
export interface AnswerService extends Pick<AnswerSource, 'kind' | 'engines' | 'concurrency' | 'priceMicroUsd'> {
  /** Name of the source. */
  readonly source: string;
  ask(
    request: AnswerRequest,
    options?: Pick<CallOptions, 'signal' | 'at' | 'idempotencyKey' | 'timeoutMs'>,
  ): Promise<FetchedAnswer>;
}

export function createAnswerService(source: AnswerSource, clock: Clock): AnswerService {
  const { name, kind, engines, concurrency } = source;
  return {
    source: name,
    kind,
    engines,
    concurrency,
    priceMicroUsd: (engine) => source.priceMicroUsd(engine),
    async ask(request, { signal, at = clock.now(), idempotencyKey, timeoutMs = answerTimeoutMs } = {}) {
      if (!engines.includes(request.engine)) {
        const message = `${name} has no answers of ${request.engine}.`;
        throw new ServiceError('INVALID_REQUEST', message, { hint: `It has ${engines.join(', ')}.` });
      }
      const deadline = startDeadline(clock, timeoutMs, signal);
      let hasLeft = false;
      try {
        deadline.signal.throwIfAborted();
        const key = idempotencyKey === undefined ? {} : { idempotencyKey };
        const work = source.fetchAnswer(request, { signal: deadline.signal, at, ...key });
        hasLeft = kind === 'live';
        return checkedAnswer(await untilAborted(work, deadline.signal), request, source);
      } catch (error) {
        const failure = toServiceError(error, 'WORKER_FAILED');
        // the reason of a signal does not state whether its request was charged
        throw failure === deadline.signal.reason ? failure.with({ charged: hasLeft ? 'unknown' : 'no' }) : failure;
      } finally {
        deadline.end();
      }
    },
  };
}

/**
 * An answer without words, or to another prompt, proves nothing: it is a failure, and never an answer that cites no
 * page.
 */
function checkedAnswer(answer: FetchedAnswer, { prompt }: AnswerRequest, { name, kind }: AnswerSource): FetchedAnswer {
  const { prompt: answered = prompt, body, microUsdStated: stated } = answer;
  const text = answer.text.trim();
  const other = isSameQuery(answered, prompt) ? undefined : `to another prompt: "${answered.slice(0, 80)}"`;
  const problem = text === '' ? 'without a text' : other;
  if (problem !== undefined) {
    throw new ServiceError('WORKER_FAILED', `${name} gave an answer ${problem}.`, {
      charged: kind === 'live' ? 'yes' : 'no',
      ...(stated !== undefined && { stated }),
      body,
    });
  }
  const first = new Map<string, AnswerCitation>();
  for (const citation of answer.citations) if (!first.has(citation.url)) first.set(citation.url, citation);
  return { ...answer, text, citations: [...first.values()] };
}
