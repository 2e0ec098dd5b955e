// The views of the workspace in a browser: overview, keyword page, snapshots, landing pages, competitors, segments.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { App } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { addReader } from '../../src/cli/commands/reader.ts';
import { view } from '../../src/cli/commands/view.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { type OpenWorkspace, openWorkspace } from './open-workspace.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const slots = ['2026-01-12T05:00:00Z', '2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];
const now = Date.parse('2026-01-14T12:00:00Z');
const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 50, perMonth: 500 }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 3
    keywords:
      - { keyword: running shoes, tags: [shoes] }
      - { keyword: trail shoes, tags: [shoes, trail] }
      - { keyword: hiking boots, tags: [boots], preferredUrl: "https://www.acme.com/elsewhere" }
    views: [{ name: On phones, query: "device=mobile&sort=-rank" }]
    volumes: { schedule: "0 4 2 * *" }
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

type Options = NonNullable<Parameters<Browser['newContext']>[0]>;

/** Opens a view, has `act` use it, and holds that nothing went wrong. */
async function using(path: string, act: (page: Page) => Promise<void>, options: Options = {}): Promise<void> {
  const context: BrowserContext = await workspace.browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  try {
    await page.goto(workspace.url + path);
    await shown(page);
    await act(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

/** All answers are there. */
async function shown(page: Page): Promise<void> {
  await page.waitForSelector('main h1');
  await page.waitForFunction(() => document.querySelector('.waiting, [aria-busy=true]') === null);
}

async function get<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(`${workspace.url}/v1/projects/acme/${path}`);
  return (await answer.json()) as Answer;
}

const search = 'keyword=running+shoes&country=US&language=en&device=desktop';
const cells = (page: Page, place: number): Promise<string[]> =>
  page.locator(`main table`).first().locator(`tbody tr > :nth-child(${place})`).allTextContents();

async function rowId(): Promise<string> {
  const { data } = await get<{ data: { id: string }[] }>('keywords?q=running+shoes&device=desktop');
  return data[0]?.id ?? '';
}

describe('the workspace in a browser', () => {
  it('shows the history of a keyword, with its features and what its checks cost', async () => {
    const id = await rowId();
    const checks = await get<{ data: { purchases: { charged: number }[] }[] }>(`keywords/${id}/checks`);
    const credits = checks.data.flatMap(({ purchases }) => purchases).reduce((sum, { charged }) => sum + charged, 0);
    await using(`/p/acme/keyword?id=${id}`, async (page) => {
      expect(await page.locator('h1').textContent()).toBe('running shoes');
      expect(await page.locator('canvas[role=img]').first().getAttribute('aria-label')).toContain(
        'acme.com, globex.com',
      );
      const ledger = page.getByRole('region', { name: 'Ledger of the checks' });
      expect(await ledger.locator('caption').textContent()).toBe(`3 of 3 checks, ${credits} credits`);
      expect(await page.getByRole('region', { name: 'Features by date' }).locator('tbody tr').count()).toBeGreaterThan(
        0,
      );
      await page.getByRole('link', { name: 'Stored results of this search' }).click();
      await shown(page);
      expect(new URL(page.url()).searchParams.get('keyword')).toBe('running shoes');
      await page.goBack();
      expect(await page.locator('h1').textContent()).toBe('running shoes');
    });
  });

  it('keeps the dates of the table on the page of a keyword, and goes to its other markets', async () => {
    const id = await rowId();
    await using(`/p/acme/keyword?id=${id}&date=2026-01-13&to=2026-01-13`, async (page) => {
      expect(await page.locator('.facts div', { hasText: 'Checked' }).textContent()).toContain('13 Jan 2026');
      const ledger = page.getByRole('region', { name: 'Ledger of the checks' });
      expect(await ledger.locator('tbody tr').count()).toBe(2);
      await page.getByLabel('Market').selectOption({ label: 'US en mobile' });
      await page.waitForFunction((first) => !location.search.includes(first), id);
      await shown(page);
      await page.getByText('US en mobile, target acme.com').waitFor();
      expect(new URL(page.url()).searchParams.get('date')).toBe('2026-01-13');
      await page.goBack();
      await page.getByText('US en desktop, target acme.com').waitFor();
      await page.getByRole('button', { name: '7 days' }).click();
      await page.waitForFunction(() => location.search.includes('from=2026-01-08'));
    });
  });

  it('shows two stored dates side by side, with a line for each move, and the dates in the address', async () => {
    const of = (date: string) =>
      get<{ serp: { results: { url: string; rank: number }[] } }>(`serp?${search}&date=${date}`);
    const [before, after] = [await of('2026-01-12'), await of('2026-01-14')];
    const kept = after.serp.results.filter(({ url }) => before.serp.results.some((older) => older.url === url));
    await using(`/p/acme/serp?${search}&against=2026-01-12`, async (page) => {
      expect(await page.locator('[data-side=newer] .results li').count()).toBe(after.serp.results.length);
      await page.waitForSelector('.move-lines path', { state: 'attached' });
      expect(await page.locator('.move-lines path').count()).toBe(kept.length);
      expect(await page.locator('.results li.own').count()).toBeGreaterThan(0);
      await page.getByLabel('Date').selectOption('2026-01-13');
      await page.waitForFunction(() => location.search.includes('date=2026-01-13'));
      await page.getByLabel('Compare with').selectOption('none');
      await page.waitForSelector('.serps.one');
      expect(await page.locator('[data-side=older]').count()).toBe(0);
    });
  });

  it('puts the two dates one below the other on a phone', () =>
    using(
      `/p/acme/serp?${search}`,
      async (page) => {
        const [older, newer] = await Promise.all(
          ['older', 'newer'].map((side) => page.locator(`[data-side=${side}]`).boundingBox()),
        );
        expect(newer?.y).toBeGreaterThan((older?.y ?? 0) + (older?.height ?? 0) - 1);
        expect(await page.locator('.move-lines').isVisible()).toBe(false);
        expect(await page.locator('[data-side=newer] .move').count()).toBeGreaterThan(0);
      },
      { viewport: { width: 390, height: 844 } },
    ));

  it('sorts landing pages by any column, and leads from a page to its keywords', () =>
    using('/p/acme/pages', async (page) => {
      await page.getByRole('button', { name: 'Average rank' }).click();
      await page.waitForFunction(() => location.search === '?sort=-rank');
      const ranks = (await cells(page, 6)).map(Number);
      expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
      expect(await page.locator('main table').first().locator('[aria-sort]').getAttribute('aria-sort')).toBe(
        'descending',
      );
      const keywords = Number((await cells(page, 3))[0]);
      const href = await page.locator('tbody a').first().getAttribute('href');
      const filter = new URL(href ?? '', workspace.url).search;
      expect((await get<{ total: number }>(`keywords${filter}`)).total).toBe(keywords);
    }));

  it('says where another page ranks than the preferred one', async () => {
    const { total } = await get<{ total: number }>('keywords?otherUrl=true');
    await using('/p/acme/pages', async (page) => {
      const others = page.getByRole('region', { name: 'Keywords with a preferred page that does not rank' });
      expect(await others.locator('tbody tr').count()).toBe(total);
    });
  });

  it('compares competitors by visibility or share of voice, and lists other domains', () =>
    using('/p/acme/competitors', async (page) => {
      expect(await page.locator('main table').first().locator('tbody th').allTextContents()).toEqual([
        'acme.com ours',
        'globex.com',
      ]);
      const visibility = await cells(page, 2);
      await page.getByRole('link', { name: 'Share of voice' }).click();
      await page.waitForFunction(() => location.search === '?measure=share');
      await page.waitForSelector('canvas[aria-label^="Share of voice"]');
      await shown(page);
      expect(await cells(page, 2)).not.toEqual(visibility);
      expect(
        await page
          .getByRole('region', { name: /domains, by clicks/ })
          .locator('tbody tr')
          .count(),
      ).toBe(20);
    }));

  it('leads from each segment to its rows', () =>
    using('/p/acme/segments?by=device', async (page) => {
      const totals = (await cells(page, 2)).map(Number);
      const links = await page
        .locator('tbody a')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      expect(links).toHaveLength(2);
      for (const [index, href] of links.entries()) {
        const { total } = await get<{ total: number }>(`keywords${new URL(href, workspace.url).search}`);
        expect(total).toBe(totals[index]);
      }
      await page.getByRole('link', { name: 'Tags' }).click();
      await page.waitForFunction(() => location.search === '?by=tag');
    }));

  it('has the dates and filters in each view, and goes back and forward through them', () =>
    using('/p/acme/competitors', async (page) => {
      const dates = page.getByRole('region', { name: 'Dates and filters' });
      await dates.locator('label', { hasText: /^By/ }).locator('select').selectOption('week');
      await page.waitForFunction(() => location.search === '?granularity=week');
      await page.getByRole('link', { name: 'Landing pages' }).click();
      await shown(page);
      await dates.getByLabel('Compared with').selectOption('7d');
      await page.waitForFunction(() => location.search === '?granularity=week&compare=7d');
      await page.getByRole('link', { name: 'Segments' }).click();
      await shown(page);
      await dates.getByRole('button', { name: 'All' }).click();
      await page.waitForFunction(() => location.search.includes('from=2026-01-12'));
      for (let steps = 0; steps < 2; steps += 1) await page.goBack();
      await page.waitForFunction(() => location.pathname === '/p/acme/pages' && location.search.includes('compare=7d'));
      await page.locator('h1', { hasText: 'Landing pages' }).waitFor();
      await page.goForward();
      await page.locator('h1', { hasText: 'Segments' }).waitFor();
      expect(new URL(page.url()).search).toBe('?granularity=week&compare=7d');
    }));

  it('has the saved views of the config in its menu and as segments', () =>
    using('/p/acme/segments?by=view', async (page) => {
      await page.locator('.tiles h2', { hasText: 'On phones' }).waitFor();
      expect(await page.locator('.tiles svg.sparkline').getAttribute('aria-label')).toBe(
        'Visibility of On phones over time',
      );
      await page.locator('summary', { hasText: 'Views' }).click();
      await page.locator('.menu-panel').getByRole('link', { name: 'On phones' }).click();
      await page.waitForFunction(() => location.search === '?device=mobile&sort=-rank');
    }));

  it('draws the pages that take turns, with their dates in words', async () => {
    const [a, b] = ['https://www.acme.com/a', 'https://www.acme.com/b'];
    const pageOf = (url: string, dates: number) => ({ url, dates, bestRank: 3, last: '2026-01-14' });
    const place = { country: 'US', language: 'en', device: 'desktop', target: 'acme.com', rank: 4, url: a };
    const row = { id: 'x', keyword: 'shoes', ...place, preferredUrl: b, searchVolume: 90, flips: 2 };
    const answer = {
      ...{ dates: ['2026-01-12', '2026-01-13', '2026-01-14'], ranked: [1, 1, 1], flips: [0, 1, 1], total: 1 },
      rows: [{ ...row, pages: [pageOf(a, 2), pageOf(b, 1)], turns: [0, 1, 0] }],
    };
    await using('/p/acme/pages', async (page) => {
      await page.route('**/cannibalization*', (route) => route.fulfill({ json: answer }));
      await page.reload();
      await page.getByText('1 of 1 ranking rows changed their page, 2 times in all.').waitFor();
      const strip = page.locator('section.panel svg.strip');
      expect(await strip.getAttribute('aria-label')).toBe('shoes: 2 pages from 12 Jan 2026 to 14 Jan 2026');
      expect(
        await strip.locator('rect').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('class'))),
      ).toEqual(['page-1', 'page-2', 'page-1']);
      expect(await page.locator('.turns li').nth(1).textContent()).toMatch(/acme\.com\/b\s*1 date, best 3, preferred/);
      const file = await page.locator('section.panel .exports a').getAttribute('href');
      expect(file).toBe('/v1/projects/acme/cannibalization/pages?format=csv');
      expect((await fetch(workspace.url + file)).headers.get('content-type')).toContain('text/csv');
    });
  });

  it('shows rows of its tables as cards on a phone', () =>
    using(
      '/p/acme/pages',
      async (page) => {
        const cut = await page
          .locator('main .scroll')
          .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth));
        expect(Math.max(...cut)).toBe(0);
        expect(await page.locator('table.stacked td').first().getAttribute('data-label')).toBe('Target');
      },
      { viewport: { width: 390, height: 844 } },
    ));

  it('filters by what the address says', () =>
    using('/p/acme/segments?by=tag&device=mobile&tag=trail', async (page) => {
      await page.waitForSelector('tbody tr');
      expect((await cells(page, 2)).map(Number)).toEqual([1, 1]);
    }));

  it('sums the portfolio, as cards and as a table', () =>
    using('/', async (page) => {
      expect(await page.locator('.total').textContent()).toMatch(
        /1 project: 3 keywords, \d of 6 rows checked, .* of 500 credits/,
      );
      await page.getByLabel('Show as').selectOption('table');
      await page.waitForSelector('tfoot');
      expect(new URL(page.url()).search).toBe('?layout=table');
      await page.getByLabel('Find a project').fill('none');
      await page.waitForFunction(() => location.search === '?layout=table&q=none');
      expect(await page.locator('tbody tr').count()).toBe(0);
    }));

  const paths = [
    '/',
    '/?layout=table',
    `/p/acme/serp?${search}`,
    '/p/acme/pages',
    '/p/acme/competitors',
    '/p/acme/segments',
    '/p/acme/segments?by=view',
    '/p/acme/keywords',
  ];
  describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
    it.each([1440, 390])('is accessible and fits %i px', async (width) => {
      for (const path of [...paths, `/p/acme/keyword?id=${await rowId()}`]) {
        const act = async (page: Page): Promise<void> => {
          expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBe(0);
          expect(await violations(page), path).toEqual([]);
        };
        await using(path, act, { viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
      }
    });
  });

  // Last: once there is a reader, every page asks for a token.
  describe('with a reader', () => {
    it('asks for the token of a reader, says that one is wrong, and shows the numbers for a right one', async () => {
      // the app of the view is opened for reading
      const writer = new App(workspace.app.config, { clock: new SimulatedClock(now) });
      const { token } = addReader(writer, 'anna');
      await writer.close();
      const guarded = await view(workspace.app, { host: '0.0.0.0', port: 0 });
      const context = await workspace.browser.newContext();
      try {
        const page = await context.newPage();
        await page.goto(`${guarded.url.replace('0.0.0.0', '127.0.0.1')}/p/acme/segments?by=device`);
        const enter = async (written: string) => {
          await page.getByLabel('Token').fill(written);
          await page.getByRole('button', { name: 'Sign in' }).click();
        };
        await page.getByRole('heading', { name: 'Sign in' }).waitFor();
        await enter('wrong');
        await page.getByRole('alert').filter({ hasText: 'The token is wrong or revoked.' }).waitFor();
        await enter(token);
        await page.locator('.tiles h2', { hasText: 'mobile' }).waitFor();
        expect(new URL(page.url()).search).toBe('?by=device');
        await page.goto(`${guarded.url.replace('0.0.0.0', '127.0.0.1')}/p/acme/keywords`);
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: 'CSV', exact: true }).click(),
        ]);
        expect(readFileSync(await download.path(), 'utf8')).toContain('running shoes');
      } finally {
        await context.close();
        await guarded.close();
      }
    });
  });
});

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ content: axe });
  return page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await run.run()).violations.map(({ id }) => id);
  });
}
