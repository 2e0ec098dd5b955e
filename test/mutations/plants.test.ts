// The planted bugs still fit the product: each place is found once, and each test file exists. Whether they are caught says main.ts.
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plants } from './plants.ts';

describe('a planted bug', () => {
  it('exists for at least 25 invariants', () => {
    expect(new Set(plants.map(({ invariant }) => invariant)).size).toBeGreaterThanOrEqual(25);
  });

  it.each(plants)(
    'against "$invariant" is found once in the product, and its tests exist',
    ({ file, find, replace, tests }) => {
      expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
      expect(find).not.toBe(replace);
      expect(tests.filter((test) => !existsSync(test))).toEqual([]);
    },
  );
});
