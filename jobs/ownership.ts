// Names the owners of runs in this process, and decides whether the owner of a run is alive.
import { StoreError } from '../db/connection/errors.ts';
import { isProcessAtWork, processName, processStateOf } from '../src/service/terms.ts';

/** Open owners of this process. There may be several: one per config, or an old and a new one during a reload. */
const atWork = new Set<string>();
let ownersMade = 0;

/** An owner of runs. When it is closed, or its process has ended, other owners may take its runs over. */
export interface Owner {
  readonly name: string;
  close(): void;
}

export function openOwner(): Owner {
  ownersMade += 1;
  const name = `${processName()}|${ownersMade}`;
  atWork.add(name);
  return { name, close: () => void atWork.delete(name) };
}

/** The number of the process behind an owner's name. */
export function processPart(owner: string | null): string {
  return owner?.split('|')[2] ?? 'unknown';
}

/** The refusal for a command that names a project whose run is under way. */
export function runInProgress(
  { id, owner }: { readonly id: number; readonly owner: string | null },
  of: string,
): StoreError {
  return new StoreError(
    'RUN_IN_PROGRESS',
    `run ${id} of ${of} is under way (process ${processPart(owner)})`,
    'Wait until it ends; `rankledger status` shows it.',
  );
}

/** Whether the owner of a run still works on it. */
export function isAlive(owner: string | null, heartbeatAt: number | null, now: number): boolean {
  if (owner === null) return false;
  if (processStateOf(owner) === 'own') return atWork.has(owner);
  return isProcessAtWork(owner, heartbeatAt, now);
}
