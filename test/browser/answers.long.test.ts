// AI answers and measured clicks in a browser.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { clickRow, putClicks, putHours, putTypes, someDays } from '../helpers/click-days.ts';
import { looks, type OpenWorkspace, openWorkspace, overflow, settled, violations, visit } from './open-workspace.ts';

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

type Totals = readonly [clicks: number, impressions: number, averagePosition: number | null];

/** On the final days below. */
function typeDays(type: 'web' | 'image' | 'news' | 'discover', ...days: readonly Totals[]) {
  return days.map(([clicks, impressions, averagePosition], at) => {
    const date = ['2025-12-03', '2026-01-09', '2026-01-10'][at] ?? '';
    return { type, date, clicks, impressions, averagePosition };
  });
}

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots.slice(0, 1));
  putClicks(folder.path, [{ date: '2025-12-03', rows: [clickRow('running shoes', 30, 900)] }, ...someDays]);
  putTypes(folder.path, [
    ...typeDays('web', [30, 900, 4], [76, 1_100, 4.2], [1, 100, 8]),
    ...typeDays('image', [40, 9_000, 12.5], [25, 6_000, 14], [10, 2_000, 15]),
    ...typeDays('news', [0, 0, null], [0, 0, null], [0, 0, null]),
    ...typeDays('discover', [0, 0, null], [900, 50_000, null], [420, 21_000, null]),
  ]);
  putHours(folder.path, '2026-01-12T03');
  await runSlots(folder, slots.slice(1));
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

describe('AI answers', () => {
  it('have shares with intervals for each engine, and AI overviews of keywords', () =>
    visit(workspace, '/p/acme/answers', async (page) => {
      await page.getByRole('heading', { level: 1, name: /^acme\.com is cited in \d+ of \d+ AI answers/ }).waitFor();
      for (const name of ['ChatGPT', 'Perplexity', 'AI overviews'])
        expect(await page.getByRole('heading', { name, exact: true }).count(), name).toBe(1);
      expect(await page.getByText(/shown in \d+ of 12 checks/).count()).toBe(1);
      expect(await page.getByText(/\d+(\.\d)? % \(\d+(\.\d)?–\d+(\.\d)? %\)/).count()).toBeGreaterThan(4);
      expect(await page.getByRole('img', { name: /^Share of/ }).count()).toBe(3);
    }));

  it('lead from a prompt to its answers with texts and citations, and back', () =>
    visit(workspace, '/p/acme/answers', async (page) => {
      await page.getByRole('link', { name: 'best running shoes' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'best running shoes' }).waitFor();
      const samples = page.locator('.answer-sample');
      await samples.first().waitFor();
      expect(await samples.count()).toBe(10);
      await samples.first().locator('summary').click();
      expect(await samples.first().locator('summary').textContent()).toMatch(/^12 Jan 2026, answer \d \d+ citation/);
      expect(await samples.first().locator('.answer-text').innerText()).not.toBe('');
      expect(await violations(page)).toEqual([]);
      await page.getByRole('link', { name: 'All prompts' }).click();
      await page.getByRole('heading', { name: 'New and lost citations' }).waitFor();
    }));
});

it('clicks gained and lost are explained by effect, by query and by page', () =>
  visit(workspace, '/p/acme/home', async (page) => {
    await page.getByRole('link', { name: 'Clicks', exact: true }).first().click();
    const why = page.getByRole('region', { name: 'Why clicks changed' });
    await why.getByRole('columnheader', { name: 'Demand' }).waitFor();
    const first = await why.locator('tbody th').first().textContent();
    await page.getByRole('navigation', { name: 'Changes by' }).getByRole('link', { name: /page/i }).click();
    await page.waitForURL((url) => url.searchParams.get('by') === 'page');
    await page.waitForFunction((of) => document.querySelector('tbody th')?.textContent !== of, first);
    await page.getByRole('region', { name: 'Measured against estimated' }).waitFor();
  }));

it('clicks are counted by search type, without those that have no impressions', () =>
  visit(workspace, '/p/acme/clicks', async (page) => {
    const types = page.getByRole('region', { name: 'Clicks by search type' });
    const names = types.locator('tbody th');
    expect(await names.allTextContents()).toEqual(['Discover', 'Web', 'Images']);
    expect(await types.locator('tbody tr').first().innerText()).toMatch(/1,320\s.*1,320\s+0\s+71,000\s+–/s);
  }));

it('the newest hours are drawn beside those a week before, and say that they are incomplete', () =>
  visit(workspace, '/p/acme/clicks', async (page) => {
    const hours = page.getByRole('region', { name: 'Newest 24 hours' });
    const text = await hours.innerText();
    expect(text).toContain('11 Jan, 04:00 – 12 Jan 2026, 03:00, Pacific time');
    expect(text).toContain('288 clicks and 5,760 impressions; the same hours a week before had 264 and 5,280.');
    expect(text).toContain('The last 3 hours are incomplete');
    await hours.getByText('Values as a table').click();
    const first = hours.locator('.chart-table tbody tr').first();
    expect(await first.innerText()).toMatch(/^12 Jan 2026, 03:00\s+7\s+6$/);
  }));

it.each(looks)('have no fault that axe knows, and fit: %o', (look) =>
  visit(
    workspace,
    '/',
    async (page) => {
      for (const path of ['answers', 'clicks', 'clicks?by=page']) {
        await page.goto(`${workspace.url}/p/acme/${path}`);
        await settled(page);
        expect([path, await violations(page), await overflow(page)]).toEqual([path, [], 0]);
      }
    },
    look,
  ),
);
