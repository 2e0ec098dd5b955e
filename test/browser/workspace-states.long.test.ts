// What the workspace shows where there is little to show: wrong addresses, projects without keywords or checks.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { commandAt, runSlots } from '../cli/real-app.ts';
import { type OpenWorkspace, openWorkspace } from './open-workspace.ts';

const slots = ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];
const now = Date.parse('2026-01-14T12:00:00Z');
const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const config = `timezone: Europe/Berlin
services: { default: { mode: embedded, source: sandbox, seed: 20 } }
budget: { serpCredits: { perRun: 500, perMonth: 5000 }, keywordDataUsd: { perMonth: 5.00 } }
projects:
  - id: acme
    targets: [acme.com, { match: prefix, value: "https://www.acme.com/a_shop_with_a_rather_long_address/and_a_folder_below_it/which_is_longer_still/than_the_shop/" }]
    competitors: [globex.com, initech.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 1
    keywords: [running shoes, ${longWord}]
    volumes: { schedule: "0 4 2 * *" }
  - id: places
    targets: [{ match: place, value: "cid:113508606189861894" }]
    competitors: [{ match: place, value: "cid:149236090132035310" }]
    schedule: "0 6 * * *"
    market: { country: US, language: en, location: "Austin, Texas" }
    depth: 1
    keywords: [pizza]
  - id: prompts
    targets: [acme.com]
    schedule: "0 6 * * *"
    prompts: { engines: [chatgpt], samples: 1, texts: [best running shoes] }
`;
const unchecked = `  - { id: new, targets: [acme.com], keywords: [sandals] }
`;
const queries = 'Top queries,Clicks,Impressions,CTR,Position\nbarefoot boots,12,400,3%,4.2\n';

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots);
  const file = folder.write('Queries.csv', queries);
  const period = ['--from', '2026-01-01', '--to', '2026-01-10'];
  await commandAt(folder, now, 'backfill', 'clicks', '--project', 'acme', '--file', file, ...period);
  folder.write('rankledger.yaml', config + unchecked);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

/** Opens a view, has `act` use it, and holds that no script failed. */
async function using(path: string, act: (page: Page) => Promise<void>, width = 1440): Promise<void> {
  const context = await workspace.browser.newContext({ viewport: { width, height: 900 } });
  const failures: string[] = [];
  const page = await context.newPage();
  page.on('pageerror', (error) => failures.push(error.message));
  try {
    await page.goto(workspace.url + path);
    await shown(page);
    await act(page);
    expect(failures).toEqual([]);
  } finally {
    await context.close();
  }
}

async function shown(page: Page): Promise<void> {
  await page.waitForSelector('main h1');
  await page.waitForFunction(() => document.querySelector('.waiting, [aria-busy=true]') === null);
}

async function rowOf(keyword: string): Promise<string> {
  const answer = await fetch(`${workspace.url}/v1/projects/acme/keywords?q=${encodeURIComponent(keyword)}`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}

describe('an address', () => {
  it('names the window by its view, for tabs and history', () =>
    using('/', async (page) => {
      expect(await page.title()).toBe('Projects · rankledger');
      await page.getByRole('link', { name: 'acme', exact: true }).click();
      await page.waitForFunction(() => document.title === 'Keywords of acme · rankledger');
      await page.getByRole('link', { name: 'running shoes' }).first().click();
      await page.waitForFunction(() => document.title === 'running shoes · rankledger');
      await page.goBack();
      await page.waitForFunction(() => document.title === 'Keywords of acme · rankledger');
    }));

  it.each([
    ['/nothing', 'There is no such page'],
    ['/p/acme/nothing', 'There is no such page'],
    ['/p/%E0%A4%A/keywords', 'There is no such page'],
    ['/p/unknown/keywords', 'There is no such project unknown'],
    ['/p/acme/keyword?id=none', 'Keyword'],
  ])('%s says so in its heading', async (path, heading) => {
    await using(path, async (page) => {
      await page.waitForFunction((text) => document.querySelector('h1')?.innerText === text, heading);
    });
  });

  it('answers 404 with the page for browsers and with JSON for programs', async () => {
    const status = async (accept: string) => {
      const answer = await fetch(`${workspace.url}/nothing`, { headers: { accept } });
      return [answer.status, answer.headers.get('content-type')];
    };
    expect(await status('text/html')).toEqual([404, 'text/html; charset=utf-8']);
    expect(await status('application/json')).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('past the last page of the table leads back to the first', () =>
    using('/p/acme/keywords?page=9', async (page) => {
      await page.getByText('This page is past the last row.').waitFor();
      await page.getByRole('link', { name: 'First page' }).click();
      await page.locator('table.keywords tbody tr').first().waitFor();
    }));
});

describe('the keyboard', () => {
  it('skips to the table, and finds the opened row again on the way back', () =>
    using('/p/acme/keywords', async (page) => {
      await page.getByRole('link', { name: 'Skip to the table' }).focus();
      await page.keyboard.press('Enter');
      for (let steps = 0; steps < 40; steps += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement?.closest('tbody') !== null)) break;
      }
      await page.keyboard.press('ArrowDown');
      const row = () => page.evaluate(() => document.activeElement?.closest('tr')?.dataset['row']);
      const opened = await row();
      expect(opened).toBeDefined();
      await page.keyboard.press('Enter');
      await page.waitForSelector('#keyword-title');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
      await page.goBack();
      await page.waitForFunction(() => document.activeElement?.closest('tbody') != null);
      expect(await row()).toBe(opened);
    }));
});

it('says that the chart cannot be read, where the table was read before', () =>
  using('/p/acme/keywords', async (page) => {
    await page.route('**/series*', (route) => route.abort());
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByRole('alert').filter({ hasText: 'The server does not answer.' }).waitFor();
  }));

describe('a filter', () => {
  it('by significance reaches the table', () =>
    using('/p/acme/keywords?significance=certain', async (page) => {
      const path = '/v1/projects/acme/keywords?significance=certain';
      const { total } = (await (await fetch(workspace.url + path)).json()) as { total: number };
      expect(total).toBeLessThan(8);
      expect(await page.locator('#rows').textContent()).toBe(`${total} ${total === 1 ? 'row' : 'rows'}`);
    }));

  it('stays when the view changes', () =>
    using('/p/acme/keywords?q=running&rank=1..10&sort=rank', async (page) => {
      await page.getByRole('link', { name: 'Segments' }).click();
      await shown(page);
      expect(new URL(page.url()).search).toBe('?q=running&rank=1..10');
    }));

  it('that matches nothing leaves no empty chart', async () => {
    await using('/p/acme/keywords?q=zzz', async (page) => {
      await page.getByText('Visibility: no value in this range.').waitFor();
      expect(await page.locator('canvas').count()).toBe(0);
    });
    await using('/p/acme/competitors?q=zzz', async (page) => {
      await page.getByText('Visibility: no value in this period for these keywords.').waitFor();
      expect(await page.locator('canvas').count()).toBe(0);
    });
  });
});

describe('a project', () => {
  it('with places only shows their ranks, which have no visibility and no comparison', async () => {
    await using('/p/places/keywords', async (page) => {
      await page.locator('.measures a[aria-current]', { hasText: 'Average rank' }).waitFor();
      const scale = await page.locator('.chart canvas').evaluate((canvas) => {
        const { Chart } = globalThis as unknown as { Chart: { getChart(of: Element): { scales: { y: object } } } };
        const { min, max } = Chart.getChart(canvas).scales.y as { min: number; max: number };
        return [min, max];
      });
      expect(scale).toEqual([1, 2]);
    });
    await using('/p/places/competitors', async (page) => {
      await page.getByText('Only places are tracked.').waitFor();
    });
  });

  it('with prompts only leads to its AI answers', () =>
    using('/p/prompts/keywords', async (page) => {
      await page.getByText('This project has no keywords.').waitFor();
      await page.locator('main').getByRole('link', { name: 'AI answers' }).click();
      await page.getByRole('heading', { name: 'ChatGPT' }).waitFor();
    }));

  it('without checks says how to begin', () =>
    using('/p/new/keywords', async (page) => {
      await page.getByText('rankledger run').waitFor();
    }));

  it('with an export of clicks shows its untracked queries', async () => {
    await using('/p/acme/clicks', async (page) => {
      await page.getByText('Only an export is stored').waitFor();
      expect(await page.locator('table tbody th').first().textContent()).toBe('barefoot boots');
      await page.getByText('1 query with impressions in the newest export').waitFor();
    });
    await using('/p/places/clicks', async (page) => {
      await page.getByText('No clicks are stored.').waitFor();
    });
  });
});

it.each(['segments', 'pages'])('shows all columns of %s on a small laptop', (view) =>
  using(
    `/p/acme/${view}`,
    async (page) => {
      const rest = await page
        .locator('main .scroll')
        .evaluateAll((all) => all.map((of) => of.scrollWidth - of.clientWidth));
      expect(Math.max(...rest)).toBe(0);
    },
    1180,
  ),
);

it('shows ranks and changes beside the long address of a target', () =>
  using(
    '/p/acme/keywords',
    async (page) => {
      const right = (text: string) =>
        page
          .locator('table.keywords thead th', { hasText: text })
          .evaluate((head) => head.getBoundingClientRect().right);
      const box = await page.locator('.table-box').evaluate((one) => one.getBoundingClientRect().right);
      for (const column of ['Rank', 'Trend', 'Volume']) expect(await right(column), column).toBeLessThan(box);
    },
    1180,
  ));

it('cuts no table and no field on a phone', async () => {
  const paths = ['keywords', 'competitors', 'clicks', `keyword?id=${await rowOf('running shoes')}`];
  for (const path of [...paths, `keyword?id=${await rowOf(longWord)}`]) {
    await using(
      `/p/acme/${path}`,
      async (page) => {
        for (const summary of await page.locator('details.values > summary').all()) await summary.click();
        const cut = await page
          .locator('html, main .scroll, main .table-box')
          .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.ariaLabel));
        expect(cut, path).toEqual([]);
      },
      390,
    );
  }
});
