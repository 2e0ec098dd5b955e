// Keywords with invisible characters are kept as written, with a warning that names file and line.
import { expect, test } from 'vitest';
import { load, projectWith } from './folder.ts';

const name = 'rankledger.yaml';
const withFile = projectWith('keywordsFile: words.csv').replace('    keywords: [running shoes]\n', '');

async function loaded(yaml: string, csv?: string) {
  const config = await load({ [name]: yaml, ...(csv !== undefined && { 'words.csv': csv }) });
  const keywords = config.projects[0]?.keywords.map(({ keyword }) => keyword);
  return { keywords, warnings: config.warnings.filter((each) => each.includes('invisible')) };
}

test('a keyword in a file is named with its line and its characters, and kept as written', async () => {
  const { keywords, warnings } = await loaded(
    withFile,
    'keyword\nshoes\nrun\u200bning\n\u202bחולצות\u202c\nכתב\u200eיד\u200f\n',
  );
  expect(keywords).toEqual(['shoes', 'run\u200bning', '\u202bחולצות\u202c', 'כתב\u200eיד\u200f']);
  expect(warnings).toEqual([
    'words.csv:3 keyword: the keyword "running" contains invisible characters (U+200B); type the keyword instead of copying it',
    'words.csv:4 keyword: the keyword "חולצות" contains invisible characters (U+202B, U+202C); type the keyword instead of copying it',
    'words.csv:5 keyword: the keyword "כתביד" contains invisible characters (U+200E, U+200F); type the keyword instead of copying it',
  ]);
});

test('a keyword in the config is named with its line', async () => {
  const { warnings } = await loaded(projectWith().replace('[running shoes]', '[a, "b\\u2066c\\u2069", "d\\ufeffe"]'));
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatch(/^rankledger\.yaml:\d+:\d+ projects\[0\]\.keywords\[1\]: .*"bc".*\(U\+2066, U\+2069\)/);
  expect(warnings[1]).toMatch(/keywords\[2\]: .*"de".*\(U\+FEFF\)/);
});

test('two keywords that differ only by such characters are reported as one search that is paid for twice', async () => {
  const { warnings } = await loaded(
    withFile,
    'keyword,country\nRed shoes,US\nred\u200e shoes,US\nred shoes\u00ad,GB\n',
  );
  expect(warnings).toEqual([
    expect.stringContaining('it duplicates the keyword at words.csv:2, so one search is paid for twice'),
    expect.not.stringContaining('same search'),
  ]);
});

test('joiners that change a word, and joined emoji, are accepted', async () => {
  const { keywords, warnings } = await loaded(withFile, 'keyword\nمی\u200cخواهم\n👩\u200d🚀 costume\n❤\ufe0f\n');
  expect(keywords).toHaveLength(3);
  expect(warnings).toEqual([]);
});

test('a keyword of invisible characters alone is blank', async () => {
  await expect(loaded(withFile, 'keyword\nshoes\n\u200b\u200e\n')).rejects.toThrow(
    'words.csv:3 keyword: the keyword is empty',
  );
});

test('of a million such keywords fifty are named', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => `shoe\u200b ${at}`);
  expect((await loaded(withFile, `keyword\n${rows.join('\n')}\n`)).warnings).toHaveLength(50);
});
