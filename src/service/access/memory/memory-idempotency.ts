// Idempotency records of the account store in memory.
import type {
  IdempotencyCompletion,
  IdempotencyRecord,
  IdempotencyScope,
  IdempotencyStart,
  NewIdempotency,
} from '../account-store.ts';

/** Outcomes kept beyond this many bytes push out the oldest: memory is no archive. */
const outcomeBytesMax = 16 * 1024 * 1024;
/** Expired records deleted at a call. */
const expiredDeletedMax = 8;

interface KeptRecord extends IdempotencyRecord {
  readonly scope: IdempotencyScope;
  readonly expiresAt: number;
}

export class MemoryIdempotency {
  readonly #records = new Map<string, KeptRecord>();
  #outcomeBytes = 0;

  begin(start: NewIdempotency): IdempotencyStart {
    this.#deleteExpired(start.at);
    const known = this.find(start, start.at);
    if (known !== undefined) return { status: 'known', record: known };
    const { account, username, key, bodyHash, owner, at, expiresAt } = start;
    this.#keep({ scope: { account, username, key }, bodyHash, owner, at, expiresAt, outcome: undefined });
    return { status: 'begun' };
  }

  inFlight(): IdempotencyRecord[] {
    return [...this.#records.values()].filter(({ outcome }) => outcome === undefined);
  }

  forget(scope: IdempotencyScope, owner: string): void {
    if (this.#inFlight(scope, owner) !== undefined) this.#records.delete(recordKey(scope));
  }

  forgetInFlight(isLeft: (record: IdempotencyRecord) => boolean): void {
    for (const [key, record] of this.#records) {
      if (record.outcome === undefined && isLeft(record)) this.#records.delete(key);
    }
  }

  find(scope: IdempotencyScope, at: number): KeptRecord | undefined {
    const record = this.#records.get(recordKey(scope));
    return record === undefined || record.expiresAt <= at ? undefined : record;
  }

  #inFlight(scope: IdempotencyScope, owner: string): KeptRecord | undefined {
    const record = this.#records.get(recordKey(scope));
    return record?.owner === owner && record.outcome === undefined ? record : undefined;
  }

  complete({ outcome, owner, ...scope }: IdempotencyCompletion): void {
    const record = this.#inFlight(scope, owner);
    if (record !== undefined) this.#keep({ ...record, outcome });
  }

  /** The newest last: the map's order is the order in which records are pushed out. */
  #keep(record: KeptRecord): void {
    this.#drop(recordKey(record.scope));
    this.#records.set(recordKey(record.scope), record);
    this.#outcomeBytes += record.outcome?.length ?? 0;
    for (const [key, oldest] of this.#records) {
      if (this.#outcomeBytes <= outcomeBytesMax) break;
      if (oldest.outcome !== undefined) this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#outcomeBytes -= this.#records.get(key)?.outcome?.length ?? 0;
    this.#records.delete(key);
  }

  #deleteExpired(at: number): void {
    let looked = 0;
    for (const [key, record] of this.#records) {
      if (record.expiresAt <= at) this.#drop(key);
      if (++looked === expiredDeletedMax) return;
    }
  }
}

function recordKey({ account, username, key }: IdempotencyScope): string {
  return JSON.stringify([account, username, key]);
}
