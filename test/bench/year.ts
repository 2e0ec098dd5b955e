// A year of one tracker: what its daily run and reports take, and what they hold, on days 1, 30, 90 and 365.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { report } from '../../src/app/reports/report.ts';
import { run } from '../../src/app/runs/run.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { answerAsChild, inChild } from './child.ts';
import { measured, type Taken } from './coordinator.ts';
import { inFolder, writeProjectsConfig } from './folder.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const dayMs = 86_400_000;
/** The first slot of `buildHistory`. */
const firstMoment = Date.UTC(2026, 0, 1, 6);
const growthMax = 1.3;

interface Question {
  readonly file: string;
  /** UTC milliseconds. */
  readonly at: number;
  readonly what: 'run' | 'report';
}

/** Of one day: seconds of processor time, and bytes. */
interface Day {
  readonly day: number;
  readonly run: number;
  readonly report: number;
  readonly rssMax: number;
  readonly database: number;
  /** What the run added to the database. */
  readonly grown: number;
}

/**
 * The days before each are built: runs, slots, checks, rankings of one target and columns of ranks, not purchases,
 * pages and ledger, which no later run and no report of another day reads. The two days before the one that is measured
 * are run for real: the first of them differs from the built days so much that it is suspect, the second is the
 * baseline.
 */
export async function benchYear(quick: boolean): Promise<BenchRow[]> {
  const [projects, keywords, days] = quick ? [2, 200, [1, 10, 30]] : [10, 10_000, [1, 30, 90, 365]];
  const measuredDays: Day[] = [];
  for (const day of days) {
    measuredDays.push(await inFolder((folder) => dayOf(folder, { projects, keywords, day })));
    process.stderr.write(`  day ${day} measured\n`);
  }
  const [first, last] = [measuredDays[0], measuredDays.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no day was measured');
  const subject = `${keywords.toLocaleString('en')} keywords in ${projects} projects, day ${last.day} against day ${first.day}`;
  const row = (name: string, of: (day: Day) => number, unit: string): BenchRow => {
    const ratio = of(last) / of(first);
    const detail = measuredDays.map((each) => `${of(each).toFixed(1)} ${unit} on day ${each.day}`).join(', ');
    return {
      name: `year: ${name} of ${subject}`,
      target: `within ${growthMax}x`,
      ratio,
      detail,
      ok: ratio <= growthMax,
    };
  };
  const sizes = measuredDays.map(({ day, database }) => `${(database / mebibyte).toFixed(0)} MB on day ${day}`);
  return [
    row('processor time of the run with its reports', (each) => each.run, 's'),
    row('processor time of all reports', (each) => each.report, 's'),
    row('memory of the run', ({ rssMax }) => rssMax / mebibyte, 'MB'),
    {
      name: `year: database of ${keywords.toLocaleString('en')} keywords, built history without purchases and pages`,
      target: 'printed',
      ratio: last.database / first.database,
      detail: `${sizes.join(', ')}; a real day adds ${(last.grown / mebibyte).toFixed(1)} MB`,
      ok: true,
    },
  ];
}

async function dayOf(
  folder: string,
  { projects, keywords, day }: { readonly projects: number; readonly keywords: number; readonly day: number },
): Promise<Day> {
  const file = writeProjectsConfig(folder, projects, keywords / projects);
  const database = join(folder, 'rankledger.sqlite');
  buildHistory(database, { keywords, days: Math.max(0, day - 3), projects });
  const at = firstMoment + (day - 1) * dayMs + 1_000;
  for (const earlier of [2, 1].filter((days) => days < day)) await ask({ file, at: at - earlier * dayMs, what: 'run' });
  const before = statSync(database).size;
  const ran = await ask({ file, at, what: 'run' });
  const after = statSync(database).size;
  const reported = await ask({ file, at, what: 'report' });
  return {
    day,
    run: ran.cpuMs / 1000,
    report: reported.cpuMs / 1000,
    rssMax: ran.rssMax,
    database: after,
    grown: after - before,
  };
}

function ask(question: Question) {
  return inChild<Taken>(import.meta.url, question);
}

await answerAsChild(import.meta.url, async ({ file, at, what }: Question): Promise<Taken> => {
  const folder = join(file, '..');
  const config = await loadConfig({ file, cwd: folder, env: {} });
  const app = await openApp(config, { clock: new SimulatedClock(at) });
  try {
    return await measured(async () => (what === 'run' ? await run(app, {}) : report(app, {})));
  } finally {
    await app.close();
  }
});
