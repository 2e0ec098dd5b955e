// Alerts in a browser: what was said on which day, to whom, and what never arrived.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { runSlots } from '../cli/real-app.ts';
import {
  looks,
  type OpenWorkspace,
  openWorkspace,
  overflow,
  queryOf,
  settled,
  violations,
  visit,
} from './open-workspace.ts';

const slots = Array.from({ length: 10 }, (_, index) => `2026-01-${String(5 + index).padStart(2, '0')}T05:00:00Z`);
const now = Date.parse('2026-01-14T12:00:00Z');
const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 50, perMonth: 500 }
alerts:
  channels:
    log: { type: file, path: alerts.jsonl }
    # port 9 refuses connections
    team: { type: webhook, url: "http://127.0.0.1:9/hook", allowHttp: true }
  rules:
    - { when: moved, by: 2, direction: "any" }
    - { when: competitor-overtook }
    - { when: budget-share, percent: 10, channels: [log] }
projects:
  - id: acme
    targets: [acme.com]
    competitors: [globex.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 3
    keywords: [running shoes, trail shoes, hiking boots, trail running shoes, ultralight tent, sleeping bag]
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

beforeAll(async () => {
  folder = projectFolder(config);
  await runSlots(folder, slots);
  workspace = await openWorkspace(folder, now);
});
afterAll(() => workspace?.close());

interface Delivery {
  readonly runId: number;
  readonly rule: string;
  readonly subject: string;
  readonly state: string;
}

/** Deliveries of one alert to both channels are one. */
async function alertsWith(isMeant: (delivery: Delivery) => boolean = () => true): Promise<number> {
  const answer = await fetch(`${workspace.url}/v1/alerts?project=acme&limit=all`);
  const { data } = (await answer.json()) as { data: Delivery[] };
  return new Set(data.filter(isMeant).map(({ runId, rule, subject }) => `${runId} ${rule} ${subject}`)).size;
}

const lines = (page: Page) => page.locator('.alerts-line');
const choice = (page: Page, name: RegExp) => page.getByRole('button', { name });

it('alerts are said by day, with what each channel got, and lead to their keyword', async () => {
  const total = await alertsWith();
  await visit(workspace, '/p/acme/alerts', async (page) => {
    await page.getByRole('heading', { level: 1, name: `${total} alerts, 1 not delivered` }).waitFor();
    await page.getByText('1 alert never reached team.').waitFor();
    expect(await lines(page).count()).toBe(total);
    const ofDay = page.getByRole('region', { name: '7 Jan Wednesday' }).locator('.alerts-line');
    const moved = ofDay.filter({ hasText: 'Moved by 2 or more' });
    expect(await moved.textContent()).toMatch(/trail running shoes US {2}up 2: rank 14, was rank 16 on 6 Jan/);
    expect(await moved.locator('.alerts-delivery').allTextContents()).toEqual(['logsent', 'teamnot delivered']);
    await moved.getByRole('link').click();
    await page.waitForURL((url) => url.pathname === '/p/acme/keywords');
    expect(new URL(page.url()).searchParams.get('q')).toBe('trail running shoes');
  });
});

it('alerts are narrowed by what they say and how they arrived, in the address', async () => {
  const moved = await alertsWith(({ rule }) => rule.startsWith('moved'));
  await visit(workspace, '/p/acme/alerts', async (page) => {
    await choice(page, /^Moved by 2 or more/).click();
    await settled(page);
    expect(queryOf(page)).toBe('?rule=moved by 2 any');
    expect(await lines(page).count()).toBe(moved);
    await choice(page, /^not delivered 1$/).click();
    expect(await lines(page).count()).toBe(1);
    await choice(page, /^10 % of the budget used/).click();
    await page.getByText('No alert has both').waitFor();
    await page.getByRole('link', { name: /^Show all/ }).click();
    expect(await lines(page).count()).toBe(await alertsWith());
    expect(queryOf(page)).toBe('');
  });
});

it.each(looks)('alerts have no fault that axe knows, and fit: %o', (look) =>
  visit(
    workspace,
    '/p/acme/alerts',
    async (page) => {
      expect(await violations(page)).toEqual([]);
      expect(await overflow(page)).toBe(0);
    },
    look,
  ),
);
