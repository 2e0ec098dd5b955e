// Processor time of commands as users start them, against their bars; with another checkout, side by side with it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from './command-line.ts';
import { inFolder, writeConfig, writeProjectsConfig } from './folder.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

interface Work {
  readonly name: string;
  /** Seconds of processor time. */
  readonly bar: number;
  /** Starts of each checkout; the cheapest counts, because other load only adds. */
  readonly rounds: number;
  readonly command: readonly string[];
  /** Exit codes other than 0 that a built history leads to: a slot is overdue, and its sums of rows prove nothing. */
  readonly codes?: readonly number[];
  /** Makes what a start needs in an empty folder. */
  readonly prepare: (folder: string) => void;
}

const shortRounds = 5;

/** Lines of `npm start`, of a run with all reports, and of commands that read one project with a long history. */
export async function benchWeight(quick: boolean, against?: string): Promise<BenchRow[]> {
  return inFolder(async (folder) => {
    const built = join(folder, 'built');
    mkdirSync(built);
    const size = { keywords: quick ? 2_000 : 8_000, days: 30 };
    writeConfig(built, size.keywords);
    buildHistory(join(built, 'rankledger.sqlite'), size);
    return weigh(built, quick).map((work) => weighed(folder, work, against));
  });
}

function weigh(built: string, quick: boolean): Work[] {
  const [projects, keywords] = [5, quick ? 100 : 1_200];
  const runName = `${(projects * keywords).toLocaleString('en')} keywords, ${projects} projects, agency and xlsx`;
  const reading = (bar: number, ...command: string[]): Work => ({
    name: `weight: ${command[0]} of one project on ${quick ? '60,000' : '240,000'} rankings`,
    bar,
    rounds: shortRounds,
    command,
    codes: [1, 3],
    prepare: (to) => cpSync(built, to, { recursive: true }),
  });
  return [
    { name: 'weight: npm start', bar: 20, rounds: 1, command: ['demo'], prepare: () => undefined },
    {
      name: `weight: run of ${runName}`,
      bar: 30,
      rounds: 1,
      command: ['run', '--all'],
      prepare: (to) => {
        const file = writeProjectsConfig(to, projects, keywords);
        const text = readFileSync(file, 'utf8').replaceAll('    depth: 1\n    paging: full\n', '    depth: 2\n');
        writeFileSync(file, text.replace('{ dir: reports }', '{ dir: reports, agency: true, xlsx: true }'));
      },
    },
    reading(0.3, 'status'),
    reading(0.3, 'history', 'running shoes 0'),
    reading(1.5, 'audit'),
    reading(1.5, 'report'),
  ];
}

function weighed(folder: string, work: Work, against: string | undefined): BenchRow {
  const starters = [launcher, ...(against === undefined ? [] : [join(against, 'src/cli/rankledger.mjs')])];
  const least = starters.map(() => Number.POSITIVE_INFINITY);
  const started = join(folder, 'started');
  for (let round = 0; round < work.rounds; round += 1) {
    for (const [index, starter] of starters.entries()) {
      mkdirSync(started);
      work.prepare(started);
      cpuSeconds(started, [starter, '--help']); // fills the compile cache
      least[index] = Math.min(least[index] ?? 0, cpuSeconds(started, [starter, ...work.command], work.codes));
      rmSync(started, { recursive: true });
    }
  }
  const [ours = Number.NaN, other] = least;
  const beside =
    other === undefined ? '' : `; ${other.toFixed(2)} s in the other checkout: ${(ours / other).toFixed(2)}x`;
  return {
    name: work.name,
    target: `under ${work.bar} s of the processor`,
    ratio: ours / work.bar,
    detail: `${ours.toFixed(2)} s${beside}`,
    ok: ours < work.bar,
  };
}

/** User and system time of one start of Node.js, as the shell counts it. */
function cpuSeconds(cwd: string, args: readonly string[], codes: readonly number[] = []): number {
  const shell = ['-c', '"$@" > /dev/null; code=$?; times; exit $code', 'sh', process.execPath, ...args];
  const { stdout, stderr, status } = spawnSync('sh', shell, { cwd, encoding: 'utf8' });
  if (status === null || ![0, ...codes].includes(status))
    throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  const children = stdout.trim().split('\n').at(-1) ?? '';
  return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + 60 * Number(minutes) + Number(seconds),
    0,
  );
}
