// One seed from its options to its verdict: a month of faults, the recovery, and everything that must hold afterwards.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../db/connection/client.ts';
// the client loads this at its first call: reading a file then would take real time within simulated time
import '../../src/service/core/requests.ts';
import { VirtualClock } from './clock.ts';
import { withIntervalsOn } from './intervals.ts';
import { recover, runMonth, type SharedState } from './machines.ts';
import { drawOptions, type SeedOptions } from './options.ts';
import type { OperatorProcess, World } from './process.ts';
import { Provider } from './provider.ts';
import { Random } from './random.ts';
import { Sometimes } from './sometimes.ts';
import { endProblems, judgeChecks, rankingProblems } from './verify-history.ts';
import { moneyProblems, reconciledProblems, soldUnknowns } from './verify-money.ts';
import { reportProblems } from './verify-reports.ts';
import { slotProblems } from './verify-slots.ts';

export interface Month {
  readonly options: SeedOptions;
  /** Problems as text; empty is right. */
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly pagesSold: number;
}

/** Where the database files are: in memory if the system allows it, with an empty database to copy for each month. */
export class MonthRunner {
  readonly #folder: string;
  readonly #template: string;

  constructor() {
    this.#folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'rankledger-simulation-'));
    this.#template = join(this.#folder, 'empty.sqlite');
    const db = openConnection(this.#template);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  }

  /** Simulates the month of a seed and verifies it. Never rejects: an error of the product is a problem, too. */
  async runMonth(seed: number, days: number): Promise<Month> {
    const folder = mkdtempSync(join(this.#folder, `seed-${seed}-`));
    const file = join(folder, 'db.sqlite');
    copyFileSync(this.#template, file);
    const sometimes = new Sometimes();
    const options = drawOptions(seed, days);
    const clock = new VirtualClock(options.start);
    const provider = new Provider(options.provider, clock, seed, sometimes);
    try {
      const setting = { options, clock, provider, sometimes, file, folder };
      const problems = await withIntervalsOn(clock, () => livedProblems(setting));
      return { options, problems, counts: sometimes.counts, pagesSold: provider.sales.length };
    } catch (error) {
      const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
      return { options, problems: [problem], counts: sometimes.counts, pagesSold: provider.sales.length };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

interface Setting {
  readonly options: SeedOptions;
  readonly clock: VirtualClock;
  readonly provider: Provider;
  readonly sometimes: Sometimes;
  readonly file: string;
  readonly folder: string;
}

async function livedProblems(setting: Setting): Promise<string[]> {
  const { options, clock, provider, sometimes, file, folder } = setting;
  const shared: SharedState = { projects: [...options.projects], isOver: false, diskIsFullUntil: 0 };
  let faultsEndAt: number | null = null;
  const world: World = {
    options,
    clock,
    provider,
    random: new Random(options.seed, 'world'),
    sometimes,
    file,
    reports: join(folder, 'reports'),
    freeBytes: () => (clock.now() < shared.diskIsFullUntil ? 0 : Number.POSITIVE_INFINITY),
    projects: () => shared.projects.map(({ project }) => project),
    // after the faults the operator allows it to spend what it needs
    caps: () => (faultsEndAt === null ? options.caps : { serp_credit: {}, micro_usd: {} }),
    faultsEndAt: () => faultsEndAt ?? Number.POSITIVE_INFINITY,
  };
  await runMonth(world, shared);
  faultsEndAt = clock.now();
  const auditor = await recover(world, shared);
  try {
    const problems = verify(auditor, shared);
    await clock.run(auditor.reconcile());
    auditor.settleBy(soldUnknowns(auditor, provider));
    return [...problems, ...reconciledProblems(auditor, provider)];
  } finally {
    await auditor.close();
  }
}

function verify(auditor: OperatorProcess, { projects }: SharedState): string[] {
  const { provider, sometimes } = auditor.world;
  const judged = judgeChecks(auditor, provider);
  return [
    ...judged.problems,
    ...endProblems(auditor, sometimes),
    ...moneyProblems(auditor, provider, sometimes),
    ...rankingProblems(auditor, judged, sometimes),
    ...reportProblems(auditor, judged, sometimes),
    ...slotProblems(auditor, projects, sometimes),
  ];
}
