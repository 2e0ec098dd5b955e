// Which keywords an ads planner would count as one.
import { describe, expect, it } from 'vitest';
import { variantKey, variantWords } from '../../src/tracker/searches.ts';

const metrics = { searchVolume: 74_000, cpcMicroUsd: 1_250_000, competition: 40, competitionLevel: 'medium' };

describe('the words of close variants', () => {
  it.each([
    ['running shoes', 'shoes running'],
    ['Running Shoe', 'running shoes'],
    ['boxes', 'box'],
    ['berries', 'berry'],
    ['Schuhe', 'schuh'],
    ['café zürich', 'cafe zurich'],
    ["men's shoes", 'mens shoe'],
    ['t-shirt', 't shirt'],
    ['shoes shoes', 'shoe'],
  ])('%j and %j are the same', (one, other) => expect(variantWords(one)).toBe(variantWords(other)));

  it.each([
    ['running shoes', 'running shorts'],
    ['shoes', 'running shoes'],
    ['bus', 'bu'],
    ['東京 ラーメン', '東京 寿司'],
  ])('%j and %j are not', (one, other) => expect(variantWords(one)).not.toBe(variantWords(other)));
});

describe('a group of close variants', () => {
  it('needs the same metrics as well', () => {
    const key = variantKey('shoe', metrics);
    expect(variantKey('shoe', { ...metrics })).toBe(key);
    for (const other of [
      { searchVolume: 74_001 },
      { cpcMicroUsd: null },
      { competition: 41 },
      { competitionLevel: null },
    ]) {
      expect(variantKey('shoe', { ...metrics, ...other })).not.toBe(key);
    }
  });

  it('is empty if nothing could be counted twice', () => {
    expect(variantKey('shoe', { ...metrics, searchVolume: null })).toBeNull();
    expect(variantKey('shoe', { ...metrics, searchVolume: 0 })).toBeNull();
    expect(variantKey('', metrics)).toBeNull();
  });
});
