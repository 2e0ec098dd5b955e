// Every recorded page of the corpus, falsified in many ways: parsed correctly, refused, or silently wrong.

import { loadEngine } from '../../src/service/engines/registry.ts';
import { marketRates, marketText } from '../corpus/market.ts';
import { mutations, type Verdict } from '../corpus/mutations.ts';
import {
  isCorpusHere,
  linksOf,
  Markup,
  type RecordedPage,
  type Row,
  recordedPage,
  recordedRows,
} from '../corpus/recorded-pages.ts';
import { believedMax, decoyRates, halves, ratesText } from '../corpus/relevance.ts';
import type { TruthTortureOptions } from './truth.ts';

/** The share of falsified pages that may be parsed wrongly without a failure. */
const wrongShareMax = 0.005;
/** In the quick form, every nth page. */
const quickStep = 8;

type Tally = Record<Verdict, number>;

export async function tortureOfPages(report: (line: string) => void, { quick }: TruthTortureOptions): Promise<number> {
  if (!isCorpusHere) {
    report('truth, pages: SKIPPED, the recorded pages (../shared/corpus) are not here.');
    return 0;
  }
  const rows = recordedRows().filter((_, nth) => !quick || nth % quickStep === 0);
  const tallies = new Map<string, Tally>();
  let pages = 0;
  for (const row of rows) {
    const page = await recordedPage(row);
    if (page === undefined) continue;
    pages++;
    const markup = new Markup(page.html);
    for (const mutation of mutations) {
      const verdicts = mutation.judge(page, markup);
      count(tallies, mutation.name, verdicts);
      for (const verdict of verdicts)
        if (verdict === 'wrong' || verdict === 'believed') report(`  ${verdict}: ${page.file}: ${mutation.name}`);
    }
    count(tallies, 'read as a page of another engine', await readByOthers(page));
  }
  return conclude(report, pages, tallies) + (await tortureOfDecoys(report)) + (await tortureOfMarkets(report, rows));
}

async function tortureOfMarkets(report: (line: string) => void, rows: readonly Row[]): Promise<number> {
  const rates = await marketRates(rows);
  report(`truth, pages: ${marketText(rates)}`);
  return rates.refused.length;
}

async function tortureOfDecoys(report: (line: string) => void): Promise<number> {
  const ratesOf = await decoyRates();
  for (const half of halves) report(`truth, pages: ${ratesText(half, ratesOf(half))}`);
  const { refused, believed, foreign } = ratesOf('all');
  return refused.length + (believed > foreign * believedMax ? believed : 0);
}

async function readByOthers(page: RecordedPage): Promise<readonly Verdict[]> {
  const others = ['google', 'bing', 'duckduckgo'].filter((name) => name !== page.engine.name);
  const engines = await Promise.all(others.map((name) => loadEngine(name)));
  return engines.map((engine) =>
    typeof linksOf(engine, page.html, { mobile: page.mobile }) === 'string' ? 'refused' : 'believed',
  );
}

function count(tallies: Map<string, Tally>, name: string, verdicts: readonly Verdict[]): void {
  const tally = tallies.get(name) ?? { right: 0, refused: 0, wrong: 0, believed: 0 };
  for (const verdict of verdicts) tally[verdict]++;
  tallies.set(name, tally);
}

function conclude(report: (line: string) => void, pages: number, tallies: ReadonlyMap<string, Tally>): number {
  const rows = [...tallies].map(([name, { right, refused, wrong, believed }]) => [
    name,
    right,
    refused,
    wrong + believed,
  ]);
  const sums = [1, 2, 3].map((column) => rows.reduce((sum, row) => sum + Number(row[column]), 0));
  const all = sums.reduce((sum, each) => sum + each, 0);
  report(`truth, pages: ${pages} recorded pages, ${all} changed ones`);
  for (const [name, ...numbers] of [['change', 'right', 'refused', 'silently wrong'], ...rows, ['all', ...sums]])
    report(`  ${String(name).padEnd(64)}${numbers.map((each) => String(each).padStart(16)).join('')}`);
  const wrong = sums[2] ?? 0;
  const believed = [...tallies.values()].reduce((sum, tally) => sum + tally.believed, 0);
  report(
    `truth, pages: ${((100 * wrong) / all).toFixed(2)} % silently wrong (at most ${100 * wrongShareMax} %), ${believed} lies believed`,
  );
  return (wrong > all * wrongShareMax ? wrong : 0) + believed;
}
