// Counters of /metrics: each purchase counts once, when it is settled, in any order.
import { expect, test } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { Store } from '../../../db/store.ts';
import { closeLater } from '../../helpers/closing.ts';

test('a purchase is counted once, when it is settled, although younger ones were settled before it', async () => {
  const db = openConnection(':memory:');
  const store = new Store(db, { serp_credit: {}, micro_usd: {} });
  closeLater(store);
  const { ledger, purchaseCounts } = store;
  const opened = store.runs.open({ kind: 'adhoc', moment: 1, owner: 'o', at: 1 }, []);
  const runId = opened!.id;
  const keys = { day: '2026-01-01', month: '2026-01' };
  const buy = (requestKey: string): number =>
    store.transaction(() => {
      const reserved = ledger.reserve({ runId, checkId: null, currency: 'serp_credit', amount: 1, at: 1, keys });
      if (!reserved.ok) throw new Error('the budget has no cap');
      const page = { searchId: null, moment: 1, page: 1, price: 1, at: 1 };
      return ledger.open({ reservationId: reserved.id, service: 'serper', requestKey, ...page }).id;
    });
  const settle = (id: number, settlement: Parameters<typeof ledger.settle>[1]) =>
    store.transaction(() => ledger.settle(id, settlement));
  const of = { service: 'serper', currency: 'serp_credit', simulated: 'no' };
  const [first, second, third] = ['a', 'b', 'c'].map(buy);
  expect(await purchaseCounts.read()).toEqual([]);
  settle(second!, { state: 'paid', charged: 1, at: 2 });
  const paid = { ...of, outcome: 'paid', code: '', purchases: 1, charged: 1 };
  expect(await purchaseCounts.read()).toEqual([paid]);
  settle(first!, { state: 'unknown', errorCode: 'TIMEOUT', at: 3 });
  const lost = { ...of, outcome: 'unknown', code: 'TIMEOUT', purchases: 1, charged: 1 };
  for (let reads = 0; reads < 2; reads += 1) expect(await purchaseCounts.read()).toEqual([paid, lost]);
  settle(third!, { state: 'paid', charged: 1, at: 4 });
  const both = await Promise.all([purchaseCounts.read(), purchaseCounts.read()]);
  for (const counts of both) expect(counts).toEqual([{ ...paid, purchases: 2, charged: 2 }, lost]);
});
