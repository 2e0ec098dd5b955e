// Planning very many keywords: the config read, every search priced and checked against the budget, and its memory.
import type { PlanReport } from '../../jobs/query/planning.ts';
import { peakOf, watchedCommand } from './command-line.ts';
import { inFolder, writeConfig } from './folder.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const residentMaxMiB = 1024;

/** One line, of `rankledger plan`. The budget has a cap, so that the order of work is kept and sorted too. */
export async function benchPlan(quick: boolean): Promise<BenchRow[]> {
  const keywords = quick ? 100_000 : 1_000_000;
  return inFolder(async (folder) => {
    writeConfig(folder, keywords);
    const { answer, samples, seconds } = await watchedCommand<PlanReport>(folder, ['plan', '--all']);
    const peak = peakOf(samples) / mebibyte;
    return [
      {
        name: `plan: resident memory of ${keywords.toLocaleString('en')} tracked keywords`,
        target: `under ${residentMaxMiB} MB`,
        ratio: peak / residentMaxMiB,
        detail: `${Math.round(peak)} MB at most, ${seconds.toFixed(1)} s`,
        ok: answer.searches === keywords && peak < residentMaxMiB,
      },
    ];
  });
}
