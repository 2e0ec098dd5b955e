// Some of what `npm run torture -- --only truth` does to a tracked world, in seconds. All of it is in truth-world.ts.
import { expect, it } from 'vitest';
import { tortureOfWorlds } from './truth-world.ts';

it('a source that answers falsely makes no ranking lost that was not, no false alert and no credit over the budget', async () => {
  const lines: string[] = [];
  const violations = await tortureOfWorlds((line) => lines.push(line), { quick: true });
  expect(lines).toHaveLength(4);
  expect(lines.every((line) => line.includes(': 0 false drops, 0 false alerts, 0 wrong ranks, '))).toBe(true);
  expect(lines.every((line) => line.includes('2 of 2 true drops'))).toBe(true);
  expect(violations).toBe(0);
});
