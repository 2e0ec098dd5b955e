// Outcomes on their way through Redis: packed by a worker, unpacked by a coordinator, who reads in them what they mean for its own ledger.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ServiceError } from '../src/service/index.ts';
import type { TryEnd } from './bullmq-tries.ts';
import { failureOf, type PageOutcome } from './queue.ts';

/** An answer with its body as it was received, or a failure as plain facts. */
export function packOutcome(outcome: PageOutcome): Buffer {
  return zstdCompressSync(JSON.stringify(outcome));
}

/** What the end of a try means for the coordinator of this identity. One that it did not call back itself is to be tried again. */
export function outcomeOf(end: TryEnd, payer: string, isUnwanted: boolean): PageOutcome {
  const isShared = end.payer !== null && end.payer !== payer;
  if (end.kind === 'withdrawn') return failed(isUnwanted ? calledBack() : calledBackByOther());
  const outcome = end.kind === 'outcome' ? unpacked(end.payload) : failed(lost());
  if (!isShared) return outcome;
  if (outcome.ok) return { ...outcome, isShared };
  const { requests: _paidByOther, source: _ofOther, ...failure } = outcome.failure;
  const { charged, disposition } = failure;
  // what the other was sold and could not read is not bought by us either
  const next = charged === 'yes' && disposition === 'retry' ? 'abandon' : disposition;
  return { ok: false, failure: { ...failure, charged: 'no', disposition: next, body: null } };
}

/** The caller stopped waiting. `unknown`: a worker may be at it. */
export function gaveUp(charged: 'no' | 'unknown'): PageOutcome {
  return failed(new ServiceError('ABORTED', 'The caller gave up waiting.', { charged }));
}

/** Redis stayed away: the run ends, so that it can be resumed when it is back. */
export function stranded(awayMs: number, charged: 'no' | 'unknown'): ServiceError {
  return new ServiceError('CONNECTION_FAILED', `Redis has been away for ${Math.round(awayMs / 1000)} s.`, {
    disposition: 'halt',
    charged,
    hint: 'Start Redis and run again; the run resumes where it stopped.',
  });
}

export function failed(error: unknown): PageOutcome {
  return { ok: false, failure: failureOf(error) };
}

function calledBack(): ServiceError {
  return new ServiceError('ABORTED', 'The request was called back before a worker had begun it.', { charged: 'no' });
}

function calledBackByOther(): ServiceError {
  return new ServiceError('CONNECTION_FAILED', 'Another coordinator called the request back before it was begun.', {
    charged: 'no',
  });
}

function lost(): ServiceError {
  return new ServiceError('CONNECTION_LOST', 'The worker or Redis was lost before the answer came.');
}

function unpacked(payload: Buffer | null): PageOutcome {
  if (payload === null) return failed(lost());
  try {
    return JSON.parse(zstdDecompressSync(payload).toString('utf8')) as PageOutcome;
  } catch (error) {
    return failed(new ServiceError('UNREADABLE_RESPONSE', 'What the worker sent cannot be read.', { cause: error }));
  }
}
