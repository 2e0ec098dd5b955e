// Tables for a terminal: aligned in any script, and harmless with any text.
import { expect, test } from 'vitest';
import { type Column, factLines, printable, tableLines } from '../../../src/cli/text/table.ts';

const columns: readonly Column<readonly [string, number]>[] = [
  { title: 'keyword', value: ([keyword]) => keyword, widthMax: 12 },
  { title: 'rank', align: 'right', value: ([, rank]) => `${rank}` },
];

test('aligns numbers to the right and cuts long text', () => {
  expect(
    tableLines(columns, [
      ['shoes', 3],
      ['waterproof hiking boots', 112],
    ]),
  ).toEqual(['  keyword       rank', '  shoes            3', '  waterproof …   112']);
});

test('counts wide characters as two columns and combining marks as none', () => {
  const [, wide, marked] = tableLines(columns, [
    ['靴を買う', 1],
    ['cafe\u0301 au lait', 2],
  ]);
  expect(wide).toBe('  靴を買う         1');
  expect(marked).toBe('  cafe\u0301 au lait     2');
});

test('has no lines without rows', () => {
  expect(tableLines(columns, [])).toEqual([]);
  expect(factLines([])).toEqual([]);
});

test('lets no cell move the cursor or change the reading direction', () => {
  expect(printable('a\u001B[2Jb\r\n\u202Ec\u0085')).toBe('a\uFFFD[2Jb\uFFFD\uFFFD\uFFFDc\uFFFD');
  expect(factLines([['name', '\u0007bell']])).toEqual(['  name  \uFFFDbell']);
});
