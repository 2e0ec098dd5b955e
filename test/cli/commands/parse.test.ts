// `parse`: saved results pages, and files that are not results pages.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventId } from '../../helpers/page-clock.ts';
import { foot, marks } from '../../service/engines/google/pages.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});

describe('parse', () => {
  const result = (title: string) =>
    `<div class="g"><a href="https://a.example/"><h3>${title}</h3></a><div>Some words of text.</div></div>`;
  const html = `<html><head><title>shoes - Google Search</title></head><body>${marks}<div id="search"><div id="rso">${['One', 'Two', 'Three'].map(result).join('')}</div></div>${foot}</body></html>`;

  test('prints the root object of a saved page, without a config', async () => {
    const file = folder.write('page.html', html);
    const { exitCode, out } = await invoke(['parse', file, '--json']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).organic[0]).toMatchObject({ rank: 1, title: 'One', link: 'https://a.example/' });
  });

  test('decodes bytes that are not UTF-8 as a browser does, with any charset in the page', async () => {
    const file = folder.write('latin.html', '');
    writeFileSync(
      file,
      Buffer.from(html.replace('<head>', '<head><meta charset="utf-8">').replace('>One<', '>Gebäude<'), 'latin1'),
    );
    const { out } = await invoke(['parse', file, '--engine', 'google', '--json']);
    expect(JSON.parse(out).organic[0]).toMatchObject({ title: 'Gebäude' });
  });

  test('refuses a page that is not a SERP with its reason and a remedy', async () => {
    const file = folder.write(
      'captcha.html',
      '<html><body><form id="captcha-form" action="index"></form></body></html>',
    );
    const { exitCode, out, err } = await invoke(['parse', file, '--engine', 'google', '--json']);
    expect(exitCode).toBe(1);
    expect(err).toContain('is not a results page (blocked)');
    expect(err).toContain('Save the page from a browser');
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'SERP_FAILED' } });
  });

  test('rejects a page of another time than --at', async () => {
    const script = `<script>var google={kEI:'${eventId(Date.UTC(2023, 10, 7, 17))}'}</script>`;
    const file = folder.write('old.html', html.replace('<body>', `<body>${script}`));
    const parseAt = async (at: string) => await invoke(['parse', file, '--engine', 'google', '--at', at]);
    expect((await parseAt('2023-11-07T18:30:00+01:00')).exitCode).toBe(0);
    const stale = await parseAt('2026-07-16T22:42:23Z');
    expect([stale.exitCode, stale.err]).toEqual([1, expect.stringContaining('(stale_page)')]);
    const undated = await parseAt('2023-11-07');
    expect([undated.exitCode, undated.err]).toEqual([2, expect.stringContaining('Write a moment with its zone')]);
  });

  test('refuses a page of another query, and a missing file', async () => {
    const file = folder.write('page.html', html);
    const other = await invoke(['parse', file, '--engine', 'google', '--keyword', 'boots']);
    expect(other.err).toContain('(wrong_query)');
    const missing = await invoke(['parse', 'missing.html', '--engine', 'google'], { cwd: folder.path });
    expect(missing.exitCode).toBe(1);
    expect(missing.err).toContain('missing.html: the file or folder does not exist');
    const endless = await invoke(['parse', '/dev/zero', '--engine', 'google']);
    expect(endless).toMatchObject({ exitCode: 1 });
    expect(endless.err).toContain('is larger than 16,777,216 bytes');
  });

  test('refuses results of another subject under the searched query, although one of them has a word of it', async () => {
    const about = (title: string, text: string, at: number) =>
      `<div class="g"><a href="https://site${at}.example/"><h3>${title}</h3></a><div>${text}</div></div>`;
    const rows = [
      ['Ratan Tata - Wikipedia', 'An industrialist who inherited a garden suburb.'],
      ['Ratan Tata: age, death, girlfriend', 'He led the group for many years.'],
      ['The complete biography of Ratan Tata', 'Chairman of an old conglomerate.'],
      ['The modest tycoon of Mumbai', 'One of the best known business leaders.'],
      ['Ten facts about a business legend', 'A global empire through eye-catching deals.'],
    ].map(([title = '', text = ''], at) => about(title, text, at));
    const decoy = folder.write(
      'decoy.html',
      `<html><head><title>buy red garden hose - Google Search</title></head><body>${marks}<input name="q" value="buy red garden hose"><div id="search"><div id="rso">${rows.join('')}</div></div>${foot}</body></html>`,
    );
    const { exitCode, err } = await invoke(['parse', decoy, '--engine', 'google', '--keyword', 'buy red garden hose']);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('(decoy_page)')]);
  });

  test('refuses a page that names another country or language than the searched ones', async () => {
    const file = folder.write('market.html', html.replace('<html>', '<html lang="en-IN">'));
    const parse = async (...market: string[]) => (await invoke(['parse', file, '--engine', 'google', ...market])).err;
    expect(await parse('--country', 'in', '--language', 'en')).toBe('');
    expect(await parse('--country', 'US')).toContain('(wrong_location)');
    expect(await parse('--language', 'lv')).toContain('(wrong_query)');
    expect(await parse('--country', 'India')).toContain('Write a code such as US.');
  });

  test('writes a fixture of a page that parses like the page', async () => {
    const file = folder.write('page.html', html);
    const go = async (...more: string[]) =>
      await invoke(['parse', file, '--engine', 'google', '--anonymise', '-o', 'fixture.html', ...more], {
        cwd: folder.path,
      });
    const { exitCode, out } = await go('--keyword', 'shoes');
    expect([exitCode, out]).toEqual([
      0,
      expect.stringMatching(/^Wrote fixture\.html\. .*: 3 organic results.*"\w{5}"/),
    ]);
    expect(readFileSync(join(folder.path, 'fixture.html'), 'utf8')).not.toMatch(/shoes|a\.example/);
    expect(JSON.parse((await go('--keyword', 'boots', '--json')).out)).toMatchObject({ refused: 'wrong_query' });
  });

  test('says where a fixture parses differently from its page, and fails', async () => {
    // A word in two parts has two replacements, and no longer equals the query of its link.
    const related = '<a href="/search?q=blue+shoes">blue <span>sh</span><span>oes</span></a>';
    const file = folder.write('page.html', html.replace(foot, `${related}${foot}`));
    const { exitCode, err } = await invoke(['parse', file, '--engine', 'google', '--anonymise', '-o', 'fixture.html'], {
      cwd: folder.path,
    });
    expect(exitCode).toBe(1);
    expect(err).toContain('fixture.html is not read like the page');
  });

  test('takes --anonymise and --output only together, and no --at with them', async () => {
    const file = folder.write('page.html', html);
    for (const flags of [
      ['--anonymise'],
      ['-o', 'fixture.html'],
      ['--anonymise', '-o', 'f', '--at', '2026-01-01T00:00Z'],
    ])
      expect((await invoke(['parse', file, '--engine', 'google', ...flags], { cwd: folder.path })).exitCode).toBe(2);
  });
});
