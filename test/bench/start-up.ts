// How long a user waits for a first answer, compared with a runtime that has nothing to do.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { launcher } from './command-line.ts';
import { median, timed } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

const runs = 15;

/** Two lines of medians of alternating starts in separate processes. First starts only fill the compile cache. */
export async function benchStartUp(quick: boolean): Promise<BenchRow[]> {
  const size = { keywords: 10_000, days: quick ? 10 : 100 };
  return inFolder(async (folder) => {
    const config = writeConfig(folder, size.keywords);
    buildHistory(join(folder, 'rankledger.sqlite'), size);
    const help = await compare([launcher, '--help']);
    const status = await compare([launcher, 'status', '--config', config]);
    const rankings = (size.keywords * size.days).toLocaleString('en');
    return [
      line('start-up: rankledger --help against node -e 0', help, 3),
      line(`start-up: rankledger status on ${rankings} rankings against node -e 0`, status, 10),
    ];
  });
}

interface Comparison {
  readonly bareMs: number;
  readonly oursMs: number;
}

async function compare(command: readonly string[]): Promise<Comparison> {
  for (let warm = 0; warm < 3; warm += 1) start(command);
  const bare: number[] = [];
  const ours: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    bare.push(await timed(() => start(['-e', '0'])));
    ours.push(await timed(() => start(command)));
  }
  return { bareMs: median(bare), oursMs: median(ours) };
}

function start(args: readonly string[]): void {
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  // 3: a slot is overdue, which the built history leaves open
  if (status !== 0 && status !== 3) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
}

function line(name: string, { bareMs, oursMs }: Comparison, ratioMax: number): BenchRow {
  const ratio = oursMs / bareMs;
  const detail = `${oursMs.toFixed(0)} ms against ${bareMs.toFixed(0)} ms`;
  return { name, target: `within ${ratioMax}x`, ratio, detail, ok: ratio <= ratioMax };
}
