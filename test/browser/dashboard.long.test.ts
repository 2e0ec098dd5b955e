// The account dashboard in a browser, with scripts and without, by axe, and its API users over HTTP.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { holderPassword, hourMs, type ServedDashboard, serveDashboard } from '../helpers/dashboard.ts';
import { startChromium } from './chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser?.close());

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Opened {
  readonly server: ServedDashboard;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings of the console, and requests to other servers. */
  readonly complaints: string[];
}

/** A browser on the first page of an account, after its holder has accepted the invitation. */
async function opened(options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
  const server = await serveDashboard();
  open.push(server);
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  open.push(context);
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) complaints.push(`asked for ${request.url()}`);
  });
  const { token } = await server.accounts.invite('acme', hourMs);
  await page.goto(`${server.url}/account/invitation?token=${token}`);
  await page.fill('#new_password', holderPassword);
  await page.fill('#repeated', holderPassword);
  await page.click('main button');
  await page.waitForURL(`${server.url}/account`);
  return { server, context, page, complaints };
}

const sections = ['', '/users', '/whitelist', '/statement', '/failures', '/examples', '/security'];

describe('the dashboard in a browser', () => {
  it.each([true, false])(
    'leads from the invitation to a user that works over HTTP, scripts on: %s',
    async (scripts) => {
      const { server, page, complaints } = await opened({ javaScriptEnabled: scripts });
      await page.click('text=API users');
      await page.fill('#name', 'crawler');
      await page.click('text=Create API user');
      const username = (await page.textContent('#username')) ?? '';
      const password = (await page.textContent('#password')) ?? '';
      expect(await server.call({ username, password })).toBe(200);

      await page.click('text=All API users');
      await page.click(`text=${username}`);
      await page.check('#sure');
      await page.click('button:text("Revoke")');
      expect(await page.textContent('[role=status]')).toContain('is revoked');
      expect(await server.call({ username, password })).toBe(401);

      await page.click('nav >> text=Whitelist');
      await page.click('text=Add your address');
      await page.waitForURL('**/account/whitelist?done=whitelist');
      expect(await page.inputValue('#rules')).toBe('127.0.0.1/32');
      expect(await server.call(server.ann)).toBe(200);

      await page.click('text=Sign out');
      await page.waitForURL('**/account/sign-in?done=signed-out');
      await page.goBack();
      await page.reload();
      expect(await page.textContent('h1')).toBe('Sign in');
      expect(complaints).toEqual([]);
    },
  );

  it('keeps its cookie from scripts, and from pages of other sites', async () => {
    const { server, context, page } = await opened();
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({
      name: '__Host-rankledger',
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
      path: '/',
    });
    const token = await page.locator('[name=form_token]').first().inputValue();
    const attack = await context.newPage();
    // another host of this machine is another site to the browser
    await attack.goto(`${server.url.replace('127.0.0.1', 'localhost')}/healthz`);
    await attack.setContent(`<form method="post" action="${server.url}/account/whitelist">
      <input name="form_token" value="${token}"><textarea name="rules">192.0.2.1</textarea><button>win</button></form>`);
    await attack.click('button');
    expect(await attack.textContent('h1')).toBe('Not accepted');
    expect((await server.accounts.find('acme')).whitelist).toEqual([]);
  });

  it('runs no script that gets into a page, and fits no frame', async () => {
    const { server, context, page, complaints } = await opened();
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.pwned = 1';
      document.head.append(script);
    });
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(complaints.join()).toContain('Content Security Policy');
    const frame = await context.newPage();
    await frame.goto(`${server.url}/healthz`);
    await frame.setContent(`<iframe src="${server.url}/account/sign-in"></iframe>`);
    expect(
      frame
        .frames()
        .slice(1)
        .every((each) => !each.url().includes('/account')),
    ).toBe(true);
  });

  it.each(['light', 'dark'] as const)('has no fault of accessibility that axe knows: %s', async (colorScheme) => {
    const { server, page, complaints } = await opened({ colorScheme });
    await server.call(server.ann);
    await server.call({ ...server.ann, password: 'wrong' });
    await server.clock.advance(2000);
    for (const path of sections) {
      await page.goto(`${server.url}/account${path}`);
      expect([path, await faults(page)]).toEqual([path, []]);
    }
    await page.goto(`${server.url}/account/users/user?name=ann`);
    expect(await faults(page)).toEqual([]);
    await page.goto(`${server.url}/account/users`);
    await page.click('text=Create API user');
    await page.waitForSelector('#password');
    expect(await faults(page)).toEqual([]);
    await page.click('nav >> text=Whitelist');
    await page.fill('#rules', 'nowhere');
    await page.click('text=Save whitelist');
    expect(await page.textContent('[role=alert]')).toContain('nowhere');
    expect(await faults(page)).toEqual([]);
    await page.click('text=Sign out');
    await page.waitForURL('**/account/sign-in?done=signed-out');
    expect(await faults(page)).toEqual([]);
    expect(complaints.filter((words) => !words.includes('400'))).toEqual([]);
  });

  it.each([320, 1280])('fits a screen of %d pixels: nothing but tables and code scrolls sideways', async (width) => {
    const { server, page } = await opened({ viewport: { width, height: 800 } });
    await server.call(server.ann);
    for (const path of [...sections, '/users/user?name=ann']) {
      await page.goto(`${server.url}/account${path}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([path, wide <= 0]).toEqual([path, true]);
    }
  });

  it('can be used by keyboard alone', async () => {
    const { page } = await opened();
    await page.click('nav >> text=API users');
    await page.focus('#name');
    await page.keyboard.type('-by-keys');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#password');
    expect(await page.textContent('h1')).toBe('API user created');
  });
});

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
