// One budget, two processes: the small form of test/torture/budget.ts.
import { expect, it } from 'vitest';
import { quickOrFull } from '../../helpers/size.ts';
import { spendTogether } from '../../torture/budget.ts';

it('two processes of many workers never overdraw the budget', async () => {
  const size = { processes: 2, workers: 10, reservations: quickOrFull(500, 2000), cap: quickOrFull(200, 800) };
  expect(await spendTogether(size, console.log)).toBe(0);
});
