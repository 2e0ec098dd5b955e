// Lines come in their order exactly as they were added, over many pieces and blocks.
import { describe, expect, it } from 'vitest';
import { SortedLines } from '../../../src/report/formats/sorted-lines.ts';
import { seeded } from '../../helpers/seeded.ts';
import { lineTexts } from '../line-texts.ts';
import { MemoryScratch } from '../memory-scratch.ts';

function sortedText(lines: readonly string[], keys: readonly number[]): string {
  const sorted = new SortedLines((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0), new MemoryScratch());
  for (const line of lines) sorted.add(line);
  return Buffer.concat(Array.from(sorted.chunks(), (chunk) => Buffer.from(chunk))).toString('utf8');
}

const lines: typeof lineTexts = [
  ...lineTexts,
  ['the longest lines', ['a', 'ä'.repeat(1_200_000), '', 'b', 'c'.repeat(70_000)]],
];

describe('sorted lines', () => {
  it.each(lines)('returns %s by their keys; lines of equal keys in the order of their rows', (_, texts) => {
    const random = seeded(7);
    const keys = texts.map(() => Math.floor(random() * 1_000));
    const order = texts.map((_, index) => index).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0));
    expect(sortedText(texts, keys) === order.map((index) => texts[index]?.toWellFormed()).join('')).toBe(true);
  });
});
