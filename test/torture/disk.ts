// Every write, sync and truncate of a recording run fails, or the process dies there: acknowledged data stays intact.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openConnection } from '../../db/connection/client.ts';
import { inTemporaryFolder } from './folder.ts';
import { type Acknowledged, lostOf, pagesOfRun, recordingWorld, slotAt } from './recording.ts';

const child = fileURLToPath(new URL('./disk-child.ts', import.meta.url));
const calls = ['pwrite64', 'write', 'fsync', 'fdatasync', 'ftruncate'] as const;

/** The result of a call in strace's words. `+` means that call and all later ones: a full disk stays full. */
const faults = {
  SIGKILL: { what: 'signal=SIGKILL', from: '' },
  EIO: { what: 'error=EIO', from: '' },
  'EIO from then on': { what: 'error=EIO', from: '+' },
  'ENOSPC from then on': { what: 'error=ENOSPC', from: '+' },
} as const;

type Call = (typeof calls)[number];
type FaultName = keyof typeof faults;

interface Injection {
  readonly call: Call;
  readonly fault: FaultName;
  /** The nth call fails, from 1. */
  readonly nth: number;
}

interface Outcome {
  readonly fired: boolean;
  readonly violations: readonly string[];
  /** The process ended on a failed commit that is durable: a local commit can have an unknown outcome, too. */
  readonly unknownCommits: number;
}

export interface DiskTortureOptions {
  readonly quick?: boolean;
  /** Fails only every nth call. Default: each; in the quick form, some of the many writes. */
  readonly strides?: Partial<Record<Call, number>>;
  /** Default: all. */
  readonly faults?: readonly FaultName[];
  readonly parallel?: number;
}

/** Null if system calls can be made to fail here; otherwise the reason. */
export function whyNoInjection(): string | null {
  const tried = spawnSync('strace', ['-f', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO', 'true']);
  if (tried.error !== undefined) return 'strace is not installed';
  return tried.status === 0 ? null : 'strace may not trace here (ptrace is not permitted)';
}

/** Returns the number of violations; 0 with a line that says so if system calls cannot be made to fail. */
export async function diskTorture(
  report: (line: string) => void,
  {
    quick = false,
    strides = quick ? { pwrite64: 20 } : {},
    faults: chosen = Object.keys(faults) as FaultName[],
    parallel = 2,
  }: DiskTortureOptions = {},
): Promise<number> {
  const why = whyNoInjection();
  if (why !== null) {
    report(`disk: SKIPPED: ${why}`);
    return 0;
  }
  return inTemporaryFolder(async (folder) => {
    openConnection(join(folder, 'template.sqlite')).close();
    let violations = 0;
    for (const call of await callsMade(folder)) {
      for (const fault of chosen) {
        const tally = await everyCall(folder, call, fault, strides[call] ?? 1, parallel);
        for (const line of tally.violations) report(`disk: VIOLATION ${line}`);
        violations += tally.violations.length;
        if (tally.fired === 0) continue;
        const durable = tally.unknownCommits === 0 ? '' : `, ${tally.unknownCommits} refused commits are durable`;
        report(`disk: ${call} ${fault}: ${tally.fired} injections, ${tally.violations.length} violations${durable}`);
      }
    }
    return violations;
  });
}

/** The calls that a run without faults makes. */
async function callsMade(folder: string): Promise<Call[]> {
  const file = join(folder, 'well.sqlite');
  const trace = join(folder, 'well.trace');
  copyFileSync(join(folder, 'template.sqlite'), file);
  await traced(file, trace, calls.join(), []);
  const text = readFileSync(trace, 'utf8');
  return calls.filter((call) => new RegExp(`\\b${call}\\(`).test(text));
}

/** Runs the child under strace, which sees the calls that go to the database. Returns the child's output. */
function traced(file: string, trace: string, called: string, injected: readonly string[]): Promise<string[]> {
  const paths = ['', '-wal', '-shm', '-journal'].flatMap((suffix) => ['-P', file + suffix]);
  const options = ['-f', '-o', trace, ...paths, '-e', `trace=${called}`, ...injected];
  return outputOf('strace', [...options, process.execPath, child, file, join(dirname(file), 'reports')]);
}

/** N = 1, 2, 3 ... until no call fails, several at a time. */
async function everyCall(folder: string, call: Call, fault: FaultName, stride: number, parallel: number) {
  const tally = { fired: 0, unknownCommits: 0, violations: [] as string[] };
  let next = 1;
  let isOver = false;
  const worker = async (): Promise<void> => {
    while (!isOver) {
      const injection = { call, fault, nth: next };
      next += stride;
      const outcome = await inject(folder, injection);
      if (!outcome.fired) isOver = true;
      else tally.fired += 1;
      tally.unknownCommits += outcome.unknownCommits;
      tally.violations.push(...outcome.violations.map((line) => `${call} ${injection.nth} ${fault}: ${line}`));
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return tally;
}

async function inject(folder: string, { call, fault, nth }: Injection): Promise<Outcome> {
  const own = join(folder, `${call}-${nth}`);
  mkdirSync(own);
  const file = join(own, 'db.sqlite');
  const trace = join(own, 'trace');
  copyFileSync(join(folder, 'template.sqlite'), file);
  const { what, from } = faults[fault];
  const said = await traced(file, trace, call, ['-e', `inject=${call}:${what}:when=${nth}${from}`]);
  const text = readFileSync(trace, 'utf8');
  const fired = text.includes('(INJECTED)') || text.includes('killed by SIGKILL');
  const { violations, unknownCommits } = await judge(file, own, said);
  rmSync(own, { recursive: true });
  return { fired, violations, unknownCommits };
}

/** Another process finishes the run on a working disk; then everything is counted. */
async function judge(file: string, folder: string, said: readonly string[]) {
  const violations = said.filter((line) => /^(lost|broken) /.test(line));
  const acks = said.filter((line) => line.startsWith('ack ')).map((line) => JSON.parse(line.slice(4)) as Acknowledged);
  const sold = said.filter((line) => line.startsWith('sold ')).map((line) => line.slice(5));
  const last = acks.at(-1);
  const world = recordingWorld(file, join(folder, 'reports'), (requestKey) => sold.push(requestKey));
  try {
    violations.push(...world.broken());
    if (last !== undefined) violations.push(...lostOf(last, world).map((lost) => `acknowledged and lost: ${lost}`));
    const before = Number(world.value('SELECT count(*) FROM ledger'));
    await world.runSlot(slotAt);
    violations.push(...world.broken());
    violations.push(...unexplained(world, sold));
    const checks = world.checks();
    if (checks.join() !== 'shoes ok 2,boots ok 2') violations.push(`the checks ended as ${checks.join(', ')}`);
    if (world.credits.spent !== pagesOfRun) violations.push(`${world.credits.spent} pages are paid for ${pagesOfRun}`);
    const hasGivenUp = said.some((line) => line.startsWith('failed ')) && !said.includes('done');
    return { violations, unknownCommits: hasGivenUp && before > (last?.ledgerEntries ?? 0) ? 1 : 0 };
  } catch (error) {
    violations.push(`the next process cannot go on: ${String(error)}`);
    return { violations, unknownCommits: 0 };
  } finally {
    await world.close();
  }
}

/** Every sale is in our ledger, at most one of each page as paid. */
export function unexplained(world: Pick<ReturnType<typeof recordingWorld>, 'rows'>, sold: readonly string[]): string[] {
  const ours = new Map(
    world
      .rows(
        `SELECT request_key, sum(state = 'paid') AS paid, sum(state = 'unknown') AS unknown FROM purchases GROUP BY request_key`,
      )
      .map((row) => [String(row['request_key']), { paid: Number(row['paid']), unknown: Number(row['unknown']) }]),
  );
  const problems = [...ours].filter(([, { paid }]) => paid > 1).map(([key]) => `${key} is paid twice`);
  for (const [key, sales] of Map.groupBy(sold, (each) => each)) {
    const { paid = 0, unknown = 0 } = ours.get(key) ?? {};
    if (paid + unknown < sales.length)
      problems.push(`${key} was sold ${sales.length} times, and explained ${paid + unknown}`);
  }
  return problems;
}

async function outputOf(command: string, args: readonly string[]): Promise<string[]> {
  const started = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let complained = '';
  started.stdout.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  started.stderr.setEncoding('utf8').on('data', (piece: string) => {
    complained += piece;
  });
  await once(started, 'close');
  const lines = said.split('\n').filter((line) => line !== '');
  return complained === '' ? lines : [...lines, `broken ${complained.trim().replaceAll('\n', ' | ')}`];
}
