import { expect, it } from 'vitest';
import { fuzzService } from '../../bench/service-fuzz.ts';
import { quickOrFull } from '../../helpers/size.ts';

it('thousands of generated requests get no answer outside the tables, and change no prototype', async () => {
  const requests = quickOrFull(1500, 3000);
  const { statuses, broken, hasCleanPrototypes } = await fuzzService(requests, 42);
  expect(broken).toEqual([]);
  expect(hasCleanPrototypes).toBe(true);
  for (const status of [200, 400, 401, 404, 405, 413]) expect(statuses[status]).toBeGreaterThan(0);
  expect(statuses[200]).toBeGreaterThan(requests / 6);
});
