// A clock that is set back by a day does not delay the request limiter, the breaker, keys or proxies.
import { describe, expect, it } from 'vitest';
import { Breaker, breakerLimits } from '../../../jobs/purchase/breaker.ts';
import { RequestLimiter } from '../../../src/service/net/request-limiter.ts';
import { ProxyPool } from '../../../src/service/sources/fetchers/proxies.ts';
import { KeyRing } from '../../../src/service/sources/vendor-kit/client.ts';

const dayMs = 86_400_000;

/** Sleeps take no real time and advance the clock; more sleeps than any wait needs are reported as a hang. */
function settableClock() {
  let shown = 10 * dayMs;
  let sleeps = 0;
  return {
    now: () => shown,
    sleep: async (ms: number) => {
      sleeps += 1;
      if (sleeps > 100) throw new Error('it waits for ever');
      shown += ms;
    },
    putBack(ms: number) {
      shown -= ms;
    },
  };
}

describe('a clock that is set back by a day', () => {
  it('spaces requests as before', async () => {
    const clock = settableClock();
    const gate = new RequestLimiter(clock, 1, 10);
    (await gate.enter(undefined))();
    clock.putBack(dayMs);
    const before = clock.now();
    (await gate.enter(undefined))();
    expect(clock.now() - before).toBeLessThanOrEqual(100);
  });

  it('extends no pause of a provider or of a failing service', async () => {
    const clock = settableClock();
    const gate = new RequestLimiter(clock, 1, undefined);
    gate.pauseUntil(clock.now() + 5000);
    clock.putBack(dayMs);
    const before = clock.now();
    await gate.enter(undefined);
    expect(clock.now() - before).toBe(5000);

    const breaker = new Breaker('vendor', 0);
    for (let failures = 0; failures < breakerLimits.failuresMax; failures += 1)
      breaker.admit(2 * dayMs)?.end('failed', 2 * dayMs);
    expect(breaker.room(2 * dayMs)).toBe(0);
    expect(breaker.pauseMs(dayMs)).toBe(60_000);
    expect(breaker.room(dayMs + 60_000)).toBe(1);
  });

  it('extends no rest of keys and proxies', async () => {
    const clock = settableClock();
    const keys = new KeyRing(clock, 'vendor', ['a']);
    keys.hold('a', 'throttled', 5000);
    const routes = new ProxyPool(clock, ['direct'], 5000);
    routes.settle('direct', 'blocked');
    clock.putBack(dayMs);
    expect(keys.hasFree).toBe(false);
    expect(() => routes.take()).toThrow();
    await clock.sleep(5000);
    expect(keys.take()).toBe('a');
    expect(routes.take()).toBe('direct');
  });
});
