// One seed from its options to its verdict: a month of faults, the recovery, and everything that must hold afterwards.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../db/connection/client.ts';
// loaded by the client at its first call: reading a file then would take real time in the middle of a simulated one
import '../../src/service/core/requests.ts';
import { VirtualClock } from './clock.ts';
import { withIntervalsOn } from './intervals.ts';
import { type Affairs, live, recover } from './life.ts';
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
  /** What does not hold, in words; empty is right. */
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly pagesSold: number;
}

/** Where the months are lived: files in memory where the system has them, and an empty database that each month starts from. */
export class Workshop {
  readonly #folder: string;
  readonly #template: string;

  constructor() {
    this.#folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'rankledger-simulation-'));
    this.#template = join(this.#folder, 'empty.sqlite');
    const db = openConnection(this.#template);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  }

  /** Lives the month of a seed and judges it. Never rejects: what the product throws is a problem, too. */
  async live(seed: number, days: number): Promise<Month> {
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
  const affairs: Affairs = { projects: [...options.projects], isOver: false, diskIsFullUntil: 0 };
  let faultsEndAt: number | null = null;
  const world: World = {
    options,
    clock,
    provider,
    random: new Random(options.seed, 'world'),
    sometimes,
    file,
    reports: join(folder, 'reports'),
    freeBytes: () => (clock.now() < affairs.diskIsFullUntil ? 0 : Number.POSITIVE_INFINITY),
    projects: () => affairs.projects.map(({ project }) => project),
    // after the faults the operator lets it spend what it needs
    caps: () => (faultsEndAt === null ? options.caps : { serp_credit: {}, micro_usd: {} }),
    faultsEndAt: () => faultsEndAt ?? Number.POSITIVE_INFINITY,
  };
  await live(world, affairs);
  faultsEndAt = clock.now();
  const auditor = await recover(world, affairs);
  try {
    const problems = verify(auditor, affairs);
    await clock.run(auditor.askAgain());
    auditor.settleBy(soldUnknowns(auditor, provider));
    return [...problems, ...reconciledProblems(auditor, provider)];
  } finally {
    await auditor.close();
  }
}

function verify(auditor: OperatorProcess, { projects }: Affairs): string[] {
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
