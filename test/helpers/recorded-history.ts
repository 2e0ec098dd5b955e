// A database file of a few real runs: bought pages with their bodies, ranks, keyword data, an account with a statement.
import { join } from 'node:path';
import type { Project } from '../../src/tracker/project.ts';
import { temporaryFolder } from './closing.ts';
import { JobClock } from './job-clock.ts';
import { keyword, project, World } from './jobs.ts';
import { type Provider, startProvider } from './provider.ts';

const firstSlot = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const words = ['shoes', 'boots', 'hats', 'gloves', 'scarves', 'coats', 'socks', 'laces', 'soles', 'heels'];

export interface RecordedHistory {
  readonly file: string;
  readonly projects: readonly Project[];
  readonly provider: Provider;
  /** Runs the next day. */
  runNextDay(world: World): Promise<void>;
  /** Opens the file as one process would. The caller closes it. */
  open(): World;
  close(): Promise<void>;
}

/** Runs of `days` days, ten keywords of two pages each. The file is closed and complete. */
export async function recordedHistory(days: number): Promise<RecordedHistory> {
  const provider = await startProvider({ results: () => linksOf(60) });
  const file = join(temporaryFolder(), 'rankledger.sqlite');
  const projects = [
    project({
      targets: [
        { match: 'domain', value: 'acme.example' },
        { match: 'domain', value: 'site7.example' },
      ],
      keywords: words.map((word) => keyword(word, { depth: 2 })),
    }),
  ];
  let day = 0;
  const clock = new JobClock(firstSlot);
  const history: RecordedHistory = {
    file,
    projects,
    provider,
    open: () => new World({ projects, provider, file, clock }),
    async runNextDay(world) {
      await world.runSlot(firstSlot + day * dayMs);
      day += 1;
    },
    close: () => provider.close(),
  };
  const world = history.open();
  for (let made = 0; made < days; made += 1) await history.runNextDay(world);
  await world.store.accounts.createAccount({
    name: 'acme',
    serpCredits: 9,
    microUsd: 70,
    whitelist: [],
    createdAt: firstSlot,
  });
  await world.close();
  return history;
}

function linksOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index === 11 ? 'https://acme.example/shop' : `https://site${index + 1}.example/page`,
  );
}
