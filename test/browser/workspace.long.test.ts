// The keyword table of the workspace and its toolbar in a real browser: state in the address, filters, order, files.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Papa from 'papaparse';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { type OpenWorkspace, openWorkspace } from './open-workspace.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const slots = ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];
const now = Date.parse('2026-01-14T12:00:00Z');
const others = Array.from({ length: 104 }, (_, index) => `      - { keyword: "garden tool ${index}", tags: [garden] }`);
const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 500, perMonth: 5000 }
notes:
  - { date: 2026-01-13, text: "a <b>relaunch</b>" }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords:
      - { keyword: running shoes, tags: [shoes] }
      - { keyword: trail shoes, tags: [shoes, trail] }
${others.join('\n')}
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

const wide = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
type Look = { readonly viewport?: typeof wide; readonly colorScheme?: 'light' | 'dark' };

/** Opens the table, has `act` use it, and holds that nothing went wrong. */
async function using(query: string, act: (page: Page) => Promise<void>, look: Look = {}): Promise<void> {
  const context = await workspace.browser.newContext({ viewport: wide, ...look });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(`${workspace.url}/p/acme/keywords${query}`);
  await page.locator('table.keywords tbody tr').first().waitFor();
  await act(page);
  expect(complaints).toEqual([]);
  await context.close();
}

const heading = (page: Page, rows: string) => page.locator('h2', { hasText: new RegExp(`^${rows}$`) }).waitFor();
const keywords = (page: Page) => page.locator('table.keywords tbody th').allTextContents();
const query = (page: Page) => new URL(page.url()).searchParams.toString();

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const found = (await axe.run()).violations;
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
}

describe('the keyword table in a browser', () => {
  it('filters while a search is typed, shows it as a chip, and goes back and forward', () =>
    using('', async (page) => {
      await page.keyboard.press('/');
      await page.keyboard.type('shoes');
      await heading(page, '2 rows');
      expect((await keywords(page)).sort()).toEqual(['running shoes', 'trail shoes']);
      expect(query(page)).toBe('q=shoes');
      expect(await page.locator('.chip').allTextContents()).toEqual(['Keyword: shoes ×']);
      await page.goBack();
      await heading(page, '106 rows');
      expect(await page.locator('.chip').count()).toBe(0);
      await page.goForward();
      await heading(page, '2 rows');
      await page.getByRole('button', { name: 'Remove the filter Keyword: shoes' }).click();
      await heading(page, '106 rows');
      expect(query(page)).toBe('');
    }));

  it('adds conditions of tags, all of which must hold, and clears them together', () =>
    using('?sort=keyword', async (page) => {
      const menu = page.locator('details.menu', { has: page.locator('summary', { hasText: 'Tags' }) });
      const add = async (mode: string, tag: string) => {
        await menu.locator('summary').click();
        await menu.locator('select').selectOption(mode);
        await menu.getByLabel(tag, { exact: true }).check();
        await menu.getByRole('button', { name: 'Add condition' }).click();
      };
      await add('any', 'shoes');
      await heading(page, '2 rows');
      await add('none', 'trail');
      await heading(page, '1 row');
      expect(query(page)).toBe('sort=keyword&tag=shoes&tag=%21trail');
      await page.getByRole('button', { name: 'Clear all' }).click();
      await heading(page, '106 rows');
      expect(query(page)).toBe('sort=keyword');
    }));

  it('filters by a tile and by a bucket of the legend', () =>
    using('', async (page) => {
      const title = page.locator('h2', { hasText: /rows?$/ });
      await title.waitFor();
      const all = await title.textContent();
      const tile = page.locator('.headline a', { hasText: 'Top 10' });
      const top10 = await tile.locator('.tile-value').textContent();
      await tile.click();
      await heading(page, `${top10} rows?`);
      expect(new URL(page.url()).searchParams.get('bucket')).toBe('1|2-3|4-10');
      await tile.click();
      await page.locator('h2', { hasText: String(all) }).waitFor();
      const notFound = page.locator('.buckets a', { hasText: 'Not found' });
      const count = await notFound.locator('b').textContent();
      await notFound.click();
      await heading(page, `${count} rows?`);
      expect(await notFound.getAttribute('aria-current')).toBe('true');
    }));

  it('sorts by a column up and down, and by a second one with Shift', () =>
    using('?q=shoes', async (page) => {
      const header = page.locator('th', { has: page.getByRole('button', { name: 'Keyword' }) });
      await header.locator('button').click();
      await page.locator('th[aria-sort=ascending]').waitFor();
      await page.locator('.keywords tbody tr:first-child', { hasText: 'running shoes' }).waitFor();
      await header.locator('button').click();
      await page.locator('th[aria-sort=descending]').waitFor();
      await page.locator('.keywords tbody tr:first-child', { hasText: 'trail shoes' }).waitFor();
      await page.getByRole('button', { name: 'Rank', exact: true }).click({ modifiers: ['Shift'] });
      await page.locator('th button', { hasText: '▲2' }).waitFor();
      expect(new URL(page.url()).searchParams.get('sort')).toBe('-keyword,rank');
      expect(await page.locator('[aria-sort]').count()).toBe(1);
    }));

  it('shows the chosen columns, and remembers them in this browser', () =>
    using('', async (page) => {
      await page.locator('summary', { hasText: 'Columns' }).click();
      await page.getByLabel('CPC', { exact: true }).check();
      await page.getByLabel('SERP features', { exact: true }).uncheck();
      await page.locator('details[open]').getByRole('button', { name: 'Apply' }).click();
      await page.locator('thead th', { hasText: 'CPC' }).waitFor();
      expect(new URL(page.url()).searchParams.get('cols')).toContain('cpc');
      await page.goto(`${workspace.url}/p/acme/keywords`);
      await page.locator('thead th', { hasText: 'CPC' }).waitFor();
      expect(await page.locator('thead th', { hasText: 'SERP features' }).count()).toBe(0);
    }));

  it('turns pages, and exports exactly the rows of the filter, in their order, with the columns of the table', () =>
    using('?sort=-keyword&cols=rank,url', async (page) => {
      const first = await keywords(page);
      expect(first).toHaveLength(100);
      await page.getByRole('link', { name: 'Next' }).click();
      await page.locator('.pages', { hasText: 'Rows 101 to 106 of 106' }).waitFor();
      await page.locator('.keywords tbody tr:nth-child(6):last-child').waitFor();
      const all = [...first, ...(await keywords(page))];
      expect(new Set(all).size).toBe(106);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'CSV', exact: true }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('acme-keywords.csv');
      const text = readFileSync(await download.path(), 'utf8').replace(/^\uFEFF/, '');
      const { data, meta } = Papa.parse<{ keyword: string }>(text, { header: true, skipEmptyLines: true });
      expect(meta.fields).toEqual(['keyword', 'rank', 'status', 'url']);
      expect(data.map(({ keyword }) => keyword)).toEqual(all);
      const workbook = await page.getByRole('link', { name: 'XLSX', exact: true }).getAttribute('href');
      expect(workbook?.replace('format=xlsx', 'format=csv')).toBe(
        await page.getByRole('link', { name: 'CSV', exact: true }).getAttribute('href'),
      );
      const [json] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'JSON', exact: true }).click(),
      ]);
      expect(json.suggestedFilename()).toBe('acme-keywords.json');
      const rows = JSON.parse(readFileSync(await json.path(), 'utf8')) as {
        data: { keyword: string }[];
        total: number;
      };
      expect(rows.data.map(({ keyword }) => keyword)).toEqual(all);
      expect(Object.keys(rows.data[0] ?? {})).toEqual(['keyword', 'rank', 'status', 'url']);
    }));

  it('has its chart above the fold of a laptop', () =>
    using('', async (page) => {
      const box = await page.locator('.trend .chart').boundingBox();
      expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(900);
    }));

  it('opens the keyword by a click anywhere on its row, and by Enter', () =>
    using('?q=trail', async (page) => {
      const link = page.locator('table.keywords tbody th a');
      const path = await link.getAttribute('href');
      await page.locator('table.keywords tbody td').nth(2).click();
      await page.waitForURL((url) => url.pathname === '/p/acme/keyword');
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(path);
      await page.goBack();
      await link.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname === '/p/acme/keyword');
    }));

  it('shows an earlier date, a shorter range and another measure, with notes and values in words', () =>
    using('?chart=rank', async (page) => {
      await page.getByLabel('To', { exact: true }).fill('2026-01-13');
      await page.locator('.mark', { hasText: '13 Jan 2026' }).waitFor();
      expect(query(page)).toBe('chart=rank&to=2026-01-13&date=2026-01-13');
      await page.getByRole('button', { name: 'All' }).click();
      await page.locator('.mark', { hasText: '14 Jan 2026' }).waitFor();
      expect(query(page)).toBe('chart=rank&from=2026-01-13');
      expect(await page.locator('.notes li').textContent()).toContain('a <b>relaunch</b>');
      await page.locator('.values summary').click();
      expect(await page.locator('.values tbody tr').count()).toBe(2);
    }));

  it('saves a view in this browser, and forgets it', () =>
    using('?tag=shoes', async (page) => {
      const menu = page.locator('details.menu', { has: page.locator('summary', { hasText: 'Views' }) });
      await menu.locator('summary').click();
      await menu.locator('input').fill('my shoes');
      await menu.getByRole('button', { name: 'Save' }).click();
      await page.goto(`${workspace.url}/p/acme/keywords`);
      await heading(page, '106 rows');
      await menu.locator('summary').click();
      await menu.getByRole('link', { name: 'my shoes' }).click();
      await heading(page, '2 rows');
      if (!(await menu.evaluate((details) => (details as HTMLDetailsElement).open)))
        await menu.locator('summary').click();
      await menu.getByRole('button', { name: 'Forget the view my shoes' }).click();
      expect(await menu.getByRole('link').count()).toBe(0);
    }));

  it.each([
    ['q=/(/', 'search-problem', '/(/ is not a regular expression'],
    ['url=/(/', null, 'URL: /(/ is not a regular expression'],
  ])(
    'says what is wrong with the expression of an address beside its field, and shows the rows: %s',
    (query, id, message) =>
      using(`?${query}`, async (page) => {
        await heading(page, '106 rows');
        const alert = page.getByRole('alert');
        expect([await alert.count(), await alert.textContent(), await alert.getAttribute('id')]).toEqual([
          1,
          message,
          id,
        ]);
      }),
  );

  it('keeps the rows while an expression is typed that does not parse yet', () =>
    using('', async (page) => {
      const search = page.getByRole('searchbox');
      await search.fill('/(shoes/');
      await search.press('Enter');
      expect(await page.getByRole('alert').textContent()).toBe('/(shoes/ is not a regular expression');
      expect([query(page), await search.inputValue()]).toEqual(['', '/(shoes/']);
      await search.fill('/(shoes)/');
      await search.press('Enter');
      expect(query(page)).toBe('q=%2F%28shoes%29%2F');
      expect(await page.getByRole('alert').count()).toBe(0);
    }));

  it.each([
    ['light', wide],
    ['dark', wide],
    ['light', phone],
    ['dark', phone],
  ] as const)('has no fault that axe knows, and nothing cut off: %s, %o', (colorScheme, viewport) =>
    using(
      '?tag=!trail&chart=buckets',
      async (page) => {
        await page.locator('.trend .chart canvas').waitFor();
        const [height, bottom] = await page.evaluate(() => [
          document.documentElement.scrollHeight,
          Math.ceil((document.querySelector('main')?.getBoundingClientRect().bottom ?? 0) + scrollY),
        ]);
        expect(height).toBeLessThanOrEqual(Math.max(bottom ?? 0, viewport.height));
        expect(await violations(page)).toEqual([]);
        await page.locator('summary', { hasText: 'Rank' }).first().click();
        expect(await violations(page)).toEqual([]);
        const [width, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        expect(width).toBeLessThanOrEqual(screen ?? 0);
      },
      { colorScheme, viewport },
    ),
  );

  it('shows rows as cards on a phone, sorted by a field', () =>
    using(
      '?q=shoes',
      async (page) => {
        expect(await page.locator('table.keywords thead').isVisible()).toBe(false);
        await page.getByLabel('Sort by').selectOption('keyword');
        await page.getByRole('button', { name: 'Ascending' }).click();
        await page.locator('.keywords tbody tr:first-child', { hasText: 'trail shoes' }).waitFor();
        expect(query(page)).toBe('q=shoes&sort=-keyword');
      },
      { viewport: phone },
    ));
});
