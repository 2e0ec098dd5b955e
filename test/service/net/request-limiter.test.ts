import { describe, expect, it } from 'vitest';
import { RequestLimiter } from '../../../src/service/net/request-limiter.ts';
import { FakeClock, settled } from '../../helpers/fake-clock.ts';
import { failureOf } from '../../helpers/memory-source.ts';

function setUp(concurrency: number, requestsPerSecond?: number) {
  const clock = new FakeClock(0);
  const gate = new RequestLimiter(clock, concurrency, requestsPerSecond);
  const inside: string[] = [];
  const exits = new Map<string, () => void>();
  const enter = async (name: string, signal?: AbortSignal) => {
    const leave = await gate.enter(signal);
    inside.push(name);
    exits.set(name, leave);
  };
  return { clock, gate, inside, exits, enter };
}

describe('the request limiter of a provider', () => {
  it('admits as many requests as the concurrency allows, then one for each that ends, in order', async () => {
    const { inside, exits, enter } = setUp(2);
    for (const name of ['a', 'b', 'c', 'd', 'e']) void enter(name);
    await settled();
    expect(inside).toEqual(['a', 'b']);
    exits.get('b')?.();
    await settled();
    expect(inside).toEqual(['a', 'b', 'c']);
    exits.get('a')?.();
    exits.get('c')?.();
    await settled();
    expect(inside).toEqual(['a', 'b', 'c', 'd', 'e']);
    void enter('f');
    await settled();
    expect(inside).not.toContain('f');
  });

  it.each([
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [1, 0],
    [1, Number.NaN],
  ])('refuses limits under which no request would leave: %d in flight, %d a second', (concurrency, perSecond) => {
    expect(() => setUp(concurrency, perSecond)).toThrow('must be');
  });

  it('removes a cancelled request from the queue, at no cost', async () => {
    const { inside, exits, enter } = setUp(1);
    const stop = new AbortController();
    void enter('a');
    const leaving = failureOf(enter('b', stop.signal));
    void enter('c');
    await settled();
    stop.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED', charged: 'no' });
    exits.get('a')?.();
    await settled();
    expect(inside).toEqual(['a', 'c']);
  });

  it('gives the permit of a request that is cancelled during a pause to the next', async () => {
    const { clock, gate, inside, enter } = setUp(1);
    gate.pauseUntil(1000);
    const stop = new AbortController();
    const leaving = failureOf(enter('a', stop.signal));
    void enter('b');
    await clock.untilSleeping();
    stop.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED', charged: 'no' });
    await clock.advance(1000);
    expect(inside).toEqual(['b']);
  });

  it('admits no request until the longest pause is over, including those about to start', async () => {
    const { clock, gate, inside, enter } = setUp(5);
    gate.pauseUntil(1000);
    void enter('a');
    await clock.untilSleeping();
    gate.pauseUntil(3000);
    gate.pauseUntil(2000);
    await clock.advance(2999);
    expect(inside).toEqual([]);
    await clock.advance(1);
    expect(inside).toEqual(['a']);
  });

  it('spaces requests so that no second contains more than its limit', async () => {
    const { clock, inside, enter } = setUp(100, 4);
    for (let index = 0; index < 10; index++) void enter(String(index));
    await settled();
    expect(inside).toHaveLength(1);
    await clock.advance(999);
    expect(inside).toHaveLength(4);
    await clock.advance(10_000);
    expect(inside).toHaveLength(10);
    void enter('late');
    void enter('later');
    await settled();
    expect(inside).toHaveLength(11);
  });
});
