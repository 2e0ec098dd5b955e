// report.pdf: printed from report.html by a real browser, looked at page by page.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writePdf } from '../../jobs/report/html/pdf-report.ts';
import { plainTemplate, type ReportTemplate } from '../../src/tracker/changes/client-reports.ts';
import { builtPage } from '../report/html/built-page.ts';
import { startChromium } from './chromium.ts';
import { colourCounts, colourOf, type PdfPage, pdfPages } from './pdf-pages.ts';

const template: ReportTemplate = {
  ...plainTemplate,
  name: 'Northlight <Search>',
  accent: '#7a1f5c',
  series: ['#7a1f5c', '#0f7b63'],
  introduction: 'Dear Acme team.',
  sections: ['overview', 'keywords'],
  columns: ['rank', 'change', 'url'],
};

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'rankledger-pdf-'));
let pages: PdfPage[];

beforeAll(async () => {
  browser = await startChromium();
  const run = { id: 7, slot: '2026-09-30T06:00' };
  const files = [{ name: 'report.html', bytes: 1, sha256: '', rows: null }];
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ format: 1, project: 'acme', run, files }));
  writeFileSync(join(folder, 'report.html'), builtPage({ template }));
  await writePdf(browser, folder, template);
  pages = await pdfPages(readFileSync(join(folder, 'report.pdf')));
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

it('is A4, with the name, the project and its day above each page and page numbers below', () => {
  expect(pages.length).toBeGreaterThan(1);
  for (const [at, page] of pages.entries()) {
    expect([page.width, page.height].map((pixels) => Math.round((pixels / 144) * 25.4))).toEqual([210, 297]);
    expect(page.text).toContain('Northlight <Search>');
    expect(page.text).toContain('acme, 30 Sep 2026');
    expect(page.text).toContain(`${at + 1} of ${pages.length}`);
  }
});

it('has the words of the template, its sections and its columns', () => {
  const text = pages.map((page) => page.text).join('\n');
  expect(text).toContain('Dear Acme team.');
  expect(text).not.toContain('SERP features');
  const keywords = pages
    .map((page) => page.text.replaceAll(/\s/g, ''))
    .find((page) => page.includes('KeywordRankChangeURL'));
  expect(keywords).toContain('/page-4');
});

it('is white, with its charts in the colours of the template', () => {
  for (const page of pages) {
    const [white = 0] = colourCounts(page, [0xffffff]);
    expect(white).toBeGreaterThan(0.6 * page.width * page.height);
  }
  const [accent = 0] = pages.map((page) => colourCounts(page, [colourOf('#7a1f5c')])[0] ?? 0);
  expect(accent).toBeGreaterThan(1_000);
});

it('is in the manifest with its sum, once, however often it is printed', async () => {
  await writePdf(browser, folder, template);
  const bytes = readFileSync(join(folder, 'report.pdf'));
  const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    files: { name: string; bytes: number; sha256: string }[];
  };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(files.map(({ name }) => name)).toEqual(['report.html', 'report.pdf']);
  expect(files[1]).toMatchObject({ bytes: bytes.length, sha256 });
});

it('is not begun where there is no page', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'rankledger-pdf-'));
  writeFileSync(
    join(empty, 'manifest.json'),
    JSON.stringify({ format: 1, project: 'acme', run: { slot: '2026-09-30T06:00' }, files: [] }),
  );
  await expect(writePdf(browser, empty, template)).rejects.toThrow(/could not be written/);
  rmSync(empty, { recursive: true, force: true });
});
