// The page job in Redis: packed by a coordinator, checked by the worker that takes it. It has no credentials.
import * as z from 'zod';
import type { PageJob } from '../queue.ts';
import { type MessageSigner, SignatureError } from './signature.ts';

/** What a worker finds in Redis: nothing that it needs the database for. */
export interface JobData {
  readonly page: PageJob;
  readonly payer: string;
  /** Base64; absent where no key is set. */
  readonly seal?: string;
}

const text = z.string().max(2_000);
const jobSchema = z.object({
  page: z.object({
    service: text,
    request: z.object({
      keyword: text,
      country: text,
      language: text,
      mobile: z.boolean(),
      page: z.int().min(1).max(1_000),
      location: text.optional(),
    }),
    at: z.int(),
    requestKey: text,
    order: z.int().min(0),
  }),
  payer: text,
  seal: text.optional(),
});

/** A job as it is put into the queue. */
export function packJob(jobId: string, page: PageJob, payer: string, seal: MessageSigner): JobData {
  const signature = seal.seal(jobId, signedFacts(page, payer));
  return isUnsigned(signature, page, payer) ? { page, payer } : { page, payer, seal: signature.toString('base64') };
}

/**
 * The job that a worker has taken. Throws SignatureError for one that is malformed, or that no coordinator with the
 * same key has written.
 */
export function unpackJob(jobId: string, data: unknown, seal: MessageSigner): Pick<JobData, 'page' | 'payer'> {
  const parsed = jobSchema.safeParse(data);
  if (!parsed.success) throw new SignatureError('it is malformed');
  const { page, payer, seal: signature } = parsed.data;
  const facts = signedFacts(page, payer);
  const signed = signature === undefined ? facts : Buffer.from(signature, 'base64');
  if (!seal.open(jobId, signed).equals(facts)) throw new SignatureError('its signature belongs to another request');
  return { page, payer };
}

function isUnsigned(signature: Buffer, page: PageJob, payer: string): boolean {
  return signature.equals(signedFacts(page, payer));
}

function signedFacts({ service, request, at, requestKey, order }: PageJob, payer: string): Buffer {
  const { keyword, country, language, mobile, page, location } = request;
  const where = location === undefined ? [] : [location];
  const facts = [service, keyword, country, language, mobile, page, at, requestKey, order, payer, ...where];
  return Buffer.from(JSON.stringify(facts));
}
