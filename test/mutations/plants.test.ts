// Each planted bug still applies: it occurs once in its file, and its tests exist. main.ts checks that it is caught.
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { plants } from './plants.ts';

describe('a planted bug', () => {
  it('exists for at least 100 invariants', () => {
    expect(new Set(plants.map(({ invariant }) => invariant)).size).toBeGreaterThanOrEqual(100);
  });

  it.each(plants)(
    'against "$invariant" is found once in the product, and its tests exist',
    ({ file, find, replace, tests }) => {
      expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
      expect(find).not.toBe(replace);
      expect(tests.filter((test) => !existsSync(test))).toEqual([]);
    },
  );

  it('leaves its file readable: tests that cannot run would prove nothing', () => {
    const planted = plants.filter(({ file }) => /\.[jt]s$/.test(file));
    for (const { file, find, replace } of planted) {
      const code = readFileSync(file, 'utf8').replace(find, () => replace);
      expect(() => stripTypeScriptTypes(code), `${file}: ${replace}`).not.toThrow();
    }
    expect(planted.length).toBeGreaterThan(0);
  });
});
