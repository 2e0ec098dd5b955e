import { describe, expect, it } from 'vitest';
import { type CallReport, createSearchDataService, ServiceError } from '../../../src/service/index.ts';
import { callerOf, cheapScrypt, setUpCustomers } from '../../helpers/customers.ts';
import { settled } from '../../helpers/fake-clock.ts';
import { failureOf, memorySource, pageOf } from '../../helpers/memory-source.ts';

const shoes = { keyword: 'shoes', end_page: 2 };
const dayMs = 86_400_000;

/** A source that answers when the test releases it. */
function gated() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    open,
    script: {
      page: async (request: Parameters<typeof pageOf>[0]) => {
        await opened;
        return pageOf(request);
      },
    },
  };
}

describe('an idempotency key', () => {
  it('replays the stored outcome for 24 hours, and pays once', async () => {
    const { service, ann, accounts, source, clock } = await setUpCustomers();
    const reports: CallReport[] = [];
    const options = { ...callerOf(ann), idempotencyKey: 'k', onReport: (report: CallReport) => reports.push(report) };
    const first = await service.serp(shoes, options);
    await clock.advance(dayMs - 1);
    const again = await service.serp({ end_page: 2, start_page: 1, keyword: ' shoes ', country: 'us' }, options);
    expect(again).toEqual({ ...first, requestId: again.requestId });
    expect(again.requestId).not.toBe(first.requestId);
    expect(source.asked).toHaveLength(2);
    expect((await accounts.find('acme')).serpCredits).toBe(98);
    expect(reports.map(({ charge, isReplayed }) => [charge?.used.serpCredits, isReplayed])).toEqual([
      [2, undefined],
      [undefined, true],
    ]);
    await clock.advance(1);
    await service.serp(shoes, options);
    expect((await accounts.find('acme')).serpCredits).toBe(96);
  });

  it('replays keyword data, too, and a replayed page can be read again', async () => {
    const { service, ann } = await setUpCustomers();
    const options = { ...callerOf(ann), idempotencyKey: 'k1' };
    const { response } = await service.keywordData({ keyword: 'shoes' }, options);
    expect((await service.keywordData({ keyword: 'shoes' }, options)).response).toEqual(response);
    const serpOptions = { ...options, idempotencyKey: 'k2' };
    await service.serp(shoes, serpOptions);
    const { pages } = await service.serp(shoes, serpOptions);
    const request = { keyword: 'shoes', country: 'US', language: 'en', mobile: false, page: 1 };
    expect(service.readPage(pages[0]!.body, request).serp).toEqual(pages[0]!.serp);
  });

  it('joins an identical request in flight', async () => {
    const { open, script } = gated();
    const { service, ann, accounts, source } = await setUpCustomers(script);
    const options = { ...callerOf(ann), idempotencyKey: 'k' };
    const twins = Array.from({ length: 5 }, () => service.serp(shoes, options));
    while (source.asked.length === 0) await settled();
    open();
    const answers = await Promise.all(twins);
    expect(new Set(answers.map(({ requestId }) => requestId)).size).toBe(5);
    for (const { pages } of answers) expect(pages).toEqual(answers[0]?.pages);
    expect(source.asked).toHaveLength(2);
    expect((await accounts.find('acme')).serpCredits).toBe(98);
  });

  it('joins an identical request in another process, and takes over from a dead process', async () => {
    const { service, ann, accounts, store, clock, source } = await setUpCustomers();
    const scope = { account: 'acme', username: 'ann', key: 'k' };
    const { hashBody } = await import('../../../src/service/access/idempotency.ts');
    const { parseSerpRequest } = await import('../../../src/service/core/requests.ts');
    const bodyHash = hashBody('serp', parseSerpRequest(shoes));
    const start = { ...scope, bodyHash, at: clock.now(), expiresAt: clock.now() + dayMs };
    await store.beginIdempotent({ ...start, owner: 'another host|boot|1|x' });
    const waiting = service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k' });
    for (let poll = 0; poll < 3; poll++) {
      await clock.untilSleeping();
      await clock.advance(100);
    }
    expect(source.asked).toEqual([]);
    await store.forgetIdempotent({ ...scope, owner: 'another host|boot|1|x' });
    await clock.untilSleeping();
    await clock.advance(100);
    expect((await waiting).pages).toHaveLength(2);

    const { hostname } = await import('node:os');
    await store.beginIdempotent({ ...start, key: 'k2', owner: `${hostname()}|an earlier boot|1|x` });
    expect((await service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k2' })).pages).toHaveLength(2);
    expect((await accounts.find('acme')).serpCredits).toBe(96);
  });

  it('stops waiting for an identical request in another process that never ends', async () => {
    const { service, ann, store, clock } = await setUpCustomers();
    const { hashBody } = await import('../../../src/service/access/idempotency.ts');
    const { parseSerpRequest } = await import('../../../src/service/core/requests.ts');
    const bodyHash = hashBody('serp', parseSerpRequest(shoes));
    const scope = { account: 'acme', username: 'ann', key: 'k' };
    const times = { at: clock.now(), expiresAt: clock.now() + dayMs };
    await store.beginIdempotent({ ...scope, ...times, bodyHash, owner: 'another host|boot|1|x' });
    const failure = failureOf(service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k' }));
    await clock.untilSleeping();
    await clock.advance(121_000);
    expect(await failure).toMatchObject({ code: 'TIMEOUT', charged: 'no' });
  });

  it.each([
    ['another request', { idempotencyKey: 'k' }, { keyword: 'boots' }],
    ['an empty key', { idempotencyKey: '' }, shoes],
    ['a key that is too long', { idempotencyKey: 'k'.repeat(256) }, shoes],
    ['a key that is not ASCII', { idempotencyKey: 'schlüssel' }, shoes],
  ])('refuses %s', async (_, changes, request) => {
    const { service, ann, accounts } = await setUpCustomers();
    await service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k' });
    const failure = await failureOf(service.serp(request, { ...callerOf(ann), ...changes }));
    expect(failure).toMatchObject({ code: 'INVALID_REQUEST', status: 400, charged: 'no' });
    expect((await accounts.find('acme')).serpCredits).toBe(98);
  });

  it('refuses the other operation and, in flight, another request', async () => {
    const { open, script } = gated();
    const { service, ann, source } = await setUpCustomers(script);
    const options = { ...callerOf(ann), idempotencyKey: 'k' };
    const first = service.serp({ keyword: 'shoes' }, options);
    while (source.asked.length === 0) await settled();
    expect((await failureOf(service.serp({ keyword: 'boots' }, options))).code).toBe('INVALID_REQUEST');
    expect((await failureOf(service.keywordData({ keyword: 'shoes' }, options))).code).toBe('INVALID_REQUEST');
    open();
    await first;
  });

  it('belongs to one user of one account', async () => {
    const { service, ann, bob, accounts } = await setUpCustomers();
    await service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k' });
    await service.serp({ keyword: 'boots' }, { ...callerOf(bob), idempotencyKey: 'k' });
    await service.serp({ keyword: 'clogs' }, { caller: { kind: 'trusted', account: 'acme' }, idempotencyKey: 'k' });
    expect((await accounts.find('acme')).serpCredits).toBe(96);
  });

  it('of a failure is free again: it cost nothing, and the next attempt may succeed', async () => {
    let fails = true;
    const { service, ann, accounts } = await setUpCustomers({
      page: (request) => {
        if (fails) throw new ServiceError('SERP_FAILED', 'Blocked.');
        return pageOf(request);
      },
    });
    const options = { ...callerOf(ann), idempotencyKey: 'k' };
    const twins = await Promise.all([failureOf(service.serp(shoes, options)), failureOf(service.serp(shoes, options))]);
    expect(twins.map(({ code }) => code)).toEqual(['SERP_FAILED', 'SERP_FAILED']);
    expect(twins[0]?.requestId).not.toBe(twins[1]?.requestId);
    expect((await accounts.find('acme')).serpCredits).toBe(100);
    fails = false;
    await service.serp(shoes, options);
    expect((await accounts.find('acme')).serpCredits).toBe(98);
  });

  it('preserves the work of a caller that disconnects: finished, stored and charged once', async () => {
    const { open, script } = gated();
    const { service, ann, accounts, source, store, clock } = await setUpCustomers(script);
    const stop = new AbortController();
    const options = { ...callerOf(ann), idempotencyKey: 'k' };
    const failure = failureOf(service.serp(shoes, { ...options, signal: stop.signal }));
    while (source.asked.length === 0) await settled();
    stop.abort();
    expect(await failure).toMatchObject({ code: 'ABORTED', charged: 'unknown' });
    open();
    await service.close();
    expect((await accounts.find('acme')).serpCredits).toBe(98);
    const next = createSearchDataService({ source, clock, accounts: store, scryptCost: cheapScrypt });
    expect((await next.serp(shoes, options)).pages).toHaveLength(2);
    expect(source.asked).toHaveLength(2);
    expect((await accounts.find('acme')).serpCredits).toBe(98);
  });

  it('outlives the process that stored it', async () => {
    const { service, ann, store, clock } = await setUpCustomers();
    const options = { ...callerOf(ann), idempotencyKey: 'k' };
    const { pages } = await service.serp(shoes, options);
    const source = memorySource();
    const next = createSearchDataService({ source, clock, accounts: store, scryptCost: cheapScrypt });
    expect((await next.serp(shoes, options)).pages).toEqual(pages);
    expect(source.asked).toEqual([]);
  });

  it('has no effect for a caller that pays nothing', async () => {
    const { service, source } = await setUpCustomers();
    await service.serp(shoes, { idempotencyKey: 'k' });
    await service.serp({ keyword: 'boots' }, { idempotencyKey: 'k' });
    expect(source.asked).toHaveLength(3);
  });
});
