// API users share the concurrency of a source: one user's burst takes neither all permits nor all turns.
import { expect, it } from 'vitest';
import { Semaphore } from '../../../src/service/model/semaphore.ts';
import { callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { settled } from '../../helpers/fake-clock.ts';
import { pageOf } from '../../helpers/memory-source.ts';

/** A service whose pages the test releases one by one. */
async function steppedService(inFlight: { readonly total: number; readonly perUser?: number }) {
  const open: { readonly keyword: string; give(): void }[] = [];
  const customers = await setUpCustomers(
    {
      kind: 'live',
      page: (request) =>
        new Promise((resolve) => open.push({ keyword: request.keyword, give: () => resolve(pageOf(request)) })),
    },
    { inFlight: { serp: inFlight } },
  );
  const done: string[] = [];
  const ask = (user: 'ann' | 'bob', keyword: string, end_page = 1) =>
    customers.service.serp({ keyword, end_page }, callerOf(customers[user])).then(
      () => done.push(keyword),
      ({ code }) => done.push(`${keyword} ${code}`),
    );
  const underWay = () => open.map(({ keyword }) => keyword);
  /** Waits until the source has received so many requests, and then for any further ones. */
  const reached = async (count: number) => {
    while (open.length < count) await settled();
    await settled();
  };
  /** Waits until so many credits are taken: those who asked wait for permits by then. */
  const charged = async (credits: number) => {
    while ((await customers.accounts.find('acme'))?.serpCredits !== 100 - credits) await settled();
    await settled();
  };
  const give = async () => {
    open.shift()?.give();
    await settled();
  };
  return { ...customers, ask, underWay, reached, charged, give, done };
}

it("one user's burst leaves permits for others, which are acquired at once", async () => {
  const { ask, underWay, reached } = await steppedService({ total: 5 });
  for (let index = 0; index < 10; index++) ask('ann', `a${index}`);
  await reached(4);
  expect(underWay()).toEqual(['a0', 'a1', 'a2', 'a3']);
  ask('bob', 'b0');
  await reached(5);
  expect(underWay()).toEqual(['a0', 'a1', 'a2', 'a3', 'b0']);
});

it('released permits are granted round robin among users, page by page', async () => {
  const { ask, underWay, reached, charged, give } = await steppedService({ total: 1 });
  for (let index = 0; index < 3; index++) ask('ann', `a${index}`, 2);
  await reached(1);
  ask('bob', 'b0', 3);
  await charged(9);
  const order: string[] = [];
  for (let page = 0; page < 9; page++) {
    await reached(1);
    order.push(underWay()[0] ?? '');
    await give();
  }
  expect(order.slice(0, 6)).toEqual(['a0', 'b0', 'a1', 'b0', 'a2', 'b0']);
  expect(order.sort()).toEqual(['a0', 'a0', 'a1', 'a1', 'a2', 'a2', 'b0', 'b0', 'b0']);
});

it('a request that is cancelled while it waits leaves the queue, costs nothing, and does not delay others', async () => {
  const { accounts, ann, service, ask, underWay, reached, give, done } = await steppedService({ total: 1 });
  ask('bob', 'b0');
  await reached(1);
  const hungUp = new AbortController();
  const gone = service.serp({ keyword: 'gone' }, { ...callerOf(ann), signal: hungUp.signal });
  ask('ann', 'a0');
  await settled();
  hungUp.abort();
  await expect(gone).rejects.toMatchObject({ code: 'ABORTED' });
  await give();
  await reached(1);
  expect(underWay()).toEqual(['a0']);
  await give();
  await settled();
  expect(done).toEqual(['b0', 'a0']);
  expect(await accounts.find('acme')).toMatchObject({ serpCredits: 98 });
});

it('a trusted caller in the process does not wait', async () => {
  const { service, ask, underWay, reached } = await steppedService({ total: 1 });
  ask('ann', 'a0');
  await reached(1);
  const own = service.serp({ keyword: 'own' });
  await reached(2);
  expect(underWay()).toEqual(['a0', 'own']);
  own.catch(() => undefined);
});

it('if too many wait, the newest of the key with the most waiting is refused', async () => {
  const semaphore = new Semaphore({ permits: 1, permitsPerKey: 1, waitingMax: 3 });
  const release = await semaphore.acquire({ key: 'a' });
  const order: string[] = [];
  const acquire = (key: string, name: string) =>
    semaphore.acquire({ key }).then(
      (releaseOne) => {
        order.push(name);
        releaseOne();
      },
      ({ code }) => order.push(`${name} ${code}`),
    );
  const all = [acquire('a', 'a1'), acquire('a', 'a2'), acquire('a', 'a3'), acquire('b', 'b1')];
  await settled();
  expect(order).toEqual(['a3 RATE_LIMIT_EXCEEDED']);
  release();
  release();
  await Promise.all(all);
  expect(order).toEqual(['a3 RATE_LIMIT_EXCEEDED', 'b1', 'a1', 'a2']);
});

it('grants permits of one key by order, then first come, first served, and skips cancelled requests', async () => {
  const semaphore = new Semaphore({ permits: 1 });
  const release = await semaphore.acquire();
  const granted: string[] = [];
  const stop = new AbortController();
  const all = (
    [
      ['late', 3, undefined],
      ['given up', 1, stop.signal],
      ['first', 2, undefined],
      ['second', 2, undefined],
    ] as const
  ).map(([name, order, signal]) =>
    semaphore.acquire({ order, signal }).then(
      (releaseOne) => {
        granted.push(name);
        releaseOne();
      },
      () => undefined,
    ),
  );
  stop.abort();
  expect(semaphore.isIdle).toBe(false);
  release();
  await Promise.all(all);
  expect(granted).toEqual(['first', 'second', 'late']);
  expect(semaphore.isIdle).toBe(true);
});

it('gives a key fewer permits while another had one of the last turns, and all of them again after that', async () => {
  const semaphore = new Semaphore({ permits: 4, permitsShared: 1 });
  const acquire = (key: string) => semaphore.acquire({ key });
  const alone = await Promise.all([acquire('a'), acquire('a'), acquire('a')]);
  for (const release of alone) release();
  (await acquire('b'))();
  let held = 0;
  let most = 0;
  const work = async () => {
    const release = await acquire('a');
    held += 1;
    most = Math.max(most, held);
    await Promise.resolve();
    held -= 1;
    release();
  };
  await Promise.all(Array.from({ length: 100 }, work));
  expect(most).toBe(1);
  await Promise.all(Array.from({ length: 1_000 }, work));
  await Promise.all(Array.from({ length: 100 }, work));
  expect(most).toBe(4);
});
