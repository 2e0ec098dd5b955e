// Sells once per idempotency key: replays a stored outcome, joins a request in flight, refuses a different request.
import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { untilAborted } from '../model/deadline.ts';
import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import type { AccountStore, IdempotencyCompletion, IdempotencyRecord, IdempotencyScope } from './account-store.ts';
import { mayBeAlive, processOwner, refundAbandoned } from './owner.ts';

/** How long an outcome is kept. */
const keptMs = 86_400_000;
/** How often a twin in another process is looked at, and how long it is waited for. */
const pollMs = 100;
const twinMsMax = 120_000;
const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
const outcomeBytesMax = 256 * 1024 * 1024;

export interface Purchase<Answer> {
  readonly scope: IdempotencyScope;
  /** Of operation and request. */
  readonly bodyHash: string;
  /**
   * Does the work, and stores the outcome with its settlement by `complete(answer)`. It must not end with one caller's
   * patience.
   */
  readonly work: (complete: (answer: Answer) => IdempotencyCompletion) => Promise<Answer>;
}

export interface Outcome<Answer> {
  readonly answer: Answer;
  /** Paid by someone before: this call has cost nothing. */
  readonly isReplayed: boolean;
}

interface Twin {
  readonly bodyHash: string;
  readonly outcome: Promise<Outcome<unknown>>;
}

/** Only successes are kept: a failure has cost nothing, and the next try under its key is a new one. */
export class Idempotency {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  readonly #inFlight = new Map<string, Twin>();

  constructor(accounts: AccountStore, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /**
   * The outcome of this key. A caller whose signal ends stops waiting, with the signal's reason; the work goes on and
   * is kept. Throws ServiceError INVALID_REQUEST where the key was used for another request.
   */
  async once<Answer>(purchase: Purchase<Answer>, signal: AbortSignal): Promise<Outcome<Answer>> {
    const { account, username, key } = purchase.scope;
    if (!keyForm.test(key)) {
      throw new ServiceError('INVALID_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
    }
    const place = JSON.stringify([account, username, key]);
    const twin = this.#inFlight.get(place);
    if (twin !== undefined) {
      refuseOther(twin, purchase);
      const { answer } = (await untilAborted(twin.outcome, signal)) as Outcome<Answer>;
      return { answer, isReplayed: true };
    }
    const outcome = this.#lead(purchase).finally(() => this.#inFlight.delete(place));
    this.#inFlight.set(place, { bodyHash: purchase.bodyHash, outcome });
    return await untilAborted(outcome, signal);
  }

  /** Waits for all work in flight, also where no caller waits any more. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#inFlight.values()].map(({ outcome }) => outcome));
  }

  async #lead<Answer>(purchase: Purchase<Answer>): Promise<Outcome<Answer>> {
    const owner = processOwner();
    const begunAt = this.#clock.now();
    for (;;) {
      const at = this.#clock.now();
      const { scope, bodyHash } = purchase;
      const start = await this.#accounts.beginIdempotent({ ...scope, bodyHash, owner, at, expiresAt: at + keptMs });
      if (start.status === 'begun') return { answer: await this.#work(purchase, owner), isReplayed: false };
      refuseOther(start.record, purchase);
      const record = await this.#untilComplete(scope, start.record, begunAt);
      if (record?.outcome !== undefined) return { answer: unpack<Answer>(record.outcome), isReplayed: true };
    }
  }

  async #work<Answer>(purchase: Purchase<Answer>, owner: string): Promise<Answer> {
    const { scope } = purchase;
    try {
      return await purchase.work((answer) => ({ ...scope, owner, outcome: pack(answer) }));
    } catch (error) {
      // Where forgetting fails as well, the work's own failure is the news; the record then ends with this process, or
      // after its day.
      await this.#accounts.forgetIdempotent({ ...scope, owner }).catch(() => undefined);
      throw error;
    }
  }

  /** The record once another process has completed it; undefined where that gave up or died, and the key is free. */
  async #untilComplete(
    scope: IdempotencyScope,
    known: IdempotencyRecord,
    since: number,
  ): Promise<IdempotencyRecord | undefined> {
    let record: IdempotencyRecord | undefined = known;
    while (record !== undefined && record.outcome === undefined) {
      if (!mayBeAlive(record.owner)) await refundAbandoned(this.#accounts, this.#clock.now());
      else if (this.#clock.now() - since >= twinMsMax) {
        throw new ServiceError('TIMEOUT', 'The same request is in flight elsewhere and does not end.');
      } else await this.#clock.sleep(pollMs);
      record = await this.#accounts.findIdempotent(scope, this.#clock.now());
    }
    return record;
  }
}

/** Names one request among all: equal for equal fields in any order and spelling. */
export function hashBody(operation: string, request: object): string {
  const fields = Object.entries(request).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([operation, fields]))
    .digest('base64url');
}

function refuseOther(known: { readonly bodyHash: string }, purchase: { readonly bodyHash: string }): void {
  if (known.bodyHash === purchase.bodyHash) return;
  throw new ServiceError('INVALID_REQUEST', 'This Idempotency-Key was used for another request.');
}

function pack(answer: unknown): Uint8Array {
  // A copy: what the compressor gives is a view of a far larger buffer, which a store in memory would hold.
  return Uint8Array.from(zstdCompressSync(JSON.stringify(answer)));
}

function unpack<Answer>(outcome: Uint8Array): Answer {
  return JSON.parse(zstdDecompressSync(outcome, { maxOutputLength: outcomeBytesMax }).toString()) as Answer;
}
