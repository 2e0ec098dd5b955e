// The faults of `npm run torture -- --only faults` in seconds, without planted bugs. The full form is in faults/.
import { expect, it } from 'vitest';
import { faultsTorture } from './faults.ts';

it('a swapped file, a wrong price, the end of a month or a missing folder breaks no ledger and stops no other project', async () => {
  const lines: string[] = [];
  const violations = await faultsTorture((line) => lines.push(line), { quick: true });
  expect(lines.filter((line) => line.includes('VIOLATION'))).toEqual([]);
  expect(violations).toBe(0);
  // a table of faults that never happened would pass as well
  expect(lines.filter((line) => /\| [1-9]\d* +\| 0 +\| not tried$/.test(line)).length).toBe(4);
});
