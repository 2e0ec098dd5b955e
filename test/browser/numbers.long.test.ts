// The words beside numbers: what a change is of, what a number covers, and what there is nothing to say of.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import { laptop, type OpenWorkspace, openWorkspace, overflow, phone, visit } from './open-workspace.ts';

const now = Date.parse('2026-02-03T00:00:00Z');
const config = `timezone: Pacific/Auckland
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [acme shop, running shoes, trail shoes, hiking boots]
    volumes: { schedule: "0 4 2 * *" }
  - id: partly
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [running shoes, sandals]
  - id: absent
    targets: [nowhere.example]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [running shoes]
  - id: brand
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: [acme shop]
  - id: unknown
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: NZ, language: en, devices: [desktop] }
    depth: 1
    keywords: [running shoes]
`;
/** 06:00 on 1, 2 and 3 February in Auckland. */
const slots = ['2026-01-31T17:00:00Z', '2026-02-01T17:00:00Z', '2026-02-02T17:00:00Z'];

let workspace: OpenWorkspace;
beforeAll(async () => {
  const folder = projectFolder(config);
  await runSlots(folder, slots);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

const look = (path: string, act: (page: Page) => Promise<void>, viewport = laptop) =>
  visit(workspace, path, act, { viewport });
const figure = (page: Page, label: string) => page.locator('.figure', { hasText: label });
const says = async (page: Page, ...texts: readonly string[]) => {
  for (const text of texts) await page.getByText(text).first().waitFor();
};

const looks = ['keywords', 'segments', 'pages'].flatMap((name) => [laptop, phone].map((size) => ({ name, size })));
it.each(looks)('changes say that they are at equal searches: $name at $size.width pixels', ({ name, size }) =>
  look(
    `/p/acme/${name}`,
    async (page) => {
      await page
        .getByText(/changes? at equal searches a month/)
        .first()
        .waitFor();
      expect(await overflow(page)).toBe(0);
    },
    size,
  ),
);

it('visibility and clicks say of how many rows the searches are known', async () => {
  await look('/p/partly', async (page) => {
    for (const label of ['Visibility', 'Clicks a month'])
      expect(await figure(page, label).locator('.cover').textContent()).toMatch(/· 1 of 2 with searches$/);
  });
  await look('/p/unknown/keywords', async (page) => {
    for (const label of ['Visibility', 'Clicks a month'])
      expect(await figure(page, label).locator('.cover').textContent()).toBe('needs searches a month');
  });
});

it('the first day has nothing to compare with, and what it cost is of that local day', () =>
  look('/p/unknown?from=2026-02-01&to=2026-02-01', (page) =>
    says(page, 'checked 1 of 1 · nothing to compare with', 'in 1 run, with other projects.', '1 credit and'),
  ));

it('a site without competitors, or found nowhere, leads nothing', () =>
  look('/p/absent/competitors', async (page) => {
    await says(page, 'We have a visibility of 0.0 %');
    expect(await page.getByText('We lead').count()).toBe(0);
  }));

it('no axis goes beyond 100 % of visibility', () =>
  look('/p/brand/keywords', async (page) => {
    await page.getByText('100.0 %', { exact: true }).first().waitFor();
    const ticks = await page.locator('svg text').allTextContents();
    expect(ticks.map(Number.parseFloat).filter((tick) => tick > 100)).toEqual([]);
  }));

it('one credit is no "1 credits"', async () => {
  for (const path of ['/', '/p/brand', '/p/brand/runs', '/p/unknown/runs'])
    await look(path, async (page) =>
      expect(await page.locator('main').innerText()).not.toMatch(/(?<![\d.,])1\s+credits/),
    );
});
