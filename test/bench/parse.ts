// The speed of parsing results pages, compared with cheerio and with the bare HTML parser.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { load } from 'cheerio';
import { parse } from 'parse5';
import { googleEngine } from '../../src/service/engines/google/index.ts';
import type { BenchRow } from './row.ts';

const pagesDir = new URL('../../../shared/corpus/google/', import.meta.url);
/** Runs per page and contestant; the fastest counts, because other load only adds. */
const roundsMax = 10;
const cheerioRoundsMax = 2;
/** Below this, in characters, a page is only results: a page without scripts takes a bare pass one millisecond. */
const smallCharacters = 200_000;
const nothing = { ratio: 0, detail: '' };
/** Short runs are repeated for this long, in milliseconds. */
const repeatedMs = 100;

/** Ratios are medians over pages. Empty if the recorded pages are absent. */
export async function benchParse(): Promise<BenchRow[]> {
  const pages = readPages();
  if (pages.length === 0) return [];
  for (const { html } of pages.slice(0, 8)) {
    readPage(html);
    passBare(html);
  }
  const overCheerio: number[] = [];
  const overBare: number[] = [];
  const engineMs: number[] = [];
  const worst = { large: nothing, small: nothing };
  for (const { name, html } of pages) {
    const [engine, bare] = fastestOfBoth(
      () => readPage(html),
      () => passBare(html),
    );
    const cheerio = fastest(cheerioRoundsMax, () => selectHeadings(html));
    engineMs.push(engine);
    overCheerio.push(cheerio / engine);
    const ratio = engine / bare;
    overBare.push(ratio);
    const about = `${name}: ${engine.toFixed(1)} ms for ${(html.length / 1e6).toFixed(2)} million characters`;
    const size = html.length < smallCharacters ? 'small' : 'large';
    if (ratio > worst[size].ratio) worst[size] = { ratio, detail: about };
  }
  const detail = `${pages.length} pages, median ${median(engineMs).toFixed(1)} ms a page`;
  const faster = median(overCheerio);
  const slower = median(overBare);
  return [
    {
      name: 'parse: full root object against cheerio.load and #search h3',
      target: 'faster',
      ratio: faster,
      detail,
      ok: faster >= 1,
    },
    {
      name: 'parse: full root object against parse5 alone',
      target: 'within 3x',
      ratio: slower,
      detail,
      ok: slower <= 3,
    },
    row('parse: the worst page against parse5 alone', 6, worst.large),
    row(`parse: the worst page below ${smallCharacters} characters against it`, 10, worst.small),
  ];
}

function row(name: string, most: number, { ratio, detail }: typeof nothing): BenchRow {
  return { name, target: `within ${most}x`, ratio, detail, ok: ratio <= most };
}

/** Pages that the engine parses as results pages. */
function readPages(): { name: string; html: string }[] {
  if (!existsSync(pagesDir)) return [];
  return readdirSync(pagesDir)
    .filter((name) => name.endsWith('.html'))
    .map((name) => ({ name, html: readFileSync(new URL(name, pagesDir), 'utf8') }))
    .filter(({ html }) => {
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
  return parse(html).childNodes.length;
}

function selectHeadings(html: string): number {
  return load(html)('#search h3').length;
}

/** Two contestants alternate, so that both meet the same load of the machine. */
function fastestOfBoth(one: () => unknown, other: () => unknown): [number, number] {
  let [first, second] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const start = performance.now();
  for (let round = 0; round < roundsMax || performance.now() - start < repeatedMs; round++) {
    first = Math.min(first, fastest(1, one));
    second = Math.min(second, fastest(1, other));
  }
  return [first, second];
}

function fastest(rounds: number, run: () => unknown): number {
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
