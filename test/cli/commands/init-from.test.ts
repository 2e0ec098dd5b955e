// `init --from`: a config for a site with the keywords of exports and lists.
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder(null);
  folder.write('gsc.csv', 'Top queries,Clicks,Impressions,CTR,Position\nrunning shoes,1,2,3%,4\nhats,1,2,3%,4\n');
  folder.write(
    'ranks.csv',
    'Keyword,Country,Tags,URL\nRunning Shoes,US,head,https://www.acme.com/shoes/a\nboots,UK,,https://shop.acme.com/boots/b\n',
  );
  folder.write('list.txt', 'socks\nhats\n');
  folder.write('rivals.csv', 'Keyword,URL\nboots,https://rival.com/boots\n');
});

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { clock: new SimulatedClock(now), ...options }),
  });
const read = (name: string) => readFileSync(join(folder.path, name), 'utf8');
const write = (name: string, content: string): void => {
  mkdirSync(dirname(join(folder.path, name)), { recursive: true });
  folder.write(name, content);
};
const files = () => readdirSync(folder.path).sort();

describe('init --from', () => {
  test('shows the cost, then writes a config that checks and runs on the sandbox', async () => {
    const { exitCode, out, err } = await go(
      'init',
      'site',
      '--domain',
      'acme.com',
      '--from',
      'gsc.csv,ranks.csv,list.txt',
    );
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toBe(`Site: acme.com
Read 2 rows of gsc.csv (search-console)
Read 2 rows of ranks.csv (csv)
Read 2 rows of list.txt (list)
Adding 4 keywords to site/keywords/acme.com.csv of acme.com
  2 with a preferred URL

  tag    keywords
  gsc           2
  list          2
  ranks         2
  boots         1
  head          1
  shoes         1

Cost at worst (every check reads to its depth; a month has 31 days)
       keywords  searches  runs a month  credits a run  credits a month  keyword data a month
  all         4         8            31             24              744                 $0.04

Wrote site/rankledger.yaml
Wrote site/keywords/acme.com.csv

Next:
  npx rankledger check --config site/rankledger.yaml       check the config and its cost
  npx rankledger plan --all --config site/rankledger.yaml  show what a run would buy
  npx rankledger run --all --config site/rankledger.yaml   track now, and write reports
`);
    expect(read('site/keywords/acme.com.csv')).toBe(
      'keyword,country,tags,preferred_url\nrunning shoes,,head|gsc|ranks|shoes,https://www.acme.com/shoes/a\nhats,,gsc|list,\nboots,GB,ranks|boots,https://shop.acme.com/boots/b\nsocks,,list,\n',
    );
    const config = ['--config', 'site/rankledger.yaml'];
    const check = await go('check', '--json', ...config);
    expect(JSON.parse(check.out)).toMatchObject({
      ok: true,
      warnings: [],
      projects: [{ project: 'acme.com', keywords: 4, searches: 8, creditsPerMonth: 744 }],
    });
    expect((await go('run', '--all', ...config)).exitCode).toBe(0);
    expect(existsSync(join(folder.path, 'site/reports/acme.com/latest/report.html'))).toBe(true);
  });

  test('takes the site from the pages of the files if all are of one site', async () => {
    const { exitCode, out } = await go('init', '--from', 'gsc.csv', '--from', 'ranks.csv', '--dry-run');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Site: acme\.com, as the files say\n/);
    expect(out).toContain('Would add 3 keywords to keywords/acme.com.csv');
    expect(out).toMatch(/Nothing was written: omit --dry-run\.\n$/);
    expect(files()).toEqual(['gsc.csv', 'list.txt', 'ranks.csv', 'rivals.csv']);
  });

  test.each([
    'https___www.acme.co.uk_-Performance-on-Search-2026-01-05/Queries.csv',
    'acme.co.uk-Performance-on-Search-2026-01-05.csv',
    'acme.co.uk-organic-keywords-subdomains-gb_2026-01-05.csv',
  ])('takes the site from the name %s, which the tool chose', async (name) => {
    write(name, read('gsc.csv'));
    const { out } = await go('init', 'site', '--from', name, '--country', 'gb', '--json');
    expect(JSON.parse(out)).toMatchObject({
      files: [join(folder.path, 'site/rankledger.yaml'), join(folder.path, 'site/keywords/acme.co.uk.csv')],
      domain: 'acme.co.uk',
      keywords: { isWritten: true, found: 2, cost: { before: null, after: { keywords: 2 } } },
    });
    expect(read('site/rankledger.yaml')).toContain('market: { country: GB, language: en');
  });

  test('does not overwrite an existing file', async () => {
    write('keywords/acme.com.csv', 'mine\n');
    const { exitCode, err } = await go('init', '--domain', 'acme.com', '--from', 'list.txt');
    expect(exitCode).toBe(1);
    expect(err).toContain('keywords/acme.com.csv already exists. Nothing was written.');
    expect(read('keywords/acme.com.csv')).toBe('mine\n');
    expect(existsSync(join(folder.path, 'rankledger.yaml'))).toBe(false);
  });

  test('exits with 3 if rows were rejected', async () => {
    folder.write('odd.csv', 'Keyword,Country\nboots,US\nsocks,Narnia\n');
    const { exitCode, out } = await go('init', '--domain', 'acme.com', '--from', 'odd.csv');
    expect(exitCode).toBe(3);
    expect(out).toContain('Not taken of odd.csv: 1 row');
    expect(read('keywords/acme.com.csv')).toBe('keyword\nboots\n');
  });

  test.each([
    [['--from', 'gsc.csv,list.txt'], 'The files do not say which site they are about.'],
    [['--from', 'ranks.csv,rivals.csv'], 'The files are about several sites: acme.com, rival.com.'],
    [['--from', 'nofile.csv', '--domain', 'acme.com'], 'nofile.csv: the file does not exist'],
    [['--from', ' , ', '--domain', 'acme.com'], '--from names no file'],
    [['--from', 'list.txt', '--domain', 'acme.com/blog'], '"acme.com/blog" is not a domain'],
    [['--from', 'list.txt', '--domain', 'acme'], '"acme" is not a domain, such as example.com'],
    [['--from', 'list.txt', '--domain', 'co.uk'], 'is a public suffix'],
    [['--from', 'list.txt', '--domain', 'acme.com', '--country', 'Narnia'], 'not an ISO 3166-1 country code'],
    [['--from', 'list.txt', '--domain', 'acme.com', '--map', 'keyword=Nothing'], 'it has no column of keywords'],
    [['--domain', 'acme.com'], '--domain needs --from'],
    [['--dry-run'], '--dry-run needs --from'],
  ])('%j is refused in a sentence with exit code 2, and nothing is written', async (argv, said) => {
    const { exitCode, err } = await go('init', ...argv);
    expect(err).toContain(said);
    expect(exitCode).toBe(2);
    expect(files()).toEqual(['gsc.csv', 'list.txt', 'ranks.csv', 'rivals.csv']);
  });

  test('reads the columns that --map names, and tracks example.org too', async () => {
    folder.write('odd.csv', 'Term;Place\nshoes;4\n');
    expect(
      (await go('init', '--domain', 'https://www.Example.org/', '--from', 'odd.csv', '--map', 'keyword=Term')).exitCode,
    ).toBe(0);
    expect((await go('check')).exitCode).toBe(0);
    expect(read('keywords/example.org.csv')).toBe('keyword\nshoes\n');
  });
});
