// How much code one keyword enters between config and CSV: named functions that V8 counts during a run.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { run } from '../../src/app/runs/run.ts';
import { answerAsChild, inChild } from './child.ts';
import { inFolder, writeConfig } from './folder.ts';
import type { BenchRow } from './row.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const filesMax = 60;
const functionsMax = 300;

/**
 * The sandbox invents pages and the engines parse them; other tables and the page share the rows that are read: none
 * of them counts. The CLI is not loaded.
 */
const leftOut = [
  /^(node_modules|test)\//,
  /^src\/service\/(engines|sources\/sandbox)(\/|\.ts$)/,
  /^src\/report\/tables\/(?!rank-changes)/,
  /^src\/tracker\/(intent\/|targets\/brand)/,
  /^jobs\/report\/(tables\/(?!tracked-tables)|html\/)/,
];

/** An arrow function without a name is part of the function around it. */
const named = /^(get |set |static )?[#\w]+$/;

interface Journey {
  readonly entered: readonly { readonly file: string; readonly functions: readonly string[] }[];
}

/**
 * Two lines: the files and functions that one keyword of a resolved config enters, from the plan of its run to its row
 * in rank-changes.csv. Counting starts when the run is open and ends with that table. Loading a module does not count.
 */
export async function benchJourney(): Promise<BenchRow[]> {
  const { entered } = await inFolder((folder) => inChild<Journey>(import.meta.url, { folder }));
  for (const { file, functions } of entered)
    process.stderr.write(`${file} ${functions.length}: ${functions.join(' ')}\n`);
  const row = (what: string, count: number, max: number): BenchRow => ({
    name: `journey: ${what} that one keyword enters between config and CSV`,
    target: `at most ${max}`,
    ratio: count / max,
    detail: `${count} ${what}`,
    ok: count <= max,
  });
  const functions = entered.reduce((sum, file) => sum + file.functions.length, 0);
  return [row('files', entered.length, filesMax), row('functions', functions, functionsMax)];
}

function isTableWritten(reports: string): boolean {
  if (!existsSync(reports)) return false;
  const tables = readdirSync(reports, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('rank-changes.csv'),
  );
  return tables.some((file) => (statSync(join(reports, file), { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** Calls of named functions of this repository, by file. */
class FunctionCounts {
  readonly #session = new Session();

  start(): void {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  }

  take(): Journey['entered'] {
    const entered: { readonly file: string; readonly functions: readonly string[] }[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, taken) => {
      if (error !== null) throw error;
      for (const { url, functions } of taken.result) {
        if (!url.startsWith('file:')) continue;
        const file = relative(root, fileURLToPath(url));
        if (file.startsWith('..') || leftOut.some((pattern) => pattern.test(file))) continue;
        const called = functions.filter(
          ({ functionName, ranges: [range] }) => named.test(functionName) && (range?.count ?? 0) > 0,
        );
        // cells of a table's columns share a name
        if (called.length > 0)
          entered.push({ file, functions: [...new Set(called.map(({ functionName }) => functionName))] });
      }
    });
    this.#session.disconnect();
    return entered.sort((a, b) => (a.file < b.file ? -1 : 1));
  }
}

await answerAsChild(import.meta.url, async ({ folder }: { readonly folder: string }): Promise<Journey> => {
  const config = await loadConfig({ file: writeConfig(folder, 1), cwd: folder, env: {} });
  const coverage = new FunctionCounts();
  let counted: Journey['entered'] | null = null;
  const quiet = { debug() {}, warn() {}, error() {} };
  const log = { ...quiet, info: (_: object, message: string) => void (message === 'run opened' && coverage.start()) };
  const clock = {
    // read after each table of a report
    now() {
      if (counted === null && isTableWritten(config.reports.directory)) counted = coverage.take();
      return Date.now();
    },
    sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
  };
  const app = await openApp(config, { log, clock });
  await run(app, { all: true });
  await app.close();
  if (counted === null) throw new Error('rank-changes.csv was not written');
  return { entered: counted };
});
