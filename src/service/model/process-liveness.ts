// Names this process, and tests whether a named process is still running.

import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { dayMs } from './time/clock.ts';

/**
 * What is known about the process behind a name. `own`: it is this process. `running` and `ended`: the operating system
 * says so. `unreachable`: it is on this machine, but in another PID namespace, or the system gives no proof.
 * `elsewhere`: it is on another machine.
 */
type ProcessState = 'own' | 'running' | 'ended' | 'unreachable' | 'elsewhere';

/** A process counts as dead when its heartbeat is older than this. */
const silentMsMax = { sameClock: 60_000, elsewhere: 10 * 60_000 };
/** How far the clock of another machine may be ahead of ours. */
const aheadMsMax = dayMs;

let own: string | undefined;

/** `host|boot~namespace~start|pid`: the same while this process lives, and never used again. */
export function processName(): string {
  own ??= processNameOf(process.pid);
  return own;
}

/** The name of another process of this PID namespace, as that process would write it. */
export function processNameOf(pid: number): string {
  return [hostname(), `${bootId()}~${pidNamespace()}~${readStartTime(pid) ?? ''}`, pid].join('|');
}

/**
 * Judges a name of `processName`, or one of an earlier version, which had neither start time nor namespace. Ignores the
 * text after the third `|`.
 */
export function processStateOf(name: string): ProcessState {
  const [host = '', system = '', pidText = ''] = name.split('|');
  const [boot = '', namespace = '', start = ''] = system.split('~');
  const pid = Number(pidText);
  const isSameHost = host === hostname();
  if (boot === 'unknown' || boot === '' || bootId() === 'unknown') {
    if (!isSameHost) return 'elsewhere';
  } else if (boot !== bootId()) {
    return isSameHost ? 'ended' : 'elsewhere'; // the same name with another boot id: this machine was started again
  }
  if (!Number.isSafeInteger(pid) || pid <= 0) return 'ended';
  if (namespace !== '' && namespace !== pidNamespace()) return 'unreachable';
  if (!isSameHost && namespace === '') return 'elsewhere'; // an earlier version, and perhaps another container
  if (pid === process.pid) return start === '' || start === readStartTime(pid) ? 'own' : 'ended';
  return stateOfNumber(pid, start);
}

/** Whether a process of this PID namespace is running, if only its number was recorded. A zombie has ended. */
export function isProcessRunning(pid: number): boolean {
  return processStateOf(processNameOf(pid)) !== 'ended';
}

/**
 * Whether a process with heartbeats still works. If the system proves that it has ended, it does not, however fresh its
 * heartbeat. If it is running but its heartbeat is older than a minute, it hangs or is stopped. Null: no heartbeat yet.
 */
export function isProcessAtWork(name: string, heartbeatAt: number | null, now: number): boolean {
  const state = processStateOf(name);
  const ageMs = heartbeatAt === null ? null : now - heartbeatAt;
  switch (state) {
    case 'own':
      return true;
    case 'ended':
      return false;
    case 'running':
      return ageMs === null || Math.abs(ageMs) < silentMsMax.sameClock;
    case 'unreachable':
      return ageMs !== null && Math.abs(ageMs) < silentMsMax.sameClock;
    case 'elsewhere':
      return ageMs !== null && ageMs < silentMsMax.elsewhere && ageMs > -aheadMsMax;
  }
}

/** A process of this namespace, by its number and, if known, its start time: the system reuses numbers. */
function stateOfNumber(pid: number, start: string): 'running' | 'ended' {
  const facts = readProcessFacts(pid);
  if (facts !== null) {
    const hasEnded = facts.state === 'Z' || facts.state === 'X' || facts.state === 'x';
    return hasEnded || (start !== '' && start !== facts.start) ? 'ended' : 'running';
  }
  try {
    process.kill(pid, 0);
    return 'running';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'running' : 'ended';
  }
}

interface ProcessFacts {
  /** One letter; Z: a zombie, X: dead. */
  readonly state: string;
  /** Clock ticks since the machine started. */
  readonly start: string;
}

function readStartTime(pid: number): string | null {
  return readProcessFacts(pid)?.start ?? null;
}

/**
 * Null if /proc has no entry for this process, or shows another PID namespace than ours (`unshare --pid` without
 * `--mount-proc`).
 */
function readProcessFacts(pid: number): ProcessFacts | null {
  try {
    if (pid === process.pid) return statFacts(readFileSync('/proc/self/stat', 'utf8'));
    if (readlinkSync('/proc/self') !== String(process.pid)) return null;
    return statFacts(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return null;
  }
}

/**
 * Fields of /proc/PID/stat. The second one is the program's name in parentheses, which may itself contain spaces and
 * parentheses.
 */
export function statFacts(text: string): ProcessFacts | null {
  const fields = text
    .slice(text.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [state, start] = [fields[0], fields[19]]; // fields 3 and 22
  return state === undefined || start === undefined ? null : { state, start };
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

/** Containers number their processes independently, and may share a host name. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '');
  } catch {
    return '';
  }
}
