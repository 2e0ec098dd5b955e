// The kills of `npm run torture` in seconds: a few random moments. The full form is in kill.ts.
import { expect, it } from 'vitest';
import { killTorture } from './kill.ts';

it('a run that is killed at any moment is resumed at once: nothing is bought twice, lost or unaccounted for', async () => {
  const lines: string[] = [];
  await killTorture((line) => lines.push(line), { quick: true, kills: 3, chains: 1 });
  expect(lines.filter((line) => line.includes('VIOLATION'))).toEqual([]);
  // some died with requests in flight
  expect(lines.join('\n')).toMatch(/\b[1-9]\d* while buying/);
});
