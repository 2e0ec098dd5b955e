// The map of a grid in a browser: workspace and report.html, wide and narrow, light and dark, by axe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { commandAt, runSlots } from '../cli/real-app.ts';
import { type OpenWorkspace, openWorkspace } from './open-workspace.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const slots = ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z'];
/** Has credits for some points only. */
const lastSlot = '2026-01-14T05:00:00Z';
const now = Date.parse('2026-01-14T12:00:00Z');
const config = (adaptive: boolean) => `timezone: Europe/Berlin
budget:
  serpCredits: { perDay: ${adaptive ? 24 : 500} }
reports: { html: true }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, grid: { center: "30.2672,-97.7431", size: 5, spacing: 1km } }
    depth: 2
    keywords: [pizza, dentist]
${adaptive ? '    cadence: adaptive\n' : ''}`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config(false));
  await runSlots(folder, slots);
  folder.write('rankledger.yaml', config(true));
  const { exitCode } = await commandAt(folder, Date.parse(lastSlot) + 3_600_000, 'run', '--all', '--slot', lastSlot);
  expect(exitCode).toBe(3);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

const places = ['view', 'report.html'] as const;
type Place = (typeof places)[number];

/** Opens the map, has `act` use it, and holds that nothing went wrong. */
async function using(
  place: Place,
  options: { width: number; colorScheme: 'light' | 'dark' },
  act: (page: Page) => Promise<void>,
): Promise<void> {
  const { width, colorScheme } = options;
  const context = await workspace.browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  try {
    const file = pathToFileURL(join(folder.path, 'reports', 'acme', 'latest', 'report.html'));
    await page.goto(place === 'view' ? `${workspace.url}/p/acme/map` : file.href);
    await page.waitForSelector('.grid-map');
    await page.waitForFunction(() => document.querySelector('.waiting, [aria-busy=true]') === null);
    await act(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

const wide = { width: 1440, colorScheme: 'light' } as const;

it.each(places)('shows each point with its rank or a marked estimate: %s', async (place) => {
  await using(place, wide, async (page) => {
    const points = page.locator('.grid-map a.point');
    expect(await points.count()).toBe(25);
    const labels = await points.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''));
    expect(labels.filter((label) => label.startsWith('Center: '))).toHaveLength(1);
    const estimated = await page.locator('.grid-map a.estimated text').allTextContents();
    expect(estimated.length).toBeGreaterThan(0);
    expect(estimated.every((text) => text.startsWith('~'))).toBe(true);
    const { data } = (await (await fetch(`${workspace.url}/v1/projects/acme/grids`)).json()) as {
      data: { checked: number; points: number }[];
    };
    expect(estimated.length).toBe((data[0]?.points ?? 0) - (data[0]?.checked ?? 0));
    expect(await page.locator('.map .mark').textContent()).toContain('are off by');
  });
});

it.each(places)('leads from a point to the history of its search, also by keyboard: %s', async (place) => {
  await using(place, wide, async (page) => {
    const keyword = await page.locator('.map-title bdi').first().textContent();
    await page.locator('.grid-map a.point').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#keyword-title');
    expect(await page.locator('#keyword-title').textContent()).toBe(keyword);
    expect(await page.locator('main, dialog').last().textContent()).toContain('@30.');
  });
});

it('shows changes, and the map of another date', async () => {
  await using('view', wide, async (page) => {
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.waitForSelector('.map-legend .better');
    expect(await page.locator('.grid-map .estimated').count()).toBe(0);
    await page.goto(`${workspace.url}/p/acme/map?date=2026-01-13`);
    await page.waitForSelector('.grid-map');
    expect(await page.locator('.map-title').textContent()).toContain('13 Jan 2026');
    expect(await page.locator('.grid-map .estimated').count()).toBe(0);
  });
});

const looks = places.flatMap((place) =>
  [390, 1440].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ place, width, colorScheme }))),
);

it.each(looks)('has no fault that axe knows, and fits: $place, $width px, $colorScheme', async ({ place, ...look }) => {
  await using(place, look, async (page) => {
    await page.locator('.map-points summary').click();
    const root = place === 'view' ? 'main' : '#map';
    await page.evaluate(axe);
    const faults = await page.evaluate(async (scope) => {
      const { axe: checker } = window as unknown as {
        axe: { run(scope: string): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
      };
      const { violations } = await checker.run(scope);
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
    }, root);
    expect(faults).toEqual([]);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
