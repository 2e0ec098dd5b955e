// AI answers and measured clicks in a browser: in the workspace, and in report.html without a server.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { clickRow, putClicks, someDays } from '../helpers/click-days.ts';
import { type OpenWorkspace, openWorkspace } from './open-workspace.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const slots = ['2026-01-05T05:00:00Z', '2026-01-12T05:00:00Z'];
const now = Date.parse('2026-01-12T12:00:00Z');
const config = `timezone: Europe/Berlin
budget: { serpCredits: { perRun: 100 }, keywordDataUsd: { perMonth: 5.00 } }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 1
    keywords: [running shoes, trail shoes, hiking boots, winter boots, sandals, socks]
    prompts: { engines: [chatgpt, perplexity], texts: [best running shoes, best hiking boots] }
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots.slice(0, 1));
  putClicks(folder.path, [{ date: '2025-12-03', rows: [clickRow('running shoes', 30, 900)] }, ...someDays]);
  await runSlots(folder, slots.slice(1));
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

/** Opens an address, has `act` use it, and holds that nothing went wrong. */
async function using(url: string, act: (page: Page) => Promise<void>, width = 1440): Promise<void> {
  const context = await workspace.browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(url);
  await act(page);
  expect(problems).toEqual([]);
  await context.close();
}

const report = (): string => pathToFileURL(join(folder.path, 'reports/acme/latest/report.html')).href;

async function accessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: object[] }[] };
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.length}`)).toEqual([]);
}

describe('AI answers', () => {
  it('have shares with intervals for each engine, and AI overviews of keywords', async () => {
    await using(`${workspace.url}/p/acme/answers`, async (page) => {
      await page.getByRole('heading', { name: 'ChatGPT' }).waitFor();
      expect(await page.getByRole('heading', { name: 'AI overviews' }).count()).toBe(1);
      expect(await page.getByText(/shown in \d+ of 12 checks/).count()).toBe(1);
      expect(await page.getByText(/\d+(\.\d)?% \(\d+(\.\d)?–\d+(\.\d)?%\)/).count()).toBeGreaterThan(4);
      expect(await page.locator('canvas[role=img]').count()).toBeGreaterThan(2);
      await accessible(page);
    });
  });

  it('lead from a prompt to its answers with texts and citations, and back', async () => {
    await using(`${workspace.url}/p/acme/answers`, async (page) => {
      await page.getByRole('link', { name: 'best running shoes' }).first().click();
      await page.getByRole('heading', { name: 'best running shoes' }).waitFor();
      const [first] = await page.locator('details.values summary').all();
      expect(await first?.textContent()).toMatch(/12 Jan 2026, answer 1: \d+ citations/);
      await first?.click();
      expect(await page.locator('details[open] .prose').first().textContent()).not.toBe('');
      expect(await page.locator('details.values').count()).toBe(10);
      await accessible(page);
      await page.getByRole('link', { name: 'All prompts' }).click();
      await page.getByRole('heading', { name: 'New and lost citations' }).waitFor();
    });
  });

  it('are in report.html, too, with the texts of the newest period', async () => {
    await using(report(), async (page) => {
      const section = page.locator('section#answers');
      await section.getByRole('heading', { name: 'ChatGPT' }).waitFor();
      await section.getByRole('link', { name: 'best running shoes' }).first().click();
      await section.getByText(/answer 5: /).waitFor();
      expect(await section.locator('details.values').count()).toBe(5);
      await section.getByRole('link', { name: 'All prompts' }).click();
      await section.getByRole('heading', { name: 'Cited pages' }).waitFor();
    });
  });

  it('fit a phone', async () => {
    for (const url of [`${workspace.url}/p/acme/answers`, report()])
      await using(
        url,
        async (page) => {
          await page.getByRole('heading', { name: 'New and lost citations' }).waitFor();
          expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        },
        390,
      );
  });
});

it('clicks gained and lost are explained in report.html, by query and by page', async () => {
  await using(report(), async (page) => {
    const section = page.locator('section#clicks');
    await section.getByRole('heading', { name: 'Why clicks changed, by page' }).waitFor();
    expect(await section.getByText('Demand', { exact: true }).count()).toBeGreaterThan(1);
    expect(await section.getByRole('link', { name: 'click-changes.csv' }).count()).toBe(2);
  });
});
