// Who works on a run: a name for this process, and whether the process behind another name still lives.
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Without a sign of life for this long a process on another machine counts as dead. */
const silentMsMax = 10 * 60_000;

/** `host|boot|pid`: after a reboot the same pid is another process. */
export function ownerName(): string {
  return [hostname(), bootId(), process.pid].join('|');
}

/** Whether the owner of a run still works on it. On this machine the process is asked; elsewhere its heartbeat tells. */
export function isAlive(owner: string | null, heartbeatAt: number | null, now: number): boolean {
  if (owner === null) return false;
  const [host, boot, pid] = owner.split('|');
  if (host !== hostname()) return heartbeatAt !== null && now - heartbeatAt < silentMsMax;
  if (boot !== bootId() || Number(pid) === process.pid) return false;
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
