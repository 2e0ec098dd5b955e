// The pages of a project in a browser: what stays the same on all, and one test for the question that each answers.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { App } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { addReader } from '../../src/cli/commands/reader.ts';
import { view } from '../../src/cli/subcommands/open-workspace.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import {
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
  - { id: other, targets: [globex.com], schedule: "0 6 * * *", depth: 1, keywords: [sandals] }
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;
/** Running shoes on desktops. */
let rowId: string;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots);
  workspace = await openWorkspace(folder, now);
  const { data } = await get<{ data: { id: string }[] }>('keywords?q=running+shoes&device=desktop');
  rowId = data[0]?.id ?? '';
});
afterAll(() => workspace?.close());

const at = (path: string, act: (page: Page) => Promise<void>, options?: Parameters<typeof visit>[3]) =>
  visit(workspace, path, act, options);

async function get<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(`${workspace.url}/v1/projects/acme/${path}`);
  return (await answer.json()) as Answer;
}

/** Keywords that a link of a page leads to. */
async function rowsOf(href: string | null): Promise<number> {
  const { pathname, searchParams } = new URL(href ?? '', workspace.url);
  expect(pathname).toBe('/p/acme/keywords');
  // the page has its period from the project, which the API does not know
  for (const name of ['from', 'to']) searchParams.delete(name);
  return (await get<{ total: number }>(`keywords?compare=2026-01-12&${searchParams}`)).total;
}

const search = 'keyword=running+shoes&country=US&language=en&device=desktop';

describe('every page', () => {
  it('has one period with presets, comparisons and a calendar, which goes back and forward with the address', () =>
    at('/p/acme/home', async (page) => {
      const period = page.getByRole('button', { name: 'vs.' });
      const panel = page.getByRole('dialog', { name: 'Period' });
      await period.click();
      await panel.getByRole('button', { name: 'the check before' }).click();
      await page.waitForURL((url) => url.search === '?compare=previous');
      await period.click();
      await panel.getByRole('button', { name: /^13 Jan 2026/ }).click();
      await panel.getByRole('button', { name: /^14 Jan 2026/ }).click();
      await page.waitForURL((url) => url.search.includes('from=2026-01-13'));
      expect(await period.textContent()).toBe('13 Jan – 14 Jan 2026vs. the check before');
      await page.getByRole('link', { name: 'Keywords', exact: true }).first().click();
      await page.getByRole('heading', { name: 'Keywords' }).waitFor();
      expect(queryOf(page)).toBe('?compare=previous&from=2026-01-13');
      await period.click();
      await panel.getByRole('button', { name: 'All', exact: true }).click();
      await page.waitForURL((url) => url.search.includes('from=2026-01-12'));
      for (let steps = 0; steps < 3; steps += 1) await page.goBack();
      await page.waitForURL((url) => url.pathname === '/p/acme/home' && url.search === '?compare=previous');
      await page.goForward();
      await page.waitForURL((url) => url.search.includes('from=2026-01-13'));
      expect(await period.textContent()).toContain('13 Jan');
    }));

  it.each(looks.filter(({ viewport }) => viewport === phone))(
    'has a calendar that can be used on a phone: $colorScheme',
    (look) =>
      at(
        '/p/acme/home',
        async (page) => {
          const period = page.getByRole('button', { name: / 2026/ });
          const panel = page.getByRole('dialog', { name: 'Period' });
          await period.tap();
          for (const name of [/^7 days$/, /^14 Jan 2026/, /^a year before$/]) {
            const part = panel.getByRole('button', { name });
            await part.scrollIntoViewIfNeeded();
            const box = await part.boundingBox();
            expect(box?.x, `${name}`).toBeGreaterThanOrEqual(0);
            expect((box?.x ?? 0) + (box?.width ?? phone.width), `${name}`).toBeLessThanOrEqual(phone.width);
            expect((box?.y ?? 0) + (box?.height ?? phone.height), `${name}`).toBeLessThanOrEqual(phone.height);
            expect(box?.height, `${name}`).toBeGreaterThanOrEqual(36);
          }
          expect(await overflow(page)).toBe(0);
          expect(await violations(page)).toEqual([]);
          await panel.getByRole('button', { name: /^13 Jan 2026/ }).tap();
          await panel.getByRole('button', { name: /^14 Jan 2026/ }).tap();
          await panel.waitFor({ state: 'detached' });
          expect(queryOf(page)).toBe('?from=2026-01-13');
          expect(await period.textContent()).toContain('13 Jan – 14 Jan 2026');
        },
        { ...look, hasTouch: true },
      ),
  );

  it('keeps filters and period when another one is chosen', () =>
    at('/p/acme/keywords?q=running&rank=1..100&sort=rank&from=2026-01-13', async (page) => {
      for (const name of ['Segments', 'Competitors', 'Pages', 'Home']) {
        await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }).click();
        await settled(page);
        const query = new URL(page.url()).searchParams;
        expect(['q', 'rank', 'from'].map((of) => query.get(of))).toEqual(['running', '1..100', '2026-01-13']);
      }
    }));

  it('has a field that leads to pages, keywords, tags, projects and actions, by / and Ctrl+K', () =>
    at('/p/acme/home', async (page) => {
      const field = page.getByRole('combobox', { name: 'Search or jump to' });
      const choose = async (key: string, text: string, kind: string) => {
        await page.keyboard.press(key);
        await field.fill(text);
        await page.getByRole('option', { name: kind }).first().waitFor();
        await page.getByRole('option', { name: kind }).first().click();
        await field.waitFor({ state: 'detached' });
      };
      await choose('/', 'segm', 'Page');
      await page.waitForURL((url) => url.pathname === '/p/acme/segments');
      await choose('Control+k', 'hiking', 'Keyword');
      await page.getByRole('heading', { name: 'hiking boots' }).waitFor();
      await choose('/', 'trail', 'Tag');
      await page.waitForURL((url) => url.pathname === '/p/acme/keywords' && url.search === '?tag=trail');
      await choose('/', 'dark', 'Action');
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
      await choose('/', 'other', 'Project');
      await page.waitForURL((url) => url.pathname.startsWith('/p/other'));
      await page.keyboard.press('/');
      await field.fill('running');
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'detached' });
    }));

  it('is light or dark as the system is, until one is chosen and remembered', () =>
    at(
      '/p/acme/home',
      async (page) => {
        const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
        const button = page.getByRole('button', { name: /^Colours:/ });
        const dark = await ground();
        await button.click();
        const light = await ground();
        expect(light).not.toBe(dark);
        await page.reload();
        await settled(page);
        expect(await ground()).toBe(light);
        await button.click();
        expect(await ground()).toBe(dark);
      },
      { colorScheme: 'dark' },
    ));

  it('is shared by its address, which holds all of its state', () =>
    at(
      '/p/acme/segments?by=device&from=2026-01-13',
      async (page) => {
        await page.getByRole('button', { name: 'Share' }).click();
        await page.getByText('Link copied').waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url());
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  it('names the window, and the project switcher leads to the other project', () =>
    at('/p/acme/keywords', async (page) => {
      expect(await page.title()).toBe('Keywords · acme · rankledger');
      await page.getByRole('button', { name: 'acme', exact: true }).click();
      await page.getByRole('menuitem', { name: 'other' }).click();
      await page.waitForFunction(() => document.title.endsWith('other · rankledger'));
    }));
});

it('home says what changed, with numbers that lead to their rows', () =>
  at('/p/acme/home', async (page) => {
    await page.getByRole('heading', { level: 1, name: /^Visibility (rose|fell|stayed)/ }).waitFor();
    const findings = await page.locator('.findings li').count();
    expect(findings).toBeGreaterThan(0);
    expect(findings).toBeLessThanOrEqual(5);
    expect(await page.locator('.figure .cover').count()).toBe(await page.locator('.figure').count());
    for (const link of await page.locator('.buckets a').all())
      expect(await rowsOf(await link.getAttribute('href'))).toBe(Number(await link.locator('b').textContent()));
    for (const link of await page.locator('.card h2 a[href*="change="]').all())
      expect(await rowsOf(await link.getAttribute('href'))).toBe(Number(await link.textContent()));
    await page.getByText('Values as a table').click();
    await page.locator('.chart-table tbody tr').first().waitFor();
    expect(await page.locator('.chart-table tbody tr').count()).toBe(slots.length);
    expect(await page.getByText(/\d+ credits.* of keyword data for \d+ checks in \d+ runs/).count()).toBe(1);
  }));

describe('a keyword', () => {
  it('shows its history with pages, features, results page, and what its checks cost', async () => {
    const checks = await get<{ data: { purchases: { charged: number }[] }[] }>(`keywords/${rowId}/checks`);
    const credits = checks.data.flatMap(({ purchases }) => purchases).reduce((sum, { charged }) => sum + charged, 0);
    await at(`/p/acme/keyword?id=${rowId}`, async (page) => {
      await page.getByRole('heading', { level: 1, name: 'running shoes' }).waitFor();
      const chart = page.getByRole('img', { name: /^Rank of running shoes/ });
      expect(await chart.getAttribute('aria-label')).toMatch(/acme\.com from .*globex\.com from/);
      for (const name of ['Ranking page', 'On the page'])
        expect(await page.getByRole('region', { name }).getByRole('listitem').count()).toBeGreaterThan(0);
      const ledger = page.locator('details', { hasText: 'Checks and what they cost' });
      await ledger.getByText(`3 checks · ${credits} credits`).waitFor();
      await ledger.locator('summary').first().click();
      await ledger.getByRole('row').nth(3).waitFor();
      await page.getByLabel('Date of the results page', { exact: true }).selectOption('2026-01-12');
      await page.waitForURL((url) => url.search.includes('seen=2026-01-12'));
      await page.getByRole('link', { name: /^The whole page/ }).click();
      await page.getByRole('heading', { level: 1, name: 'Results for running shoes' }).waitFor();
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: 'running shoes US' }).waitFor();
    });
  });

  it('leads to its other markets in the same period', () =>
    at(`/p/acme/keyword?id=${rowId}&from=2026-01-13`, async (page) => {
      await page.getByRole('link', { name: 'US phone' }).click();
      await page.getByRole('heading', { level: 1, name: 'running shoes US phone' }).waitFor();
      expect(queryOf(page)).toContain('from=2026-01-13');
      await page.goBack();
      await page.waitForURL((url) => url.searchParams.get('id') === rowId);
    }));
});

describe('a results page', () => {
  it('shows two dates side by side, with a line between the same results, and the dates in the address', async () => {
    const of = (date: string) =>
      get<{ serp: { results: { url: string; rank: number }[] } }>(`serp?${search}&date=${date}`);
    const [before, after] = [await of('2026-01-12'), await of('2026-01-14')];
    const kept = after.serp.results.filter(({ url }) => before.serp.results.some((older) => older.url === url));
    await at(`/p/acme/serp?${search}&against=2026-01-12`, async (page) => {
      const newer = page.getByRole('region', { name: 'Results of 14 Jan 2026' });
      expect(await newer.locator('.block-result').count()).toBe(after.serp.results.length);
      await page.locator('.move-lines path').first().waitFor({ state: 'attached' });
      expect(await page.locator('.move-lines path').count()).toBe(kept.length);
      await page.getByLabel('Date of the page on the right', { exact: true }).selectOption('2026-01-13');
      await page.waitForURL((url) => url.searchParams.get('date') === '2026-01-13');
      await page.getByRole('button', { name: 'Show one page only' }).click();
      await page.getByRole('region', { name: 'Results of 13 Jan 2026' }).waitFor();
      expect(await page.getByRole('region', { name: /^Results of/ }).count()).toBe(1);
    });
  });

  it('fits both on a phone, side by side', () =>
    at(
      `/p/acme/serp?${search}`,
      async (page) => {
        const [older, newer] = await Promise.all(
          ['13', '14'].map((day) => page.getByRole('region', { name: `Results of ${day} Jan 2026` }).boundingBox()),
        );
        expect(newer?.x).toBeGreaterThan((older?.x ?? 0) + (older?.width ?? 0));
        expect((newer?.x ?? 0) + (newer?.width ?? 0)).toBeLessThanOrEqual(phone.width);
        expect(await page.locator('.move-lines path').count()).toBeGreaterThan(0);
      },
      { viewport: phone },
    ));
});

describe('pages', () => {
  it('are sorted by any column, and lead to their keywords', () =>
    at('/p/acme/pages', async (page) => {
      const table = page.getByRole('table', { name: /ranking pages$/ });
      await table.getByRole('button', { name: 'Average rank' }).click();
      await page.waitForURL((url) => url.searchParams.get('sort') === 'rank');
      expect(await table.locator('[aria-sort=ascending]').textContent()).toContain('Average rank');
      const ranks = await table.locator('tbody td[data-label="Average rank"]').allTextContents();
      expect(ranks.map(Number)).toEqual(ranks.map(Number).toSorted((a, b) => a - b));
      for (const link of await table.locator('td[data-label=Keywords] a').all())
        expect(await rowsOf(await link.getAttribute('href'))).toBe(Number(await link.textContent()));
    }));

  it('say where another page ranks than the preferred one', async () => {
    const { total } = await get<{ total: number }>('keywords?otherUrl=true');
    await at('/p/acme/pages', async (page) => {
      const others = page.getByRole('region', { name: 'Another page ranks than the preferred one' });
      expect(await others.locator('tbody tr').count()).toBe(total);
    });
  });

  it('that take turns are drawn with their dates', async () => {
    const [a, b] = ['https://www.acme.com/a', 'https://www.acme.com/b'];
    const pageOf = (url: string, dates: number) => ({ url, dates, bestRank: 3, last: '2026-01-14' });
    const place = { country: 'US', language: 'en', device: 'desktop', target: 'acme.com', rank: 4, url: a };
    const row = { id: 'x', keyword: 'shoes', ...place, preferredUrl: b, searchVolume: 90, flips: 2 };
    const answer = {
      ...{ dates: ['2026-01-12', '2026-01-13', '2026-01-14'], ranked: [1, 1, 1], flips: [0, 1, 1], total: 1 },
      rows: [{ ...row, pages: [pageOf(a, 2), pageOf(b, 1)], turns: [0, 1, 0] }],
    };
    await at('/p/acme/pages', async (page) => {
      await page.route('**/cannibalization*', (route) => route.fulfill({ json: answer }));
      await page.reload();
      const turns = page.getByRole('region', { name: 'Pages that take turns' });
      await turns.getByText('shoes').first().waitFor();
      for (const path of ['/a', '/b']) expect(await turns.getByText(path).count()).toBeGreaterThan(0);
    });
  });
});

it('competitors are compared by visibility or share of voice, and lead to the searches that they took', () =>
  at('/p/acme/competitors', async (page) => {
    const standings = page.getByRole('region', { name: 'Standings' });
    expect((await standings.locator('tbody th').allTextContents()).sort()).toEqual(['acme.com ours', 'globex.com']);
    for (const column of ['Above us', 'Below us'])
      for (const link of await standings.locator(`td[data-label="${column}"] a`).all())
        expect(await rowsOf(await link.getAttribute('href')), column).toBe(Number(await link.textContent()));
    await page.getByRole('link', { name: 'Share of voice' }).click();
    await page.getByRole('img', { name: /^Share of voice/ }).waitFor();
    expect(queryOf(page)).toBe('?measure=share');
    const others = page.getByRole('region', { name: 'Others on the same pages' });
    expect(await others.locator('tbody tr').count()).toBe(20);
    await others.getByRole('button', { name: 'Show more' }).click();
    await page.waitForFunction(() => document.querySelectorAll('table tbody tr').length > 40);
  }));

it('segments compare tags, phones against desktops, and views, and lead to their rows', () =>
  at('/p/acme/segments', async (page) => {
    for (const [kind, names] of [
      ['Devices', ['desktop', 'phone']],
      ['Saved views', ['On phones']],
      ['Tags', ['boots', 'shoes', 'trail']],
    ] as const) {
      await page.getByRole('navigation', { name: 'Kind of segment' }).getByRole('link', { name: kind }).click();
      const table = page.getByRole('table', { name: `${names.length} segment` });
      await table.getByRole('link', { name: names[0] }).first().waitFor();
      expect((await table.locator('tbody th').allTextContents()).sort()).toEqual(names);
      for (const link of await table.locator('td[data-label=Rows] a').all())
        expect(await rowsOf(await link.getAttribute('href')), kind).toBe(Number(await link.textContent()));
    }
    expect(await page.locator('main .chart').count()).toBeGreaterThan(0);
  }));

it('the portfolio shows a row for each project, and finds and sorts them', () =>
  at('/', async (page) => {
    const table = page.getByRole('table', { name: /^Projects/ });
    expect((await table.getByRole('rowheader').getByRole('link').allTextContents()).sort()).toEqual(['acme', 'other']);
    expect(await table.getByRole('row', { name: /^acme/ }).textContent()).toMatch(/6 of 6.*credits/);
    await table.getByRole('button', { name: 'Project' }).click();
    await page.waitForURL((url) => url.search.includes('sort='));
    await table.getByRole('link', { name: 'acme' }).click();
    await page.waitForURL((url) => url.pathname === '/p/acme/home');
  }));

it('runs show what each bought, with the credits of the ledger', () =>
  at('/p/acme/runs', async (page) => {
    // the month of the server: the browser has the clock of this machine
    await page.getByRole('heading', { level: 1, name: /^January ends at \d+ % of the budget$/ }).waitFor();
    const runs = page.getByRole('region', { name: 'Runs' });
    expect(await runs.locator('tbody tr', { hasText: 'Ranks' }).count()).toBe(slots.length);
    const creditsOf = async (query: string) => {
      const { data } = (await (await fetch(`${workspace.url}/v1/spend${query}`)).json()) as {
        data: { currency: string; spent: number }[];
      };
      return data.reduce((sum, { currency, spent }) => sum + (currency === 'serp_credit' ? spent : 0), 0);
    };
    expect(await page.locator('.figure', { hasText: 'Spent in the period' }).textContent()).toContain(
      `${await creditsOf('?project=acme')} credits`,
    );
    // a run has the searches of both projects
    const ofRuns = await runs.locator('td[data-label=Spent]', { hasText: 'credit' }).allTextContents();
    expect(ofRuns.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0)).toBe(await creditsOf(''));
    await runs.getByRole('link', { name: '14 Jan, 06:00' }).click();
    await settled(page);
    await page.getByText('6 of 6').first().waitFor();
  }));

const paths = (): readonly string[] => [
  '/',
  ...['home', `keyword?id=${rowId}`, `serp?${search}`, `serp?${search}&against=none`, 'pages', 'competitors'].map(
    (of) => `/p/acme/${of}`,
  ),
  ...['segments', 'segments?by=view', 'runs', 'alerts', 'answers'].map((of) => `/p/acme/${of}`),
];

it.each(looks)('has no fault that axe knows on any page, and fits: %o', async (look) => {
  await at(
    '/',
    async (page) => {
      const faults: Record<string, unknown> = {};
      for (const path of paths()) {
        await page.goto(workspace.url + path);
        await settled(page);
        const found = await violations(page);
        const wide = await overflow(page);
        if (found.length > 0 || wide > 0) faults[path] = [...found, wide];
      }
      await page.keyboard.press('/');
      await page.getByRole('option').first().waitFor();
      const found = await violations(page);
      if (found.length > 0) faults['palette'] = found;
      expect(faults).toEqual({});
    },
    look,
  );
});

// Last: once there is a reader, every page asks for a token.
it('a guarded workspace asks for the token of a reader, refuses a wrong one, and shows the numbers for a right one', async () => {
  // the app of the view is opened for reading
  const writer = new App(workspace.app.config, { clock: new SimulatedClock(now) });
  const { token } = addReader(writer, 'anna');
  await writer.close();
  const guarded = await view(workspace.app, { host: '0.0.0.0', port: 0 });
  const url = guarded.url.replace('0.0.0.0', '127.0.0.1');
  try {
    const act = async (page: Page): Promise<void> => {
      const enter = async (written: string) => {
        await page.getByLabel('Token').fill(written);
        await page.getByRole('button', { name: 'Show the numbers' }).click();
      };
      await page.getByText('Who is reading?').waitFor();
      expect(await violations(page)).toEqual([]);
      await enter('wrong');
      await page.getByRole('alert').filter({ hasText: 'The token is wrong, revoked, or has ended.' }).waitFor();
      await enter(token);
      await page.getByRole('table', { name: '2 segments' }).waitFor();
      expect(queryOf(page)).toBe('?by=device');
      await page.goto(`${url}/p/acme/keywords`);
      await settled(page);
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'CSV', exact: true }).click(),
      ]);
      expect(readFileSync(await download.path(), 'utf8')).toContain('running shoes');
    };
    await visit({ browser: workspace.browser, url }, '/p/acme/segments?by=device', act, { isRefused: true });
  } finally {
    await guarded.close();
  }
});
