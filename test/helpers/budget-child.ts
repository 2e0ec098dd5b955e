// Spends a budget as fast as it can: node budget-child.ts DATABASE WORKERS RESERVATIONS SEED CAP, then a line on stdin.
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { openStore } from '../../db/store.ts';
import { seededBelow } from './seeded.ts';

/** What one process observed and spent. */
export interface BudgetTally {
  readonly granted: number;
  readonly refused: number;
  /** Spent or unknown in settled purchases. */
  readonly used: number;
  /** The maximum of reserved + spent observed in the day's window. */
  readonly most: number;
  /** How often that was above the cap. */
  readonly over: number;
}

export const budgetKeys = { day: '2026-01-15', month: '2026-01' };

async function spend(): Promise<void> {
  const [file = '', ...numbers] = process.argv.slice(2);
  const [workers = 0, reservations = 0, seed = 0, cap = 0] = numbers.map(Number);
  const caps = { serp_credit: { perDay: cap }, micro_usd: {} };
  const store = openStore(file, caps, { busyTimeoutMs: 60_000 });
  const runId = store.runs.open({ kind: 'adhoc', moment: 1, owner: 'o', at: 1 }, [])?.id ?? 0;
  const random = seededBelow(seed);
  const tally = { granted: 0, refused: 0, used: 0, most: 0, over: 0 };
  const observe = (): void => {
    const window = store.ledger
      .windows('', budgetKeys)
      .find(({ currency, scope }) => currency === 'serp_credit' && scope === 'day');
    const taken = (window?.reserved ?? 0) + (window?.spent ?? 0);
    tally.most = Math.max(tally.most, taken);
    if (taken > cap) tally.over += 1;
  };
  let left = reservations;
  const work = async (worker: number): Promise<void> => {
    while (left > 0) {
      const nth = left;
      left -= 1;
      const amount = 1 + random(3);
      const request = { runId, checkId: null, currency: 'serp_credit', amount, at: nth, keys: budgetKeys } as const;
      const reserved = await store.grouped(() => {
        const result = store.ledger.reserve(request);
        observe();
        return result;
      });
      if (!reserved.ok) {
        tally.refused += 1;
        continue;
      }
      tally.granted += 1;
      await setImmediate();
      // most of the reservation is freed, so that the window stays almost full for long
      const pages = random(3) === 0 ? 1 + random(amount) : 0;
      const paid = await store.grouped(() => {
        let used = 0;
        for (let page = 1; page <= pages; page += 1) {
          const state = (['paid', 'unknown', 'free'] as const)[random(3)] ?? 'free';
          const { id } = store.ledger.open({
            reservationId: reserved.id,
            service: 'vendor',
            requestKey: `${process.pid}-${worker}-${nth}-${page}`,
            searchId: null,
            moment: 1,
            page: null,
            price: 1,
            at: nth,
          });
          store.ledger.settle(id, { state, at: nth });
          if (state !== 'free') used += 1;
        }
        store.ledger.release(reserved.id, nth);
        observe();
        return used;
      });
      tally.used += paid;
    }
  };
  await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  store.runs.close(runId, { state: 'complete', reason: null, at: 2 });
  store.close();
  process.stdout.write(`${JSON.stringify(tally)}\n`);
}

if (import.meta.main) {
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  process.stdin.destroy();
  await spend();
}
