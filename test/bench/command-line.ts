// The product as users start it: the launcher in a separate process, timed or watched.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MemorySample } from './watch.js';

export const launcher = fileURLToPath(new URL('../../src/cli/rankledger.mjs', import.meta.url));

/** Runs one command and returns its JSON, with the memory of the process meanwhile. Rejects if it fails. */
export async function watchedCommand<Answer>(
  folder: string,
  command: readonly string[],
): Promise<{ readonly answer: Answer; readonly samples: readonly MemorySample[]; readonly seconds: number }> {
  const file = join(folder, 'memory.jsonl');
  const watch = new URL('./watch.js', import.meta.url);
  watch.searchParams.set('file', file);
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', watch.href, launcher, ...command, '--json'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  let said = '';
  for await (const piece of child.stdout.setEncoding('utf8')) said += piece;
  const code = await ended;
  if (code !== 0) throw new Error(`rankledger ${command.join(' ')} ended with ${code}: ${said.slice(0, 1000)}`);
  const seconds = (performance.now() - start) / 1000;
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return {
    answer: JSON.parse(said) as Answer,
    samples: lines.map((line) => JSON.parse(line) as MemorySample),
    seconds,
  };
}

/** Bytes; of the whole life of the process. */
export function peakOf(samples: readonly MemorySample[]): number {
  return Math.max(...samples.map(({ rssMax }) => rssMax));
}
