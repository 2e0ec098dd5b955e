// Suggests tags for new keywords.
import { expect, test } from 'vitest';
import { suggestTags, type TagSource } from '../../../src/import/lists/suggest-tags.ts';

const of = (keyword: string, url: string | null = null, files: readonly string[] = ['gsc'], language = 'en') => ({
  keyword,
  language,
  url,
  files,
});
const by = (...sources: TagSource[]) => new Set(sources);

test('a keyword has the names of its files and the first folder of its page as tags', () => {
  const keywords = [
    of('a', 'https://acme.com/shoes/red', ['gsc', 'semrush']),
    of('b', 'https://acme.com/en-gb/caf%C3%A9/latte'),
    of('c', 'https://acme.com/shoes'),
    of('d', 'https://acme.com/%E0%A4%A/x'),
    of('e'),
    of('f', 'https://acme.com/about/x'),
  ];
  expect(suggestTags(keywords, by('file', 'folder'))).toEqual([
    ['gsc', 'semrush', 'shoes'],
    ['gsc', 'café'],
    ['gsc'],
    ['gsc', '%E0%A4%A'],
    ['gsc'],
    ['gsc'],
  ]);
});

test('a cluster is the word that most keywords share, in its commonest spelling, but not a word of more than half of them', () => {
  const keywords = ['red shoes', 'best shoes for rain', 'shoe shop', 'rain coat', 'rain', 'hat', 'acme hat', 'acme'];
  expect(
    suggestTags(
      keywords.map((keyword) => of(keyword)),
      by('cluster'),
    ),
  ).toEqual([['shoes'], ['rain'], ['shoes'], ['rain'], ['rain'], [], [], []]);
  const same = ['red shoes', 'blue shoes', 'old shoes'];
  expect(
    suggestTags(
      same.map((keyword) => of(keyword)),
      by('cluster'),
    ),
  ).toEqual([[], [], []]);
});

test.each([
  ['en', 'could whose should'],
  ['de', 'warum wofür wofur welches zwischen'],
  ['fr', 'pourquoi combien quels depuis'],
  ['es', 'cuándo cuando quién dónde según'],
  ['it', 'perché perche quanto della dove'],
  ['pt-BR', 'onde quando você pelos'],
  ['nl', 'waarom hoeveel tussen wanneer'],
  ['sv', 'varför vilken utan'],
  ['da', 'hvordan hvilken uden'],
  ['nb', 'hvorfor hvordan uten'],
  ['fi', 'miksi kuinka ilman'],
  ['pl', 'dlaczego gdzie który przez'],
  ['cs', 'proč kolik který'],
  ['hu', 'hogyan miért mennyi'],
  ['ro', 'unde pentru care'],
  ['tr', 'nasıl neden için hangi'],
  ['ru', 'почему сколько какой для'],
  ['uk', 'чому скільки який'],
  ['el', 'γιατί πόσο για'],
  ['he', 'מדוע איפה'],
  ['ar', 'كيف لماذا'],
  ['id', 'bagaimana untuk berapa'],
  ['ja', 'どうやって について'],
  ['ko', '어떻게 어디서'],
])('stop words and question words of %s form no cluster', (language, words) => {
  for (const word of words.split(' ')) {
    const keywords = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((end, at) =>
      of(at < 3 ? `${word} ${end}` : end, null, ['gsc'], language),
    );
    expect([word, suggestTags(keywords, by('cluster')).flat()]).toEqual([word, []]);
  }
});

test('a stop word of another language is a subject', () => {
  const keywords = ['pour over', 'pour spout', 'pour cap', 'a', 'b', 'c'].map((keyword) => of(keyword));
  expect(suggestTags(keywords, by('cluster')).flat()).toEqual(['pour', 'pour', 'pour']);
});

test('words without a subject form no cluster, and no source suggests nothing', () => {
  const keywords = ['how a', 'how b', 'how c', '2026 d', '2026 e', '2026 f', 'g', 'h'].map((keyword) => of(keyword));
  expect(suggestTags(keywords, by('cluster')).flat()).toEqual([]);
  expect(suggestTags([of('a', 'https://acme.com/shoes/x')], by())).toEqual([[]]);
});
