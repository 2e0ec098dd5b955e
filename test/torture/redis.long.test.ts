// The Redis faults of `npm run torture` on a run, in seconds. The full form is in redis.ts.
import { expect, it } from 'vitest';
import { describeWithRedis } from '../helpers/redis.ts';
import { redisTorture } from './redis.ts';

describeWithRedis('a run over Redis', () => {
  it('survives the death of Redis and of workers: each page that is bought twice is accounted for, and none is lost', async () => {
    const lines: string[] = [];
    const violations = await redisTorture((line) => lines.push(line), { quick: true });
    expect(lines.filter((line) => line.includes('VIOLATION'))).toEqual([]);
    expect(violations).toBe(0);
    expect(lines.join('\n')).toMatch(/4 faults over [1-9]\d* runs/);
  });
});
