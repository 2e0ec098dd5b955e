// `audit`: verdicts, totals and the exit code.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditReport } from '../../../src/app/upkeep/audit.ts';
import type { ReconcileRequest } from '../../../src/app/upkeep/reconcile.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { nothing } from '../samples.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

test('audit exits with 1 if the ledger does not add up', async () => {
  const total = { ...nothing, reserved: 1_500, spent: 1_200, open: 0 };
  const audit: AuditReport = {
    ok: false,
    checks: [
      { name: 'no window is overdrawn', ok: true, detail: '' },
      { name: 'every purchase is settled', ok: false, detail: '2 are open' },
      { name: 'the witness agrees', ok: true, detail: 'not compared: it is damaged', skipped: true },
    ],
    totals: { serp_credit: total, micro_usd: { ...total, spent: 12_345 } },
    sources: ['2026-04', '2026-03', '2026-02', '2026-01'].flatMap((month) => [
      { month, source: 'web/bing', spent: 900, unknown: 2, requests: { charged: 1_040, free: 7, unknown: 3 } },
      { month, source: 'web/chain:serper', spent: 5, unknown: 0, requests: null },
    ]),
    gap: [],
    unknownPurchases: [
      {
        purchaseId: 9,
        service: 'vendor',
        what: 'serp shoes',
        amount: 3,
        currency: 'serp_credit',
        at: '2026-01-15T05:00:00.000Z',
        ageMs: 3 * 86_400_000,
        error: 'CONNECTION_LOST',
      },
    ],
    disputes: [
      {
        purchaseId: 7,
        runId: 2,
        service: 'vendor',
        currency: 'serp_credit',
        agreed: 1,
        stated: 5,
        counted: 5,
        exceeded: 3,
        at: '2026-01-15T05:00:00.000Z',
      },
    ],
    disputeTotals: [{ service: 'vendor', currency: 'serp_credit', purchases: 2, agreed: 2, stated: 10, exceeded: 3 }],
  };
  const broken = await inFolder(['audit'], { fakes: { audit: () => audit } });
  expect(broken.exitCode).toBe(1);
  expect(broken.out).toContain('BROKEN  every purchase is settled: 2 are open');
  expect(broken.out).toContain('skip    the witness agrees: not compared: it is damaged');
  expect(broken.out).toMatch(/SERP credits +1,500 +1,200 +0 +0 +0/);
  expect(broken.out).toContain('$0.012345');
  expect(broken.out).toMatch(/9 +2026-01-15T05:00:00.000Z +3 d +vendor +serp shoes +3 +CONNECTION_LOST/);
  expect(broken.out).toMatch(
    /2026-04 +web\/bing +900 +2 +1,040 +3 +7\n +2026-04 +web\/chain:serper +5 +0 +- +- +-\n +2026-03/,
  );
  expect(broken.out).toContain('service vendor states 10 SERP credits for 2 purchases agreed at 2 SERP credits');
  expect(broken.out).toMatch(/7 +2 +2026-01-15T05:00:00.000Z +vendor +1 +5 +5 +3\n/);
  expect(broken.out).toContain('rankledger audit --reconcile agreed --purchase ID');
  expect(broken.out).not.toContain('2026-01 ');
  expect((await inFolder(['audit', '--json'], { fakes: { audit: () => ({ ...audit, ok: true }) } })).exitCode).toBe(0);
});

test("audit --reconcile queries the provider, or accepts the operator's word from the bill", async () => {
  const { ok, checks, totals, sources } = {
    ok: true,
    checks: [],
    sources: [],
    totals: { serp_credit: { ...nothing, open: 0 }, micro_usd: { ...nothing, open: 0 } },
  };
  const asked: ReconcileRequest[] = [];
  const purchase = {
    purchaseId: 9,
    service: 'vendor',
    what: '"shoes" US desktop page 1',
    amount: 1,
    currency: 'serp_credit',
    at: '',
    ageMs: 5,
    error: null,
  };
  const fakes = {
    audit: () => ({ ok, checks, totals, sources, gap: [], unknownPurchases: [], disputes: [], disputeTotals: [] }),
    reconcile: async (request: ReconcileRequest) => {
      asked.push(request);
      return {
        settled: [{ ...purchase, as: 'free' as const }],
        prices: [{ purchaseId: 17, service: 'vendor', currency: 'serp_credit' as const, agreed: 1, returned: 999_999 }],
        left: 2,
        notes: ['service "other" was asked no further'],
      };
    },
  };
  const run = (...more: string[]) => inFolder(['audit', '--reconcile', ...more], { fakes });
  const alone = await run();
  expect(alone.exitCode).toBe(0);
  expect(alone.out).toContain('purchase 9  "shoes" US desktop page 1: 1 goes back to the budget');
  expect(alone.out).toContain('purchase 17  service vendor: 999,999 above the agreed 1 goes back to the budget');
  expect(alone.out).toContain('2 purchases settled, 2 purchases still unknown');
  expect(alone.out).toContain('service "other" was asked no further');
  const json = JSON.parse((await run('free', '--purchase', '9', '--purchase', '12', '--json')).out);
  expect(json).toMatchObject({ ok: true, reconciled: { left: 2, settled: [{ purchaseId: 9, as: 'free' }] } });
  await run('charged', '--service', 'vendor');
  await run('agreed', '--purchase', '17');
  expect(asked).toEqual([
    { kind: 'ask' },
    { kind: 'word', as: 'free', purchases: [9, 12] },
    { kind: 'word', as: 'charged', purchases: [], service: 'vendor' },
    { kind: 'word', as: 'agreed', purchases: [17] },
  ]);
  for (const wrong of [
    ['free'],
    ['agreed'],
    ['maybe', '--purchase', '9'],
    ['--purchase', '9'],
    ['free', '--purchase', 'x'],
    ['free', '--purchase', '9', '--service', 'vendor'],
  ]) {
    expect({ wrong, exitCode: (await run(...wrong)).exitCode }).toEqual({ wrong, exitCode: 2 });
  }
  expect((await inFolder(['audit', '--service', 'vendor'], { fakes })).exitCode).toBe(2);
  expect(asked.length).toBe(4);
});
