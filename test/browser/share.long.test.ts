// Share links in a browser: what a client opens, sees and does not see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addReader, revokeReader } from '../../src/cli/commands/reader.ts';
import { agency, openSharedWorld, type SharedWorld } from '../helpers/shared-worlds.ts';
import { startChromium } from './chromium.ts';
import { looks, type OpenWorkspace, overflow, phone, settled, violations, visit } from './open-workspace.ts';

let world: SharedWorld;
let workspace: Pick<OpenWorkspace, 'browser' | 'url'>;

beforeAll(async () => {
  world = await openSharedWorld(agency);
  workspace = { browser: await startChromium(), url: world.server.url };
});
afterAll(async () => {
  await workspace?.browser.close();
  await world?.close();
});

const link = (scope: keyof SharedWorld['tokens'], path = '/p/acme/home') => `${path}#token=${world.tokens[scope]}`;
const pages = ['home', 'keywords', 'pages', 'competitors', 'segments', 'clicks', 'answers', 'runs', 'alerts'];

describe('a share link', () => {
  it('opens the project without a form, takes the token out of the address, and sends it to no log', async () => {
    const token = world.tokens.project;
    await visit(workspace, link('project'), async (page) => {
      const sent: string[] = [];
      page.on('request', (request) => {
        const { referer = '' } = request.headers();
        sent.push(request.url(), referer);
      });
      expect(page.url()).toBe(`${workspace.url}/p/acme/home`);
      await page.reload();
      await settled(page);
      expect(await page.locator('form').count()).toBe(0);
      expect(await page.locator('h1').innerText()).not.toBe('');
      await page.getByRole('link', { name: 'Keywords', exact: true }).click();
      await page.getByText('hidden rake').first().waitFor();
      expect(sent.join(' ')).not.toContain(token);
      expect(await page.content()).not.toContain(token);
    });
  });

  it('is passed on by the Share button with its token, and a token that shows everything is not', async () => {
    const copied = async (address: string): Promise<string> => {
      let text = '';
      const act = async (page: Parameters<typeof settled>[0]) => {
        await page.getByRole('link', { name: 'Keywords', exact: true }).click();
        await settled(page);
        await page.getByRole('button', { name: 'Share' }).click();
        await page.getByText('Link copied').waitFor();
        text = await page.evaluate(() => navigator.clipboard.readText());
      };
      await visit(workspace, address, act, { permissions: ['clipboard-read', 'clipboard-write'] });
      return text;
    };
    const shared = await copied(link('tag'));
    expect(shared).toBe(`${workspace.url}${link('tag', '/p/acme/keywords')}`);
    await visit(workspace, shared.slice(workspace.url.length), async (page) => {
      await page.getByText('acme · shoes').waitFor();
    });
    const { token } = addReader(world.writing, 'of-the-agency');
    expect(await copied(`/p/acme/home#token=${token}`)).toBe(`${workspace.url}/p/acme/keywords`);
    revokeReader(world.writing, 'of-the-agency');
  });

  it('shows no costs, runs, alerts and other projects', async () => {
    await visit(workspace, link('project'), async (page) => {
      const navigation = await page.getByRole('navigation', { name: 'Pages', exact: true }).innerText();
      expect(navigation.split('\n')).toEqual([
        ...['Home', 'Keywords', 'Pages', 'Competitors', 'Segments', 'Clicks', 'AI answers'],
      ]);
      const text = await page.locator('body').innerText();
      expect(text).not.toMatch(/credits|secret|All projects/);
      await page.keyboard.press('/');
      const palette = page.getByRole('dialog');
      expect(await palette.innerText()).not.toMatch(/Alerts|Runs|All projects|secret/);
    });
  });

  it('leads from the list of projects to the only one', async () => {
    await visit(workspace, link('tag', '/'), async (page) => {
      await page.waitForURL(`${workspace.url}/p/acme/home`);
      await settled(page);
      expect(await page.locator('.rail').innerText()).toContain('acme · shoes');
    });
  });

  it('is left by another link in the same tab', async () => {
    await visit(workspace, link('project', '/p/acme/keywords'), async (page) => {
      expect(await page.locator('main').innerText()).toContain('hidden rake');
      await page.evaluate((hash) => location.assign(hash), `#token=${world.tokens.tag}`);
      await page.getByText('acme · shoes').waitFor();
      await settled(page);
      expect(await page.locator('main').innerText()).not.toContain('hidden rake');
    });
  });

  it('ends when it is revoked: the page asks for a token', async () => {
    const { token } = addReader(world.writing, 'shortly', { project: 'acme' });
    const act = async (page: Parameters<typeof settled>[0]) => {
      revokeReader(world.writing, 'shortly');
      await page.reload();
      await page.getByText('The token is wrong, revoked, or has ended.').waitFor();
    };
    await visit(workspace, `/p/acme/home#token=${token}`, act, { isRefused: true });
  });
});

describe.each(['project', 'tag', 'view'] as const)('with a link of a %s', (scope) => {
  it.each(pages)('the page %s shows nothing else, without an error', async (name) => {
    await visit(workspace, link(scope, `/p/acme/${name}`), async (page) => {
      const text = await page.locator('body').innerText();
      expect(text).not.toMatch(/secret|could not be read/);
      if (scope !== 'project') expect(text).not.toContain('hidden');
      const isHidden =
        ['runs', 'alerts'].includes(name) || (scope !== 'project' && ['clicks', 'answers'].includes(name));
      expect(text.includes('This page is not shared with you')).toBe(isHidden);
      expect(await violations(page)).toEqual([]);
    });
  });

  it('a keyword opens with its results page', async () => {
    await visit(workspace, link(scope, '/p/acme/keywords'), async (page) => {
      await page.locator('tbody a, tbody tr').first().click();
      await page.keyboard.press('Enter');
      await settled(page);
      expect(await page.locator('body').innerText()).not.toMatch(/secret|could not be read|what they cost/);
    });
  });

  it.each(scope === 'tag' ? looks : [])('home passes axe and fits $viewport.width in $colorScheme', async (look) => {
    await visit(
      workspace,
      link(scope),
      async (page) => {
        expect(await violations(page)).toEqual([]);
        expect(await overflow(page)).toBe(0);
        if (look.viewport === phone) expect(await page.locator('body').innerText()).not.toContain('All projects');
      },
      look,
    );
  });
});
