// What the pages show where there is little or hostile data: wrong addresses, failed reads, projects of one kind only.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { commandAt, runSlots } from '../cli/real-app.ts';
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
import { payloads } from './payloads.ts';

const slots = ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z'];
const now = Date.parse('2026-01-14T12:00:00Z');
const longWord = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
const config = (shop: string) => `timezone: Europe/Berlin
services: { default: { mode: embedded, source: sandbox, seed: 20 } }
budget: { serpCredits: { perRun: 500, perMonth: 5000 }, keywordDataUsd: { perMonth: 5.00 } }
projects:
  - ${shop}
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
  folder = projectFolder(config('id: shop'));
  await runSlots(folder, slots);
  const file = folder.write('Queries.csv', queries);
  const period = ['--from', '2026-01-01', '--to', '2026-01-10'];
  await commandAt(folder, now, 'backfill', 'clicks', '--project', 'shop', '--file', file, ...period);
  folder.write('rankledger.yaml', config('id: acme\n    formerly: [shop]') + unchecked);
  await commandAt(folder, now, 'check');
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

const at = (path: string, act: (page: Page) => Promise<void>, options?: Parameters<typeof visit>[3]) =>
  visit(workspace, path, act, options);

async function rowOf(keyword: string): Promise<string> {
  const answer = await fetch(`${workspace.url}/v1/projects/acme/keywords?q=${encodeURIComponent(keyword)}`);
  const { data } = (await answer.json()) as { data: { id: string }[] };
  return data[0]?.id ?? '';
}

describe('an address', () => {
  it.each([
    ['/nothing', 'There is no such page'],
    ['/p/acme/nothing', 'There is no such page'],
    ['/p/%E0%A4%A/keywords', 'There is no such page'],
    ['/p/unknown/keywords', 'There is no such project'],
    ['/p/acme/keyword', 'Which keyword?'],
    ['/p/acme/keyword?id=none', 'No such keyword'],
    ['/p/acme/serp', 'Which results page?'],
  ])('%s says so in its heading and in the name of the window, and leads on', (path, heading) =>
    at(
      path,
      async (page) => {
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        expect(await page.title()).toContain(heading);
        expect(await page.locator('main a').count()).toBeGreaterThan(0);
        expect(await violations(page)).toEqual([]);
      },
      { isRefused: true },
    ),
  );

  it('of a project that was renamed leads to its new name, with the query', () =>
    at('/p/shop/keywords?q=running', async (page) => {
      await page.waitForURL((url) => url.pathname === '/p/acme/keywords');
      await page.getByText(/^\d rows? ·/).waitFor();
      expect(queryOf(page)).toBe('?q=running');
    }));

  it('answers 404 with the page for browsers and with JSON for programs', async () => {
    const status = async (accept: string) => {
      const answer = await fetch(`${workspace.url}/nothing`, { headers: { accept } });
      return [answer.status, answer.headers.get('content-type')];
    };
    expect(await status('text/html')).toEqual([404, 'text/html; charset=utf-8']);
    expect(await status('application/json')).toEqual([404, 'application/json; charset=utf-8']);
  });
});

it('a read that fails says so where its numbers were, and is tried again', () =>
  at(
    '/p/acme/keywords',
    async (page) => {
      await page.route('**/v1/projects/acme/summary*', (route) => route.abort());
      await page.reload();
      const alert = page.getByRole('alert').filter({ hasText: 'The server does not answer' });
      await alert.waitFor();
      expect(await violations(page)).toEqual([]);
      await page.unroute('**/v1/projects/acme/summary*');
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.locator('.row').first().waitFor();
      expect(await alert.count()).toBe(0);
    },
    { isRefused: true },
  ));

describe('a read that fails', () => {
  /** Beside the numbers of a page, which stand without them. */
  const beside = ['/v1/access', '/v1/notes'];
  /** What every page begins with. */
  const first = ['/v1/projects', '/v1/projects/acme', '/v1/projects/places', '/v1/projects/prompts'];

  /** Paths of the API that a page reads: `/v1/alerts`, `/v1/projects/acme/changes`. */
  async function readsOf(path: string): Promise<string[]> {
    const reads = new Set<string>();
    await at('/', async (page) => {
      page.on('request', (request) => reads.add(new URL(request.url()).pathname));
      await page.goto(`${workspace.url}/p/${path}`);
      await settled(page);
    });
    return [...reads].filter((read) => read.startsWith('/v1/') && ![...beside, ...first].includes(read));
  }

  it.each([
    'acme/home',
    'acme/keywords',
    'acme/keyword?id=',
    'acme/serp?keyword=running+shoes&country=US&language=en&device=desktop',
    'acme/competitors',
    'acme/pages',
    'acme/segments',
    'acme/runs',
    'acme/alerts',
    'acme/clicks',
    'places/home',
    'prompts/answers',
  ])('is not an empty list or a zero: %s', async (name) => {
    const path = name.endsWith('id=') ? name + (await rowOf('running shoes')) : name;
    const reads = await readsOf(path);
    expect(reads.length).toBeGreaterThan(0);
    const silent: string[] = [];
    for (const read of reads)
      await at(
        '/',
        async (page) => {
          await page.route(
            (url) => url.pathname === read,
            (route) => route.fulfill({ status: 500, json: { error: { message: 'broken' } } }),
          );
          await page.goto(`${workspace.url}/p/${path}`);
          await settled(page);
          if ((await page.getByText('could not be read').count()) === 0) silent.push(read);
        },
        { isRefused: true },
      );
    expect(silent).toEqual([]);
  });
});

it('a chart without values says so', async () => {
  for (const path of ['keywords?q=zzz', 'competitors?q=zzz', 'segments?q=zzz', 'pages?q=zzz'])
    await at(`/p/acme/${path}`, async (page) => {
      expect(await page.locator('main .chart path').count(), path).toBe(0);
      expect(await page.locator('main').innerText(), path).toMatch(/[Nn]o (keyword|row|value|site|page)|[Nn]othing/);
    });
});

describe('a project', () => {
  it('with places only shows their ranks, which have no visibility and no comparison', async () => {
    await at('/p/places/keywords', async (page) => {
      await page.getByRole('button', { name: 'Average rank', pressed: true }).waitFor();
      await page.getByRole('img', { name: /^Average rank of these rows/ }).waitFor();
    });
    await at('/p/places/home', async (page) => {
      await page.getByRole('heading', { level: 1, name: /^Average rank/ }).waitFor();
    });
    await at('/p/places/competitors', async (page) => {
      await page.getByText('Only places are tracked').waitFor();
    });
  });

  it('with prompts only has its AI answers in the navigation, and leads there', () =>
    at('/p/prompts/home', async (page) => {
      await page.getByText('This project tracks no keywords').waitFor();
      await page.locator('main').getByRole('link', { name: 'AI answers' }).click();
      await page.getByRole('heading', { name: 'ChatGPT' }).waitFor();
    }));

  it('without checks says how to begin on every page', async () => {
    for (const path of ['home', 'keywords', 'runs', 'alerts'])
      await at(`/p/new/${path}`, async (page) => {
        expect(await page.locator('main').innerText(), path).toMatch(/Nothing was (checked|run) yet/);
        expect(await violations(page), path).toEqual([]);
      });
  });

  it('has pages in its navigation for which there is data only', async () => {
    const links = (page: Page) =>
      page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link').allTextContents();
    await at('/p/new/home', async (page) => {
      expect(await links(page)).toEqual(expect.arrayContaining(['Home', 'Keywords', 'Runs and spend', 'Alerts']));
      for (const name of ['Clicks', 'Places']) expect(await links(page)).not.toContain(name);
    });
  });

  it('without clicks says at their address how to get them', () =>
    at('/p/places/clicks', (page) => page.getByText('No clicks are stored').waitFor()));

  it('with an export of clicks leads to its untracked queries', () =>
    at('/p/acme/home', async (page) => {
      await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Clicks' }).click();
      await page.getByRole('heading', { level: 1, name: 'Queries of an export' }).waitFor();
      await page.getByRole('rowheader', { name: 'barefoot boots' }).waitFor();
    }));
});

it('text from outside stays text on every page', async () => {
  // fields of the API whose text comes from people and results pages
  const written = ['keyword', 'tags', 'url', 'preferredUrl', 'target', 'title', 'text', 'note', 'location', 'domain'];
  let next = 0;
  const hostile = (): string => payloads[next++ % payloads.length] ?? '';
  const spoil = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map((one) => spoil(one, name));
    if (typeof value === 'string') return written.includes(name) ? hostile() : value;
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, spoil(one, key)]));
  };
  const id = await rowOf('running shoes');
  const search = 'keyword=running+shoes&country=US&language=en&device=desktop';
  await at(
    '/',
    async (page) => {
      await page.route('**/v1/**', async (route) => {
        const answer = await route.fetch();
        const body: unknown = await answer.json();
        await route.fulfill({ response: answer, json: spoil(body) });
      });
      const paths = ['home', 'keywords', `keywords?open=${id}`, `keyword?id=${id}`, `serp?${search}`, 'pages'];
      for (const path of [...paths, 'competitors', 'segments', 'runs', 'alerts', 'clicks', 'answers']) {
        await page.goto(`${workspace.url}/p/acme/${path}`);
        await settled(page);
        const ran = await page.evaluate(() => [
          'pwned' in globalThis,
          document.querySelectorAll('main :is(script, iframe, object, base, meta, video, details[ontoggle])').length,
          document.querySelectorAll('[onerror], [onload], [onfocus], [href^="javascript:"]').length,
        ]);
        expect(ran, path).toEqual([false, 0, 0]);
      }
      expect(next).toBeGreaterThan(payloads.length);
      await page.goto(`${workspace.url}/p/acme/keywords`);
      await page.locator('.row .keyword', { hasText: '<' }).first().waitFor();
    },
    { isRefused: true },
  ); // no page has the spoiled texts that it asks for
});

it.each(looks)('long words and addresses are cut nowhere, and axe finds no fault: %o', (look) =>
  at(
    '/',
    async (page) => {
      const id = await rowOf(longWord);
      const cut: Record<string, unknown> = {};
      const paths = ['acme/home', 'acme/keywords', `acme/keyword?id=${id}`, 'acme/competitors', 'acme/clicks'];
      for (const path of [...paths, 'places/home', 'places/competitors', 'prompts/answers']) {
        await page.goto(`${workspace.url}/p/${path}`);
        await settled(page);
        const [wide, found] = [await overflow(page), await violations(page)];
        if (wide > 0 || found.length > 0) cut[path] = [wide, ...found];
      }
      expect(cut).toEqual({});
    },
    look,
  ),
);

it('tables scroll in their own box, so that a small laptop and a phone lose no column', async () => {
  for (const viewport of [{ width: 1180, height: 800 }, phone])
    for (const path of ['segments', 'pages', 'competitors'])
      await at(
        `/p/acme/${path}`,
        async (page) => {
          const hidden = await page.locator('main table').evaluateAll(
            (tables) =>
              tables.filter((table) => {
                const box = table.parentElement;
                const isCut = table.getBoundingClientRect().right > innerWidth;
                return isCut && box !== null && !['auto', 'scroll'].includes(getComputedStyle(box).overflowX);
              }).length,
          );
          expect([path, hidden, await overflow(page)]).toEqual([path, 0, 0]);
        },
        { viewport },
      );
});
