// Adds keywords to the text of a keyword file.
import { expect, test } from 'vitest';
import { type KeywordEntry, withKeywords } from '../../config/keyword-files/keyword-file.ts';

const plain: KeywordEntry[] = [{ keyword: 'a, b' }, { keyword: 'c' }];
const full: KeywordEntry[] = [
  { keyword: 'd', country: 'GB', devices: ['desktop', 'mobile'], tags: ['x', 'y'], preferredUrl: 'https://acme.com/d' },
];

test.each<[string, string | null, readonly KeywordEntry[], string]>([
  ['a new file has the columns that it needs', null, plain, 'keyword\n"a, b"\nc\n'],
  [
    'an empty file is a new one',
    '\n',
    full,
    'keyword,country,device,tags,preferred_url\nd,GB,desktop|mobile,x|y,https://acme.com/d\n',
  ],
  ['a list stays a list', 'shoes\n', plain, 'shoes\n"a, b"\nc\n'],
  ['a list without a last line end gets one', 'shoes', plain, 'shoes\n"a, b"\nc\n'],
  [
    'a list becomes a table where a keyword needs a column',
    '\uFEFF"shoes, red"\r\nboots\r\n',
    [{ keyword: 'c', tags: ['x'] }],
    '\uFEFFkeyword,tags\r\n"shoes, red",\r\nboots,\r\nc,x\r\n',
  ],
  ['a list becomes a table where it cannot hold a keyword', 'shoes\n', [{ keyword: 'a;b' }], 'keyword\nshoes\na;b\n'],
  [
    'a table keeps its lines, its columns, its order and its delimiter',
    'Tags;Keyword;note\r\n  x ; "shoes" ;keep\r\n\r\n',
    plain,
    'Tags;Keyword;note\r\n  x ; "shoes" ;keep\r\n\r\n;a, b;\r\n;c;\r\n',
  ],
  [
    'a table gets the columns that it lacks',
    'keyword,note\nshoes,"keep, this"\n',
    full,
    'keyword,note,country,device,tags,preferred_url\nshoes,"keep, this",,,,\nd,,GB,desktop|mobile,x|y,https://acme.com/d\n',
  ],
])('%s', (_what, text, entries, expected) => {
  expect(withKeywords(text, entries)).toBe(expected);
});
