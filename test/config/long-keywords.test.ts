// Keywords with more words than engines read are kept, with a warning that names file and line.
import { expect, test } from 'vitest';
import { load, projectWith } from './folder.ts';

const words = (count: number, first = 'w') => Array.from({ length: count }, (_, at) => `${first}${at + 1}`).join(' ');

async function warningsOf(...keywords: readonly string[]) {
  const yaml = projectWith('keywordsFile: words.csv').replace('    keywords: [running shoes]\n', '');
  const files = { 'rankledger.yaml': yaml, 'words.csv': `keyword\n${keywords.join('\n')}\n` };
  return (await load(files)).warnings.filter((each) => each.includes('words'));
}

test('a keyword of more than 32 words is named with its line, and what happens to it', async () => {
  expect(await warningsOf('shoes', words(32), words(38))).toEqual([
    'words.csv:4 keyword: the keyword "w1 w2 w3 w4 w5 w6 w7 w8 w9 w10..." has 38 words: engines may ignore those after the 32nd, and a page that says so is refused; track a shorter keyword',
  ]);
});

test('of many such keywords fifty are named, and the others counted', async () => {
  const warnings = await warningsOf(...Array.from({ length: 60 }, (_, at) => words(33, `k${at}x`)));
  expect(warnings).toHaveLength(50);
  expect(warnings.at(-1)).toContain('; so have 10 more keywords;');
});
