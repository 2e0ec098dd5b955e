// Programs under a parent that never waits for its children: when they end, they stay as zombies.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { statFacts } from '../../src/service/model/process-liveness.ts';

export interface Unreaped {
  readonly pid: number;
  /** Kills the program, and resolves once it is a zombie. */
  kill(): Promise<void>;
  /** Ends the parent; the system removes the zombie. */
  remove(): void;
}

export async function startUnreaped(program: string, ...args: string[]): Promise<Unreaped> {
  const script = '"$@" >&2 & echo $!; exec sleep 600';
  const parent: ChildProcess = spawn('sh', ['-c', script, 'sh', program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve) => parent.stdout?.once('data', (data) => resolve(Number(data))));
  await until(() => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') === 'sleep\n');
  return {
    pid,
    async kill() {
      process.kill(pid, 'SIGKILL');
      await until(() => statFacts(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.state === 'Z');
    },
    remove: () => void parent.kill('SIGKILL'),
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((next) => setImmediate(next));
}
