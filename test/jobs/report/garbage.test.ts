// Reports ask for a collection of garbage only where it is worth it, and where Node.js lets them.
import { afterEach, expect, it, vi } from 'vitest';
import { collectGarbage } from '../../../jobs/report/garbage.ts';

afterEach(() => vi.unstubAllGlobals());

it('collects garbage once the heap has grown, and not again until it has grown further', () => {
  const gc = vi.fn();
  vi.stubGlobal('gc', gc);
  const grown = Array.from({ length: 6 }, () => new Array<number>(1_000_000).fill(1));
  collectGarbage();
  expect(gc).toHaveBeenCalledTimes(1);
  collectGarbage();
  expect(gc).toHaveBeenCalledTimes(1);
  expect(grown).toHaveLength(6);
});

it('leaves garbage to V8 where Node.js was not started for it', () => {
  vi.stubGlobal('gc', undefined);
  expect(() => collectGarbage()).not.toThrow();
});
