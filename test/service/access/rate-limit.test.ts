import { describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../../src/service/access/login/rate-limit.ts';
import { setUpCustomers } from '../../helpers/customers.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';

const policy = { count: 4, windowMs: 8000 };
const setUp = (keysMax?: number) => {
  const clock = new FakeClock();
  return { clock, buckets: new TokenBuckets(clock, 'requests', policy, keysMax) };
};
const takes = (buckets: TokenBuckets, key: string, times: number) =>
  Array.from({ length: times }, () => buckets.take(key));

describe('a token bucket', () => {
  it('allows a burst, and then one request at a time, evenly', async () => {
    const { clock, buckets } = setUp();
    expect(takes(buckets, 'ann', 5)).toEqual([true, true, true, true, false]);
    await clock.advance(1999);
    expect(buckets.take('ann')).toBe(false);
    await clock.advance(1);
    expect(takes(buckets, 'ann', 2)).toEqual([true, false]);
    await clock.advance(1_000_000);
    expect(takes(buckets, 'ann', 5)).toEqual([true, true, true, true, false]);
  });

  it('exists once per key', () => {
    const { buckets } = setUp();
    takes(buckets, 'ann', 4);
    expect(buckets.take('bob')).toBe(true);
    expect(buckets.take('__proto__')).toBe(true);
  });

  it('reports the remaining requests and the time of the next refill', async () => {
    const { clock, buckets } = setUp();
    const state = () => [buckets.state('ann').remaining, buckets.state('ann').resetMs];
    expect(state()).toEqual([4, 0]);
    takes(buckets, 'ann', 3);
    expect(state()).toEqual([1, 6000]);
    takes(buckets, 'ann', 1);
    await clock.advance(500);
    expect(state()).toEqual([0, 1500]);
    expect(buckets.state('ann')).toMatchObject({ name: 'requests', ...policy });
  });

  it('takes back what did not count, up to its capacity', () => {
    const { buckets } = setUp();
    takes(buckets, 'ann', 4);
    for (let index = 0; index < 9; index++) buckets.giveBack('ann');
    expect(takes(buckets, 'ann', 5)).toEqual([true, true, true, true, false]);
  });

  it('is evicted if there are too many: the least recently used first', () => {
    const { buckets } = setUp(3);
    takes(buckets, 'ann', 4);
    for (const key of ['b', 'c', 'ann', 'd']) buckets.take(key);
    expect(buckets.take('ann')).toBe(false);
    for (const key of ['e', 'f', 'g']) buckets.take(key);
    expect(buckets.take('ann')).toBe(true);
  });
});

describe('the rate of an API user', () => {
  it('does not apply to a trusted caller', async () => {
    const { service } = await setUpCustomers({}, { requestRate: { count: 1, windowMs: 60_000 } });
    const caller = { kind: 'trusted', account: 'acme' } as const;
    for (let index = 0; index < 5; index++) await service.serp({ keyword: 'shoes' }, { caller });
  });
});
