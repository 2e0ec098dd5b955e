// The price of 100 results a keyword: ten pages one by one, against all at once, at the same simulated vendor.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { RunOutcome } from '../../src/app/runs/run.ts';
import { watchedCommand } from './command-line.ts';
import { inFolder, writeConfig } from './folder.ts';
import type { BenchRow } from './row.ts';

const depth = 10;
/** What Serper and SearchApi take for 100 results, a page costing one. */
const atOnceCredits = 2;
const shareMax = 0.4;

/** One line, of the first `rankledger run` of a project: its credits, and whether both ways see the same ranks. */
export async function benchGoods(quick: boolean): Promise<BenchRow[]> {
  const keywords = quick ? 100 : 1_000;
  const [single, atOnce] = [await runOnce(keywords), await runOnce(keywords, atOnceCredits)];
  const isSame = single.ranks.length === keywords && single.ranks.join() === atOnce.ranks.join();
  const count = (number: number): string => number.toLocaleString('en');
  return [
    {
      name: `goods: credits of ${count(keywords)} keywords at depth ${depth}, all pages at once against page by page`,
      target: `at most ${100 * shareMax} %, and the same ranks`,
      ratio: atOnce.credits / single.credits,
      detail: `${count(atOnce.credits)} credits against ${count(single.credits)}; the ranks ${isSame ? 'are the same' : 'DIFFER'}`,
      ok: isSame && atOnce.credits <= shareMax * single.credits,
    },
  ];
}

/** The credits of a run, and the rank of each keyword. */
async function runOnce(keywords: number, atOnceCredits?: number) {
  return inFolder(async (folder) => {
    writeConfig(folder, keywords, { depth, atOnceCredits });
    const { answer } = await watchedCommand<RunOutcome>(folder, ['run', '--all']);
    const database = new Database(join(folder, 'rankledger.sqlite'), { readonly: true });
    const ranks = database.prepare('SELECT rank FROM rankings ORDER BY search_id').pluck().all();
    database.close();
    return { credits: answer.runs.reduce((sum, run) => sum + run.serpCredits.spent, 0), ranks };
  });
}
