// Garbage is collected only in large processes that have grown, and where Node.js lets programs ask for it.
import { afterEach, expect, it, vi } from 'vitest';
import { collectGarbage, giveMemoryBack } from '../../jobs/garbage.ts';

const mebibyte = 1_048_576;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('collects garbage once the process has grown, and not again until it has grown further', () => {
  const gc = vi.fn();
  vi.stubGlobal('gc', gc);
  const resident = vi.spyOn(process.memoryUsage, 'rss');
  const inProcess = (mebibytes: number) => resident.mockReturnValue(mebibytes * mebibyte);
  inProcess(170);
  collectGarbage();
  giveMemoryBack();
  expect(gc, 'a small process').not.toHaveBeenCalled();
  inProcess(200);
  collectGarbage();
  inProcess(210);
  collectGarbage();
  expect(gc).toHaveBeenCalledTimes(1);
  giveMemoryBack();
  inProcess(220);
  giveMemoryBack();
  expect(gc.mock.calls).toEqual([[{ type: 'major', flavor: 'regular' }], [{ type: 'major', flavor: 'last-resort' }]]);
  inProcess(230);
  giveMemoryBack();
  expect(gc).toHaveBeenCalledTimes(3);
});

it('leaves garbage to V8 where Node.js was not started for it', () => {
  vi.stubGlobal('gc', undefined);
  vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(4_096 * mebibyte);
  expect(() => giveMemoryBack()).not.toThrow();
});
