// The run that the disk torture records, and what it has acknowledged so far; shared by both of its processes.
import type { Store } from '../../db/store.ts';
import { JobClock } from '../helpers/job-clock.ts';
import { keyword, project, service, World } from '../helpers/jobs.ts';
import { liveSource } from './live-source.ts';

export const slotAt = Date.UTC(2026, 0, 15, 6);
/** Two checks of two pages, two in flight: pages of both become durable together. */
export const pagesOfRun = 4;

/** What a commit has made durable, as far as it can only grow. */
export interface Acknowledged {
  readonly ledgerEntries: number;
  /** Of the last entry; empty if there is none. */
  readonly ledgerHash: string;
  readonly purchases: number;
  readonly paid: number;
  readonly pages: number;
  readonly bodies: number;
  readonly checksEnded: number;
  readonly rankings: number;
}

/** A world that records the run into `file`. */
export function recordingWorld(file: string, reports: string, onSold: (requestKey: string) => void): World {
  return new World({
    services: new Map([[service, liveSource(onSold)]]),
    projects: [project({ keywords: ['shoes', 'boots'].map((text) => keyword(text, { depth: 2 })) })],
    file,
    reports,
    concurrency: 2,
    clock: new JobClock(slotAt),
  });
}

export function acknowledgedIn(world: World): Acknowledged {
  const [row] = world.rows(
    `SELECT (SELECT count(*) FROM ledger) AS ledgerEntries, (SELECT count(*) FROM purchases) AS purchases,
            (SELECT count(*) FROM purchases WHERE state = 'paid') AS paid, (SELECT count(*) FROM pages) AS pages,
            (SELECT count(*) FROM bodies) AS bodies, (SELECT count(*) FROM rankings) AS rankings,
            (SELECT count(*) FROM checks WHERE state NOT IN ('planned', 'running')) AS checksEnded`,
  );
  return { ...(row as unknown as Acknowledged), ledgerHash: hashAt(world, Number(row?.['ledgerEntries'])) };
}

/** Acknowledged data that is missing, as text; empty is right. */
export function lostOf(acknowledged: Acknowledged, world: World): string[] {
  const { ledgerHash, ...counts } = acknowledged;
  const now = acknowledgedIn(world);
  const fewer = (Object.keys(counts) as (keyof typeof counts)[]).filter((name) => now[name] < counts[name]);
  const lost = fewer.map((name) => `${counts[name] - now[name]} of ${name}`);
  if (hashAt(world, counts.ledgerEntries) !== ledgerHash) lost.push('the ledger is another one');
  return lost;
}

function hashAt(world: World, entries: number): string {
  if (entries === 0) return '';
  return String(world.value(`SELECT hex(hash) FROM ledger ORDER BY id LIMIT 1 OFFSET ${entries - 1}`) ?? '');
}

/** Calls `onCommit` after each commit of the store, as soon as it counts as durable. */
export function watchCommits(store: Store, onCommit: () => void): void {
  const transaction = store.transaction.bind(store);
  const grouped = store.grouped.bind(store);
  store.transaction = (work) => {
    const result = transaction(work);
    onCommit();
    return result;
  };
  store.grouped = async (work) => {
    const result = await grouped(work);
    onCommit();
    return result;
  };
}
