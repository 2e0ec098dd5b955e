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

const firstColumn = (page: Page): Promise<string[]> => page.locator('#keyword-table tbody .open').allTextContents();
const column = (page: Page, place: number): Promise<string[]> =>
  page.locator(`#keyword-table tbody tr > :nth-child(${place})`).allTextContents();

describe('the report in a browser', () => {
  it('opens without an error, a warning or a request, and draws its charts', () =>
    using(written(), async (page) => {
      expect(await page.title()).toContain('acme');
      expect(await page.locator('#chart-visibility').isVisible()).toBe(true);
      const inked = await page.evaluate(() => {
        const canvas = document.querySelector('#chart-distribution') as HTMLCanvasElement;
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
    expect(await firstColumn(page)).toHaveLength(50);
    expect(await page.locator('noscript').textContent()).toContain('first 50 of 120');
    expect(await page.locator('#chart-visibility').isVisible()).toBe(false);
    await context.close();
  });

  it('sorts by any column, rows without a number last both ways, and says so to screen readers', () =>
    using(written(), async (page) => {
      const header = page.locator('th[data-sort="rank"]');
      await page.selectOption('#page-size', '100');
      await header.locator('button').click();
      expect(await header.getAttribute('aria-sort')).toBe('ascending');
      const ranks = (await column(page, 3)).map((cell) => Number.parseInt(cell, 10));
      const known = ranks.filter((rank) => !Number.isNaN(rank));
      expect(known).toEqual(known.toSorted((a, b) => a - b));
      expect(ranks.slice(0, known.length)).toEqual(known);
      await header.locator('button').click();
      expect(await header.getAttribute('aria-sort')).toBe('descending');
      const descending = (await column(page, 3)).map((cell) => Number.parseInt(cell, 10));
      expect(descending.slice(0, known.length)).toEqual(known.toReversed());
      expect(await page.locator('[aria-sort]').count()).toBe(1);
    }));

  it('has a caption that follows the sort', () =>
    using(written(), async (page) => {
      const caption = page.locator('#keyword-table caption');
      expect(await caption.textContent()).toBe('Keywords, by the size of their change in estimated clicks');
      await page.locator('th[data-sort="volume"] button').click();
      expect(await caption.textContent()).toBe('Keywords, by Volume, descending');
      await page.locator('th[data-sort="volume"] button').click();
      expect(await caption.textContent()).toBe('Keywords, by Volume, ascending');
    }));

  it('shows a chart above the fold of a laptop, however many targets there are', () =>
    using(
      written({ warning: 'simulated data', text: manyTargets }),
      async (page) => {
        expect(await page.locator('#overview .headline:visible').count()).toBe(1);
        const box = await page.locator('#chart-visibility').boundingBox();
        expect((box?.y ?? 900) + (box?.height ?? 0) / 2).toBeLessThan(900);
        await page.locator('details.others summary').click();
        expect(await page.locator('#overview .headline:visible').count()).toBe(4);
        await page.emulateMedia({ media: 'print' });
        expect(await page.locator('#overview .headline:visible').count()).toBe(4);
      },
      { viewport: { width: 1440, height: 900 } },
    ));

  it('filters by text, tag, market, status and change, and goes back to all', () =>
    using(written(), async (page) => {
      await page.fill('input[name=text]', 'KEYWORD 00012');
      expect(await firstColumn(page)).toEqual(['keyword 00012']);
      await page.fill('input[name=text]', '');
      await page.selectOption('select[name=tag]', { label: 'tag 3' });
      await page.selectOption('select[name=market]', { label: 'GB en desktop' });
      expect(
        (await firstColumn(page)).map((text) => Number(text.slice(-5))).every((n) => n % 7 === 3 && n % 3 === 0),
      ).toBe(true);
      expect(await page.locator('#shown').textContent()).toContain('filtered from 60');
      await page.click('button[type=reset]');
      await page.locator('#shown', { hasText: /^Keywords 1 to 50 of 60$/ }).waitFor();
      await page.selectOption('select[name=status]', 'failed');
      expect((await column(page, 3)).map((cell) => cell.trim())).toEqual(['failed', 'failed']);
      await page.selectOption('select[name=status]', '');
      await page.selectOption('select[name=changeClass]', 'declined');
      expect((await column(page, 4)).every((cell) => cell.includes('down'))).toBe(true);
    }));

  it('turns pages', () =>
    using(written(), async (page) => {
      const first = await firstColumn(page);
      await page.click('#page-after');
      expect(await page.locator('#shown').textContent()).toBe('Keywords 51 to 60 of 60');
      expect(await page.locator('#page-after').isDisabled()).toBe(true);
      const second = await firstColumn(page);
      expect(new Set([...first, ...second]).size).toBe(60);
    }));

  it('shows the history of a keyword in a dialog, by keyboard alone, and gives the focus back', () =>
    using(written(), async (page) => {
      const button = page.locator('#keyword-table tbody .open').first();
      const keyword = await button.textContent();
      await button.focus();
      await page.keyboard.press('Enter');
      const dialog = page.locator('#details');
      expect(await dialog.isVisible()).toBe(true);
      expect(await dialog.locator('h3').first().textContent()).toBe(keyword);
      expect(await dialog.locator('#details-chart').getAttribute('aria-label')).toContain('ranked on');
      await dialog.locator('summary', { hasText: 'History' }).click();
      expect(await dialog.locator('table').last().locator('tbody tr').count()).toBe(30);
      await page.keyboard.press('Escape');
      expect(await dialog.isVisible()).toBe(false);
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(keyword);
    }));

  it('marks the SERP features of each date below the history, ours apart, and says the same in words', () =>
    using(written(), async (page) => {
      // of every fifth row a video shows the target from the eleventh date on
      await page.fill('input[name=text]', 'keyword 00010');
      await page.locator('#keyword-table tbody .open').first().click();
      const lanes = await linesOf(page, 'features-chart');
      expect(lanes.map(({ label }) => label)).toEqual(['Shown', 'Shows the target', 'Not known']);
      const count = (label: string) => lanes.find((line) => line.label === label)?.values.length ?? 0;
      const dialog = page.locator('#details');
      await dialog.locator('summary', { hasText: 'History' }).click();
      const words = await dialog.locator('table').last().locator('tbody td:last-child').allTextContents();
      expect(words).toHaveLength(30);
      const known = words.filter((text) => text !== 'not known');
      const shown = known.filter((text) => text.includes('video'));
      const ours = known.filter((text) => text.includes('video (ours)'));
      expect([shown.length > ours.length, ours.length > 10]).toEqual([true, true]);
      expect(count('Shows the target')).toBe(ours.length);
      // a dash a lane on each date of which nothing is known: the first two were not recorded, on others no check was complete
      expect(words.slice(-2)).toEqual(['not known', 'not known']);
      expect(count('Not known')).toBe(2 * (30 - known.length));
      expect(await dialog.locator('#features-chart').getAttribute('aria-label')).toBe(
        `SERP features on the ${known.length} dates with data, of 30: people also ask on ${known.length}; video on ${shown.length}, ours on ${ours.length}`,
      );
      const left = await page.evaluate(() => {
        interface Drawn {
          chartArea: { left: number; right: number };
        }
        const { Chart } = window as unknown as { Chart: { getChart(id: string): Drawn } };
        return ['details-chart', 'features-chart'].map((id) => {
          const { left, right } = Chart.getChart(id).chartArea;
          return [Math.round(left), Math.round(right)];
        });
      });
      expect(left[1]).toEqual(left[0]);
    }));

  it('is dark where the system is, and where the button says so', async () => {
    const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const file = written();
    await using(file, async (page) => expect(await paper(page)).toBe('rgb(20, 23, 26)'), { colorScheme: 'dark' });
    await using(file, async (page) => {
      expect(await paper(page)).toBe('rgb(255, 255, 255)');
      await page.click('#theme');
      expect(await paper(page)).toBe('rgb(20, 23, 26)');
    });
  });

  it('prints every section on light paper, and says that the table goes on', () =>
    using(
      written({ keywords: 400 }),
      async (page) => {
        const pdf = await page.pdf({ format: 'A4', printBackground: true });
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        await page.emulateMedia({ media: 'print' });
        expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
        expect(await page.locator('#print-note').isVisible()).toBe(true);
        expect(await page.locator('#print-note').textContent()).toContain('of 400');
        expect(await page.locator('nav').isVisible()).toBe(false);
        for (const id of ['overview', 'movers', 'keywords', 'features', 'competitors', 'problems', 'about']) {
          expect(await page.locator(`#${id}`).isVisible()).toBe(true);
        }
        await page.setViewportSize({ width: printedWidth, height: 1000 });
        expect(await cutOff(page)).toEqual([]);
      },
      { colorScheme: 'dark' },
    ));

  it.each(['light', 'dark'] as const)('has no fault of accessibility that axe knows: %s', (colorScheme) =>
    using(
      written({ warning: 'suspect run: half of the ranks are gone' }),
      async (page) => {
        await page.locator('#keyword-table tbody .open').first().scrollIntoViewIfNeeded();
        expect(await faults(page)).toEqual([]);
        await page.locator('#keyword-table tbody .open').first().click();
        expect(await faults(page)).toEqual([]);
      },
      { colorScheme },
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

  it('fits a narrow screen: nothing but tables scrolls sideways', () =>
    using(
      written(),
      async (page) => {
        const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
        expect(wide).toBeLessThanOrEqual(screen ?? 0);
        const shown = (row: string) => page.locator(`#keyword-table ${row} > :visible`).count();
        expect(await shown('thead tr')).toBe(await shown('tbody tr:first-child'));
      },
      { viewport: { width: 360, height: 740 } },
    ));

  it('opens with ten thousand keywords, in less than 15 MB', () => {
    const file = written({ keywords: 10_000, dates: 90 });
    expect(statSync(file).size).toBeLessThan(15_000_000);
    return using(file, async (page) => {
      await page.fill('input[name=text]', 'keyword 09999');
      expect(await firstColumn(page)).toEqual(['keyword 09999']);
    });
  });
});

describe('text from outside', () => {
  it(`never runs: ${payloads.length} payloads in keywords, tags, addresses, notes, reasons and targets`, () => {
    expect(payloads.length).toBeGreaterThanOrEqual(60);
    const text: PageOptions['text'] = (_, index) => payloads[index % payloads.length] ?? '';
    return using(written({ keywords: payloads.length, text }), async (page) => {
      await page.selectOption('#page-size', '100');
      const buttons = page.locator('#keyword-table tbody .open');
      expect(await buttons.count()).toBe(payloads.length);
      for (const button of await buttons.all()) {
        await button.click();
        await page.keyboard.press('Escape');
      }
      await page.fill('input[name=text]', '<');
      const marked = await page.evaluate(() => [
        (window as { pwned?: unknown }).pwned,
        document.querySelectorAll('img, iframe, object, embed, base, link, svg script, [onerror], [onload]').length,
      ]);
      expect(marked).toEqual([undefined, 0]);
      const links = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((a) => (a as HTMLAnchorElement).protocol));
      expect(links.every((protocol) => protocol === 'https:' || protocol === 'http:' || protocol === 'file:')).toBe(
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
    const { Chart } = window as unknown as { Chart: { getChart(id: string): Drawn } };
    return Chart.getChart(name).data.datasets.map(({ label, borderDash = [], data }) => ({
      label,
      dash: borderDash,
      values: data.map(({ y }) => y),
    }));
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

/** Faults that axe calls serious or critical. */
async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
}
