// The report faults of `npm run torture` in seconds. The full form is in reports.ts.
import { expect, it } from 'vitest';
import { reportsTorture } from './reports.ts';

it('a death or a full disk while reports are written leaves the old report or the new one', async () => {
  const lines: string[] = [];
  const violations = await reportsTorture((line) => lines.push(line), { injections: 6 });
  expect(lines).toEqual(['reports: the old report or the new one after 6 of 6 deaths and full disks']);
  expect(violations).toBe(0);
});
