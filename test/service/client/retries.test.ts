import { describe, expect, it } from 'vitest';
import { type ClientOptions, SearchDataClient } from '../../../src/service/client/client.ts';
import type { CallReport, Clock } from '../../../src/service/index.ts';
import { failureOf } from '../../helpers/memory-source.ts';
import type { ProviderOptions } from '../../helpers/provider.ts';
import { setUpRemote } from '../../helpers/remote.ts';

const shoes = { keyword: 'shoes' };
const retries = { attemptsMax: 3, random: () => 0 };
const deadlineMs = 60_000;

/** Sleeps end at once and are recorded; deadlines never fire. */
function hastyClock() {
  let now = Date.UTC(2026, 0, 15);
  const slept: number[] = [];
  const clock: Clock = {
    now: () => now,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      if (ms >= deadlineMs) {
        await new Promise((_, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason), { once: true }),
        );
      }
      slept.push(ms);
      now += ms;
    },
  };
  return { clock, slept };
}

async function setUp(options: ProviderOptions = {}, changes: object = { retries }) {
  const { clock, slept } = hastyClock();
  const remote = await setUpRemote(options, { ...changes, clock });
  return { ...remote, slept };
}

describe('a client that retries', () => {
  it('uses one key, and waits as long as the provider asks', async () => {
    const { client, provider, slept } = await setUp();
    provider.next({ status: 429, retryAfter: '7' });
    expect((await client.serp(shoes)).pages).toHaveLength(1);
    const keys = provider.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(slept).toEqual([7000]);
    expect(provider.sold.serpCredits).toBe(1);
  });

  it('waits half of a doubling delay, and up to as much again', async () => {
    const unreachable = { baseUrl: 'http://127.0.0.1:1' };
    const { client, slept } = await setUp({}, { ...unreachable, retries: { attemptsMax: 9, random: () => 0 } });
    expect((await failureOf(client.serp(shoes))).code).toBe('CONNECTION_FAILED');
    expect(slept).toEqual([250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    const longest = await setUp({}, { ...unreachable, retries: { attemptsMax: 3, random: () => 1 } });
    await failureOf(longest.client.serp(shoes));
    expect(longest.slept).toEqual([500, 1000]);
  });

  it.each([
    ['500, which may have cost something', { status: 500 }],
    ['an answer that was lost after the sale', 'reset-after-sale'],
  ] as const)('leaves %s to its caller, unless the provider stores keys', async (_, fault) => {
    const careful = await setUp();
    careful.provider.next(fault);
    expect((await failureOf(careful.client.serp(shoes))).charged).toBe('unknown');
    expect(careful.provider.requests).toHaveLength(1);

    const keeping = await setUp({ isIdempotent: true }, { retries: { ...retries, keepsKeys: true } });
    keeping.provider.next(fault);
    expect((await keeping.client.serp(shoes)).pages).toHaveLength(1);
    expect(keeping.provider.sold.serpCredits).toBe(1);
  });

  it.each([400, 401, 402, 403, 404])('never repeats a %i', async (status) => {
    const { client, provider } = await setUp({}, { retries: { ...retries, keepsKeys: true } });
    provider.next({ status });
    expect((await failureOf(client.serp(shoes))).status).toBe(status);
    expect(provider.requests).toHaveLength(1);
  });

  it('retries twice by default, and retries requests that may have cost something only if the provider stores keys', async () => {
    const { client, provider } = await setUp(
      { fault: () => ({ status: 429, retryAfter: '5' }) },
      { retries: undefined },
    );
    await failureOf(client.serp(shoes));
    expect(provider.requests).toHaveLength(3);
    const keeping = await setUp({ isIdempotent: true }, { retries: undefined, keepsKeys: true });
    keeping.provider.next('reset-after-sale');
    expect((await keeping.client.serp(shoes)).pages).toHaveLength(1);
    const careful = await setUp({}, { retries: undefined });
    careful.provider.next('reset-after-sale');
    expect((await failureOf(careful.client.serp(shoes))).charged).toBe('unknown');
    expect(careful.provider.requests).toHaveLength(1);
  });

  it('gives up after its attempts', async () => {
    const { client, provider, slept } = await setUp({ fault: () => ({ status: 429, retryAfter: '5' }) });
    expect((await failureOf(client.serp(shoes))).code).toBe('RATE_LIMIT_EXCEEDED');
    expect(provider.requests).toHaveLength(3);
    expect(slept).toEqual([5000, 5000]);
  });

  it('stops waiting when its caller disconnects, and reports the cost of the earlier failure', async () => {
    const { client, provider } = await setUp(
      { fault: () => ({ status: 500, retryAfter: '30' }) },
      {
        retries: { ...retries, keepsKeys: true },
      },
    );
    const stop = new AbortController();
    const onReport = () => queueMicrotask(() => stop.abort());
    const failure = await failureOf(client.serp(shoes, { signal: stop.signal, onReport }));
    expect(failure).toMatchObject({ code: 'ABORTED', charged: 'unknown' });
    expect(provider.requests).toHaveLength(1);
  });

  it.each([
    ['a retry', { status: 429, retryAfter: '3600' }, 'RATE_LIMIT_EXCEEDED', 'no'],
    ['an answer', 'hang-after-sale', 'TIMEOUT', 'unknown'],
  ] as const)('never waits for %s past its time limit', async (_, fault, code, charged) => {
    const { client, provider, clock } = await setUpRemote({}, { retries, timeoutMs: 2_000 });
    const start = clock.now();
    provider.next(fault);
    const first = failureOf(client.serp(shoes));
    await provider.untilRequests(1);
    if (fault === 'hang-after-sale') await clock.advance(2_000);
    expect(await first).toMatchObject({ code, charged });
    if (fault === 'hang-after-sale') return;
    // the pause that the provider asked for holds the next call, too, which says so and when to come back
    const second = await failureOf(client.serp(shoes));
    expect(second).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', charged: 'no', retryAfterMs: 3_600_000 });
    expect(second.message).toContain('Not sent');
    expect(clock.now()).toBe(start);
    expect(provider.requests).toHaveLength(1);
  });

  it('is used only on request', async () => {
    const { client, provider } = await setUpRemote();
    provider.next({ status: 429, retryAfter: '1' });
    await failureOf(client.serp(shoes));
    expect(provider.requests).toHaveLength(1);
  });
});

describe('a client', () => {
  it.each([
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: 0 }],
    ['attemptsMax', { retries: { attemptsMax: Number.NaN } }],
    ['attemptsMax', { retries: { attemptsMax: 0 } }],
    ['attemptsMax', { retries: { attemptsMax: Number.POSITIVE_INFINITY } }],
    ['concurrency', { concurrency: '' }],
    ['requestsPerSecond', { requestsPerSecond: Number.NaN }],
    ['The user', { user: Number.NaN }],
    ['The password', { password: null }],
  ])('refuses what it would send never, for ever or not at all with: %s %j', (name, options) => {
    const given = { baseUrl: 'http://127.0.0.1:9', user: 'u', password: 'p', ...options };
    expect(() => new SearchDataClient(given as ClientOptions)).toThrow(name);
  });

  it('sends nothing after it was closed', async () => {
    const { client, provider } = await setUp();
    await client.close();
    expect(await failureOf(client.serp(shoes))).toMatchObject({ code: 'INTERNAL_ERROR', charged: 'no' });
    expect(await failureOf(client.probe(new AbortController().signal))).toMatchObject({ code: 'INTERNAL_ERROR' });
    expect(provider.requests).toEqual([]);
  });
});

describe('provider details outside the answer', () => {
  it('are reported if present, and omitted otherwise', async () => {
    const { client } = await setUpRemote();
    const reports: CallReport[] = [];
    await client.serp(shoes, { onReport: (report) => reports.push(report) });
    expect(reports).toEqual([{ requestId: 'provider-1' }]);
  });
});
