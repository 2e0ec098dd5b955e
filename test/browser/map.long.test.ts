// The map of a grid in a browser.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { commandAt, runSlots } from '../cli/real-app.ts';
import { looks, type OpenWorkspace, openWorkspace, overflow, settled, violations, visit } from './open-workspace.ts';

const slots = ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z'];
/** Has credits for some points only. */
const lastSlot = '2026-01-14T05:00:00Z';
const now = Date.parse('2026-01-14T12:00:00Z');
const config = (adaptive: boolean) => `timezone: Europe/Berlin
budget:
  serpCredits: { perDay: ${adaptive ? 24 : 500} }
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

it('shows each point with its rank or a marked estimate', () =>
  visit(workspace, '/p/acme/places', async (page) => {
    const points = page.locator('.grid-map .grid-point');
    expect(await points.count()).toBe(25);
    const labels = await points.evaluateAll((all) => all.map((each) => each.getAttribute('title') ?? ''));
    expect(labels.filter((label) => /^center/i.test(label))).toHaveLength(1);
    const estimated = (await points.allInnerTexts()).filter((text) => text.startsWith('~'));
    const { data } = (await (await fetch(`${workspace.url}/v1/projects/acme/grids`)).json()) as {
      data: { keyword: string; checked: number; points: number }[];
    };
    const title = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    const shown = data.find(({ keyword }) => title.startsWith(keyword));
    expect(estimated.length).toBeGreaterThan(0);
    expect(estimated.length).toBe((shown?.points ?? 0) - (shown?.checked ?? 0));
    await page.getByText(/is an estimate from the others, off by/).waitFor();
  }));

it('leads from a point to the history of its search, also by keyboard', () =>
  visit(workspace, '/p/acme/places', async (page) => {
    const keyword = (await page.getByRole('heading', { level: 1 }).locator('bdi').textContent()) ?? '';
    await page.locator('.grid-map a').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === '/p/acme/keyword');
    const title = page.getByRole('heading', { level: 1 }).filter({ hasText: keyword });
    expect(await title.textContent()).toMatch(/30\.\d+/);
  }));

it('shows changes, the map of another date and keyword, and keeps the old address', () =>
  visit(workspace, '/p/acme/map?to=2026-01-13', async (page) => {
    await page.waitForURL((url) => url.pathname === '/p/acme/places' && url.search === '?to=2026-01-13');
    await settled(page);
    expect(await page.locator('.places-head .sub').textContent()).toContain('13 Jan 2026');
    expect((await page.locator('.grid-point').allInnerTexts()).filter((text) => text.startsWith('~'))).toEqual([]);
    await page.getByRole('link', { name: 'Change', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('show') === 'change');
    const title = page.getByRole('heading', { level: 1 });
    const other = (await title.textContent())?.startsWith('pizza') ? 'dentist' : 'pizza';
    await page.getByRole('link', { name: other, exact: true }).click();
    await title.filter({ hasText: other }).waitFor();
  }));

it.each(looks)('has no fault that axe knows, and fits: %o', (look) =>
  visit(
    workspace,
    '/p/acme/places',
    async (page) => {
      await page.getByText('All 25 points as a table').click();
      await page.getByRole('table', { name: 'Points of the map' }).waitFor();
      expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
    },
    look,
  ),
);
