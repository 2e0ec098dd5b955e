// Disk space of an agency's reports: five projects over ten days, compared with the growth of the database.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { inFolder, writeProjectsConfig } from './folder.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const ratioMax = 3;
const dayMs = 86_400_000;
const firstSlot = Date.UTC(2026, 0, 1, 6);

interface Sizes {
  readonly reports: number;
  readonly database: number;
}

/**
 * One line: the bytes of all report folders compared with the database, after days of runs on the sandbox. The first
 * day is not counted: it records every keyword, URL and site for the first time.
 */
export async function benchGrowth(quick: boolean): Promise<BenchRow[]> {
  const [projects, keywords, days] = quick ? [2, 200, 5] : [5, 1_200, 10];
  return inFolder(async (folder) => {
    const sizes = await grown(folder, { projects, keywords, days });
    const [first, last] = [sizes[0], sizes.at(-1)];
    if (first === undefined || last === undefined) throw new Error('no day was run');
    const [reports, database] = [last.reports - first.reports, last.database - first.database];
    const ratio = reports / database;
    const mb = (bytes: number): string => (bytes / mebibyte).toFixed(1);
    return [
      {
        name: `growth: reports of ${projects} projects with ${keywords.toLocaleString('en')} keywords over ${days} days against what the days add to the database`,
        target: `at most ${ratioMax}x`,
        ratio,
        detail: `${mb(last.reports)} MB of reports, ${mb(reports / (days - 1))} MB a day; the database grows by ${mb(database / (days - 1))} MB a day`,
        ok: ratio <= ratioMax,
      },
    ];
  });
}

/** Runs the days one after another; returns what is on the disk after each. */
async function grown(
  folder: string,
  { projects, keywords, days }: { readonly projects: number; readonly keywords: number; readonly days: number },
): Promise<Sizes[]> {
  const config = await loadConfig({ file: writeProjectsConfig(folder, projects, keywords), cwd: folder, env: {} });
  const clock = new SimulatedClock(firstSlot);
  const app = await openApp(config, { clock });
  const sizes: Sizes[] = [];
  try {
    for (let day = 0; day < days; day += 1) {
      clock.goTo(firstSlot + day * dayMs + 1_000);
      await run(app, {});
      sizes.push({ reports: bytesIn(config.reports.directory), database: statSync(config.databaseFile).size });
    }
    return sizes;
  } finally {
    await app.close();
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
