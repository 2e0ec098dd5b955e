// The report on paper: a PDF from a wide screen, light or dark, looked at pixel by pixel.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPage, type PageOptions } from '../report/html/built-page.ts';
import { openFile, startChromium } from './chromium.ts';
import { colourAt, colourCounts, colourOf, type PdfPage, pdfPages } from './pdf-pages.ts';

const tokens = readFileSync(new URL('../../src/workspace/web/tokens.css', import.meta.url), 'utf8');
/** A colour of the light and of the dark mode. */
function pairOf(name: string): readonly [light: number, dark: number] {
  const [, light = '', dark = ''] =
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(tokens) ?? [];
  return [colourOf(light), colourOf(dark)];
}
const hues = ['accent', 'series-2', 'good', 'bad'].map(pairOf);
const light = hues.map(([colour]) => colour);
const dark = hues.map(([, colour]) => colour);
const [ours = 0, rival = 0] = light;
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
  { colorScheme, ...options }: PageOptions & { readonly colorScheme: 'light' | 'dark' },
  format: 'A4' | 'Letter' = 'A4',
  isLandscape = false,
): Promise<PdfPage[]> {
  const file = join(folder, 'report.html');
  writeFileSync(file, builtPage(options));
  const { page, complaints } = await openFile(browser, file, { colorScheme, viewport: { width: 1440, height: 900 } });
  // a mode that the reader chose is no mode of paper either
  if (colorScheme === 'dark') await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'dark'));
  const pdf = await page.pdf({ format, printBackground: true, landscape: isLandscape });
  await page.context().close();
  expect(complaints).toEqual([]);
  return pdfPages(pdf);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

/** PDFium breaks a line with wide letters into many. */
const textOf = ({ text }: PdfPage): string => text.replaceAll(/\s/g, '');

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

describe.each([
  ['light', 'A4', false],
  ['dark', 'Letter', false],
  ['dark', 'A4', true],
] as const)(
  'a report printed from a screen of 1440 pixels, %s, %s, landscape %s',
  (colorScheme, format, isLandscape) => {
    let pages: PdfPage[];
    beforeAll(async () => {
      pages = await printed({ colorScheme }, format, isLandscape);
    });

    it('is white, with charts in the light palette and nothing in the dark one', () => {
      for (const page of pages) {
        expect(sum(colourCounts(page, [white]))).toBeGreaterThan(0.5 * page.width * page.height);
        expect(sum(colourCounts(page, dark))).toBeLessThan(1_000);
      }
      const [first] = pages;
      expect(Math.min(...colourCounts(first!, [ours, rival]))).toBeGreaterThan(300);
    });

    it('keeps its margins: nothing runs over the edge', () => {
      for (const page of pages) {
        const { left, right } = margins(page);
        expect(Math.min(left, right)).toBeGreaterThanOrEqual(marginMin);
      }
    });

    it('names the lines of its charts beside them, and has no controls', () => {
      const text = pages.map(textOf).join('');
      expect(text).toMatch(/globex\.com\d/);
      for (const control of ['Columns', 'Export', 'Valuesasatable', 'Sortedby', 'Skipto'])
        expect(text).not.toContain(control);
    });

    it('has no heading alone at the foot of a page', () => {
      const titles = ['Winnersandlosers', 'Againstcompetitors', 'Keywords', 'Marketsandtags', 'Whatwasnotchecked'];
      for (const text of pages.map(textOf)) for (const title of titles) expect(text.endsWith(title)).toBe(false);
    });
  },
);

describe('40 keywords', () => {
  let pages: string[];
  beforeAll(async () => {
    pages = (await printed({ colorScheme: 'light', keywords: 40, warning: 'simulated data' })).map(textOf);
  });

  it('have at most four pages: finding, movers and competitors, keywords, and how it was checked', () => {
    expect(pages).toHaveLength(4);
    const [finding, movers, keywords, rest] = pages;
    expect(finding).toContain('simulateddata');
    expect(finding).toMatch(/Visibility(rose|fell|stayed)/);
    expect(movers).toMatch(/^Winnersandlosers.*Againstcompetitors/);
    expect(keywords).toMatch(/^Keywords/);
    expect(rest).toContain('Howthesenumbersaremade');
  });

  it('are all on their page', () => {
    const names = new Set((pages[2] ?? '').match(/keyword000\d\d/g));
    expect(names.size).toBe(40);
  });
});

it('says which keywords of many it prints, and where all are', async () => {
  const pages = (await printed({ colorScheme: 'light', keywords: 400 })).map(textOf);
  const page = pages.find((text) => text.startsWith('Keywords'));
  expect(page).toContain('The40withthemostestimatedclicks,of400;allareinrank-changes.csv.');
  expect(pages.length).toBeLessThanOrEqual(5);
});

it('prints the same from a dark screen as from a light one', async () => {
  const [fromLight, fromDark] = [await printed({ colorScheme: 'light' }), await printed({ colorScheme: 'dark' })];
  const differing = fromLight.map(({ data }, index) => Buffer.compare(data, fromDark[index]?.data ?? Buffer.alloc(0)));
  expect(differing).toEqual(fromLight.map(() => 0));
});
