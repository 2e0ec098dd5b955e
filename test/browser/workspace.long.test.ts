// The keywords of a project in a browser: rows first, and their filters, order, columns, files and opened row.
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import {
  laptop,
  looks,
  type OpenWorkspace,
  openWorkspace,
  overflow,
  phone,
  queryOf,
  settled,
  violations,
  visit,
} from './open-workspace.ts';

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
    views: [{ name: Shoes only, query: "tag=shoes&sort=-keyword" }]
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

const atKeywords = (query: string, act: (page: Page) => Promise<void>, options?: Parameters<typeof visit>[3]) =>
  visit(workspace, `/p/acme/keywords${query}`, act, options);

/** The line above the table counts so many rows, and they are shown. */
async function rowsAre(page: Page, count: number): Promise<void> {
  await page.getByText(new RegExp(`^${count} rows? ·`)).waitFor();
  await settled(page);
}

const drawn = (page: Page) => page.locator('.keyword-table .keyword').allTextContents();
const panel = (page: Page, name: string) => page.getByRole('dialog', { name });

async function addFilter(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await panel(page, 'Filters').getByRole('button', { name, exact: true }).click();
  return panel(page, 'Filters');
}

const isAboveFold = (locator: Locator, bottom: number) =>
  locator.evaluate((element, fold) => {
    const box = element.getBoundingClientRect();
    return box.height > 0 && box.top >= 0 && box.bottom <= fold;
  }, bottom);

describe('the first screen', () => {
  it('of a laptop has the heading, four numbers, the chart and at least 8 whole rows', () =>
    atKeywords('', async (page) => {
      for (const part of ['h1', '.figure >> nth=3', '.chart-frame > svg'])
        expect(await isAboveFold(page.locator(part), laptop.height), part).toBe(true);
      const bottoms = await page
        .locator('.keyword-table .row')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().bottom));
      expect(bottoms.filter((bottom) => bottom <= laptop.height).length).toBeGreaterThanOrEqual(8);
    }));

  it('of a phone has the heading, the chart and the first card', () =>
    atKeywords(
      '',
      async (page) => {
        const fold = (await page.locator('.bottom-bar').boundingBox())?.y ?? 0;
        for (const part of ['h1', '.chart-frame > svg', '.keyword-table .row >> nth=0'])
          expect(await isAboveFold(page.locator(part), fold), part).toBe(true);
        expect(await page.locator('.keyword-table thead').isVisible()).toBe(false);
      },
      { viewport: phone },
    ));

  it('names the icons of features in a legend, which the header of their column opens', () =>
    atKeywords('', async (page) => {
      await page.getByRole('button', { name: 'On the page' }).click();
      const legend = page.getByRole('dialog', { name: 'Legend: On the page' });
      const lines = (await legend.getByRole('listitem').allInnerTexts()).map((line) => line.trim());
      const { features } = (await (await fetch(`${workspace.url}/v1/projects/acme`)).json()) as { features: string[] };
      expect(lines).toHaveLength(3 + features.length);
      expect(lines).toEqual(expect.arrayContaining(['on the page', 'ours', 'lost since the compared check']));
      expect(await violations(page)).toEqual([]);
    }));

  it('has its first row at most 8 stops of the keyboard away', () =>
    atKeywords('', async (page) => {
      let stops = 0;
      const isOnRow = () => page.evaluate(() => document.activeElement?.closest('tr')?.dataset['row'] === '0');
      while (stops < 50 && !(await isOnRow())) {
        await page.keyboard.press('Tab');
        stops += 1;
        if (await page.evaluate(() => document.activeElement?.matches('a.skip'))) await page.keyboard.press('Enter');
      }
      expect(stops).toBeLessThanOrEqual(8);
      await page.keyboard.press('ArrowDown');
      expect(await page.evaluate(() => document.activeElement?.closest('tr')?.dataset['row'])).toBe('1');
    }));
});

describe('filters', () => {
  it('are chips in the address, which back, forward and a click on a chip take away and bring back', () =>
    atKeywords('', async (page) => {
      const form = await addFilter(page, 'Keyword');
      await form.getByRole('textbox').fill('shoes');
      await page.keyboard.press('Enter');
      await rowsAre(page, 2);
      expect((await drawn(page)).sort()).toEqual(['running shoes', 'trail shoes']);
      expect(queryOf(page)).toBe('?q=shoes');
      await page.goBack();
      await rowsAre(page, 106);
      expect(await page.getByRole('link', { name: 'Remove the filter' }).count()).toBe(0);
      await page.goForward();
      await rowsAre(page, 2);
      await page.getByRole('link', { name: 'Remove the filter Keyword' }).click();
      await rowsAre(page, 106);
      expect(queryOf(page)).toBe('');
    }));

  it('ask for values and exclude others, and are cleared together', () =>
    atKeywords('?sort=keyword', async (page) => {
      const form = await addFilter(page, 'Tag');
      await form.getByRole('button', { name: 'shoes', exact: true }).click();
      await rowsAre(page, 2);
      await form.getByRole('button', { name: 'Not trail' }).click();
      await rowsAre(page, 1);
      expect(queryOf(page)).toBe('?sort=keyword&tag=shoes|!trail');
      await page.keyboard.press('Escape');
      // a panel that closes gives the focus back, and would take it from the next one
      await form.waitFor({ state: 'detached' });
      await (await addFilter(page, 'Rank')).getByLabel('At most').fill('100');
      await page.keyboard.press('Enter');
      await page.getByText('rank: at most 100').waitFor();
      expect(queryOf(page)).toBe('?sort=keyword&tag=shoes|!trail&rank=..100');
      await page.getByRole('link', { name: 'Clear all' }).click();
      await rowsAre(page, 106);
      expect(queryOf(page)).toBe('?sort=keyword');
    }));

  it.each(['q', 'url'])('that are no expression say so in the address (%s), and hide no row', (name) =>
    atKeywords(`?${name}=/(/`, async (page) => {
      await rowsAre(page, 106);
      expect(await page.getByRole('alert').allTextContents()).toEqual(['/(/ is not a regular expression']);
    }),
  );

  it('are not taken over while they are no expression', () =>
    atKeywords('', async (page) => {
      const form = await addFilter(page, 'Keyword');
      await form.getByRole('textbox').fill('/(shoes/');
      await page.keyboard.press('Enter');
      await form.getByRole('alert').filter({ hasText: '/(shoes/ is not a regular expression' }).waitFor();
      expect([queryOf(page), await form.getByRole('textbox').inputValue()]).toEqual(['', '/(shoes/']);
      await form.getByRole('textbox').fill('/(shoes)/');
      await page.keyboard.press('Enter');
      await rowsAre(page, 2);
    }));

  it('that match nothing leave a way back', () =>
    atKeywords('?q=zzz', async (page) => {
      await page.getByText('No keyword passes these filters').waitFor();
      await page.getByRole('link', { name: 'Clear the filters' }).click();
      await rowsAre(page, 106);
    }));
});

it('views are those of the project and those that this browser keeps', () =>
  atKeywords('', async (page) => {
    const views = page.getByRole('navigation', { name: 'Views' });
    const usual = await views.getByRole('link').allTextContents();
    for (const [name, filter] of [
      ['Striking distance', 'rank=4..20'],
      ['Gained', 'change='],
      ['Lost', 'change='],
    ] as const) {
      await views.getByRole('link', { name, exact: true }).click();
      await page.waitForFunction((of) => decodeURIComponent(location.search).includes(of), filter);
      await expect.poll(() => views.locator('[aria-current]').allTextContents()).toEqual([name]);
    }
    await views.getByRole('link', { name: 'All', exact: true }).click();
    await views.getByRole('link', { name: 'Shoes only' }).click();
    await rowsAre(page, 2);
    expect(queryOf(page)).toBe('?tag=shoes&sort=-keyword');
    await expect.poll(() => views.locator('[aria-current]').allTextContents()).toEqual(['Shoes only']);
    await page.goto(`${workspace.url}/p/acme/keywords?tag=trail`);
    await views.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name').fill('my trail');
    await page.keyboard.press('Enter');
    await views.getByRole('link', { name: 'my trail' }).waitFor();
    await page.goto(`${workspace.url}/p/acme/keywords`);
    await rowsAre(page, 106);
    await views.getByRole('link', { name: 'my trail' }).click();
    await rowsAre(page, 1);
    await views.getByRole('button', { name: 'Forget the view my trail' }).click();
    await expect.poll(() => views.getByRole('link').allTextContents()).toEqual(usual);
  }));

describe('the table', () => {
  it('sorts by a column up and down, and by a second one with Shift', () =>
    atKeywords('?q=shoes', async (page) => {
      const header = (name: string) => page.getByRole('columnheader', { name }).first();
      const first = (keyword: string) => page.locator('.row[data-row="0"]', { hasText: keyword }).waitFor();
      await header('Keyword').getByRole('button').click();
      await first('running shoes');
      await header('Keyword').getByRole('button').click();
      await first('trail shoes');
      expect(await header('Keyword').getAttribute('aria-sort')).toBe('descending');
      await header('Rank')
        .getByRole('button')
        .click({ modifiers: ['Shift'] });
      expect(queryOf(page)).toBe('?q=shoes&sort=-keyword,rank');
      expect(await header('Rank').getAttribute('aria-sort')).toBe('ascending');
      await header('Rank').getByRole('button').click();
      expect(queryOf(page)).toBe('?q=shoes&sort=-rank');
    }));

  it('has the chosen columns and row height, which this browser remembers', () =>
    atKeywords('', async (page) => {
      const columns = panel(page, 'Columns');
      await page.getByRole('button', { name: 'Columns' }).click();
      await columns.getByLabel('Cost a click').check();
      await columns.getByLabel('On the page').uncheck();
      await columns.getByLabel('Dense rows').check();
      await page.goto(`${workspace.url}/p/acme/keywords`);
      await settled(page);
      const heads = await page.locator('.keyword-table thead th').allTextContents();
      expect([heads.includes('Cost a click'), heads.includes('On the page')]).toEqual([true, false]);
      expect((await page.locator('.row').nth(3).boundingBox())?.height).toBe(28);
      await page.goto(`${workspace.url}/p/acme/keywords?cols=rank,url`);
      await settled(page);
      expect(await page.locator('.keyword-table thead th').allTextContents()).toEqual(['Keyword', 'Rank', 'URL']);
    }));

  it('exports exactly the rows of the filter, in their order, with its columns', () =>
    atKeywords('?sort=-keyword&cols=rank,url&q=garden', async (page) => {
      const save = async (format: string) => {
        await page.getByRole('button', { name: 'Export' }).click();
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: format, exact: true }).click(),
        ]);
        const text = readFileSync(await download.path(), 'utf8').replace(/^\uFEFF/, '');
        return { name: download.suggestedFilename(), text };
      };
      const first = await drawn(page);
      const [csv, json, lines] = [await save('CSV'), await save('JSON'), await save('NDJSON')];
      const { data, meta } = Papa.parse<{ keyword: string }>(csv.text, { header: true, skipEmptyLines: true });
      const place = ['country', 'language', 'device', 'location'];
      expect(meta.fields).toEqual(['keyword', ...place, 'rank', 'status', 'band_best', 'band_worst', 'url']);
      const all = data.map(({ keyword }) => keyword);
      expect([all.length, all.slice(0, first.length)]).toEqual([104, first]);
      const rows = (JSON.parse(json.text) as { data: { keyword: string }[] }).data;
      expect(rows.map(({ keyword }) => keyword)).toEqual(all);
      const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      expect(Object.keys(rows[0] ?? {}).map(snake)).toEqual(meta.fields);
      const ofLines = lines.text.trim().split('\n');
      expect(ofLines.map((line) => (JSON.parse(line) as { keyword: string }).keyword)).toEqual(all);
      const workbook = await save('Excel workbook');
      expect([workbook.text.startsWith('PK'), csv.name, workbook.name]).toEqual([
        true,
        'acme-keywords.csv',
        'acme-keywords.xlsx',
      ]);
    }));

  it('scrolls through 100,000 rows of which it holds those in sight', () =>
    atKeywords('', async (page) => {
      const total = 100_000;
      await page.route('**/v1/projects/acme/keywords?*', async (route) => {
        const query = new URL(route.request().url()).searchParams;
        const offset = Number(query.get('offset') ?? 0);
        const { data } = (await (await fetch(`${workspace.url}/v1/projects/acme/keywords?limit=1`)).json()) as {
          data: object[];
        };
        const rows = Array.from({ length: Number(query.get('limit')) }, (_, index) => {
          return { ...data[0], id: `row ${offset + index}`, keyword: `keyword ${offset + index}` };
        });
        await route.fulfill({ json: { data: rows, total } });
      });
      await page.reload();
      for (const share of [0, 0.5, 1]) {
        await page.evaluate((of) => scrollTo(0, document.documentElement.scrollHeight * of), share);
        const row = { 0: 'keyword 0', 0.5: 'keyword 50000', 1: 'keyword 99999' }[share] ?? '';
        const near = share === 0.5 ? /keyword (49|50)\d\d\d$/ : new RegExp(`^${row}$`);
        await page.locator('.row .keyword', { hasText: near }).first().waitFor();
        expect(await page.locator('tr').count()).toBeLessThan(200);
      }
    }));
});

describe('a row', () => {
  it('opens beside the table by a click, is in the address, and closes', () =>
    atKeywords('?q=shoes&sort=keyword', async (page) => {
      await page.locator('.row', { hasText: 'trail shoes' }).locator('td').nth(2).click();
      const opened = page.getByRole('complementary', { name: 'The opened row' });
      await opened.getByRole('heading', { name: 'trail shoes' }).waitFor();
      await page.reload();
      await opened.getByRole('heading', { name: 'trail shoes' }).waitFor();
      expect(await overflow(page)).toBe(0);
      await page.keyboard.press('Escape');
      await opened.waitFor({ state: 'detached' });
      expect(queryOf(page)).toBe('?q=shoes&sort=keyword');
    }));

  it('opens as a page by Enter, in the period of the table, and has the focus again on the way back', () =>
    atKeywords('?from=2026-01-13&sort=keyword', async (page) => {
      const row = page.locator('.row[data-row="60"] a');
      await page.evaluate(() => scrollTo(0, 60 * 36));
      await row.focus();
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.pathname === '/p/acme/keyword' && url.search.includes('from=2026-01-13'));
      await page.goBack();
      await page.waitForFunction(() => document.activeElement?.closest('tr')?.dataset['row'] === '60');
      expect(await isAboveFold(row, laptop.height)).toBe(true);
    }));

  it('is a card on a phone, which opens as a page; cards are sorted by a field', () =>
    atKeywords(
      '?q=shoes',
      async (page) => {
        await page.getByLabel('Sort by').selectOption('-keyword');
        await page.locator('.row[data-row="0"]', { hasText: 'trail shoes' }).waitFor();
        expect(queryOf(page)).toBe('?q=shoes&sort=-keyword');
        await page.locator('.row').first().click();
        await page.waitForURL((url) => url.pathname === '/p/acme/keyword');
      },
      { viewport: phone },
    ));
});

it('the numbers choose the measure of the chart, whose notes are text', () =>
  atKeywords('', async (page) => {
    for (const [figure, label] of [
      ['Top 3 / top 10', /^Rows in the top 10/],
      ['Average rank', /^Average rank of these rows/],
    ] as const) {
      await page.getByRole('button', { name: figure }).click();
      await page.getByRole('img', { name: label }).waitFor();
    }
    expect(queryOf(page)).toBe('?measure=rank');
    expect(await page.locator('.chart title').textContent()).toContain('a <b>relaunch</b>');
  }));

it.each(looks)('has no fault that axe knows, and fits: %o', (look) =>
  atKeywords(
    '?tag=!trail',
    async (page) => {
      const check = async (state: string) => {
        expect(await violations(page), state).toEqual([]);
        expect(await overflow(page), state).toBe(0);
      };
      await check('the table');
      for (const name of look.viewport === laptop ? ['Filter', 'Columns', 'Export'] : ['Filter', 'Export']) {
        await page.getByRole('button', { name, exact: true }).click();
        await page.locator('.popup').waitFor();
        await check(name);
        await page.keyboard.press('Escape');
        await page.locator('.popup').waitFor({ state: 'detached' });
      }
      if (look.viewport === laptop) {
        await page.locator('.row').first().click();
        await page.locator('.row-panel h2').waitFor();
        await check('an opened row');
      }
    },
    look,
  ),
);
