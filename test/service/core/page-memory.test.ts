import { expect, it } from 'vitest';
import { createSource } from '../../../src/service/index.ts';
import { callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { type MemoryScript, memorySource, pageOf } from '../../helpers/memory-source.ts';

const shoes = { keyword: 'shoes' };
const dayMs = 86_400_000;

/** Customers of a source whose pages change once a day. */
async function setUp(script: MemoryScript = {}) {
  const daily = memorySource(script);
  const source = { ...daily, serp: { ...daily.serp!, editionAt: (at: number) => String(Math.floor(at / dayMs)) } };
  return { ...(await setUpCustomers({}, { source })), asked: daily.asked };
}

it('a page of a simulated source is created once for all customers, is paid by each, and is immutable', async () => {
  const { service, ann, bob, accounts, asked, clock } = await setUp();
  const first = await service.serp({ ...shoes, end_page: 2 }, callerOf(ann));
  await clock.advance(1000);
  const second = await service.serp({ ...shoes, start_page: 2 }, callerOf(bob));
  expect(second.pages[0]?.serp).toBe(first.pages[1]?.serp);
  expect(second.pages[0]?.observedAt).toBe(clock.now());
  expect(asked).toHaveLength(2);
  expect((await accounts.find('acme')).serpCredits).toBe(97);
  expect(() => first.pages[1]?.serp.organic?.pop()).toThrow(TypeError);
});

it('another search, form or day is another page', async () => {
  const { service, ann, asked, clock } = await setUp();
  for (const request of [
    shoes,
    { ...shoes, mobile: true },
    { ...shoes, country: 'GB' },
    { ...shoes, format: 'raw' as const },
  ]) {
    await service.serp(request, callerOf(ann));
    await service.serp(request, callerOf(ann));
  }
  expect(asked).toHaveLength(4);
  await clock.advance(dayMs);
  await service.serp(shoes, callerOf(ann));
  expect(asked).toHaveLength(5);
});

it('failures are not remembered', async () => {
  let fails = true;
  const { service, ann, asked } = await setUp({
    page: (request) => {
      if (fails) throw new Error('broken');
      return pageOf(request);
    },
  });
  await expect(service.serp(shoes, callerOf(ann))).rejects.toThrow();
  fails = false;
  expect((await service.serp(shoes, callerOf(ann))).pages).toHaveLength(1);
  expect(asked).toHaveLength(2);
});

it('of many pages the least recently used are evicted', async () => {
  const { service, ann, asked, accounts } = await setUp();
  await accounts.credit('acme', { serpCredits: 1000, microUsd: 0 });
  await service.serp(shoes, callerOf(ann));
  await service.serp({ keyword: 'boots' }, callerOf(ann));
  for (let batch = 0; batch < 20; batch++) {
    await service.serp(shoes, callerOf(ann));
    await service.serp({ keyword: `clogs ${batch}`, end_page: 10 }, callerOf(ann));
  }
  const before = asked.length;
  await service.serp(shoes, callerOf(ann));
  expect(asked).toHaveLength(before);
  await service.serp({ keyword: 'boots' }, callerOf(ann));
  expect(asked).toHaveLength(before + 1);
});

it('live pages, and pages for the host itself, are fetched each time', async () => {
  const live = await setUp({ kind: 'live' });
  for (let time = 0; time < 2; time++) await live.service.serp(shoes, callerOf(live.ann));
  expect(live.asked).toHaveLength(2);
  const own = await setUp();
  for (let time = 0; time < 2; time++) (await own.service.serp(shoes)).pages[0]?.serp.organic?.pop();
  expect(own.asked).toHaveLength(2);
});

it('the sandbox has one edition per day', async () => {
  const { serp } = await createSource('sandbox', {}, { clock: new FakeClock() });
  expect(serp?.editionAt?.(dayMs - 1)).not.toBe(serp?.editionAt?.(dayMs));
  expect(serp?.editionAt?.(dayMs)).toBe(serp?.editionAt?.(2 * dayMs - 1));
});

it('a cached page is charged in one step, with its outcome if there is a key', async () => {
  const { service, store, ann, accounts, asked } = await setUp();
  await service.serp(shoes, callerOf(ann));
  store.settle = () => Promise.reject(new Error('settled apart'));
  const first = await service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k' });
  expect(await service.serp(shoes, { ...callerOf(ann), idempotencyKey: 'k' })).toMatchObject({ pages: first.pages });
  await service.serp(shoes, callerOf(ann));
  expect((await accounts.find('acme')).serpCredits).toBe(97);
  expect(await store.listOpenOwners()).toEqual([]);
  await accounts.credit('acme', { serpCredits: -97, microUsd: 0 });
  await expect(service.serp(shoes, callerOf(ann))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS' });
  expect(asked).toHaveLength(1);
});

it('a cached page is refunded if its caller disconnects while it is charged', async () => {
  const { service, store, ann, accounts } = await setUp();
  await service.serp(shoes, callerOf(ann));
  const stop = new AbortController();
  const charge = store.charge.bind(store);
  store.charge = async (facts) => {
    const result = await charge(facts);
    stop.abort();
    return result;
  };
  const work = service.serp(shoes, { ...callerOf(ann), signal: stop.signal });
  await expect(work).rejects.toMatchObject({ code: 'ABORTED' });
  expect((await accounts.find('acme')).serpCredits).toBe(99);
});
