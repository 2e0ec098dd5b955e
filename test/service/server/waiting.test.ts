import { Agent, buildConnector } from 'undici';
import { describe, expect, it } from 'vitest';
import { SearchDataClient } from '../../../src/service/client/client.ts';
import { closeLater } from '../../helpers/closing.ts';
import { FakeClock, settled } from '../../helpers/fake-clock.ts';
import { failureOf } from '../../helpers/memory-source.ts';
import { type Fault, startProvider } from '../../helpers/provider.ts';
import { setUpRemote } from '../../helpers/remote.ts';

const shoes = { keyword: 'shoes' };

describe('waiting for a provider', () => {
  it('ends at the timeout, which an answer in time stops', async () => {
    const { client, provider, clock } = await setUpRemote({}, { timeoutMs: 30_000 });
    await client.serp(shoes);
    expect(clock.sleeping).toBe(0);
    provider.next('hang-after-sale');
    const failure = failureOf(client.serp(shoes));
    await provider.untilRequests(2);
    await clock.advance(29_999);
    expect(clock.sleeping).toBe(1);
    await clock.advance(1);
    expect(await failure).toMatchObject({ code: 'TIMEOUT', charged: 'unknown', disposition: 'retry' });
    expect(provider.sold.serpCredits).toBe(2);
  });

  it('ends with the signal of the caller: the charge is unknown once the request was sent', async () => {
    const { client, provider, clock } = await setUpRemote();
    provider.next('hang-before-sale');
    const stop = new AbortController();
    const failure = failureOf(client.serp(shoes, { signal: stop.signal }));
    await provider.untilRequests(1);
    stop.abort();
    expect(await failure).toMatchObject({ code: 'ABORTED', charged: 'unknown' });
    expect(await failureOf(client.serp(shoes, { signal: stop.signal }))).toMatchObject({
      code: 'ABORTED',
      charged: 'no',
    });
    expect(provider.requests).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  it('for a connection costs nothing, and a cancelled request is not sent if the connection opens later', async () => {
    const provider = await startProvider();
    const late: (() => void)[] = [];
    let isSlow = true;
    const connectNow = buildConnector({});
    const slow = new Agent({
      connect(options, callback) {
        if (isSlow) late.push(() => connectNow(options, callback));
        else connectNow(options, callback);
      },
    });
    const clock = new FakeClock();
    const { url: baseUrl, user, password } = provider;
    const client = new SearchDataClient({
      retries: { attemptsMax: 1 },
      baseUrl,
      user,
      password,
      clock,
      timeoutMs: 1000,
      dispatcher: slow,
    });
    closeLater(client);
    closeLater(slow);
    const stop = new AbortController();
    const waiting = failureOf(client.serp(shoes));
    const left = failureOf(client.serp(shoes, { signal: stop.signal }));
    await clock.untilSleeping(2);
    stop.abort();
    expect(await left).toMatchObject({ code: 'ABORTED', charged: 'no' });
    await clock.advance(1000);
    expect(await waiting).toMatchObject({ code: 'TIMEOUT', charged: 'no' });
    while (late.length === 0) await settled();
    isSlow = false;
    for (const connect of late) connect();
    expect((await client.serp({ keyword: 'boots' })).pages).toHaveLength(1);
    expect(provider.requests.map(({ body }) => body['keyword'])).toEqual(['boots']);
  });

  it('holds every call after a 429 until its Retry-After, and not longer than an hour', async () => {
    const { client, provider, clock } = await setUpRemote();
    const start = clock.now();
    provider.next({ status: 429, retryAfter: '7' });
    expect(await failureOf(client.serp(shoes))).toMatchObject({ disposition: 'wait', retryAfterMs: 7000 });
    const others = [client.serp({ keyword: 'boots' }), client.keywordData(shoes)];
    await clock.untilSleeping(2);
    await clock.advance(6999);
    expect(provider.requests).toHaveLength(1);
    await clock.advance(1);
    await Promise.all(others);
    expect(clock.now() - start).toBe(7000);
    provider.next({ status: 429, retryAfter: '86400' });
    const cut = await failureOf(client.serp(shoes));
    expect(cut.retryAfterMs).toBe(3_600_000);
    expect(cut.message).toMatch(/ \(Retry-After: 86400\)$/);
  });

  it.each([
    [{ status: 429 }, 1000],
    [{ status: 429, retryAfter: '0' }, 0],
    [{ status: 429, retryAfter: 'Thu, 15 Jan 2026 06:00:30 GMT' }, 30_000],
    [{ status: 429, retryAfter: 'Thu, 15 Jan 2026 05:00:00 GMT' }, 0],
    [{ status: 429, retryAfter: 'soon' }, 1000],
    [{ status: 429, retryAfter: '-5' }, 1000],
    [{ status: 503, retryAfter: '12' }, 12_000],
    [{ status: 503 }, undefined],
  ] as [Fault, number | undefined][])('reads %j as %s ms', async (fault, expected) => {
    const { client, provider } = await setUpRemote();
    provider.next(fault);
    expect((await failureOf(client.serp(shoes))).retryAfterMs).toBe(expected);
  });

  it('for a permit does not count towards the timeout, ends with the signal, and costs nothing', async () => {
    const { client, provider, clock } = await setUpRemote({}, { concurrency: 1, timeoutMs: 1000 });
    provider.next('hang-before-sale');
    const stop = new AbortController();
    const hanging = failureOf(client.serp(shoes, { timeoutMs: 5000 }));
    const second = client.serp(shoes);
    const leaving = failureOf(client.serp(shoes, { signal: stop.signal }));
    await provider.untilRequests(1);
    stop.abort();
    expect(await leaving).toMatchObject({ code: 'ABORTED', charged: 'no' });
    expect(provider.requests).toHaveLength(1); // the second waits for as long as the first may take
    await clock.advance(5000);
    expect((await hanging).code).toBe('TIMEOUT');
    expect((await second).pages).toHaveLength(1);
    expect(provider.requests).toHaveLength(2);
  });

  it('respects the concurrency and the rate per second', async () => {
    const { client, provider, clock } = await setUpRemote({}, { concurrency: 4, requestsPerSecond: 10 });
    const start = clock.now();
    const all = Promise.all(Array.from({ length: 12 }, () => client.serp(shoes)));
    let done = false;
    void all.then(() => {
      done = true;
    });
    while (!done) {
      const seen = provider.requests.length;
      expect(seen).toBeLessThanOrEqual(Math.floor((clock.now() - start) / 100) + 1);
      await settled();
      if (clock.sleeping > 0) await clock.advance(10);
    }
    expect(provider.mostAtOnce).toBeLessThanOrEqual(4);
    expect(clock.now() - start).toBeGreaterThanOrEqual(1100);
  });
});
