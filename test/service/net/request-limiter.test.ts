import { describe, expect, it } from 'vitest';
import { RequestLimiter } from '../../../src/service/net/request-limiter.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
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
  it.each([
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [1, 0],
    [1, Number.NaN],
  ])('refuses limits under which no request would leave: %d in flight, %d a second', (concurrency, perSecond) => {
    expect(() => setUp(concurrency, perSecond)).toThrow('must be');
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
});
