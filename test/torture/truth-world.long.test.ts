// The false source of `npm run torture -- --only truth` in seconds. The full form is in truth-world.ts.
import { expect, it } from 'vitest';
import { tortureOfWorlds } from './truth-world.ts';

it('a source with false answers causes no false loss of a ranking, no false alert and no overspent credit', async () => {
  const lines: string[] = [];
  const violations = await tortureOfWorlds((line) => lines.push(line), { quick: true });
  expect(lines).toHaveLength(4);
  expect(lines.every((line) => line.includes(': 0 false drops, 0 false alerts, 0 wrong ranks, '))).toBe(true);
  expect(lines.every((line) => line.includes('2 of 2 true drops'))).toBe(true);
  expect(violations).toBe(0);
});
