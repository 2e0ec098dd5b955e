// Packs outcomes on a worker, and checks and unpacks them on a coordinator.
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { errorTable, limits, ServiceError } from '../../../src/service/index.ts';
import { type PageOutcome, toRequestFailure } from '../queue.ts';
import type { AttemptEnd } from './redis-attempts.ts';
import { type MessageSigner, SignatureError } from './signature.ts';

/** A page, read and as it was received, both as JSON: escapes may double the body. */
const outcomeBytesMax = 2 * limits.responseBytesMax;
/** 8 MiB: what zstd writes at its usual levels needs no larger window. */
const windowLogMax = 23;

/** Where an outcome comes from. */
export interface OutcomeOrigin {
  /** Key of the try. */
  readonly key: string;
  readonly seal: MessageSigner;
}

/** An answer with its body as it was received, or a failure as plain facts. */
export function packOutcome(outcome: PageOutcome, { key, seal }: OutcomeOrigin): Buffer {
  return seal.seal(key, zstdCompressSync(JSON.stringify(outcome)));
}

/** Bytes from Redis that none of our workers can have written. */
export class ForgedOutcome extends Error {
  override readonly name = 'ForgedOutcome';
  readonly kind: 'unsigned' | 'malformed';

  constructor(kind: ForgedOutcome['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/**
 * How a request ends whose outcome is dropped: a worker may have paid for it. Where signatures fail, all of them will.
 */
export function droppedOutcome({ kind, message }: ForgedOutcome): PageOutcome {
  if (kind === 'malformed') {
    return failed(new ServiceError('UNREADABLE_RESPONSE', `The outcome in Redis was dropped: ${message}`));
  }
  return failed(
    new ServiceError('UNREADABLE_RESPONSE', `The outcome in Redis was rejected: ${message}.`, {
      disposition: 'halt',
      hint: 'Set the same queue.signingKey for all coordinators and workers. If it is the same, another program writes to this Redis.',
    }),
  );
}

/**
 * What the end of a try means for the coordinator of this identity. One that it did not call back itself is to be tried
 * again. Throws ForgedOutcome for bytes that no worker of ours can have written.
 */
export function toOutcome(end: AttemptEnd, payer: string, isUnwanted: boolean, origin: OutcomeOrigin): PageOutcome {
  const isShared = end.payer !== null && end.payer !== payer;
  if (end.kind === 'withdrawn') return failed(isUnwanted ? calledBack() : calledBackByOther());
  const outcome = end.kind === 'outcome' && end.payload !== null ? unpacked(end.payload, origin) : failed(lost());
  if (!isShared) return outcome;
  if (outcome.ok) return { ok: true, answer: outcome.answer, isShared };
  const { requests: _paidByOther, source: _ofOther, stated: _toOther, ...failure } = outcome.failure;
  const { charged, disposition } = failure;
  // a page that the other coordinator bought and could not read is not bought again
  const next = charged === 'yes' && disposition === 'retry' ? 'abandon' : disposition;
  return { ok: false, failure: { ...failure, charged: 'no', disposition: next, body: null } };
}

/** The caller stopped waiting. `unknown`: a worker may be at it. */
export function gaveUp(charged: 'no' | 'unknown'): PageOutcome {
  return failed(new ServiceError('ABORTED', 'The caller gave up waiting.', { charged }));
}

/**
 * Redis stayed away, or refused every write with these words: the run ends, so that it can be resumed when it is back.
 */
export function stranded(awayMs: number, refusal: string | null, charged: 'no' | 'unknown'): ServiceError {
  const seconds = Math.round(awayMs / 1000);
  const message =
    refusal === null
      ? `Redis has been unreachable for ${seconds} s.`
      : `Redis has refused writes for ${seconds} s: ${refusal}`;
  const remedy = refusal === null ? 'Start Redis' : 'Correct that';
  return new ServiceError('CONNECTION_FAILED', message, {
    disposition: 'halt',
    charged,
    hint: `${remedy} and run again; the run resumes where it stopped.`,
  });
}

export function failed(error: unknown): PageOutcome {
  return { ok: false, failure: toRequestFailure(error) };
}

function calledBack(): ServiceError {
  return new ServiceError('ABORTED', 'The request was withdrawn before a worker started it.', { charged: 'no' });
}

function calledBackByOther(): ServiceError {
  return new ServiceError('CONNECTION_FAILED', 'Another coordinator withdrew the request before a worker started it.', {
    charged: 'no',
  });
}

function lost(): ServiceError {
  return new ServiceError('CONNECTION_LOST', 'The worker or Redis was lost before the answer arrived.');
}

const text = z.string();
const body = z.object({ contentType: z.enum(['text/html', 'application/json']), text });
const requests = z.object({ charged: z.int().min(0), free: z.int().min(0), unknown: z.int().min(0) });
const errorCode = z.enum(Object.keys(errorTable) as [keyof typeof errorTable, ...(keyof typeof errorTable)[]]);
const passedOver = z.array(z.object({ source: text, code: errorCode, message: text, hint: text }));
/** Of the elements of a page what the tracker reads; the rest is kept as it came. */
const element = z.looseObject({ global_rank: z.number().optional() });
const serp = z.looseObject({
  organic: z.array(element.extend({ rank: z.number(), link: text, title: text })).optional(),
  people_also_ask: z.array(element).optional(),
  related: z.array(element).optional(),
});
const answer = z.looseObject({
  serp,
  features: z.array(z.looseObject({ type: text, links: z.array(text) })),
  doubts: z.array(z.enum(['decoy_page', 'empty_unproven'])).optional(),
  page: z.int().min(1),
  body,
  observedAt: z.int().min(0),
  source: text.optional(),
  passedOver: passedOver.optional(),
  requests: requests.optional(),
});
const failure = z.looseObject({
  code: errorCode,
  message: text,
  hint: text,
  disposition: z.enum(['retry', 'wait', 'abandon', 'halt']),
  charged: z.enum(['no', 'yes', 'unknown']),
  retryAfterMs: z.number().min(0).nullable(),
  passedOver: passedOver.optional(),
  source: text.optional(),
  requests: requests.optional(),
  body: body.nullable(),
});
const answeredAt = z.int().min(0).max(8.64e15).optional();
const outcomeSchema = z.union([
  z.object({ ok: z.literal(true), answer, answeredAt }),
  z.object({ ok: z.literal(false), failure, answeredAt }),
]);

function unpacked(payload: Buffer, { key, seal }: OutcomeOrigin): PageOutcome {
  let packed: Buffer;
  try {
    packed = seal.open(key, payload);
  } catch (error) {
    if (error instanceof SignatureError) throw new ForgedOutcome('unsigned', error.message);
    throw error;
  }
  try {
    const json = zstdDecompressSync(packed, {
      maxOutputLength: outcomeBytesMax,
      params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
    });
    // the schema holds all that is read of it
    return outcomeSchema.parse(JSON.parse(json.toString('utf8'))) as PageOutcome;
  } catch (error) {
    throw new ForgedOutcome('malformed', error instanceof z.ZodError ? z.prettifyError(error) : String(error));
  }
}
