// Edits of lines of a keyword file: nothing else of it changes, and the diff is the one that git shows.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editKeywordLines, type LineChange, unifiedDiff } from '../../config/keyword-files/keyword-lines.ts';
import { temporaryFolder } from '../helpers/closing.ts';

const edit = (text: string, ...changes: [number, LineChange][]) => editKeywordLines(text, new Map(changes));
const after = (edits: ReturnType<typeof edit>) => edits.map((line) => line.after ?? '').join('');
const many = Array.from({ length: 40 }, (_, at) => `keyword ${at},a|b\n`).join('');

const cases: readonly (readonly [string, string, readonly [number, LineChange][], string])[] = [
  [
    'a tag, with quotes, blank lines and line ends kept',
    'keyword,"tags",note\r\n"a, b","x",\'keep\'\r\n\r\nb,,"q ""z"""\r\n',
    [[4, { tags: ['x', 'y'] }]],
    'keyword,"tags",note\r\n"a, b","x",\'keep\'\r\n\r\nb,x|y,"q ""z"""\r\n',
  ],
  [
    'a column that is missing',
    'keyword;depth\na;1\nb;\n',
    [[2, { paused: true }]],
    'keyword;depth;paused\na;1;yes\nb;;\n',
  ],
  ['a plain list, which gets a header', '\uFEFFa\n"b, c"', [[2, { tags: ['t'] }]], '\uFEFFkeyword,tags\na,\n"b, c",t'],
  [
    'a line that goes',
    '\uFEFFa\nb\nc',
    [
      [1, null],
      [3, null],
    ],
    '\uFEFFb\n',
  ],
  ['a tag that runs as a formula', 'keyword,tags\na,\n', [[2, { tags: ['=1'] }]], "keyword,tags\na,'=1\n"],
  ['a line that is no longer paused', 'paused,keyword\nyes,a\n', [[2, { paused: false }]], 'paused,keyword\n,a\n'],
  [
    'lines far from each other',
    `keyword,tags\n${many}`,
    [
      [3, { tags: ['x'] }],
      [4, null],
      [12, { tags: [] }],
      [41, { tags: ['a'] }],
    ],
    `keyword,tags\n${many}`
      .replace('1,a|b', '1,x')
      .replace('keyword 2,a|b\n', '')
      .replace('10,a|b', '10,')
      .replace('39,a|b', '39,a'),
  ],
];

describe('an edit', () => {
  it.each(cases)('writes %s', (_, text, changes, expected) => {
    const edits = edit(text, ...changes);
    expect(edits.map(({ before }) => before ?? '').join('')).toBe(text);
    expect(after(edits)).toBe(expected);
  });

  it.each(cases)('of %s is shown by a diff that git applies', (_, text, changes, expected) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'k.csv'), text);
    const options = { cwd: folder, encoding: 'utf8', input: unifiedDiff('k.csv', edit(text, ...changes)) } as const;
    expect(spawnSync('git', ['apply', '--verbose', '-'], options).stderr).toContain('Applied');
    expect(spawnSync('cat', ['k.csv'], options).stdout).toBe(expected);
  });

  it('that changes nothing has no diff', () => {
    expect(unifiedDiff('k.csv', edit('a\nb\n'))).toBe('');
  });
});
