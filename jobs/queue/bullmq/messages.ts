// The messages between coordinators and workers: signed where a key is set, and checked before anything is believed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { errorTable, limits, type PageRequest, ServiceError } from '../../../src/service/terms.ts';
import { type PageJob, type PageOutcome, type ReceivedPage, toRequestFailure } from '../queue.ts';
import type { AttemptEnd, HeldAttempt } from './attempt.ts';
import { keyPrefix } from './redis.ts';

/** Bytes from Redis that no process of ours can have written. `unsigned`: its signature is missing or wrong. */
export class ForgedMessage extends Error {
  override readonly name = 'ForgedMessage';
  readonly kind: 'unsigned' | 'malformed';

  constructor(kind: ForgedMessage['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

const mark = Buffer.from('RLS1');
const macBytes = 32;

/** Signs with HMAC-SHA-256. Without a key messages travel as they are, and signed ones are refused. */
export class MessageSigner {
  readonly #key: string | null;

  constructor(key: string | null) {
    this.#key = key;
  }

  /** Whether there is a key. */
  get isSigning(): boolean {
    return this.#key !== null;
  }

  /** `context` names the request: its signature does not fit another request. */
  seal(context: string, message: Buffer): Buffer {
    return this.#key === null ? message : Buffer.concat([mark, this.#mac(this.#key, context, message), message]);
  }

  /** The message of a sealed one. Throws ForgedMessage. */
  open(context: string, sealed: Buffer): Buffer {
    const isSigned = sealed.subarray(0, mark.length).equals(mark);
    if (this.#key === null) {
      if (isSigned) throw new ForgedMessage('unsigned', 'it is signed, and no queue.signingKey is set here');
      return sealed;
    }
    if (!isSigned) throw new ForgedMessage('unsigned', 'it is not signed');
    const message = sealed.subarray(mark.length + macBytes);
    const mac = sealed.subarray(mark.length, mark.length + macBytes);
    const expected = this.#mac(this.#key, context, message);
    if (mac.length !== macBytes || !timingSafeEqual(mac, expected)) {
      throw new ForgedMessage('unsigned', 'it is signed with another queue.signingKey than the one set here');
    }
    return message;
  }

  #mac(key: string, context: string, message: Buffer): Buffer {
    return createHmac('sha256', key).update(context).update('\0').update(message).digest();
  }
}

const shortText = z.string().max(2_000);
/** The fields of a type, each with its schema: one that is added to the type must be added here. */
type FieldsOf<T> = { readonly [Name in keyof T]-?: z.ZodType<T[Name]> };
const request = {
  keyword: shortText,
  country: shortText,
  language: shortText,
  mobile: z.boolean(),
  page: z.int().min(1).max(1_000),
  location: shortText.optional(),
  through: z.int().min(1).max(1_000).optional(),
} satisfies FieldsOf<PageRequest>;
const pageJob = {
  service: shortText,
  request: z.object(request),
  at: z.int(),
  requestKey: shortText,
  order: z.int(),
} satisfies FieldsOf<PageJob>;
const jobSchema = z.object({
  page: z.object(pageJob),
  payer: shortText,
  /** Base64; absent where no key is set. */
  seal: shortText.optional(),
});

/** What a worker finds in Redis: nothing that it needs the database for, and no credentials. */
export type JobData = z.infer<typeof jobSchema>;

/** A job as it is put into the queue. */
export function packJob(jobId: string, page: PageJob, payer: string, signer: MessageSigner): JobData {
  const seal = signer.isSigning && signer.seal(jobId, signedFacts({ page, payer })).toString('base64');
  return { page, payer, ...(seal !== false && { seal }) };
}

/** The job that a worker has taken. Throws ForgedMessage. */
export function unpackJob(jobId: string, data: unknown, signer: MessageSigner): JobData {
  const { success, data: job } = jobSchema.safeParse(data);
  if (!success) throw new ForgedMessage('malformed', 'it is malformed');
  const facts = signedFacts(job);
  const signed = job.seal === undefined ? facts : Buffer.from(job.seal, 'base64');
  if (signer.open(jobId, signed).equals(facts)) return job;
  throw new ForgedMessage('unsigned', 'its signature belongs to another request');
}

function signedFacts({ page: { service, request, at, requestKey, order }, payer }: JobData): Buffer {
  const { keyword, country, language, mobile, page, location, through } = request;
  const where = [...(location === undefined ? [] : [location]), ...(through === undefined ? [] : [through])];
  const facts = [service, keyword, country, language, mobile, page, at, requestKey, order, payer, ...where];
  return Buffer.from(JSON.stringify(facts));
}

/**
 * Where workers ask whether a purchase is open, so that a copy of a signed job buys nothing. They name an attempt and,
 * sealed, its payer and the token of its beginning. A token is used for one beginning only, so no old grant fits.
 */
export const askChannel = `${keyPrefix}:ask`;

/** Where the worker of a token is answered. Its name is the part before the slash. */
export function grantChannel(token: string): string {
  return `${keyPrefix}:grant:${token.split('/', 1)[0]}`;
}

const noteSchema = z.object({ key: z.string().max(4_000), sealed: z.base64().max(4_000) });
const noteFields = { ask: ['payer', 'token'], grant: ['token'] } as const;
type NoteKind = keyof typeof noteFields;

export function packNote(kind: NoteKind, held: HeldAttempt, signer: MessageSigner): string {
  const text = noteFields[kind].map((field) => held[field]).join('\n');
  const sealed = signer.seal(`${kind} ${held.key}`, Buffer.from(text)).toString('base64');
  return JSON.stringify({ key: held.key, sealed });
}

/** A question or a grant, which names no payer; null for a message that no process with our key has written. */
export function unpackNote(kind: NoteKind, message: string, signer: MessageSigner): HeldAttempt | null {
  try {
    const { key, sealed } = noteSchema.parse(JSON.parse(message));
    const fields = signer.open(`${kind} ${key}`, Buffer.from(sealed, 'base64')).toString('utf8').split('\n');
    const [payer, token] = kind === 'grant' ? ['', ...fields] : fields;
    return payer === undefined || token === undefined ? null : { key, payer, token };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof ForgedMessage) return null;
    throw error;
  }
}

/** A page, read and as it was received, both as JSON: escapes may double the body. */
const outcomeBytesMax = 2 * limits.responseBytesMax;
/** 8 MiB: what zstd writes at its usual levels needs no larger window. */
const windowLogMax = 23;

const text = z.string();
const body = z.object({ contentType: z.enum(['text/html', 'application/json']), text });
const requests = z.object({ charged: z.int().min(0), free: z.int().min(0), unknown: z.int().min(0) });
const errorCode = z.enum(Object.keys(errorTable) as [keyof typeof errorTable, ...(keyof typeof errorTable)[]]);
const passedOver = z.array(z.object({ source: text, code: errorCode, message: text, hint: text }));
/** Of the elements of a page what the tracker reads; the rest is kept as it came. */
const element = z.looseObject({ global_rank: z.number().optional() });
const answer = z.looseObject({
  serp: z.looseObject({
    organic: z.array(element.extend({ rank: z.number(), link: text, title: text })).optional(),
    people_also_ask: z.array(element).optional(),
    related: z.array(element).optional(),
  }),
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
/** `isShared` is a finding of the coordinator. */
const received = { answer, stated: z.int().min(0).optional() } satisfies Record<
  Exclude<keyof ReceivedPage, 'isShared'>,
  z.ZodType
>;
const outcomeSchema = z.union([
  z.object({ ok: z.literal(true), ...received, answeredAt }),
  z.object({ ok: z.literal(false), failure, answeredAt }),
]);

/** An answer with its body as it was received, or a failure as plain facts. `key`: of the attempt. */
export function packOutcome(outcome: PageOutcome, key: string, signer: MessageSigner): Buffer {
  return signer.seal(key, zstdCompressSync(JSON.stringify(outcome)));
}

function unpackOutcome(payload: Buffer, key: string, signer: MessageSigner): PageOutcome {
  const packed = signer.open(key, payload);
  try {
    const json = zstdDecompressSync(packed, {
      maxOutputLength: outcomeBytesMax,
      params: { [constants.ZSTD_d_windowLogMax]: windowLogMax },
    });
    // the schema holds all that is read of it
    return outcomeSchema.parse(JSON.parse(json.toString('utf8'))) as PageOutcome;
  } catch (error) {
    throw new ForgedMessage('malformed', error instanceof z.ZodError ? z.prettifyError(error) : String(error));
  }
}

/**
 * What the end of an attempt means for the coordinator of this identity. One that it did not call back itself is to be
 * tried again. Throws ForgedMessage.
 */
export function outcomeOfEnd(
  end: AttemptEnd,
  { key, payer, isUnwanted }: { readonly key: string; readonly payer: string; readonly isUnwanted: boolean },
  signer: MessageSigner,
): PageOutcome {
  if (end.kind === 'withdrawn') {
    const [code, subject] = isUnwanted
      ? (['ABORTED', 'The request was withdrawn'] as const)
      : (['CONNECTION_FAILED', 'Another coordinator withdrew the request'] as const);
    return failed(new ServiceError(code, `${subject} before a worker started it.`, { charged: 'no' }));
  }
  const outcome =
    end.kind === 'outcome' && end.payload !== null
      ? unpackOutcome(end.payload, key, signer)
      : failed(new ServiceError('CONNECTION_LOST', 'The worker or Redis was lost before the answer arrived.'));
  if (end.payer === null || end.payer === payer) return outcome;
  if (outcome.ok) return { ok: true, answer: outcome.answer, isShared: true };
  const { requests: _paidByOther, source: _ofOther, stated: _toOther, ...failure } = outcome.failure;
  // a page that the other coordinator bought and could not read is not bought again
  const isSold = failure.charged === 'yes' && failure.disposition === 'retry';
  const disposition = isSold ? 'abandon' : failure.disposition;
  return { ok: false, failure: { ...failure, charged: 'no', disposition, body: null } };
}

/**
 * How a request ends whose outcome is dropped: a worker may have paid for it. Where signatures fail, all of them will.
 */
export function droppedOutcome({ kind, message }: ForgedMessage): PageOutcome {
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

export function failed(error: unknown): PageOutcome {
  return { ok: false, failure: toRequestFailure(error) };
}
