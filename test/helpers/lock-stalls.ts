// A run while another program holds the write lock of its database for longer than the request timeout.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../src/service/index.ts';
import { temporaryFolder } from './closing.ts';
import { JobClock } from './job-clock.ts';
import { clientOf, keyword, project, service, World } from './jobs.ts';
import { type Provider, startProvider } from './provider.ts';

export interface LockStalls {
  readonly keywords: number;
  readonly locks: number;
  readonly heldMs: number;
  /** Of a request. */
  readonly timeoutMs: number;
  /** How long SQLite waits for the lock, which blocks the whole process: longer than `heldMs` or not. */
  readonly busyTimeoutMs: number;
  /** Of the requests. Default: the system's. */
  readonly clock?: Clock;
}

/** Calls `verify` after the run, with the number of locks that were held. */
export async function runThroughLockStalls(
  { keywords, locks, heldMs, timeoutMs, busyTimeoutMs, clock = systemClock }: LockStalls,
  verify: (world: World, provider: Provider, held: number) => void,
): Promise<void> {
  const at = Date.UTC(2026, 0, 15, 6);
  const provider = await startProvider();
  const file = join(temporaryFolder(), 'db.sqlite');
  const tracked = Array.from({ length: keywords }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  const client = clientOf(provider, new JobClock(at), { clock, timeoutMs });
  const world = new World({
    services: new Map([[service, client]]),
    projects: [project({ keywords: tracked })],
    file,
    clock: new JobClock(at),
    busyTimeoutMs,
  });
  const program = join(import.meta.dirname, 'locking-child.ts');
  const child = spawn(process.execPath, [program, file, String(locks), String(heldMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    let held = 0;
    await once(child.stdout, 'data');
    child.stdout.on('data', (text: Buffer) => {
      held += String(text).split('\n').length - 1;
    });
    const ended = once(child, 'close');
    const running = world.runSlot(at);
    await provider.untilRequests(2);
    child.stdin.write('go\n');
    await running;
    await ended;
    verify(world, provider, held);
  } finally {
    child.kill('SIGKILL');
    await world.close();
    await provider.close();
  }
}
