// The workspace of a folder, a browser to use it with, and visits that record what a page should not do.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page, Request } from 'playwright-core';
import { expect } from 'vitest';
import type { App } from '../../src/app/app.ts';
import { view } from '../../src/cli/subcommands/open-workspace.ts';
import type { ProjectFolder } from '../cli/project-folder.ts';
import { readingApp } from '../cli/real-app.ts';
import { startChromium } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface OpenWorkspace {
  readonly app: App;
  readonly browser: Browser;
  /** Without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves what the folder holds at a moment. */
export async function openWorkspace(
  folder: ProjectFolder,
  now: number,
  env: Record<string, string> = {},
): Promise<OpenWorkspace> {
  const app = await readingApp(folder.path, now, env);
  const server = await view(app, { port: 0 });
  const browser = await startChromium();
  return {
    app,
    browser,
    url: server.url,
    async close() {
      await browser.close();
      await server.close();
      await app.close();
    },
  };
}

export const laptop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };
export const looks = [laptop, phone].flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport, colorScheme })),
);

/** Of anything that a page does: far above what a busy machine needs. */
const patienceMs = 20_000;

type VisitOptions = NonNullable<Parameters<Browser['newContext']>[0]> & {
  /** The server refuses something on purpose, which browsers log. */
  readonly isRefused?: boolean;
};

/** Opens an address, has `act` use it, and expects no error, no dialog and no request to another server. */
export async function visit(
  { browser, url }: Pick<OpenWorkspace, 'browser' | 'url'>,
  path: string,
  act: (page: Page) => Promise<void>,
  { isRefused = false, ...options }: VisitOptions = {},
): Promise<void> {
  const context = await browser.newContext({ viewport: laptop, reducedMotion: 'reduce', ...options });
  context.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  const page = await context.newPage();
  watchRequests(page);
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (!isRefused || !message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('blob:')) complaints.push(request.url());
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  try {
    await page.goto(url + path);
    await settled(page);
    await act(page);
    expect(complaints, path).toEqual([]);
  } catch (error) {
    // what the page complains of is why it is not as expected
    if (complaints.length > 0 && error instanceof Error) error.message += `\n${complaints.join('\n')}`;
    throw error;
  } finally {
    await context.close();
  }
}

/** Requests of a page that are on their way. */
const pending = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const open = new Set<Request>();
  pending.set(page, open);
  page.on('request', (request) => open.add(request));
  page.on('requestfinished', (request) => open.delete(request));
  page.on('requestfailed', (request) => open.delete(request));
}

/** Everything that the page asked for is shown, and it asks for nothing more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main').waitFor();
  const isDrawn = async () => {
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    return page.evaluate(() => document.querySelector('.waiting, .row-waiting') === null);
  };
  const isQuiet = () => (pending.get(page)?.size ?? 0) === 0;
  // an answer that was just drawn may ask for more
  const deadline = performance.now() + patienceMs;
  while (!(isQuiet() && (await isDrawn()) && isQuiet()))
    if (performance.now() > deadline) throw new Error(`${page.url()} still waits for an answer`);
    else await isDrawn();
}

export function queryOf(page: Page): string {
  return decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '));
}

/**
 * What axe finds, as `rule: elements`. Focus guards of Base UI hand the focus on at once, which axe cannot see; and
 * menus are drawn at the end of the page, outside of its regions, while they are open.
 */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: { run(context: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    return (await checker.run({ exclude: ['[data-base-ui-focus-guard]'] })).violations;
  });
  const known = found.filter(
    ({ id, nodes }) => id !== 'region' || !nodes.every(({ html }) => html.includes('base-ui')),
  );
  return known.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

/** Pixels that the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth));
}
