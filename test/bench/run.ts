// The memory of a run on the sandbox from plan to reports, sampled during its checks.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { RunOutcome } from '../../src/app/runs/run.ts';
import { peakOf, watchedCommand } from './command-line.ts';
import { inFolder, writeConfig } from './folder.ts';
import type { BenchRow } from './row.ts';
import type { MemorySample } from './watch.js';

const mebibyte = 1_048_576;
const residentMaxMiB = 400;
/** What a late moment may hold beyond an early one: a share, or an amount that does not grow with the run. */
const growthMax = 1.15;
const growthMaxMiB = 40;

/**
 * Two lines, of `rankledger run`: the peak memory of the process, reports included, and its growth from the first
 * quarter of the checks to their last tenth. The database has the end of each check; the highest sample counts.
 */
export async function benchRun(quick: boolean): Promise<BenchRow[]> {
  const keywords = quick ? 8_000 : 100_000;
  return inFolder(async (folder) => {
    writeConfig(folder, keywords);
    const { answer, samples, seconds } = await watchedCommand<RunOutcome>(folder, ['run', '--all']);
    const ends = checkEnds(join(folder, 'rankledger.sqlite'));
    const peak = peakOf(samples) / mebibyte;
    const early = highest(samples, momentOf(ends, 0.2), momentOf(ends, 0.3));
    const late = highest(samples, momentOf(ends, 0.9), momentOf(ends, 1));
    const perSecond = (ends.length / (momentOf(ends, 1) - momentOf(ends, 0))) * 1000;
    return [
      {
        name: `run: resident memory of ${keywords.toLocaleString('en')} checks and their reports`,
        target: `under ${residentMaxMiB} MB`,
        ratio: peak / residentMaxMiB,
        detail: `${Math.round(peak)} MB at most, ${Math.round(perSecond)} checks/s, ${Math.round(seconds)} s in all`,
        ok: answer.runs[0]?.checks.ok === keywords && peak < residentMaxMiB,
      },
      {
        name: 'run: resident memory at the last checks against a quarter of them',
        target: `within ${growthMax}x, or ${growthMaxMiB} MB`,
        ratio: late / early,
        detail: `${Math.round(early)} MB, then ${Math.round(late)} MB`,
        ok: late <= Math.max(early * growthMax, early + growthMaxMiB),
      },
    ];
  });
}

/** UTC milliseconds, in order. */
function checkEnds(file: string): number[] {
  const database = new Database(file, { readonly: true });
  const ends = database.prepare('SELECT finished_at FROM checks ORDER BY finished_at').pluck().all() as number[];
  database.close();
  return ends;
}

/** When a share of the checks had ended. */
function momentOf(ends: readonly number[], share: number): number {
  return ends[Math.round(share * (ends.length - 1))] ?? Number.NaN;
}

/** MiB; of the samples between two moments, with half a second of tolerance on each side. */
function highest(samples: readonly MemorySample[], from: number, until: number): number {
  const near = samples.filter(({ at }) => at >= from - 500 && at <= until + 500);
  return Math.max(...near.map(({ rss }) => rss)) / mebibyte;
}
