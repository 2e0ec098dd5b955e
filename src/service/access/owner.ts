// The owner name of this process, and the refund of charges that dead processes left open.
import { randomUUID } from 'node:crypto';
import { processName, processStateOf } from '../model/process-liveness.ts';
import type { AccountStore } from './account-store.ts';

/** Unfinished work older than this counts as left behind: no request may take that long. */
const workMsMax = 3_600_000;

let own: string | undefined;

/** The name of this process and a random part: the same for the life of this process, and never again. */
export function processOwner(): string {
  own ??= `${processName()}|${randomUUID()}`;
  return own;
}

/** False if the process has certainly ended. A process of another container or machine may be alive. */
export function mayBeAlive(owner: string): boolean {
  if (owner === own) return true;
  const state = processStateOf(owner);
  return state !== 'ended' && state !== 'own'; // our number under another name: an earlier process had it
}

/**
 * Refunds charges of processes that died between charge and settlement, and frees their keys. Call it at every start,
 * before the first request. Returns the number of refunded charges.
 */
export async function refundAbandoned(store: AccountStore, now: number): Promise<number> {
  let refunded = 0;
  for (const { owner, since } of await store.listOpenOwners()) {
    const isDead = !mayBeAlive(owner);
    if (!isDead && now - since < workMsMax) continue;
    const madeBefore = isDead ? Number.MAX_SAFE_INTEGER : now - workMsMax;
    refunded += await store.abandon({ owner, madeBefore, note: 'left open by a process that ended', at: now });
  }
  return refunded;
}
