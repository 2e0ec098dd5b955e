// Why a row changed, in a browser: from the first cause beside a mover to its evidence, and to all of its causes.
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { openFile } from './chromium.ts';
import { looks, type OpenWorkspace, openWorkspace, overflow, phone, violations, visit } from './open-workspace.ts';

const slots = Array.from({ length: 8 }, (_, index) => `2026-01-${String(7 + index).padStart(2, '0')}T05:00:00Z`);
const now = Date.parse('2026-01-14T12:00:00Z');
const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 50, perMonth: 500 }
reports: { compare: 7d }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 3
    keywords: [running shoes, trail shoes, hiking boots, trail running shoes, ultralight tent, sleeping bag]
`;
/** The simulated engine has it fall 14 -> 21 from 7 to 14 January. */
const keyword = 'trail running shoes';
const firstCause = 'amberoutlet.com entered at 7';

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

const losers = (page: Page) =>
  page.locator('.movers section').filter({ has: page.getByRole('heading', { name: /^Losers/ }) });
const mover = (page: Page) => losers(page).locator('tbody tr', { hasText: keyword }).first();

const crumb = (page: Page) =>
  page.getByRole('navigation', { name: 'Where this page belongs' }).getByRole('link', { name: keyword });

/** Our result, and that of the site which entered: on the newer page only, at the rank that the cause says. */
async function evidenceIsShown(page: Locator): Promise<void> {
  const [older, newer] = ['7', '14'].map((day) => page.getByRole('region', { name: `Results of ${day} Jan 2026` }));
  const entered = newer?.locator('.block-result', { hasText: 'amberoutlet.com' });
  await entered?.waitFor();
  expect(await entered?.locator('.block-rank').textContent()).toBe('7');
  expect(await older?.locator('.block-result', { hasText: 'amberoutlet.com' }).count()).toBe(0);
  for (const [of, rank] of [
    [older, '14'],
    [newer, '21'],
  ] as const)
    expect(await of?.locator('.block-result', { hasText: 'acme.com' }).locator('.block-rank').textContent()).toBe(rank);
}

/** All causes, strongest first, whose places are the change. */
async function causesAddUp(page: Locator): Promise<void> {
  const why = page.getByRole('region', { name: 'Why' });
  await why.getByText('The places add up to −7, from 14 on 7 Jan to 21.').waitFor();
  const strengths = await why
    .locator('.cause-strength')
    .evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute('title')?.split(' ').at(-1))));
  expect(strengths.length).toBeGreaterThan(5);
  expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
  const places = await why.locator('li b').allTextContents();
  expect(places.reduce((sum, of) => sum + Number(of.replace('−', '-')), 0)).toBe(-7);
}

describe('the first cause beside a mover', () => {
  it('leads to the results pages of both dates, and from there to all causes', () =>
    visit(workspace, '/p/acme/home?from=2026-01-07', async (page) => {
      await mover(page).getByRole('link', { name: firstCause }).click();
      await page.waitForURL(({ pathname, searchParams: of }) => {
        return pathname === '/p/acme/serp' && of.get('against') === '2026-01-07' && of.get('date') === '2026-01-14';
      });
      await evidenceIsShown(page.locator('main'));
      await crumb(page).click();
      await page.getByRole('heading', { level: 1, name: `${keyword} US` }).waitFor();
      await causesAddUp(page.locator('main'));
    }));

  it('keeps the comparison of the page that it is on', () =>
    visit(workspace, '/p/acme/home?compare=2026-01-10', async (page) => {
      await mover(page).getByRole('link', { name: firstCause }).click();
      await page.waitForURL(({ searchParams: of }) => of.get('compare') === '2026-01-10');
      expect(new URL(page.url()).searchParams.get('against')).toBe('2026-01-10');
    }));

  it.each(looks.filter(({ viewport }) => viewport === phone))('can be read on a phone: $colorScheme', (look) =>
    visit(
      workspace,
      '/p/acme/home?from=2026-01-07',
      async (page) => {
        const cause = mover(page).getByRole('link', { name: firstCause });
        await cause.scrollIntoViewIfNeeded();
        const [name, sentence] = [await mover(page).getByRole('link').first().boundingBox(), await cause.boundingBox()];
        expect(sentence?.y).toBeGreaterThanOrEqual((name?.y ?? 0) + (name?.height ?? 0));
        expect(sentence?.x).toBe(name?.x);
        expect((sentence?.x ?? 0) + (sentence?.width ?? 0)).toBeLessThanOrEqual(phone.width);
        expect(await overflow(page)).toBe(0);
        expect(await violations(page)).toEqual([]);
        await cause.click();
        await page.waitForURL(({ pathname }) => pathname === '/p/acme/serp');
      },
      look,
    ),
  );
});

describe('a report', () => {
  const using = async (act: (page: Page) => Promise<void>, options: Parameters<typeof openFile>[2] = {}) => {
    const file = join(folder.path, 'reports', 'acme', 'latest', 'report.html');
    const { page, complaints } = await openFile(workspace.browser, file, { reducedMotion: 'reduce', ...options });
    await act(page);
    expect(complaints).toEqual([]);
    await page.context().close();
  };

  it('leads from the first cause to both results pages and to all causes', () =>
    using(async (page) => {
      await mover(page).getByRole('link', { name: firstCause }).click();
      const over = page.getByRole('dialog');
      await evidenceIsShown(over);
      await crumb(page).click();
      await causesAddUp(over);
    }));

  it('has whole causes on paper', () =>
    using(
      async (page) => {
        await page.emulateMedia({ media: 'print' });
        const cells = await page
          .locator('.movers td.mover-cause')
          .evaluateAll((all) => all.map((cell) => [cell.clientWidth, cell.scrollWidth]));
        expect(cells.length).toBeGreaterThan(0);
        for (const [room, needed] of cells) expect(needed).toBeLessThanOrEqual(room ?? 0);
        expect(await overflow(page)).toBe(0);
      },
      // A4 between its margins
      { viewport: { width: 718, height: 1000 } },
    ));

  it('can be read on a phone', () =>
    using(
      async (page) => {
        const box = await mover(page).getByRole('link', { name: firstCause }).boundingBox();
        expect((box?.x ?? 0) + (box?.width ?? phone.width)).toBeLessThanOrEqual(phone.width);
        expect(await overflow(page)).toBe(0);
      },
      { viewport: phone },
    ));
});
