// Two runs whose reports can be written again, for processes that die meanwhile.
import type { Project } from '../../src/tracker/project.ts';
import { JobClock } from '../helpers/job-clock.ts';
import { clientOf, keyword, project, resultsWith, service, World } from '../helpers/jobs.ts';
import { startProvider } from '../helpers/provider.ts';

const firstSlot = Date.UTC(2026, 0, 15, 6);
const dayMs = 86_400_000;
const projects: readonly Project[] = [
  project({
    competitors: [{ match: 'domain', value: 'site2.example' }],
    keywords: ['shoes', 'boots', 'hats'].map((text) => keyword(text, { depth: 2 })),
  }),
];

/** Creates the database with the runs 1 and 2. */
export async function recordTwoRuns(file: string, reports: string): Promise<void> {
  let rank = 4;
  const provider = await startProvider({ results: () => resultsWith('https://acme.example/', rank) });
  const world = new World({ projects, provider, file, reports, clock: new JobClock(firstSlot) });
  try {
    await world.runSlot(firstSlot);
    rank = 12;
    world.clock.set(firstSlot + dayMs);
    await world.runSlot(firstSlot + dayMs);
  } finally {
    await world.close();
    await provider.close();
  }
}

/** Nothing is bought in it. The caller closes it. */
export function reportingWorld(file: string, reports: string): World {
  const clock = new JobClock(firstSlot + 2 * dayMs);
  return new World({ projects, file, reports, clock, services: new Map([[service, clientOf(undefined, clock)]]) });
}
