// The kills of `npm run torture` in seconds: a few random moments. The full form is in kill.ts.
import { expect, it } from 'vitest';
import { quickOrFull } from '../helpers/size.ts';
import { killTorture } from './kill.ts';

it('a run that is killed at any moment is resumed at once: nothing is bought twice, lost or unaccounted for', async () => {
  const lines: string[] = [];
  await killTorture((line) => lines.push(line), { quick: true, kills: quickOrFull(2, 4), chains: quickOrFull(1, 2) });
  expect(lines.filter((line) => line.includes('VIOLATION'))).toEqual([]);
  // some died with requests in flight
  expect(lines.join('\n')).toMatch(/\b[1-9]\d* while buying/);
});
