// Planning very many keywords: the config read, every search priced and checked against the budget, and its memory.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlanReport } from '../../jobs/query/planning.ts';
import { peakOf, watchedCommand } from './command-line.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const residentMaxMiB = 1024;
const adaptive = { secondsMax: 10, residentMaxMiB: 500 };

/** `rankledger plan` with fixed and with adaptive plans. */
export async function benchPlan(quick: boolean): Promise<BenchRow[]> {
  return [...(await fixedRows(quick)), await adaptiveRow(quick)];
}

/** The budget has a cap, so that the order of work is kept and sorted too. */
async function fixedRows(quick: boolean): Promise<BenchRow[]> {
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

/** The whole command: the history of every keyword is read, the plan made, and every decision printed. */
async function adaptiveRow(quick: boolean): Promise<BenchRow> {
  const size = quick ? { keywords: 20_000, days: 10 } : { keywords: 100_000, days: 20 };
  return inFolder(async (folder) => {
    const config = writeConfig(folder, size.keywords);
    const written = readFileSync(config, 'utf8');
    writeFileSync(
      config,
      written.replace(
        /depth: 1\n\s+paging: full/,
        'depth: 10\n    paging: adaptive\n    cadence: adaptive\n    atLeastEvery: 7d',
      ),
    );
    buildHistory(join(folder, 'rankledger.sqlite'), size);
    const slot = `2026-01-${String(size.days + 2).padStart(2, '0')}T06:00`;
    const { answer, samples } = await watchedCommand<PlanReport>(folder, ['plan', '-p', 'bench', '--slot', slot]);
    const peak = peakOf(samples) / mebibyte;
    const seconds = Math.max(...samples.map(({ cpuMs }) => cpuMs)) / 1000;
    const checks = answer.adaptive?.filter(({ check }) => check).length ?? 0;
    return {
      name: `plan: adaptive plan of ${size.keywords.toLocaleString('en')} keywords with ${size.days} checks each`,
      target: `under ${adaptive.secondsMax} s of the processor and ${adaptive.residentMaxMiB} MB`,
      ratio: Math.max(seconds / adaptive.secondsMax, peak / adaptive.residentMaxMiB),
      detail: `${seconds.toFixed(1)} s, ${Math.round(peak)} MB at most, ${checks.toLocaleString('en')} checks planned`,
      ok:
        answer.adaptive?.length === size.keywords &&
        checks > 0 &&
        seconds < adaptive.secondsMax &&
        peak < adaptive.residentMaxMiB,
    };
  });
}
