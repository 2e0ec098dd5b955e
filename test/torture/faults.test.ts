// Some of what `npm run torture -- --only faults` does to real runs, in seconds, without the planted bugs. All of it is in faults/.
import { expect, it } from 'vitest';
import { faultsTorture } from './faults.ts';

it('a swapped file, a wrong price, a turn of the month or a missing folder breaks no books and stops no other project', async () => {
  const lines: string[] = [];
  const violations = await faultsTorture((line) => lines.push(line), { quick: true });
  expect(lines.filter((line) => line.includes('VIOLATION'))).toEqual([]);
  expect(violations).toBe(0);
  // a table of faults that never happened would pass as well
  expect(lines.filter((line) => /\| [1-9]\d* +\| 0 +\| not tried$/.test(line)).length).toBe(4);
});
