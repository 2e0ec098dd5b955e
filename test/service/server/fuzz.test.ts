import { expect, it } from 'vitest';
import { fuzzService } from '../../bench/service-fuzz.ts';

it('3,000 generated requests get no answer outside the tables, and change no prototype', async () => {
  const { statuses, broken, hasCleanPrototypes } = await fuzzService(3000, 42);
  expect(broken).toEqual([]);
  expect(hasCleanPrototypes).toBe(true);
  for (const status of [200, 400, 401, 404, 405, 413]) expect(statuses[status]).toBeGreaterThan(0);
  expect(statuses[200]).toBeGreaterThan(500);
});
