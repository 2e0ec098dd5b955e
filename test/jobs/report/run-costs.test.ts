// Reports that are made together read what the checks of a run cost once.
import { expect, it } from 'vitest';
import { RunCosts } from '../../../jobs/read/rows/run-costs.ts';

it('are read once a run', () => {
  const read: number[] = [];
  const costs = new RunCosts({
    checkCosts: (runId) => {
      read.push(runId);
      return [];
    },
  });
  for (const runId of [1, 2, 1, 2]) expect(costs.of(runId)).toEqual([]);
  expect(read).toEqual([1, 2]);
});
