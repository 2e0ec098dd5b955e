// The report on paper: a PDF from a wide screen, light or dark, looked at pixel by pixel.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPage } from '../report/html/built-page.ts';
import { openFile, startChromium } from './chromium.ts';
import { colourAt, colourCounts, colourFinder, colourOf, type PdfPage, pdfPages } from './pdf-pages.ts';

const dates = 12;
const style = readFileSync(new URL('../../src/workspace/client/style.css', import.meta.url), 'utf8');
/** Of the light and of the dark theme. */
const [light, dark] = [1, 2].map((theme) =>
  [...style.matchAll(/--(?:series|bucket)-\d: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)].map((pair) =>
    colourOf(pair[theme] ?? ''),
  ),
) as [number[], number[]];
const series = light.slice(0, 6);
const buckets = light.slice(6);
/** Greys are also those of text. */
const darkHues = dark.filter((colour) => {
  const channels = [16, 8, 0].map((bits) => (colour >> bits) & 255);
  return Math.max(...channels) - Math.min(...channels) > 40;
});
const white = 0xffffff;

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'rankledger-print-'));
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function printed(
  colorScheme: 'light' | 'dark',
  format: 'A4' | 'Letter' = 'A4',
  isLandscape = false,
): Promise<PdfPage[]> {
  const file = join(folder, 'report.html');
  writeFileSync(file, builtPage({ dates }));
  const { page, complaints } = await openFile(browser, file, { colorScheme, viewport: { width: 1440, height: 900 } });
  const pdf = await page.pdf({ format, printBackground: true, landscape: isLandscape });
  await page.context().close();
  expect(complaints).toEqual([]);
  return pdfPages(pdf);
}

/** The page with the bars of the rank distribution. */
function distributionPage(pages: readonly PdfPage[]): PdfPage {
  const inBuckets = pages.map((page) => sum(colourCounts(page, buckets)));
  return pages[inBuckets.indexOf(Math.max(...inBuckets))]!;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** Bars side by side on the row of the page that has most of them. */
function barCount(page: PdfPage): number {
  const find = colourFinder(buckets);
  // wider than a mark of the legend, and than the half of a bar that the mark of a note parts
  const barWidthMin = Math.floor((0.5 * page.width) / dates);
  let most = 0;
  for (let y = 0; y < page.height; y += 1) {
    let [bars, inBar] = [0, 0];
    for (let x = 0; x < page.width; x += 1) {
      const isBar = find(colourAt(page, x, y)) >= 0;
      inBar = isBar ? inBar + 1 : 0;
      if (inBar === barWidthMin) bars += 1;
    }
    most = Math.max(most, bars);
  }
  return most;
}

/** Columns at the left and the right edge without a drop of ink. */
function margins(page: PdfPage): { left: number; right: number } {
  const isInked = (x: number): boolean => {
    for (let y = 0; y < page.height; y += 1) if (colourAt(page, x, y) !== white) return true;
    return false;
  };
  let [left, right] = [0, 0];
  while (left < page.width && !isInked(left)) left += 1;
  while (right < page.width && !isInked(page.width - 1 - right)) right += 1;
  return { left, right };
}

/** 12 mm in pixels at two to a point, less the half of a line at the edge. */
const marginMin = Math.floor((12 / 25.4) * 72 * 2) - 2;

describe('the palettes that this file looks for', () => {
  it('are in the style sheet, and share no colour', () => {
    expect([light.length, dark.length]).toEqual([14, 14]);
    expect(light.filter((colour) => dark.includes(colour))).toEqual([]);
    expect(darkHues.length).toBeGreaterThan(8);
  });
});

describe.each([
  ['light', 'A4', false],
  ['dark', 'A4', false],
  ['dark', 'Letter', false],
  ['light', 'A4', true],
] as const)('a report printed from a screen of 1440 pixels, %s, %s, landscape %s', (scheme, format, isLandscape) => {
  let pages: PdfPage[];
  beforeAll(async () => {
    pages = await printed(scheme, format, isLandscape);
  });

  it('is white, with charts in the light palette and nothing in the dark one', () => {
    for (const page of pages) {
      expect(sum(colourCounts(page, [white]))).toBeGreaterThan(0.5 * page.width * page.height);
      expect(sum(colourCounts(page, darkHues))).toBeLessThan(1_000);
    }
    const lines = pages.map((page) => sum(colourCounts(page, series.slice(0, 2))));
    expect(Math.max(...lines)).toBeGreaterThan(2_000);
  });

  it('has the bars of every date, and every mark of the legend', () => {
    const page = distributionPage(pages);
    expect(barCount(page)).toBe(dates);
    const counts = colourCounts(page, buckets);
    // a mark has 12 CSS pixels a side: 18 pixels here
    expect(Math.min(...counts)).toBeGreaterThan(12 * 12);
  });

  it('keeps its margins: nothing runs over the edge', () => {
    for (const page of pages) {
      const { left, right } = margins(page);
      expect(Math.min(left, right)).toBeGreaterThanOrEqual(marginMin);
    }
  });

  it('has the titles of charts and tables, and those of a table on each of its pages', () => {
    // PDFium breaks a title with wide letters into many lines
    const texts = pages.map(({ text }) => text.replaceAll(/\s/g, ''));
    for (const title of ['Visibilityovertime', 'Rankdistributionovertime', 'Targetsandcompetitors'])
      expect(texts.some((text) => text.includes(title))).toBe(true);
    const withRows = texts.filter((text) => /endesktop(?:\d+new|notfoundlost)/.test(text));
    expect(withRows.length).toBeGreaterThan(1);
    expect(withRows.map((text) => text.includes('KeywordMarketDeviceRankChangeTrendBestVolume'))).toEqual(
      withRows.map(() => true),
    );
  });
});

it('prints the same from a dark screen as from a light one', async () => {
  const [fromLight, fromDark] = [await printed('light'), await printed('dark')];
  const differing = fromLight.map(({ data }, index) => Buffer.compare(data, fromDark[index]?.data ?? Buffer.alloc(0)));
  expect(differing).toEqual(fromLight.map(() => 0));
});
