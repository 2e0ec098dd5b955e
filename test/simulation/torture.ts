// The full simulation: 2,000 seeds x 30 days on all cores, with the situations reached and every seed that fails.
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { MonthRunner } from './month.ts';
import { Sometimes } from './sometimes.ts';

const seedsOfGate = 2000;
const seedsOfQuick = 100;
const daysPerSeed = 30;
/** Every situation and every fault must have been met at least this often. */
const leastOften = 20;
const failuresShown = 10;
/** It reports progress after this many seeds. */
const progressSeeds = 250;

interface Share {
  readonly first: number;
  readonly step: number;
  readonly seeds: number;
}

interface SeedResult {
  readonly seed: number;
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly pagesSold: number;
}

/** Runs every seed. Returns the number of violations: failed seeds and, with all seeds, situations rarely met. */
export async function simulationTorture(
  report: (line: string) => void,
  options: { readonly quick?: boolean; readonly seeds?: number } = {},
): Promise<number> {
  const seeds = options.seeds ?? (options.quick === true ? seedsOfQuick : seedsOfGate);
  const startedAt = performance.now();
  const sometimes = new Sometimes();
  let failures = 0;
  let pages = 0;
  let lived = 0;
  const take = ({ seed, problems, counts, pagesSold }: SeedResult): void => {
    sometimes.merge(counts);
    pages += pagesSold;
    lived += 1;
    if (lived % progressSeeds === 0) report(`${lived} of ${seeds} seeds lived, ${failures} failed`);
    if (problems.length === 0) return;
    failures += 1;
    if (failures <= failuresShown)
      report(`seed ${seed}: ${problems.slice(0, 3).join('; ')} (npx node test/simulation/main.ts --seed ${seed})`);
  };
  const workers = Math.min(seeds, availableParallelism());
  await Promise.all(
    Array.from({ length: workers }, (_, index) => workOff({ first: index + 1, step: workers, seeds }, take)),
  );
  for (const [name, times] of Object.entries(sometimes.counts)) report(`${String(times).padStart(9)} x ${name}`);
  const seldom = seeds >= seedsOfGate ? sometimes.below(leastOften) : [];
  for (const line of seldom) report(`hardly met: ${line}`);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  report(
    `simulation: ${seeds} seeds x ${daysPerSeed} days, ${pages} pages sold, ${failures} seeds failed, ${seconds} s on ${workers} threads`,
  );
  return failures + seldom.length;
}

function workOff(share: Share, take: (result: SeedResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { simulation: share } });
    worker.on('message', take);
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });
}

/** One worker's seeds: every `step`th. */
async function liveShare({ first, step, seeds }: Share): Promise<void> {
  const months = new MonthRunner();
  try {
    for (let seed = first; seed <= seeds; seed += step) {
      const { problems, counts, pagesSold } = await months.runMonth(seed, daysPerSeed);
      parentPort?.postMessage({ seed, problems, counts, pagesSold } satisfies SeedResult);
    }
  } finally {
    months.close();
  }
}

// only in a worker that this very file has started: test runners are threads, too
const share = (workerData as { simulation?: Share } | null)?.simulation;
if (!isMainThread && share !== undefined) await liveShare(share);
