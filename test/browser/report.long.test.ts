// The HTML report in a real browser: what a reader sees, does by mouse and keyboard, and what never happens.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPage, type PageOptions } from '../report/html/built-page.ts';
import { openFile, startChromium } from './chromium.ts';
import { laptop, looks, overflow, phone, violations } from './open-workspace.ts';
import { payloads } from './payloads.ts';

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'rankledger-browser-'));
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
function written(options: PageOptions = {}): string {
  files += 1;
  const file = join(folder, `report-${files}.html`);
  writeFileSync(file, builtPage(options));
  return file;
}

/** Opens a file, has `act` use it, and expects no error, no warning and no request for anything but the file. */
async function using(
  file: string,
  act: (page: Page) => Promise<void>,
  options: Parameters<typeof openFile>[2] = {},
): Promise<void> {
  const { page, complaints } = await openFile(browser, file, { reducedMotion: 'reduce', ...options });
  try {
    await act(page);
    expect(complaints).toEqual([]);
    expect(await page.locator('.failed').count()).toBe(0);
  } finally {
    await page.context().close();
  }
}

const rowLinks = (page: Page) => page.locator('.keyword-table a.row-link');
const rowCount = (page: Page) => page.locator('#keywords .filter-bar').textContent();
const hashOf = (page: Page) => decodeURIComponent(new URL(page.url()).hash.replaceAll('+', ' '));
const dialog = (page: Page) => page.getByRole('dialog');

describe('the report in a browser', () => {
  it('says what changed, how much of it was checked, and draws it with notes', () =>
    using(written(), async (page) => {
      expect(await page.title()).toContain('acme');
      expect(await page.locator('h1').textContent()).toMatch(/^Visibility (rose|fell|stayed)/);
      expect(await page.locator('#overview .sub').first().textContent()).toMatch(/checked \d+ of 60/);
      expect(await page.locator('#overview .findings li').count()).toBeLessThanOrEqual(3);
      expect(await page.locator('#overview .figure').count()).toBe(4);
      const charts = page.locator('#overview .chart');
      expect(await charts.first().locator('svg path').count()).toBeGreaterThan(1);
      expect(await charts.first().locator('.chart-marks').textContent()).toContain('core update');
      expect(await page.locator('.report-distribution svg rect').count()).toBeGreaterThan(30);
    }));

  it('draws no line where nothing is known of a competitor', () =>
    using(written(), async (page) => {
      await page.locator('#overview .chart-table summary').first().click();
      const cells = page.locator('#overview .chart-table tbody tr').locator('td:nth-of-type(2)');
      await cells.first().waitFor();
      const oldestFirst = (await cells.allTextContents()).slice(0, 30).reverse();
      const gaps = oldestFirst.flatMap((cell, date) => (cell === '–' ? [date] : []));
      expect(gaps).toEqual([0, 1, 2, 3, 4, 9, 10]);
    }));

  it('has its numbers and first rows without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`file://${written({ keywords: 120 })}`);
    expect(await page.locator('noscript table').count()).toBe(2);
    expect(await page.locator('noscript tbody tr').count()).toBe(51);
    expect(await page.locator('noscript').textContent()).toContain('only 50 of 120 keywords');
    await context.close();
  });

  it('shows the first chart above the fold of a laptop, also with many targets and a warning', () => {
    const text: PageOptions['text'] = (what, index) =>
      what === 'target' ? `https://www.acme.com/shop-${index % 4}/` : `${what} ${index}`;
    return using(
      written({ warning: 'simulated data', text }),
      async (page) => {
        expect(await page.getByRole('note').textContent()).toContain('simulated data');
        expect(await page.locator('#overview .plain-table tbody tr').count()).toBe(4);
        const box = await page.locator('#overview .chart').first().boundingBox();
        expect((box?.y ?? 900) + (box?.height ?? 0) / 2).toBeLessThan(900);
      },
      { viewport: laptop },
    );
  });

  it('sorts by any column, rows without a number last both ways, and says so to screen readers', () =>
    using(written({ keywords: 45 }), async (page) => {
      const header = page.locator('.keyword-table th', { hasText: 'Rank' });
      const ranks = async () => {
        const cells = page.locator('.keyword-table .cell-rank');
        return cells.evaluateAll((all) => all.map((cell) => Number(cell.querySelector('.rank b')?.textContent ?? NaN)));
      };
      for (const [order, sign] of [
        ['ascending', 1],
        ['descending', -1],
      ] as const) {
        await header.getByRole('button').click();
        await expect.poll(() => header.getAttribute('aria-sort')).toBe(order);
        const known = (await ranks()).filter((rank) => !Number.isNaN(rank));
        expect(known).toEqual(known.toSorted((a, b) => sign * (a - b)));
        expect((await ranks()).slice(0, known.length)).toEqual(known);
      }
    }));

  it('leads from numbers, movers and segments to their rows, and keeps filters between sections', () =>
    using(written(), async (page) => {
      await page.locator('#overview a.figure', { hasText: 'top 10' }).click();
      expect(hashOf(page)).toContain('rank=1..10');
      const top10 = (await page.locator('#overview a.figure').first().locator('.figure-value').textContent()) ?? '';
      expect(await rowCount(page)).toContain(`${/\/ (\d+)/.exec(top10)?.[1]} rows`);
      await page.locator('.report-nav a', { hasText: 'SERP features' }).click();
      expect(hashOf(page)).toBe('#features?rank=1..10');
      await page.goto(`${page.url().split('#')[0]}#keywords`);
      const segment = page.locator('#segments tbody tr', { hasText: 'tag 3' });
      const rows = await segment.locator('td[data-label=Rows]').textContent();
      await segment.locator('a').click();
      await expect.poll(() => rowCount(page)).toContain(`${rows?.split(' ').at(-1)} rows`);
      expect(await page.locator('#keywords').evaluate((it) => it.getBoundingClientRect().top)).toBeLessThan(100);
    }));

  it('opens a keyword over the report by keyboard alone, as its address does, and gives the focus back', () =>
    using(written(), async (page) => {
      await page.goto(`${page.url()}#keywords?tag=tag 3`);
      await expect.poll(() => rowCount(page)).toContain('9 rows');
      const keyword = (await rowLinks(page).first().locator('.keyword').textContent()) ?? '';
      await rowLinks(page).first().focus();
      await page.keyboard.press('Enter');
      expect(await dialog(page).getByRole('heading').first().textContent()).toContain(keyword);
      expect(await dialog(page).locator('.chart-frame').first().getAttribute('aria-label')).toContain(keyword);
      const address = page.url();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      expect(await rowCount(page)).toContain('9 rows');
      expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(keyword);
      await page.goto(address);
      expect(await dialog(page).getByRole('heading').first().textContent()).toContain(keyword);
      await page.goBack();
      await dialog(page).waitFor({ state: 'detached' });
    }));

  it('links a cause where the file holds its evidence only', () => {
    const search = { keyword: 'keyword 00001', country: 'US', language: 'en', device: 'desktop' };
    const serp = new URLSearchParams({ ...search, date: '2026-09-30', against: '2026-09-29' });
    const cause = { strength: 0.5, certainty: 'likely' } as const;
    const causes: PageOptions['causes'] = [
      {
        ...{ project: 'acme', id: '1', ...search, target: 'acme.com', from: '2026-09-29', to: '2026-09-30' },
        ...{ rank: 18, previousRank: 17, changeClass: 'declined', significance: 'likely' },
        ...{ places: null, isAtLeast: false, unknown: [] },
        causes: [
          { ...cause, kind: 'entered', sentence: 'globex.com entered at 3', evidence: `serp?${serp}` },
          { ...cause, kind: 'moved_alike', sentence: 'not ours alone', evidence: 'keywords?tag=tag+1' },
          { ...cause, kind: 'demand', sentence: 'searches a month changed', evidence: 'keyword?id=1' },
        ],
      },
    ];
    return using(written({ causes }), async (page) => {
      await page.goto(`${page.url()}#keyword?id=1`);
      const why = dialog(page).getByRole('region', { name: 'Why' });
      expect(await why.getByRole('listitem').count()).toBe(3);
      expect(await why.getByRole('link').allTextContents()).toEqual(['Searches a month changed']);
    });
  });

  it('opens a row at the side, and from there the keyword', () =>
    using(
      written(),
      async (page) => {
        await page.locator('.keyword-table tr.row .cell-rank').first().click();
        const panel = page.locator('.row-panel');
        const keyword = await rowLinks(page).first().locator('.keyword').textContent();
        expect(await panel.getByRole('heading').first().textContent()).toContain(keyword);
        await panel.getByRole('link', { name: 'Open the keyword' }).click();
        expect(await dialog(page).getByRole('heading').first().textContent()).toContain(keyword);
      },
      { viewport: laptop },
    ));

  it('writes exactly the rows of the filter as CSV and JSON, in their order', () =>
    using(written(), async (page) => {
      await page.goto(`${page.url()}#keywords?tag=tag 3&sort=-searchVolume`);
      await expect.poll(() => rowCount(page)).toContain('9 rows');
      const shown = await rowLinks(page).locator('.keyword').allTextContents();
      const saved = async (format: string): Promise<string> => {
        await page.locator('#keywords').getByRole('button', { name: 'Export' }).click();
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: format, exact: true }).click(),
        ]);
        expect(download.suggestedFilename()).toBe(`acme-keywords.${format.toLowerCase()}`);
        return readFileSync(await download.path(), 'utf8');
      };
      const [head, ...lines] = (await saved('CSV')).trimEnd().split('\r\n');
      expect(head).toMatch(/^\uFEFFkeyword,country,language,device,/);
      expect(lines.map((line) => line.split(',')[0])).toEqual(shown);
      const { data, total } = JSON.parse(await saved('JSON')) as { data: { keyword: string }[]; total: number };
      expect([data.map(({ keyword }) => keyword), total]).toEqual([shown, shown.length]);
    }));

  it('is dark where the system is, and where the button says so', async () => {
    const isDark = (page: Page) =>
      page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).color)?.[0]) > 150);
    const file = written();
    await using(file, async (page) => expect(await isDark(page)).toBe(true), { colorScheme: 'dark' });
    await using(file, async (page) => {
      expect(await isDark(page)).toBe(false);
      const button = page.locator('.report-cover button');
      for (let step = 0; step < 3 && !(await isDark(page)); step += 1) await button.click();
      expect(await isDark(page)).toBe(true);
    });
  });

  it.each(looks)('has no fault that axe knows, and fits into its window: $colorScheme, $viewport.width', (look) =>
    using(
      written({ warning: 'suspect run: half of the ranks are gone' }),
      async (page) => {
        expect(await violations(page)).toEqual([]);
        expect(await overflow(page)).toBeLessThanOrEqual(0);
        await rowLinks(page).first().press('Enter');
        await dialog(page).waitFor();
        expect(await violations(page)).toEqual([]);
      },
      { ...look, bypassCSP: true },
    ),
  );

  it.each([0, 1])('is whole with %s keywords', (keywords) =>
    using(written({ keywords, dates: keywords === 0 ? 0 : 30 }), async (page) => {
      expect(await page.locator('#about').isVisible()).toBe(true);
      expect(await page.locator('h1').count()).toBe(1);
      expect(await page.locator('#keywords').count()).toBe(keywords);
      expect(await overflow(page)).toBeLessThanOrEqual(0);
    }),
  );

  it('opens with ten thousand keywords, in less than 15 MB', () => {
    const file = written({ keywords: 10_000, dates: 90 });
    expect(statSync(file).size).toBeLessThan(15_000_000);
    return using(file, async (page) => {
      expect(await rowLinks(page).count()).toBeLessThan(200);
      await page.goto(`${page.url()}#keywords?q=keyword 09999`);
      await expect.poll(() => rowLinks(page).locator('.keyword').allTextContents()).toEqual(['keyword 09999']);
    });
  });
});

describe('text from outside', () => {
  it(`is shown as text: ${payloads.length} payloads in keywords, tags, addresses, notes, reasons and targets`, () => {
    expect(payloads.length).toBeGreaterThanOrEqual(60);
    const text: PageOptions['text'] = (_, index) => payloads[index % payloads.length] ?? '';
    return using(
      written({ keywords: payloads.length, text }),
      async (page) => {
        await page.goto(`${page.url()}#keywords?target=*`);
        await expect.poll(() => rowCount(page)).toContain(`${payloads.length} rows`);
        const seen = new Set<string>();
        for (let screen = 0; seen.size < payloads.length && screen < 60; screen += 1) {
          for (const keyword of await rowLinks(page).locator('.keyword').allTextContents()) seen.add(keyword);
          await page.evaluate(() => {
            scrollBy(0, innerHeight / 2);
            return new Promise(requestAnimationFrame);
          });
        }
        expect([...seen].toSorted()).toEqual([...new Set(payloads)].map(shownText).toSorted());
        await rowLinks(page).first().press('Enter');
        await dialog(page).waitFor();
        const marked = await page.evaluate(() => [
          (globalThis as { pwned?: unknown }).pwned,
          document.querySelectorAll('img, iframe, object, embed, base, link, svg script, [onerror], [onload]').length,
        ]);
        expect(marked).toEqual([undefined, 0]);
        const protocols = await page
          .locator('a[href]')
          .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol));
        expect([...new Set(protocols)].filter((protocol) => !/^(https?|file):$/.test(protocol))).toEqual([]);
      },
      { viewport: phone },
    );
  });

  it('is not held back by the escaping alone: the policy refuses what would get past it', async () => {
    const broken = join(folder, 'broken.html');
    writeFileSync(
      broken,
      builtPage().replace(
        '<div id="app">',
        '<img src=x onerror="window.pwned=1"><script>window.pwned=2</script><p style="color:red">red</p><div id="app">',
      ),
    );
    const { page, complaints } = await openFile(browser, broken);
    expect(await page.evaluate(() => (globalThis as { pwned?: unknown }).pwned)).toBeUndefined();
    expect(complaints.some((line) => line.includes('Content Security Policy'))).toBe(true);
    await page.context().close();
  });
});

/** As an element holds it. */
function shownText(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
