// Sells once per idempotency key: replays a stored outcome, joins a request in flight, rejects a different request.

import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { dayMs } from '../model/time/clock.ts';
import { untilAborted } from '../model/time/deadline.ts';
import type { AccountStore, IdempotencyCompletion, IdempotencyRecord, IdempotencyScope } from './account-store.ts';
import { mayBeAlive, processOwner, refundAbandoned } from './credits.ts';

/** How long an outcome is kept. */
const keptMs = dayMs;
/** How often a request in flight in another process is polled, and for how long. */
const pollMs = 100;
const twinMsMax = 120_000;
const keyForm = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;
const outcomeBytesMax = 256 * 1024 * 1024;

interface Purchase<Answer> {
  readonly scope: IdempotencyScope;
  /** Of operation and request. */
  readonly bodyHash: string;
  /**
   * Does the work, and stores the outcome with its settlement by `complete(answer)`. It must not depend on one caller's
   * patience.
   */
  readonly work: (complete: (answer: Answer) => IdempotencyCompletion) => Promise<Answer>;
}

interface Outcome<Answer> {
  readonly answer: Answer;
  /** An earlier call paid for it: this call costs nothing. */
  readonly isReplayed: boolean;
}

interface Twin {
  readonly bodyHash: string;
  readonly outcome: Promise<Outcome<unknown>>;
}

/** Only successes are stored: a failure costs nothing, and the next attempt under its key is a new one. */
export class Idempotency {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  readonly #inFlight = new Map<string, Twin>();

  constructor(accounts: AccountStore, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /**
   * The outcome of this key. A caller whose signal ends stops waiting, with the signal's reason; the work continues and
   * is stored. Throws ServiceError INVALID_REQUEST if the key was used for another request.
   */
  async once<Answer>(purchase: Purchase<Answer>, signal: AbortSignal): Promise<Outcome<Answer>> {
    const { account, username, key } = purchase.scope;
    if (!keyForm.test(key)) {
      throw new ServiceError('INVALID_REQUEST', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
    }
    const scopeKey = JSON.stringify([account, username, key]);
    const twin = this.#inFlight.get(scopeKey);
    if (twin !== undefined) {
      refuseOther(twin, purchase);
      const { answer } = (await untilAborted(twin.outcome, signal)) as Outcome<Answer>;
      return { answer, isReplayed: true };
    }
    const outcome = this.#lead(purchase).finally(() => this.#inFlight.delete(scopeKey));
    this.#inFlight.set(scopeKey, { bodyHash: purchase.bodyHash, outcome });
    return await untilAborted(outcome, signal);
  }

  /** Waits for all work in flight, even without waiting callers. */
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
      // If deleting fails too, the work's own error is reported; the record then ends with this process, or after a
      // day.
      await this.#accounts.forgetIdempotent({ ...scope, owner }).catch(() => undefined);
      throw error;
    }
  }

  /**
   * The record after another process has completed it; undefined if that process failed or died, and the key is free.
   */
  async #untilComplete(
    scope: IdempotencyScope,
    known: IdempotencyRecord,
    since: number,
  ): Promise<IdempotencyRecord | undefined> {
    let record: IdempotencyRecord | undefined = known;
    while (record !== undefined && record.outcome === undefined) {
      if (!mayBeAlive(record.owner)) await refundAbandoned(this.#accounts, this.#clock.now());
      else if (this.#clock.now() - since >= twinMsMax) {
        throw new ServiceError('TIMEOUT', 'Another request with this key is in flight and has not ended.');
      } else await this.#clock.sleep(pollMs);
      record = await this.#accounts.findIdempotent(scope, this.#clock.now());
    }
    return record;
  }
}

/** Identifies a request: equal for equal fields in any order and spelling. */
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
  // A copy: the compressor returns a view of a far larger buffer, which a store in memory would keep alive.
  return Uint8Array.from(zstdCompressSync(JSON.stringify(answer)));
}

function unpack<Answer>(outcome: Uint8Array): Answer {
  return JSON.parse(zstdDecompressSync(outcome, { maxOutputLength: outcomeBytesMax }).toString()) as Answer;
}
