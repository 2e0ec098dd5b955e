// How fast a results page is read, side by side with cheerio and with a bare pass of the HTML parser, over the recorded pages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load } from 'cheerio';
import { Parser } from 'htmlparser2';
import { googleEngine } from '../../src/service/engines/google/index.ts';
import type { BenchRow } from './row.ts';

const pagesDir = new URL('../../../shared/corpus/google/', import.meta.url);
/** Runs a page and contestant; the fastest counts, because everything else on the machine only adds. */
const roundsMax = 5;
const cheerioRoundsMax = 2;

/** Ratios are medians over pages. Empty where the recorded pages are absent. */
export async function benchParse(): Promise<BenchRow[]> {
  const pages = readPages();
  if (pages.length === 0) return [];
  for (const html of pages.slice(0, 8)) {
    readPage(html);
    passBare(html);
  }
  const overCheerio: number[] = [];
  const overBare: number[] = [];
  const engineMs: number[] = [];
  for (const html of pages) {
    const engine = fastest(roundsMax, () => readPage(html));
    const bare = fastest(roundsMax, () => passBare(html));
    const cheerio = fastest(cheerioRoundsMax, () => selectHeadings(html));
    engineMs.push(engine);
    overCheerio.push(cheerio / engine);
    overBare.push(engine / bare);
  }
  const detail = `${pages.length} pages, median ${median(engineMs).toFixed(1)} ms a page`;
  const faster = median(overCheerio);
  const slower = median(overBare);
  return [
    {
      name: 'parse: full root object against cheerio.load and #search h3',
      target: 'at least 5x faster',
      ratio: faster,
      detail,
      ok: faster >= 5,
    },
    {
      name: 'parse: full root object against a bare htmlparser2 pass',
      target: 'within 2x',
      ratio: slower,
      detail,
      ok: slower <= 2,
    },
  ];
}

/** Pages that are results pages: the engine reads them. */
function readPages(): string[] {
  if (!existsSync(pagesDir)) return [];
  return readdirSync(pagesDir)
    .filter((name) => name.endsWith('.html'))
    .map((name) => readFileSync(new URL(name, pagesDir), 'utf8'))
    .filter((html) => {
      try {
        return googleEngine.parse(html, { mobile: false }).serp.organic !== undefined;
      } catch {
        return false;
      }
    });
}

function readPage(html: string): number {
  return googleEngine.parse(html, { mobile: false }).serp.organic?.length ?? 0;
}

function passBare(html: string): number {
  let count = 0;
  const parser = new Parser({
    onopentag() {
      count++;
    },
    ontext() {
      count++;
    },
  });
  parser.end(html);
  return count;
}

function selectHeadings(html: string): number {
  return load(html)('#search h3').length;
}

function fastest(rounds: number, run: () => number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.table(await benchParse());
}
