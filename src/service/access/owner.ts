// The owner name of this process, and the refund of charges that dead processes left open.
import { randomUUID } from 'node:crypto';
import { processName, processStateOf } from '../model/process-liveness.ts';
import type { AccountStore } from './account-store.ts';

/** Work of any process counts as left behind after this: no request is given so long. */
const workMsMax = 3_600_000;

let own: string | undefined;

/** The name of this process and a random part: the same for the life of this process, and never again. */
export function processOwner(): string {
  own ??= `${processName()}|${randomUUID()}`;
  return own;
}

/** False where the process has ended for sure. Another container's process, or another machine's, may be alive. */
export function mayBeAlive(owner: string): boolean {
  if (owner === own) return true;
  const state = processStateOf(owner);
  return state !== 'ended' && state !== 'own'; // our number under another name: an earlier process had it
}

/**
 * Refunds what processes left that died between charge and settlement, and frees the keys they were working on. To be
 * done at every start, before the first request. Returns how many charges were refunded.
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
