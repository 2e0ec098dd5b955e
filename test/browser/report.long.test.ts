// The HTML report in a real browser: what a reader sees, does by mouse and keyboard, prints, and what never happens.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builtPage, type PageOptions } from '../report/html/built-page.ts';
import { openFile, startChromium, type WatchedPage } from './chromium.ts';
import { payloads } from './payloads.ts';

/** A4 less its margins, in CSS pixels. */
const printedWidth = 703;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

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

/** Opens a page, has `act` use it, and holds that nothing went wrong and nothing left the file. */
async function using(
  file: string,
  act: (page: Page, complaints: string[]) => Promise<void>,
  options?: Parameters<typeof openFile>[2],
): Promise<void> {
  const { page, complaints }: WatchedPage = await openFile(browser, file, options);
  try {
    await act(page, complaints);
    expect(complaints).toEqual([]);
  } finally {
    await page.context().close();
  }
}

const manyTargets: NonNullable<PageOptions['text']> = (what, index) =>
  what === 'target' ? `https://www.acme.com/shop-${index % 4}/` : `${what} ${index}`;

const links = (page: Page) => page.locator('table.keywords tbody th a');
const firstColumn = (page: Page): Promise<string[]> => links(page).allTextContents();
const column = (page: Page, label: string): Promise<string[]> =>
  page.locator(`table.keywords td[data-label="${label}"]`).allTextContents();
const header = (page: Page, label: string) =>
  page.locator('table.keywords thead th').filter({ has: page.getByRole('button', { name: label, exact: true }) });
/** Opens a menu of the toolbar, checks an option and applies it. */
async function choose(page: Page, menu: string, option: string): Promise<void> {
  const details = page.locator('.toolbar .menu').filter({ has: page.locator('summary', { hasText: menu }) });
  await details.locator('summary').click();
  await details.locator('.option', { hasText: option }).locator('input').first().check();
  await details.locator('button[type=submit]').click();
}
const rowCount = (page: Page) => page.locator('#rows').textContent();

describe('the report in a browser', () => {
  it('opens without an error, a warning or a request, and draws its charts', () =>
    using(written(), async (page) => {
      expect(await page.title()).toContain('acme');
      expect(await page.locator('#chart-visibility').isVisible()).toBe(true);
      const inked = await page.evaluate(() => {
        const canvas = document.querySelector('#chart-distribution canvas') as HTMLCanvasElement;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((value) => value !== 0);
      });
      expect(inked).toBe(true);
    }));

  it('draws competitors beside us, dashed, and no line where nothing is known of them', () =>
    using(written(), async (page) => {
      const drawn = await linesOf(page, 'chart-visibility');
      expect(drawn.map(({ label, dash }) => [label, dash.length > 0])).toEqual([
        ['acme.com', false],
        ['globex.com', true],
      ]);
      const [own, rival] = drawn.map(({ values }) => values);
      expect(own?.every((value) => value !== null)).toBe(true);
      const gaps = rival?.flatMap((value, date) => (value === null ? [date] : []));
      expect(gaps).toEqual([0, 1, 2, 3, 4, 9, 10]);
      await page.locator('#overview summary').first().click();
      const cells = await page
        .locator('#overview table')
        .first()
        .locator('tbody tr')
        .last()
        .locator('td')
        .allTextContents();
      expect(cells[0]).toMatch(/^\d+\.\d\d of \d+$/);
      expect(cells[1]).toBe('\u2013');
    }));

  it('says what it says without scripts as well', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`file://${written({ keywords: 120 })}`);
    expect(await page.locator('#keyword-place tbody tr').count()).toBe(50);
    expect(await page.locator('noscript').textContent()).toContain('first 50 of 120');
    expect(await page.locator('#chart-visibility').isVisible()).toBe(false);
    await context.close();
  });

  it('sorts by any column, rows without a number last both ways, and says so to screen readers', () =>
    using(written({ keywords: 45 }), async (page) => {
      await header(page, 'Rank').locator('button').click();
      expect(await header(page, 'Rank').getAttribute('aria-sort')).toBe('ascending');
      const ranks = (await column(page, 'Rank')).map((cell) => Number.parseInt(cell, 10));
      const known = ranks.filter((rank) => !Number.isNaN(rank));
      expect(known.length).toBeLessThan(ranks.length);
      expect(known).toEqual(known.toSorted((a, b) => a - b));
      expect(ranks.slice(0, known.length)).toEqual(known);
      await header(page, 'Rank').locator('button').click();
      expect(await header(page, 'Rank').getAttribute('aria-sort')).toBe('descending');
      const descending = (await column(page, 'Rank')).map((cell) => Number.parseInt(cell, 10));
      expect(descending.slice(0, known.length)).toEqual(known.toReversed());
      expect(await page.locator('table.keywords [aria-sort]').count()).toBe(1);
    }));

  it('has a caption that follows the sort', () =>
    using(written(), async (page) => {
      const caption = page.locator('table.keywords caption');
      expect(await caption.textContent()).toBe(
        'Keywords on 30 Sep 2026, by the size of their change in estimated clicks: 60 rows',
      );
      await header(page, 'Volume').locator('button').click();
      expect(await caption.textContent()).toBe('Keywords on 30 Sep 2026, by Volume, ascending: 60 rows');
      await header(page, 'Volume').locator('button').click();
      expect(await caption.textContent()).toBe('Keywords on 30 Sep 2026, by Volume, descending: 60 rows');
    }));

  it('shows a chart above the fold of a laptop, however many targets there are', () =>
    using(
      written({ warning: 'simulated data', text: manyTargets }),
      async (page) => {
        expect(await page.locator('#overview .totals:visible').count()).toBe(1);
        expect(await page.locator('#overview .totals').first().textContent()).toMatch(/shop-0.*Checked.*Visibility/s);
        const box = await page.locator('#chart-visibility').boundingBox();
        expect((box?.y ?? 900) + (box?.height ?? 0) / 2).toBeLessThan(900);
        await page.locator('#overview details.others summary').click();
        expect(await page.locator('#overview .totals:visible').count()).toBe(4);
        await page.emulateMedia({ media: 'print' });
        expect(await page.locator('#overview .totals:visible').count()).toBe(4);
      },
      { viewport: { width: 1440, height: 900 } },
    ));

  it('filters by text, tag, market, status and change, in tiles and chart as in the table, and goes back to all', () =>
    using(written(), async (page) => {
      await page.fill('input[type=search]', 'KEYWORD 00012');
      await expect.poll(() => firstColumn(page)).toEqual(['keyword 00012']);
      expect(await page.locator('#keyword-place .tile', { hasText: 'Checked' }).textContent()).toContain('1 of 1');
      await page.fill('input[type=search]', '');
      await expect.poll(() => rowCount(page)).toBe('60 rows');
      await choose(page, 'Tags', 'tag 3');
      await choose(page, 'Market', 'GB en');
      const ofBoth = (await firstColumn(page)).map((text) => Number(text.slice(-5)));
      expect(ofBoth.length).toBeGreaterThan(1);
      expect(ofBoth.every((n) => n % 7 === 3 && n % 3 === 0)).toBe(true);
      await page.getByRole('button', { name: 'Clear all' }).click();
      expect(await rowCount(page)).toBe('60 rows');
      await choose(page, 'Status', 'failed');
      expect(await column(page, 'Rank')).toEqual(['failed', 'failed']);
      await page.getByRole('button', { name: /Remove the filter Status/ }).click();
      await choose(page, 'Change', 'declined');
      expect((await column(page, 'Change')).every((cell) => cell.includes('▼'))).toBe(true);
    }));

  it('leads from tiles and segments to their rows, and sorts competitors', () =>
    using(written(), async (page) => {
      await page.locator('#overview a.tile', { hasText: 'Top 3' }).click();
      await expect.poll(() => new URL(page.url()).hash).toContain('bucket=');
      const top3 = await page.locator('#overview a.tile', { hasText: 'Top 3' }).locator('.tile-value').textContent();
      expect(await rowCount(page)).toBe(`${top3} rows`);
      await page.getByRole('button', { name: 'Clear all' }).click();
      const segment = page.locator('#segments table.stacked', { hasText: 'Tags' }).locator('tbody tr').first();
      const rows = await segment.locator('td[data-label=Rows]').textContent();
      await segment.locator('a').click();
      await expect.poll(() => rowCount(page)).toBe(`${rows} rows`);
      // the page scrolls after the rows are drawn
      await expect
        .poll(() => page.locator('#keywords').evaluate((it) => Math.abs(it.getBoundingClientRect().top)))
        .toBeLessThan(100);
      const sites = page.locator('#competitors tbody th');
      const before = await sites.allTextContents();
      await page.locator('#competitors thead button', { hasText: 'Site' }).click();
      await expect.poll(() => sites.allTextContents()).toEqual(before.toSorted());
      await page.locator('#competitors thead button', { hasText: 'Site' }).click();
      await expect.poll(() => sites.allTextContents()).toEqual(before.toSorted().reverse());
    }));

  it('keeps its state in the address: a link opens it, back leaves it, and sections do not lose it', () =>
    using(written(), async (page) => {
      await choose(page, 'Status', 'failed');
      await page.locator('nav a', { hasText: 'Movers' }).click();
      expect(new URL(page.url()).hash).toBe('#movers?status=failed');
      await page.reload();
      await page.waitForSelector('html[data-ready]', { state: 'attached' });
      expect(await rowCount(page)).toBe('2 rows');
      await links(page).first().click();
      expect(await page.locator('#details').isVisible()).toBe(true);
      await page.goBack();
      await page.locator('#details').waitFor({ state: 'detached' });
      expect(await rowCount(page)).toBe('2 rows');
      await page.goBack();
      await page.goBack();
      await expect.poll(() => rowCount(page)).toBe('60 rows');
    }));

  it('writes exactly the rows of the filter as CSV and JSON, in their order and with their columns', () =>
    using(written(), async (page) => {
      await choose(page, 'Tags', 'tag 3');
      await header(page, 'Volume').locator('button').click();
      const shown = await firstColumn(page);
      const saved = async (format: string): Promise<string> => {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('link', { name: format, exact: true }).click(),
        ]);
        expect(download.suggestedFilename()).toBe(`acme-keywords.${format.toLowerCase()}`);
        return readFileSync(await download.path(), 'utf8');
      };
      const [head, ...lines] = (await saved('CSV')).trimEnd().split('\r\n');
      expect(head).toMatch(/^\uFEFFkeyword,country,language,device,rank,status,change,/);
      expect(lines.map((line) => line.split(',')[0])).toEqual(shown);
      const { data, total } = JSON.parse(await saved('JSON')) as { data: { keyword: string }[]; total: number };
      expect([data.map(({ keyword }) => keyword), total]).toEqual([shown, shown.length]);
      expect(await page.getByRole('link', { name: 'XLSX', exact: true }).count()).toBe(0);
    }));

  it('turns pages', () =>
    using(written(), async (page) => {
      const first = await firstColumn(page);
      await page.locator('.pages a', { hasText: 'Next' }).click();
      expect(await page.locator('.pages').textContent()).toContain('Rows 51 to 60 of 60');
      expect(await page.locator('.pages a', { hasText: 'Next' }).count()).toBe(0);
      const second = await firstColumn(page);
      expect(new Set([...first, ...second]).size).toBe(60);
    }));

  it('shows the history of a keyword in a dialog, by keyboard alone, and gives the focus back', () =>
    using(written(), async (page) => {
      const link = links(page).first();
      const keyword = await link.textContent();
      await link.focus();
      await page.keyboard.press('Enter');
      const dialog = page.locator('#details');
      expect(await dialog.isVisible()).toBe(true);
      expect(await dialog.locator('#keyword-title').textContent()).toBe(keyword);
      expect(await dialog.locator('.chart canvas').getAttribute('aria-label')).toContain('ranked on');
      await dialog.locator('summary', { hasText: 'History' }).click();
      const known = await dialog.locator('details table tbody tr').count();
      // a date without a check has no row
      expect([known > 25, known < 30]).toEqual([true, true]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(keyword);
    }));

  it('marks the SERP features of each date, ours apart, and where nothing is known of them', () =>
    using(written(), async (page) => {
      // of every fifth row a video shows the target from the eleventh date on
      await page.fill('input[type=search]', 'keyword 00010');
      await expect.poll(() => firstColumn(page)).toEqual(['keyword 00010']);
      await links(page).first().click();
      const video = page.locator('#details tr').filter({ has: page.locator('.strip[aria-label^="video"]') });
      const states = await video.locator('rect').evaluateAll((all) => all.map((cell) => cell.getAttribute('class')));
      const count = (state: string) => states.filter((one) => one === state).length;
      expect([count('owned') > 10, count('shown') + count('owned') > count('owned')]).toEqual([true, true]);
      const [shown, owned] = await video.locator('td.numeric').allTextContents();
      expect(shown).toBe(`${count('shown') + count('owned')} of ${states.length - count('unknown')}`);
      expect(owned).toBe(String(count('owned')));
      // the first two dates were not recorded
      expect(states.slice(0, 2)).toEqual(['unknown', 'unknown']);
      expect((await linesOf(page, 'details')).map(({ label }) => label)).toContain('In a SERP feature');
    }));

  it('is dark where the system is, and where the button says so', async () => {
    const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const file = written();
    await using(file, async (page) => expect(await paper(page)).toBe('rgb(21, 24, 28)'), { colorScheme: 'dark' });
    await using(file, async (page) => {
      expect(await paper(page)).toBe('rgb(255, 255, 255)');
      await page.click('#theme');
      expect(await paper(page)).toBe('rgb(21, 24, 28)');
    });
  });

  it('prints every section on light paper, and says that the table goes on', () =>
    using(
      written({ keywords: 400 }),
      async (page) => {
        const pdf = await page.pdf({ format: 'A4', printBackground: true });
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        await page.emulateMedia({ media: 'print' });
        expect(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)).toBe(
          'rgb(255, 255, 255)',
        );
        expect(await page.locator('#keywords .print-only').textContent()).toBe(
          'All 400 keywords are in rank-changes.csv.',
        );
        expect(await page.locator('#keywords .print-only').isVisible()).toBe(true);
        expect(await page.locator('nav[aria-label=Sections]').isVisible()).toBe(false);
        for (const id of ['overview', 'movers', 'keywords', 'features', 'competitors', 'problems', 'about']) {
          expect(await page.locator(`#${id}`).isVisible()).toBe(true);
        }
        await page.setViewportSize({ width: printedWidth, height: 1000 });
        expect(await cutOff(page)).toEqual([]);
      },
      { colorScheme: 'dark' },
    ));

  it.each([
    ['light', 1440],
    ['dark', 1440],
    ['light', 390],
    ['dark', 390],
  ] as const)('has no fault of accessibility that axe knows: %s, %d px', (colorScheme, width) =>
    using(
      written({ warning: 'suspect run: half of the ranks are gone' }),
      async (page) => {
        await links(page).first().scrollIntoViewIfNeeded();
        expect(await faults(page)).toEqual([]);
        await links(page).first().click();
        expect(await faults(page)).toEqual([]);
      },
      { colorScheme, viewport: { width, height: 900 } },
    ),
  );

  it('shows every table whole on a usual screen, with the longest keyword that fits a line', () =>
    using(
      written({
        text: (what, index) =>
          what === 'target' ? `https://www.acme.com/shop/shoes-${index % 2}/` : `${what} ${index} of some more words`,
      }),
      async (page) => expect(await cutOff(page)).toEqual([]),
    ));

  it('fits a narrow screen, with the rows of tables as cards', () =>
    using(
      written(),
      async (page) => {
        const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
        expect(wide).toBeLessThanOrEqual(screen ?? 0);
        for (const summary of await page.locator('.figure summary').all()) await summary.click();
        expect(await cutOff(page)).toEqual([]);
        expect(await page.locator('.stacked td[data-label="Previous"] span').count()).toBeGreaterThan(0);
        expect(await links(page).count()).toBe(20);
        expect(await page.locator('table.keywords thead').isVisible()).toBe(false);
      },
      { viewport: { width: 360, height: 740 } },
    ));

  it('opens with ten thousand keywords, in less than 15 MB', () => {
    const file = written({ keywords: 10_000, dates: 90 });
    expect(statSync(file).size).toBeLessThan(15_000_000);
    return using(file, async (page) => {
      await page.fill('input[type=search]', 'keyword 09999');
      await expect.poll(() => firstColumn(page), { timeout: 20_000 }).toEqual(['keyword 09999']);
    });
  });
});

describe('text from outside', () => {
  it(`never runs: ${payloads.length} payloads in keywords, tags, addresses, notes, reasons and targets`, () => {
    expect(payloads.length).toBeGreaterThanOrEqual(60);
    const text: PageOptions['text'] = (_, index) => payloads[index % payloads.length] ?? '';
    return using(written({ keywords: payloads.length, text }), async (page) => {
      await page.evaluate(() => {
        location.hash = '#keywords?target=*';
      });
      await page.locator('.pages a', { hasText: 'Next' }).waitFor();
      let seen = 0;
      for (const place of ['first', 'second']) {
        if (place === 'second') await page.locator('.pages a', { hasText: 'Next' }).click();
        for (const link of await links(page).all()) {
          await link.click();
          await page.keyboard.press('Escape');
          await page.locator('#details').waitFor({ state: 'detached' });
          seen += 1;
        }
      }
      expect(seen).toBe(payloads.length);
      for (const menu of await page.locator('.toolbar .menu summary').all()) await menu.click();
      await page.fill('input[type=search]', '<');
      await expect.poll(() => new URL(page.url()).hash).toContain('q=');
      const marked = await page.evaluate(() => [
        (window as { pwned?: unknown }).pwned,
        document.querySelectorAll('img, iframe, object, embed, base, link, svg script, [onerror], [onload]').length,
      ]);
      expect(marked).toEqual([undefined, 0]);
      const protocols = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol));
      expect(protocols.every((protocol) => protocol === 'https:' || protocol === 'http:' || protocol === 'file:')).toBe(
        true,
      );
    });
  });

  it('is not held back by the escaping alone: the policy refuses what would get past it', async () => {
    const file = written();
    const broken = join(folder, 'broken.html');
    writeFileSync(
      broken,
      readFileSync(file, 'utf8').replace(
        '<main>',
        '<main><img src=x onerror="window.pwned=1"><script>window.pwned=2</script><p style="color:red" id="styled">',
      ),
    );
    const { page, complaints } = await openFile(browser, broken);
    expect(await page.evaluate(() => (window as { pwned?: unknown }).pwned)).toBeUndefined();
    expect(complaints.some((line) => line.includes('Content Security Policy'))).toBe(true);
    await page.context().close();
  });
});

/** The lines of a chart as Chart.js holds them. */
function linesOf(page: Page, id: string): Promise<{ label: string; dash: number[]; values: (number | null)[] }[]> {
  return page.evaluate((name) => {
    interface Drawn {
      data: { datasets: { label: string; borderDash?: number[]; data: { y: number | null }[] }[] };
    }
    const { Chart } = window as unknown as { Chart: { getChart(canvas: Element | null): Drawn } };
    return Chart.getChart(document.querySelector(`#${name} .chart canvas`)).data.datasets.map(
      ({ label, borderDash = [], data }) => ({
        label,
        dash: borderDash,
        values: data.map(({ y }) => y),
      }),
    );
  }, id);
}

/** Captions of tables that are wider than their place. */
function cutOff(page: Page): Promise<string[]> {
  return page
    .locator('section .scroll:visible')
    .evaluateAll((all) =>
      all
        .filter((place) => place.scrollWidth > place.clientWidth)
        .map((place) => place.querySelector('caption')?.textContent ?? ''),
    );
}

/** Every fault that axe finds. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
}
