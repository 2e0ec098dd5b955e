// One budget, two processes: the small form of test/torture/budget.ts.
import { expect, it } from 'vitest';
import { spendTogether } from '../../torture/budget.ts';

it('two processes of many workers never overdraw the budget', async () => {
  const size = { processes: 2, workers: 10, reservations: 500, cap: 200 };
  expect(await spendTogether(size, console.log)).toBe(0);
});
