// Who works on a run: a name for this process, and whether the process behind another name still lives.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { StoreError } from '../db/errors.ts';

/** Without a sign of life for this long a process on another machine counts as dead. */
const silentMsMax = 10 * 60_000;
/** One of another container under our host name cannot be asked either, but shares our clock: twelve signs of life are missing by then. */
const silentMsMaxHere = 60_000;

/** Who is at work in this process: a process may work for several configs, or for an old and a new one, side by side. */
const atWork = new Set<string>();
let ownersMade = 0;

/** One who works on runs. Its runs are free to be taken when it is closed, or when its process has ended. */
export interface Owner {
  readonly name: string;
  close(): void;
}

export function openOwner(): Owner {
  ownersMade += 1;
  const name = `${ownerName()}|${ownersMade}`;
  atWork.add(name);
  return { name, close: () => void atWork.delete(name) };
}

/** `host|boot~namespace|pid`: after a reboot, and in another container, the same pid is another process. */
export function ownerName(): string {
  return [hostname(), `${bootId()}~${pidNamespace()}`, process.pid].join('|');
}

/** The number of the process behind an owner's name. */
export function processOf(owner: string | null): string {
  return owner?.split('|')[2] ?? 'unknown';
}

/** What whoever wants the work of a run that somebody else has in hand is told. */
export function runInProgress(
  { id, owner }: { readonly id: number; readonly owner: string | null },
  of: string,
): StoreError {
  return new StoreError(
    'RUN_IN_PROGRESS',
    `run ${id} of ${of} is under way (process ${processOf(owner)})`,
    'Wait until it ends; `rankledger status` shows it.',
  );
}

/** Whether the owner of a run still works on it. On this machine the process is asked; elsewhere its heartbeat tells. */
export function isAlive(owner: string | null, heartbeatAt: number | null, now: number): boolean {
  if (owner === null) return false;
  const [host, system = '', pid] = owner.split('|');
  const isHeard = (silentMs: number): boolean => heartbeatAt !== null && now - heartbeatAt < silentMs;
  if (host !== hostname()) return isHeard(silentMsMax);
  const [boot, namespace] = system.split('~');
  if (boot !== bootId()) return false;
  // earlier versions named none
  if (namespace !== undefined && namespace !== pidNamespace()) return isHeard(silentMsMaxHere);
  if (Number(pid) === process.pid) return atWork.has(owner);
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** Containers number their processes each for itself, and may share a host name. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '';
  }
}
