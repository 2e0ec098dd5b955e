// The HTML report: writing time and size for one of many keywords, and how soon a reader can use ten thousand.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { loadConfig } from '../../config/load.ts';
import { openStore } from '../../db/store.ts';
import { HtmlReport } from '../../jobs/report/html/html-report.ts';
import { projectNotes, reportScope } from '../../jobs/report/rows/report-scope.ts';
import { trackedRows } from '../../jobs/report/tables/tracked-tables.ts';
import { startChromium } from '../browser/chromium.ts';
import { builtPage } from '../report/html/built-page.ts';
import { answerAsChild, inChild, longCommandLimits } from './child.ts';
import { contextOf } from './context.ts';
import { timed } from './figures.ts';
import { inFolder, writeConfig } from './folder.ts';
import { buildHistory, type HistorySize } from './history.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const bytesMax = 15_000_000;
const interactiveMsMax = 2_000;
const writingMsMax = 60_000;
const rssMaxAllowed = 500 * mebibyte;
const readerKeywords = 10_000;
const days = 90;
const rounds = 4;

interface Question extends HistorySize {
  readonly folder: string;
}

interface Answer {
  readonly ms: number;
  readonly bytes: number;
}

export async function benchHtml(quick: boolean): Promise<BenchRow[]> {
  return [await reading(), await writing(quick ? 5_000 : readerKeywords), ...(quick ? [] : [await writing(100_000)])];
}

/** From opening the file to a table that has been sorted and filtered, in a real browser. */
async function reading(): Promise<BenchRow> {
  return inFolder(async (folder) => {
    const file = join(folder, 'report.html');
    writeFileSync(file, builtPage({ keywords: readerKeywords, dates: days }));
    const bytes = statSync(file).size;
    const browser = await startChromium();
    try {
      const times: number[] = [];
      // the first page of a browser pays for its start, and other load only adds: the fastest counts
      for (let round = 0; round < rounds; round += 1) times.push(await openedAndUsed(browser, file));
      const ms = Math.min(...times);
      return {
        name: `html: ${readerKeywords.toLocaleString('en')} keywords, ${days} days, opened, sorted and filtered in Chromium`,
        target: 'under 2 s and 15 MB',
        ratio: ms / interactiveMsMax,
        detail: `${Math.round(ms)} ms, ${(bytes / 1e6).toFixed(1)} MB`,
        ok: ms < interactiveMsMax && bytes < bytesMax,
      };
    } finally {
      await browser.close();
    }
  });
}

async function openedAndUsed(browser: Browser, file: string): Promise<number> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const ms = await timed(async () => {
    await page.goto(`file://${file}`);
    await page.waitForSelector('html[data-ready]', { state: 'attached' });
    await page.click('table.keywords thead button:has-text("Volume")');
    await page.fill('input[type=search]', 'keyword 09999');
    await page.locator('#rows', { hasText: /^1 row$/ }).waitFor();
  });
  await context.close();
  return ms;
}

async function writing(keywords: number): Promise<BenchRow> {
  return inFolder(async (folder) => {
    writeConfig(folder, keywords);
    buildHistory(join(folder, 'rankledger.sqlite'), { keywords, days });
    const question: Question = { keywords, days, folder };
    const { ms, bytes, rssMax } = await inChild<Answer>(import.meta.url, question, longCommandLimits);
    return {
      name: `html: report.html of ${keywords.toLocaleString('en')} keywords and ${days} days, written`,
      target: 'within 60 s, 500 MB and 15 MB',
      ratio: ms / writingMsMax,
      detail: `${(ms / 1000).toFixed(2)} s, ${(bytes / 1e6).toFixed(1)} MB, ${Math.round(rssMax / mebibyte)} MB of memory at most`,
      ok: ms < writingMsMax && bytes < bytesMax && rssMax < rssMaxAllowed,
    };
  });
}

await answerAsChild(import.meta.url, async ({ folder, days: runId }: Question): Promise<Answer> => {
  const config = await loadConfig({ file: join(folder, 'rankledger.yaml'), cwd: folder, env: {} });
  const store = openStore(config.databaseFile);
  const context = contextOf(store, config.projects, Date.now(), new Map());
  const run = store.runs.run(runId);
  const [slot] = store.runs.slotsOf(runId);
  const [project] = config.projects;
  if (run === null || slot === undefined || project === undefined) throw new Error('the history has no such run');
  const scope = reportScope(
    context,
    { ...config.reports, html: true, comparison: { kind: 'previous' } },
    run,
    slot,
    project,
  );
  const file = join(folder, 'written', 'report.html');
  mkdirSync(join(folder, 'written'));
  const ms = await timed(() => {
    const page = new HtmlReport(scope);
    for (const row of trackedRows(scope, projectNotes(scope), scope.clicks)) page.add(row);
    for (const chunk of page.table().chunks) writeFileSync(file, chunk, { flag: 'a' });
  });
  store.close();
  return { ms, bytes: statSync(file).size };
});
