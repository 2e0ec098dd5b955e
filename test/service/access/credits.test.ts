import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CallReport, keywordDataCostMicroUsd, ServiceError } from '../../../src/service/index.ts';
import { callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { settled } from '../../helpers/fake-clock.ts';
import { failureOf, metricsOf, pageOf } from '../../helpers/memory-source.ts';

const shoes = { keyword: 'shoes' };
const hang = () => new Promise<never>(() => undefined);

describe('credits', () => {
  it('for keyword data are reserved for the limit, and settled to the results', async () => {
    const { service, ann, accounts } = await setUpCustomers({
      metrics: ({ limit }) =>
        Array.from({ length: Math.min(limit, 50) }, (_, index) =>
          metricsOf(index === 0 ? 'shoes' : `shoes ${index}`, 1),
        ),
    });
    const reports: CallReport[] = [];
    await service.keywordData(
      { ...shoes, limit: 200 },
      { ...callerOf(ann), onReport: (report) => reports.push(report) },
    );
    const entries = await accounts.statement('acme');
    expect(entries.slice(1).map(({ kind, microUsd }) => [kind, microUsd])).toEqual([
      ['charge', -60_000],
      ['settle', 45_000],
    ]);
    expect(reports[0]?.charge).toEqual({
      used: { serpCredits: 0, microUsd: 15_000 },
      balance: { serpCredits: 100, microUsd: 985_000 },
    });
  });

  it('are refunded if a caller without a key disconnects', async () => {
    const { service, ann, accounts, source } = await setUpCustomers({ page: hang });
    const stop = new AbortController();
    const failure = failureOf(service.serp(shoes, { ...callerOf(ann), signal: stop.signal }));
    while (source.asked.length === 0) await settled();
    expect((await accounts.find('acme')).serpCredits).toBe(99);
    stop.abort();
    expect((await failure).code).toBe('ABORTED');
    expect((await accounts.find('acme')).serpCredits).toBe(100);
  });

  it('are refunded if the caller disconnects while its charge is settled: it received nothing', async () => {
    const stop = new AbortController();
    const { service, ann, accounts, store } = await setUpCustomers();
    const settle = store.settle.bind(store);
    store.settle = async (settlement) => {
      const balance = await settle(settlement);
      stop.abort();
      return balance;
    };
    expect((await failureOf(service.serp(shoes, { ...callerOf(ann), signal: stop.signal }))).code).toBe('ABORTED');
    expect((await accounts.find('acme')).serpCredits).toBe(100);
  });

  it('that a dead process left open are refunded before the first charge of the next', async () => {
    const { service, ann, accounts, store, clock } = await setUpCustomers();
    const charge = {
      account: 'acme',
      username: 'ann',
      requestId: 'lost',
      operation: 'serp',
      price: { serpCredits: 40, microUsd: 0 },
      at: clock.now(),
    } as const;
    const { hostname } = await import('node:os');
    await store.charge({ ...charge, owner: `${hostname()}|another boot|1|x` });
    await store.charge({ ...charge, owner: 'another host|boot|1|x' });
    await service.serp(shoes, callerOf(ann));
    expect((await accounts.find('acme')).serpCredits).toBe(59);
    const refund = (await accounts.statement('acme')).find(({ kind }) => kind === 'refund');
    expect(refund).toMatchObject({ requestId: 'lost', serpCredits: 40, note: 'left open by a process that ended' });
  });

  it('never fall below zero and always sum to the statement, in every concurrent sequence', async () => {
    const request = fc.record({
      pages: fc.integer({ min: 1, max: 4 }),
      limit: fc.integer({ min: 1, max: 400 }),
      isSerp: fc.boolean(),
      fails: fc.boolean(),
      key: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    });
    const run = async (requests: readonly (typeof request extends fc.Arbitrary<infer T> ? T : never)[]) => {
      const { service, ann, bob, accounts, store } = await setUpCustomers({
        page: async (asked) => {
          await settled();
          if (asked.keyword === 'fails') throw new ServiceError('SERP_FAILED', 'Blocked.');
          return pageOf(asked);
        },
        metrics: async (asked) => {
          await settled();
          if (asked.keyword === 'fails') throw new Error('broken');
          return Array.from({ length: Math.ceil(asked.limit / 3) }, (_, index) => metricsOf(`shoes ${index}`, index));
        },
      });
      await accounts.credit('acme', { serpCredits: -90, microUsd: -900_000 });
      const paid = { serpCredits: 0, microUsd: 0 };
      await Promise.allSettled(
        requests.map(async ({ pages, limit, isSerp, fails, key }, index) => {
          const keyword = fails ? 'fails' : 'shoes';
          const options = {
            ...callerOf(index % 2 === 0 ? ann : bob),
            ...(key !== undefined && { idempotencyKey: `${isSerp}-${pages}-${limit}-${fails}-${key}` }),
            onReport: ({ charge }: CallReport) => {
              paid.serpCredits += charge?.used.serpCredits ?? 0;
              paid.microUsd += charge?.used.microUsd ?? 0;
            },
          };
          await (isSerp
            ? service.serp({ keyword, end_page: pages }, options)
            : service.keywordData({ keyword, limit }, options));
        }),
      );
      const account = await accounts.find('acme');
      expect(account).toMatchObject({ serpCredits: 10 - paid.serpCredits, microUsd: 100_000 - paid.microUsd });
      expect(await store.listOpenOwners()).toEqual([]);
      const sum = { serpCredits: 0, microUsd: 0 };
      for (const { serpCredits, microUsd, balance } of await accounts.statement('acme')) {
        sum.serpCredits += serpCredits;
        sum.microUsd += microUsd;
        expect(balance).toEqual(sum);
        expect(Math.min(balance.serpCredits, balance.microUsd)).toBeGreaterThanOrEqual(0);
      }
      expect(account).toMatchObject(sum);
    };
    await fc.assert(fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 24 }), run), {
      numRuns: 40,
      seed: 7,
    });
  });

  it('for keyword data are integers of micro-USD for every number of results', () => {
    for (let count = 0; count <= 1000; count++) {
      const cost = keywordDataCostMicroUsd(count);
      expect(Number.isSafeInteger(cost)).toBe(true);
      expect(cost / 1e6).toBeCloseTo(Math.max(0.01, (count / 100) * 0.03), 9);
    }
  });
});
