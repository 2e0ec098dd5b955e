// `keywords add`: what it would add, what it costs, and what it writes.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Papa from 'papaparse';
import { beforeEach, describe, expect, test } from 'vitest';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const config = `budget: { serpCredits: { perMonth: 300 } }
projects:
  - id: acme
    targets: [acme.com]
    schedule: "0 6 * * *"
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 1
    tags: [all]
    keywords: [Running Shoes, { keyword: hats, devices: [desktop] }]
    keywordsFile: keywords/acme.csv
`;

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder(config);
  folder.write('gsc.csv', 'Top queries,Clicks,Impressions,CTR,Position\nrunning shoes,1,2,3%,4\nhats,1,2,3%,4\n');
  folder.write('odd.csv', 'Term;Place\nshoes;4\n');
  folder.write(
    'ranks.csv',
    'Keyword,Country,Device,Tags,URL\nboots,UK,mobile,"winter, all",https://acme.com/boots/a\nboots,UK,desktop,,\nsocks,US,,,https://other.com/x\nsocks,Narnia,,,\n',
  );
});

const go = (...argv: string[]) => invoke(['keywords', 'add', ...argv], { cwd: folder.path });
const file = () => join(folder.path, 'keywords/acme.csv');
const mkdirFor = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true });
  return path;
};

describe('keywords add', () => {
  test('shows what is new, what is known and what it costs, and writes nothing without --yes', async () => {
    const { exitCode, out } = await go('gsc.csv', 'ranks.csv', '--group', 'folder');
    expect(exitCode).toBe(3);
    expect(out).toBe(`Read 2 rows of gsc.csv (search-console)
Read 3 rows of ranks.csv (csv)
Would add 3 keywords to keywords/acme.csv of acme
  1 tracked already
  1 with a preferred URL

  tag     keywords
  boots          1
  winter         1

  keyword  country  device  tags          preferred URL
  hats              mobile
  boots    GB               winter|boots  https://acme.com/boots/a
  socks

Cost at worst (every check reads to its depth; a month has 31 days)
          keywords  searches  runs a month  credits a run  credits a month  keyword data a month
  before         2         3            31              3               93                 $0.00
  after          5         8            31              8              248                 $0.00

Not taken of ranks.csv: 1 row
  1 x an unknown country, language or device
      line 5: socks: Narnia

Nothing was written: \`--yes\` adds them. An empty cell takes the value of the project.
`);
    expect(existsSync(file())).toBe(false);
  });

  test('suggests the page with the best organic rank, in any order of rows', async () => {
    const rows = ['1,AI Overview,a', '9,Organic,b', '3,Organic,c', '5,Organic,d'];
    for (const body of [rows, rows.toReversed()]) {
      const lines = body.map((row) => row.replace(/^(.*),(.*),(.*)$/, 'boots,$1,$2,https://acme.com/$3'));
      folder.write('semrush.csv', ['Keyword,Position,Position Type,URL', ...lines, ''].join('\n'));
      expect((await go('semrush.csv')).out).toContain('https://acme.com/c');
    }
  });

  test('tracks rows of a place at the place, and leaves out unknown ones', async () => {
    folder.write(
      'stat.csv',
      'Keyword,Market,Location,Device\nshoe shop,US-en,"Austin, TX",smartphone\nshoe shop,US-en,"Narnia, TX",smartphone\nshoe shop,US-en,,desktop\n',
    );
    const { exitCode, out } = await go('stat.csv', '--group', 'none', '--yes');
    expect(exitCode).toBe(3);
    expect(out).toContain('1 x a place that is not in the table of locations\n      line 3: shoe shop: Narnia, TX');
    expect(readFileSync(file(), 'utf8')).toBe(
      'keyword,device,location\nshoe shop,mobile,"Austin,Texas,United States"\nshoe shop,desktop,\n',
    );
    const check = await invoke(['check', '--json'], { cwd: folder.path });
    expect(JSON.parse(check.out)).toMatchObject({ warnings: [], projects: [{ keywords: 4, searches: 5 }] });
    expect((await go('stat.csv', '--yes')).out).toContain('Nothing to add to acme: 2 keywords tracked already.');
    folder.write('list.txt', 'shoe shop\n');
    const at = await go('list.txt', '--location', 'Dallas, TX', '--group', 'none');
    expect(at.out).toMatch(/shoe shop +Dallas,Texas,United States/);
  });

  test('leaves out places where the service cannot request pages for them', async () => {
    const brave = `services:\n  web: { mode: embedded, source: brave, apiKey: "\${KEY}" }\n`;
    const ofBrave = config.replace('id: acme', 'id: acme\n    service: web').replace('[desktop, mobile]', '[desktop]');
    folder.write('rankledger.yaml', `${brave}${ofBrave}`);
    folder.write('stat.csv', 'Keyword,Market,Location\nshoe shop,US-en,"Austin, TX"\n');
    const { exitCode, out, err } = await go('stat.csv');
    expect([exitCode, err]).toEqual([3, '']);
    expect(out).toContain('1 x a place inside a country, for which the service of the project cannot request pages');
  });

  test('writes them once with --yes, and the config is valid with them', async () => {
    const first = await go('gsc.csv', 'ranks.csv', '--group', 'none', '--tag', 'new', '--yes');
    expect(first.out).toContain('Added 3 keywords to keywords/acme.csv of acme');
    expect(readFileSync(file(), 'utf8')).toBe(
      'keyword,country,device,tags,preferred_url\nhats,,mobile,new,\nboots,GB,,winter|new,https://acme.com/boots/a\nsocks,,,new,\n',
    );
    const check = await invoke(['check', '--json'], { cwd: folder.path });
    expect(JSON.parse(check.out)).toMatchObject({ warnings: [], projects: [{ keywords: 5, searches: 8 }] });
    const second = await go('gsc.csv', 'ranks.csv', '--yes');
    expect(second.out).toContain('Nothing to add to acme: 4 keywords tracked already.');
    folder.write('keywords/acme.csv', 'boots, red\n');
    expect((await go('gsc.csv')).err).toContain('the keyword file must be valid first');
  });

  test.each([
    ['a new table', null, ['--tag', '=tag']],
    ['a table that is extended', 'keyword,tags\nboots,\n', ['--tag', '=tag']],
    ['a table with semicolons', 'keyword;tags\nboots;\n', ['--tag', '=tag']],
    ['a plain list', 'boots\n', []],
    ['a list that becomes a table', 'boots\n', ['--tag', '=tag']],
  ])('writes no formula into %s, and reads the keyword back', async (_what, before, more) => {
    const hostile = ['=1+1', '-20 degree bag', '@acme', '+1', '=HYPERLINK("http://x.example";"a")'];
    if (before !== null) writeFileSync(mkdirFor(file()), before);
    folder.write('odd.csv', ['Keyword', ...hostile.map((text) => `"${text.replaceAll('"', '""')}"`), ''].join('\n'));
    expect((await go('odd.csv', '--group', 'none', '--yes', ...more)).exitCode).toBe(0);
    const delimiter = before?.includes(';') === true ? ';' : ',';
    const cells = Papa.parse<string[]>(readFileSync(file(), 'utf8'), { delimiter }).data.flat();
    expect(cells.filter((cell) => /^[=+@-]/.test(cell))).toEqual([]);
    expect(cells).toContain("'=1+1");
    const again = await go('odd.csv', '--group', 'none', '--yes', ...more);
    expect(again.out).toContain('Nothing to add to acme: 5 keywords tracked already.');
    const own = await go(file(), '--json');
    expect(JSON.parse(own.out)).toMatchObject({ added: [], files: [{ notTaken: 0 }] });
  });

  test('prints one JSON document for scripts, with the cost before and after', async () => {
    const { out } = await go('gsc.csv', '--json', '--country', 'DE', '--device', 'mobile');
    expect(JSON.parse(out)).toMatchObject({
      project: 'acme',
      keywordsFile: file(),
      isNewFile: true,
      isWritten: false,
      found: 2,
      known: 0,
      added: [
        { keyword: 'running shoes', country: 'DE', devices: ['mobile'] },
        { keyword: 'hats', country: 'DE', devices: ['mobile'] },
      ],
      cost: { before: { creditsPerMonth: 93 }, after: { creditsPerMonth: 155 } },
    });
  });

  test('warns if a month would cost more than its budget', async () => {
    folder.write('list.txt', Array.from({ length: 10 }, (_, at) => `keyword ${at}\n`).join(''));
    expect((await go('list.txt')).out).toContain('the budget allows 300 credits a month: 413 would be deferred');
  });

  test('suggests no preferred URL with --no-preferred-urls', async () => {
    const { out } = await go('ranks.csv', '--no-preferred-urls');
    expect(out).not.toContain('preferred URL');
  });

  test.each([
    [['nofile.csv'], 'nofile.csv: the file does not exist'],
    [['odd.csv'], 'it has no column of keywords'],
    [['gsc.csv', '--group', 'colour'], '--group: "colour" is not made of file, folder, cluster'],
    [['gsc.csv', '--project', 'other'], 'there is no project "other"'],
    [['gsc.csv', '--country', 'Narnia'], 'not an ISO 3166-1 country code'],
    [['gsc.csv', '--tag', 'a|b'], 'contains a |'],
    [['gsc.csv', '--dry-run', '--yes'], 'exclude each other'],
    [['gsc.csv', '--map', 'volume=x'], 'is not ROLE=COLUMN'],
    [['gsc.csv', '--limit', '3'], '--limit and --service are for look-ups'],
  ])('%j is refused in a sentence with exit code 2', async (argv, message) => {
    const { exitCode, err } = await go(...argv);
    expect(err).toContain(message);
    expect(exitCode).toBe(2);
  });

  test('prints the line that a project without a keyword file needs', async () => {
    folder.write('rankledger.yaml', config.replace(/ +keywordsFile: .*\n/, ''));
    const { exitCode, err } = await go('gsc.csv');
    expect(exitCode).toBe(2);
    expect(err).toContain('project acme has no keyword file to write to');
    expect(err).toContain('keywordsFile: keywords/acme.csv');
  });
});
