// A death at each point of a purchase, at each kind of provider: both ledgers agree, except for unknown outcomes.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { takeWord } from '../../../jobs/query/reconcile.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { dieAt } from '../../helpers/death.ts';
import { JobClock } from '../../helpers/job-clock.ts';
import { clientOf, deadOwner, keyword, project, resultsWith, service, World } from '../../helpers/jobs.ts';
import { type Fault, type Provider, startProvider } from '../../helpers/provider.ts';

const at = Date.UTC(2026, 0, 15, 6);

interface Behaviour {
  readonly does: string;
  readonly fault: Fault;
  readonly keepsKeys: boolean;
  /** How the check may end, depending on whether the failure was recorded before the process died. */
  readonly ends: readonly string[];
}

/** What happens to the first request; every later one succeeds. */
const behaviours: readonly Behaviour[] = [
  { does: 'answers', fault: 'ok', keepsKeys: false, ends: ['shoes ok 2'] },
  { does: 'sells and sends nothing', fault: 'reset-after-sale', keepsKeys: false, ends: ['shoes ok 2'] },
  { does: 'breaks before it sells', fault: 'reset-before-sale', keepsKeys: false, ends: ['shoes ok 2'] },
  { does: 'charges and fails', fault: { status: 500, sold: true }, keepsKeys: false, ends: ['shoes ok 2'] },
  {
    does: 'sells an unreadable answer',
    fault: 'truncated',
    keepsKeys: false,
    ends: ['shoes incomplete 1', 'shoes ok 2'],
  },
  { does: 'sells, sends nothing and keeps the key', fault: 'reset-after-sale', keepsKeys: true, ends: ['shoes ok 2'] },
];

/** From the claim to the second page: reserve, record the intent, settle, request again, settle, next page. */
const crashPoints = [5, 7, 8, 9, 10, 11].flatMap((n) => [
  { n, moment: 'before' } as const,
  { n, moment: 'after' } as const,
]);

let cells = 0;
let unknownInAll = 0;
afterAll(() => {
  expect({ cells, isSometimesUnknown: unknownInAll > 0 }).toEqual({
    cells: 24,
    isSometimesUnknown: true,
  });
  console.log(
    `unknown outcomes: ${cells} cells; client and provider differ by 0 beyond ${unknownInAll} purchases recorded as unknown, and by 0 once those are settled`,
  );
});

function worldOf(provider: Provider, { keepsKeys }: Behaviour, folder: string, now: number, owner?: string): World {
  const clock = new JobClock(now);
  return new World({
    clock,
    services: new Map([[service, clientOf(provider, clock, { keepsKeys })]]),
    projects: [project({ keywords: [keyword('shoes', { depth: 2 })] })],
    file: join(folder, 'db.sqlite'),
    reports: join(folder, 'reports'),
    ...(owner === undefined ? {} : { owner }),
  });
}

interface KeyOfBoth {
  readonly paid: number;
  readonly unknown: number;
  readonly sold: number;
}

/** Both ledgers, key by key. */
function compared(world: World, provider: Provider): Map<string, KeyOfBoth> {
  const sold = Map.groupBy(provider.sales, (sale) => sale.idempotencyKey ?? '');
  const ours = world.rows(
    `SELECT request_key AS k, sum(iif(state = 'paid' OR reconciled = 'charged', charged, 0)) AS paid,
            sum(iif(state = 'unknown' AND reconciled IS NULL, charged, 0)) AS unknown FROM purchases GROUP BY request_key`,
  );
  const keys = new Map(
    ours.map((row) => {
      const key = String(row['k']);
      return [key, { paid: Number(row['paid']), unknown: Number(row['unknown']), sold: sold.get(key)?.length ?? 0 }];
    }),
  );
  for (const key of sold.keys()) if (!keys.has(key)) keys.set(key, { paid: 0, unknown: 0, sold: 1 });
  return keys;
}

/** Settles unknown purchases by the provider's books. */
function settleByTheBill(world: World, provider: Provider): void {
  for (const [key, { paid, unknown, sold }] of compared(world, provider)) {
    let charged = sold - paid;
    for (let each = 0; each < unknown; each += 1) {
      const [first] = world.store.reconciliations.unknown().filter(({ requestKey }) => requestKey === key);
      takeWord(world.context, charged > 0 ? 'charged' : 'free', ({ purchaseId }) => purchaseId === first?.purchaseId);
      charged -= 1;
    }
  }
}

/** Every third crash point, with another offset for each behaviour. */
const pointsOf = (behaviour: Behaviour) =>
  crashPoints.filter((_, nth) => (nth + behaviours.indexOf(behaviour)) % 3 === 0);

describe.each(behaviours)('a provider that $does', (behaviour) => {
  it.each(pointsOf(behaviour))(
    'agrees with the ledger of a process that dies $moment transaction $n is durable',
    async ({ n, moment }) => {
      const provider = await startProvider({
        isIdempotent: behaviour.keepsKeys,
        results: () => resultsWith('https://acme.example/', 12),
      });
      const folder = temporaryFolder();
      provider.next(behaviour.fault);
      const first = worldOf(provider, behaviour, folder, at, deadOwner);
      const facts = dieAt(first, n, moment);
      await first.runSlot(at).catch(() => undefined);
      await first.close();
      const second = worldOf(provider, behaviour, folder, at + 60_000);
      await second.runSlot(at);

      expect(facts.died).toBe(true);
      expect(second.broken()).toEqual([]);
      expect(
        second.rows("SELECT 1 FROM runs WHERE state = 'open' UNION ALL SELECT 1 FROM purchases WHERE state = 'open'"),
      ).toEqual([]);
      expect(behaviour.ends).toContain(second.checks()[0]);
      for (const both of compared(second, provider).values()) {
        expect({ both, isExplained: both.paid <= both.sold && both.sold <= both.paid + both.unknown }).toMatchObject({
          isExplained: true,
        });
        // a key that is sold once is counted once, and no page is paid twice
        expect(both.paid + (behaviour.keepsKeys ? both.unknown : 0)).toBeLessThanOrEqual(1);
      }
      unknownInAll += second.credits.unknown;
      settleByTheBill(second, provider);
      expect(second.credits).toEqual({ spent: provider.sold.serpCredits, unknown: 0, open: 0 });
      for (const { paid, unknown, sold } of compared(second, provider).values())
        expect([paid, unknown]).toEqual([sold, 0]);
      expect(second.broken()).toEqual([]);
      await second.close();
      await provider.close();
      rmSync(folder, { recursive: true });
      cells += 1;
    },
  );
});
