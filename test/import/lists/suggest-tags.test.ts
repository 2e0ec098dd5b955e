// Suggests tags for new keywords.
import { expect, test } from 'vitest';
import { suggestTags, type TagSource } from '../../../src/import/lists/suggest-tags.ts';

const of = (keyword: string, url: string | null = null, files: readonly string[] = ['gsc']) => ({
  keyword,
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
  ];
  expect(suggestTags(keywords, by('file', 'folder'))).toEqual([
    ['gsc', 'semrush', 'shoes'],
    ['gsc', 'café'],
    ['gsc'],
    ['gsc', '%E0%A4%A'],
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

test('words without a subject form no cluster, and no source suggests nothing', () => {
  const keywords = ['how a', 'how b', 'how c', '2026 d', '2026 e', '2026 f', 'g', 'h'].map((keyword) => of(keyword));
  expect(suggestTags(keywords, by('cluster')).flat()).toEqual([]);
  expect(suggestTags([of('a', 'https://acme.com/shoes/x')], by())).toEqual([[]]);
});
