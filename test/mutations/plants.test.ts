// Each planted bug still applies: it occurs once in its file, and its tests exist. main.ts checks that it is caught.
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
