// What editors do in the pages of `view --edit`: each job in a browser, and what the files hold after it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { openApp } from '../../src/app/app.ts';
import { SimulatedClock } from '../../src/app/runs/simulation.ts';
import { openEdits } from '../../src/app/workspace/editor.ts';
import { view } from '../../src/cli/subcommands/open-workspace.ts';
import { type ProjectFolder, projectFolder } from '../cli/project-folder.ts';
import { readingApp, runSlots } from '../cli/real-app.ts';
import { startChromium } from './chromium.ts';
import {
  looks,
  type OpenWorkspace,
  openWorkspace,
  overflow,
  phone,
  settled,
  violations,
  visit,
} from './open-workspace.ts';

const now = Date.parse('2026-01-14T12:00:00Z');
const config = `timezone: Europe/Berlin
budget:
  serpCredits: { perRun: 500, perMonth: 5000 }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywordsFile: keywords.csv
`;
/** With quotes and line ends that edits keep. */
const keywords = `keyword,tags,paused\r
running shoes,shoes,\r
"trail shoes",shoes|trail,\r
garden hose,garden,\r
rake,garden,\r
`;

let folder: ProjectFolder;
let workspace: OpenWorkspace;

const fileText = () => readFileSync(join(folder.path, 'keywords.csv'), 'utf8');

beforeAll(async () => {
  folder = projectFolder(config);
  folder.write('keywords.csv', keywords);
  await runSlots(folder, ['2026-01-13T05:00:00Z', '2026-01-14T05:00:00Z']);
  workspace = await openEditor(folder);
});
afterAll(() => workspace?.close());
afterEach(() => folder.write('keywords.csv', keywords));

/** As `view --edit` serves the folder. */
async function openEditor({ path }: ProjectFolder): Promise<OpenWorkspace> {
  const app = await readingApp(path, now);
  const signal = new AbortController().signal;
  const load = { file: join(path, 'rankledger.yaml'), env: {}, cwd: path };
  const host = {
    loadConfig: (options: { readonly readsKeywordFiles: boolean }) => loadConfig({ ...load, ...options }),
    openApp: (of: Parameters<typeof openApp>[0]) => openApp(of, { clock: new SimulatedClock(now) }),
    signal,
  };
  const server = await view(app, { port: 0, editing: { openEdits, host } });
  const browser = await startChromium();
  return {
    ...{ app, browser, url: server.url },
    async close() {
      await browser.close();
      await server.close();
      await app.close();
    },
  };
}

const at = (path: string, act: (page: Page) => Promise<void>, options?: Parameters<typeof visit>[3]) =>
  visit(workspace, `/p/acme/${path}`, act, options);

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** The lines of the shown diff that change. */
async function changes(page: Page): Promise<string[]> {
  const lines = page.locator('.diff-lines li');
  await lines.first().waitFor();
  return (await lines.allTextContents()).filter((line) => /^[+-]/.test(line));
}

/** The way back restores every byte. */
async function undo(page: Page): Promise<void> {
  await press(page, 'Undo');
  await page.getByText('keywords.csv is as it was').waitFor();
  expect(fileText()).toBe(keywords);
}

async function note(page: Page, text: string): Promise<void> {
  // a chart without values has its notes beside it only
  const flag = page.locator('.chart-frame svg title, .chart-marks li', { hasText: text }).first();
  await press(page, 'Note');
  const form = page.getByRole('dialog');
  await form.getByLabel('What happened').fill(text);
  expect(await form.getByLabel('Date').inputValue()).toBe('2026-01-14');
  await press(page, 'Add note');
  await page.getByText('Note added on 14 Jan 2026').waitFor();
  await flag.waitFor({ state: 'attached' });
  await press(page, 'Undo');
  await page.getByText('Undone: the note is removed').waitFor();
  await flag.waitFor({ state: 'detached' });
}

describe('notes', () => {
  it('of a project have their flag at once, and are undone', () => at('home', (page) => note(page, 'New titles')));

  it('of a tag are written where the rows are those of one', () =>
    at('keywords', async (page) => {
      expect(await page.getByRole('button', { name: 'Note', exact: true }).count()).toBe(0);
      await page.goto(`${workspace.url}/p/acme/keywords?tag=shoes`);
      await settled(page);
      await press(page, 'Note');
      await page.getByRole('dialog', { name: 'Note on the tag shoes' }).waitFor();
      await page.keyboard.press('Escape');
      await note(page, 'New shoe pages');
    }));

  it('of a keyword are on its chart', () =>
    at('keywords', async (page) => {
      await openKeyword(page);
      await note(page, 'New page for rakes');
    }));

  it('that are refused say why where they were written', () =>
    at(
      'home',
      async (page) => {
        await press(page, 'Note');
        const text = page.getByLabel('What happened');
        await text.evaluate((field) => field.removeAttribute('maxlength'));
        await text.fill('x'.repeat(300));
        await press(page, 'Add note');
        await page.getByRole('dialog').getByRole('alert').getByText('200').waitFor();
      },
      { isRefused: true },
    ));
});

async function openKeyword(page: Page): Promise<void> {
  await page.locator('.keyword-table .keyword', { hasText: 'rake' }).click();
  await page.getByRole('link', { name: 'Open the keyword' }).click();
  await page.getByRole('heading', { level: 1, name: 'rake' }).waitFor();
  await settled(page);
}

describe('keywords of a filter', () => {
  it('are tagged, exactly them', () =>
    at('keywords?tag=shoes', async (page) => {
      await press(page, 'Tag');
      await page.getByRole('combobox', { name: 'Tag' }).fill('feet');
      const expected = [
        '-running shoes,shoes,',
        '-"trail shoes",shoes|trail,',
        '+running shoes,shoes|feet,',
        '+"trail shoes",shoes|trail|feet,',
      ];
      await page.getByText('2 keywords of the file will change').waitFor();
      expect((await changes(page)).map((line) => line.trim()).sort()).toEqual(expected.sort());
      expect(fileText()).toBe(keywords);
      await press(page, 'Add tag');
      await page.getByText('2 keywords tagged feet').waitFor();
      expect(fileText()).toBe(keywords.replace(',shoes,\r', ',shoes|feet,\r').replace('|trail,', '|trail|feet,'));
      await undo(page);
    }));

  it('lose a tag', () =>
    at('keywords?tag=garden&q=rake', async (page) => {
      await press(page, 'Tag');
      await press(page, 'Remove a tag');
      await page.getByRole('combobox', { name: 'Tag' }).fill('garden');
      await page.getByText('1 keyword of the file will change').waitFor();
      await press(page, 'Remove tag');
      await page.getByText('1 keyword lost the tag garden').waitFor();
      expect(fileText()).toBe(keywords.replace('rake,garden,', 'rake,,'));
      await undo(page);
    }));

  it('are paused, leave the table, and are resumed', () =>
    at('keywords?q=rake', async (page) => {
      await press(page, 'Pause');
      await page.getByText('1 keyword of the file will change').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
      await page.getByText('1 keyword paused').waitFor();
      expect(fileText()).not.toBe(keywords);
      expect(
        fileText()
          .split('\r\n')
          .filter((line, at) => line !== keywords.split('\r\n')[at]),
      ).toHaveLength(1);
      await press(page, '1 paused');
      await page.getByText('1 keyword of the file will change').waitFor();
      await press(page, 'Resume');
      await page.getByText('1 keyword resumed').waitFor();
      await page.locator('.keyword-table .keyword', { hasText: 'rake' }).waitFor();
    }));

  it('are removed after a preview', () =>
    at('keywords?q=rake', async (page) => {
      await press(page, 'Remove');
      await page.getByText('1 keyword of the file will change').waitFor();
      expect((await changes(page)).map((line) => line.trim())).toEqual(['-rake,garden,']);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByText('1 keyword removed').waitFor();
      expect(fileText()).toBe(keywords.replace('rake,garden,\r\n', ''));
      await undo(page);
      await page.locator('.keyword-table .keyword', { hasText: 'rake' }).waitFor();
    }));

  it('are undone one write after the other, the last first', () =>
    at('keywords?q=rake', async (page) => {
      for (const tag of ['one', 'two']) {
        await press(page, 'Tag');
        await page.getByRole('combobox', { name: 'Tag' }).fill(tag);
        await page.getByText('1 keyword of the file will change').waitFor();
        await press(page, 'Add tag');
        await page.getByText(`1 keyword tagged ${tag}`).waitFor();
      }
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('The change before it: 1 keyword tagged one').waitFor();
      expect(fileText()).toBe(keywords.replace('rake,garden,', 'rake,garden|one,'));
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('The change before it').waitFor({ state: 'detached' });
      await expect.poll(fileText).toBe(keywords);
    }));

  it('that changed since the preview are not written over', () =>
    at(
      'keywords?q=rake',
      async (page) => {
        await press(page, 'Remove');
        await page.getByText('1 keyword of the file will change').waitFor();
        const changed = `${keywords}spade,garden,\r\n`;
        folder.write('keywords.csv', changed);
        await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
        await page.getByText('has changed since the preview').waitFor();
        expect(fileText()).toBe(changed);
      },
      { isRefused: true },
    ));
});

describe('new keywords', () => {
  it('are pasted and dropped: what is new, twice or known, their tags, cost and change first', () =>
    at('keywords', async (page) => {
      await press(page, 'Add keywords');
      await page.getByLabel('Keywords, one a line').fill('rake\nspade\nspade\nshovel');
      const dataTransfer = await page.evaluateHandle(() => {
        const data = new DataTransfer();
        data.items.add(new File(['keyword,tags\nhammer,tools\n'], 'export.csv'));
        return data;
      });
      await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer });
      await page.getByLabel('Tags of all of them').fill('new');
      await page.getByRole('button', { name: 'Add 3 keywords' }).waitFor();
      const fact = (name: string) => page.locator('.edit-facts div', { hasText: name }).locator('dd').textContent();
      expect(await fact('Tracked already')).toMatch(/^1/);
      expect(await fact('Listed twice')).toMatch(/^1/);
      expect(await fact('A month')).toMatch(/^\+93/);
      const added = async () => (await changes(page)).map((line) => line.trim());
      await expect.poll(added).toEqual(['+spade,new,', '+shovel,new,', '+hammer,tools|new,']);
      await page.getByRole('button', { name: /^tools/ }).click();
      await expect.poll(added).toEqual(['+spade,new,', '+shovel,new,', '+hammer,new,']);
      expect(fileText()).toBe(keywords);
      await page.getByRole('button', { name: 'Add 3 keywords' }).click();
      await page.getByText('3 keywords added').waitFor();
      expect(fileText()).toBe(`${keywords}spade,new,\r\nshovel,new,\r\nhammer,new,\r\n`);
      await undo(page);
    }));

  it('are an action of the palette', () =>
    at('home', async (page) => {
      await page.keyboard.press('/');
      await page.getByRole('combobox', { name: 'Search or jump to' }).fill('Add key');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Add keywords' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/p/acme/keywords');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
    }));

  it('of a list without keywords are refused in words', () =>
    at(
      'keywords?add=1',
      async (page) => {
        await page.getByLabel('Choose a file').setInputFiles({
          name: 'picture.xlsx',
          mimeType: 'application/octet-stream',
          buffer: Buffer.from([0x50, 0x4b, 3, 4, 0, 0]),
        });
        await page.getByRole('dialog').getByRole('alert').waitFor();
        expect(await page.getByRole('button', { name: 'Add', exact: true }).isDisabled()).toBe(true);
      },
      { isRefused: true },
    ));
});

describe('a check now', () => {
  it('of a keyword has its price first, then says what happened', () =>
    at('keywords', async (page) => {
      await openKeyword(page);
      await press(page, 'Check now');
      await page.locator('.edit-facts').getByText('Left this month').waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Check now/ })
        .click();
      await page.getByText(/^Checked 1 of 1 search for/).waitFor();
      await press(page, 'Done');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }));

  it('of the rows of a filter is of their keywords', () =>
    at('keywords?tag=shoes', async (page) => {
      await press(page, 'Check now');
      await page.getByText(/^2 keywords in all markets and devices: 2 searches/).waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Check now/ })
        .click();
      await page.getByText(/^Checked 2 of 2 searches for/).waitFor();
    }));
});

describe('every dialog', () => {
  for (const look of looks)
    it(`is clean at ${look.viewport.width} px in ${look.colorScheme}, by keyboard too`, () =>
      at(
        'keywords?tag=shoes',
        async (page) => {
          expect(await violations(page)).toEqual([]);
          for (const name of ['Tag', 'Check now', 'Pause', 'Remove', 'Note', 'Add keywords']) {
            const opener = page.getByRole('button', { name, exact: true });
            await opener.focus();
            await page.keyboard.press('Enter');
            await page.getByRole('dialog').waitFor();
            if (name === 'Add keywords') await page.getByLabel('Keywords, one a line').fill('spade');
            if (name === 'Tag') await page.getByRole('combobox', { name: 'Tag' }).fill('feet');
            if (!['Note', 'Check now'].includes(name)) await page.locator('.diff-lines').waitFor();
            await settled(page);
            expect(await violations(page), name).toEqual([]);
            expect(await overflow(page), name).toBe(0);
            await page.keyboard.press('Escape');
            await page.getByRole('dialog').waitFor({ state: 'detached' });
            expect(await opener.evaluate((element) => element === document.activeElement), name).toBe(true);
          }
        },
        { ...look, bypassCSP: true },
      ));
});

describe('without --edit', () => {
  it('no page has a control that writes', async () => {
    const reading = await openWorkspace(folder, now);
    try {
      for (const viewport of [undefined, phone])
        for (const path of ['home', 'keywords?tag=shoes', 'keywords?add=1'])
          await visit(
            reading,
            `/p/acme/${path}`,
            async (page) => {
              for (const name of ['Note', 'Tag', 'Pause', 'Remove', 'Check now', 'Add keywords'])
                expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0);
              expect(await page.getByRole('dialog').count()).toBe(0);
            },
            viewport === undefined ? {} : { viewport },
          );
      await visit(reading, '/p/acme/keywords', async (page) => {
        await openKeyword(page);
        expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0);
      });
    } finally {
      await reading.close();
    }
  });
});
