// Whose unfinished work it is: a name for this process, and whether the process behind another name may still be at it.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { AccountStore } from './account-store.ts';

/** Work of any process counts as left behind after this: no request is given so long. */
const workMsMax = 3_600_000;

let own: string | undefined;

/** `host|boot|pid|random`: the same for the life of this process, and never again. */
export function processOwner(): string {
  own ??= [hostname(), bootId(), process.pid, randomUUID()].join('|');
  return own;
}

/** Whether a process of this machine still runs; one of another machine is believed to. */
export function mayBeAlive(owner: string): boolean {
  if (owner === own) return true;
  const [host, boot, pid] = owner.split('|');
  if (host !== hostname()) return true;
  if (boot !== bootId() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Refunds what processes left that died between charge and settlement, and frees the keys they were working on. To be done at every start,
 * before the first request. Returns how many charges were refunded.
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

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
