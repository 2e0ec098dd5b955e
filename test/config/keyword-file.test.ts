import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { failure, folderOf, load, problemsOf, projectWith } from './folder.ts';

const yaml = projectWith('keywordsFile: words.csv').replace('    keywords: [running shoes]\n', '');

async function keywordsOf(csv: string | Uint8Array): Promise<string[]> {
  const [project] = (await load({ 'rankledger.yaml': yaml, 'words.csv': csv })).projects;
  return project?.keywords.map(({ keyword }) => keyword) ?? [];
}

test.each([
  ['commas', 'keyword,tags\na,x\nb,y\n'],
  ['semicolons, CRLF and a byte order mark', '\uFEFFkeyword;tags\r\na;x,y\r\nb;y\r\n'],
  ['tabs and no line end at the end', 'tags\tkeyword\nx\ta\ny\tb'],
  ['old Mac line ends', 'keyword,tags\ra,x\rb,y\r'],
  ['mixed line ends and blank lines', '\n\r\nkeyword,tags\r\na,x\n,\n\nb,y\r\n\n'],
  ['quoted cells', '"keyword","tags"\n"a","x"\n"b","y, z"\n'],
  ['one keyword a line', 'a\n\nb\n'],
  ['one keyword a line, quoted where it holds a comma', '\uFEFF"a"\r\nb\r\n'],
  ['names in capitals and spaces around cells', ' Keyword , TAGS \n  a , x \n b, y\n'],
])('a keyword file with %s is read', async (_, csv) => {
  expect(await keywordsOf(csv)).toEqual(['a', 'b']);
});

test('a paused keyword stays in the file and is not tracked', async () => {
  expect(await keywordsOf('keyword,paused\na,\nb,yes\nc,no\nd,TRUE\n')).toEqual(['a', 'c']);
});

test('a quote inside a cell, a leading apostrophe and a hash are part of the keyword', async () => {
  expect(await keywordsOf('keyword\n5" nails\n\'quoted\'\n#1 shoes\n"a ""b"", c"\n')).toEqual([
    '5" nails',
    "'quoted'",
    '#1 shoes',
    'a "b", c',
  ]);
});

const latin1 = Buffer.from('keyword\nshoes\nsch\u00F6ne schuhe\n', 'latin1');
const utf16 = Buffer.from('\uFEFFkeyword\nshoes\n', 'utf16le');

test.each<[string, string | Uint8Array, readonly (string | RegExp)[]]>([
  [
    'is empty',
    '',
    [
      'words.csv: is empty; the first line must name the columns: keyword,country,language,device,tags,priority,depth,preferred_url,location,paused; or write one keyword per line',
    ],
  ],
  ['holds blank lines only', '\n\n', [/^words\.csv: is empty/]],
  ['ends after its header', 'keyword,tags\n', ['words.csv: has no keywords below its header']],
  [
    'is Latin-1',
    latin1,
    ['words.csv:3 is not UTF-8 (Latin-1 or Windows-1252?); save it as UTF-8 (in Excel: "CSV UTF-8")'],
  ],
  [
    'is an Excel workbook',
    Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0xff]),
    ['words.csv: is a ZIP archive or an Excel workbook, not a text file; save it as UTF-8 (in Excel: "CSV UTF-8")'],
  ],
  ['is UTF-16', utf16, [/^words\.csv: is UTF-16, not UTF-8; save it as UTF-8/]],
  [
    'is a table without a header',
    'running shoes,US\ntrail shoes,US\n',
    [/^words\.csv:1 there is no column "keyword"; the first line must name the columns/],
  ],
  ['has the header of another tool', 'Top queries\nshoes\n', [/^words\.csv:1 there is no column "keyword"/]],
  ['has a header with a typing error', 'keywrod\nshoes\n', [/^words\.csv:1 there is no column "keyword"/]],
  [
    'is a list with several cells in a line',
    'shoes\nshoes, red\nboots;US\n"boots, red"\nsocks\tUS\n',
    [/^words\.csv:2 several cells in a list of one keyword a line/, /^words\.csv:3/, /^words\.csv:5/],
  ],
  ['names a column twice', 'keyword,tags,Tags\na,x,y\n', ['words.csv:1 the column "tags" is named twice']],
  [
    'has a longer row',
    'keyword,tags\n\nshoes, red,x,y\n',
    ['words.csv:3 4 cells, but the header has 2; quote cells that contain the delimiter'],
  ],
  [
    'has a shorter row',
    'keyword,tags\nshoes\n',
    ['words.csv:2 1 cells, but the header has 2; write all cells; empty ones are allowed'],
  ],
  [
    'has a cell with a line break',
    'keyword\n"a\nb"\nc,\n',
    ['words.csv:2 a cell contains a line break; check for an unclosed quote', /^words\.csv:4 2 cells/],
  ],
  ['has a quote that never ends', 'keyword\na\n"b\nc\n', [/^words\.csv:3 a quote is not closed/]],
  [
    'has bad cells in one row',
    'keyword,country,language,device,tags,priority,depth\n,Narnia,xx,phone,a||b,urgent,0\nb,us,EN,Desktop | mobile,,HIGH,100\n',
    [
      'words.csv:2 keyword: the keyword is empty',
      'words.csv:2 country: "Narnia" is not an ISO 3166-1 country code (two letters, such as US, GB, DE)',
      'words.csv:2 language: "xx" is not a language code (such as en, de, pt-BR)',
      'words.csv:2 device: "phone" is not desktop, mobile or desktop|mobile',
      'words.csv:2 tags: the tag is empty',
      'words.csv:2 priority: "urgent" is not high, normal or low',
      'words.csv:2 depth: "0" is not a whole number from 1 to 100',
    ],
  ],
  [
    'has a depth that is not a number',
    'keyword,depth\na,3.0\nb,1e1\nc,101\n',
    [/:2 depth: "3\.0"/, /:3 depth: "1e1"/, /:4 depth: "101"/],
  ],
  [
    'repeats a keyword with a device that would be lost',
    'keyword,device\nShoes,mobile\n sHoes ,desktop|mobile\n',
    [
      'words.csv:3 keyword: "sHoes" is tracked twice in the same market; it is already at words.csv:2; write its devices in one line',
    ],
  ],
  [
    'has preferred URLs that are none',
    'keyword,preferred_url\na,example.com/a\nb,ftp://example.com/\nc,https://\n',
    [/:2 preferred_url: "example\.com\/a" is not an http or https URL/, /:3 preferred_url: "ftp/, /:4 preferred_url/],
  ],
])('a keyword file that %s is refused with its line', async (_, csv, said) => {
  const found = (await failure({ 'rankledger.yaml': yaml, 'words.csv': csv })).message.split('\n');
  expect(found).toHaveLength(said.length);
  for (const [index, expected] of said.entries()) {
    if (typeof expected === 'string') expect(found[index]).toBe(expected);
    else expect(found[index]).toMatch(expected);
  }
});

test.each([
  [
    'has an unknown column',
    'keyword,devise\na,x\n',
    ['words.csv:1 unknown column "devise" is ignored; did you mean device?'],
  ],
  ['has a column without a name', 'keyword,\na,\n', [/^words\.csv:1 column 2 without a name is ignored/]],
  [
    'repeats a keyword',
    'keyword,device\na,mobile\na,desktop\n A ,desktop|mobile\n',
    [
      'words.csv:4 keyword: "A" is tracked twice in the same market; it is already at words.csv:2; the first one counts',
    ],
  ],
])('a keyword file that %s is read with a warning', async (_, csv, said) => {
  const { projects, warnings } = await load({ 'rankledger.yaml': yaml, 'words.csv': csv });
  expect(new Set(projects[0]?.keywords.map(({ keyword }) => keyword))).toEqual(new Set(['a']));
  expect(warnings).toHaveLength(said.length);
  for (const [index, expected] of said.entries()) expect(warnings[index]).toMatch(expected);
});

test('of many repeated keywords the first 50 are named and the others counted', async () => {
  const { warnings } = await load({ 'rankledger.yaml': yaml, 'words.csv': `keyword\n${'shoes\n'.repeat(61)}` });
  expect(warnings).toHaveLength(51);
  expect(warnings.at(-1)).toBe(
    'words.csv: 10 more keywords are tracked twice in the same market; the first one counts',
  );
});

test('countries may be written as codes, as UK and as English names', async () => {
  const csv = 'keyword,country\na,gb\nb,UK\nc,United Kingdom\nd,germany\n';
  const [project] = (await load({ 'rankledger.yaml': yaml, 'words.csv': csv })).projects;
  expect(project?.keywords.map(({ country }) => country)).toEqual(['GB', 'GB', 'GB', 'DE']);
});

test('a keyword has the preferred URL of its row, or of the YAML, or none', async () => {
  const inline = 'keywords: [{ keyword: c, preferredUrl: "http://acme.com/c" }]';
  const csv = 'keyword,preferred_url\na,https://acme.com/A?b=1\nb,\n';
  const [project] = (
    await load({
      'rankledger.yaml': yaml.replace('    keywordsFile', `    ${inline}\n    keywordsFile`),
      'words.csv': csv,
    })
  ).projects;
  expect(project?.keywords.map(({ keyword, preferredUrl }) => [keyword, preferredUrl])).toEqual([
    ['c', 'http://acme.com/c'],
    ['a', 'https://acme.com/A?b=1'],
    ['b', undefined],
  ]);
});

test('a preferred URL outside the targets of the project is a warning with its line', async () => {
  const inline = 'keywords: [{ keyword: c, preferredUrl: "https://globex.com/c" }]';
  const csv = 'keyword,preferred_url\na,https://acme.com/a\nb,https://www.acme.com/b\nd,https://notacme.com/d\n';
  const { warnings } = await load({
    'rankledger.yaml': yaml.replace(
      '    keywordsFile',
      `    competitors: [globex.com]\n    ${inline}\n    keywordsFile`,
    ),
    'words.csv': csv,
  });
  const said = 'belongs to no target of the project; name a page of acme.com, or add the site to the targets';
  expect(warnings).toEqual([
    expect.stringMatching(/^rankledger\.yaml:5.*the preferred URL https:\/\/globex\.com\/c belongs to no target/),
    `words.csv:4 keyword: the preferred URL https://notacme.com/d ${said}`,
  ]);
});

test('of many preferred URLs outside the targets the first 50 are named and the others counted', async () => {
  const rows = Array.from({ length: 61 }, (_, at) => `k${at},https://globex.com/${at}\n`).join('');
  const { warnings } = await load({ 'rankledger.yaml': yaml, 'words.csv': `keyword,preferred_url\n${rows}` });
  expect(warnings).toHaveLength(51);
  expect(warnings.at(-1)).toMatch(/^words\.csv:52 .*the preferred URLs of 11 more keywords belong to no target/);
});

test('a keyword that is also in the YAML is reported with both lines', async () => {
  const both = projectWith('keywordsFile: words.csv');
  const { warnings } = await load({ 'rankledger.yaml': both, 'words.csv': 'keyword\nRunning Shoes\n' });
  expect(warnings).toEqual([expect.stringMatching(/^words\.csv:2 keyword: .*it is already at rankledger\.yaml:4; /)]);
});

test('a missing keyword file is a problem of the key that names it', async () => {
  expect(await problemsOf({ 'rankledger.yaml': yaml })).toEqual([
    {
      file: 'rankledger.yaml',
      line: 4,
      column: 5,
      path: 'projects[0].keywordsFile',
      message: 'words.csv does not exist',
    },
  ]);
});

test('a folder as keyword file is a problem of the key that names it', async () => {
  const cwd = folderOf({ 'rankledger.yaml': yaml });
  mkdirSync(join(cwd, 'words.csv'));
  await expect(loadConfig({ cwd, env: {} })).rejects.toThrow(
    'rankledger.yaml:4:5 projects[0].keywordsFile: words.csv is a folder, not a file',
  );
});

test('lines are counted correctly across the chunks of a long file', async () => {
  const rows = Array.from({ length: 40_000 }, (_, index) => `"word ${index}",`).join('\r\n');
  const csv = `keyword,depth\r\n${rows}\r\nlast,bad\r\n`;
  expect(await problemsOf({ 'rankledger.yaml': yaml, 'words.csv': csv })).toMatchObject([
    { line: 40_002, path: 'depth' },
  ]);
  expect(await keywordsOf(csv.replace('bad', '2'))).toHaveLength(40_001);
});

test('keywords share equal arrays', async () => {
  const csv = 'keyword,tags,device\na,x|y,mobile\nb,x|y,mobile\nc,,\n';
  const [project] = (await load({ 'rankledger.yaml': yaml, 'words.csv': csv })).projects;
  const [a, b, c] = project?.keywords ?? [];
  expect(a?.tags).toBe(b?.tags);
  expect(a?.devices).toBe(b?.devices);
  expect(c?.tags).not.toBe(a?.tags);
});

test('a problem of a file is reported once, even if several projects name it', async () => {
  const project = (id: string) => `  - { id: ${id}, targets: [acme.com], keywordsFile: words.csv }\n`;
  const problems = await problemsOf({
    'rankledger.yaml': `projects:\n${project('a')}${project('b')}`,
    'words.csv': 'keyword,depth\nshoes,0\n',
  });
  expect(problems.map(({ file, line, path }) => [file, line, path])).toEqual([['words.csv', 2, 'depth']]);
});
