// `audit`: verdicts, totals and the exit code.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditReport } from '../../../src/app.ts';
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

test('audit ends with 1 where the ledger does not add up', async () => {
  const total = { ...nothing, reserved: 1_500, spent: 1_200, open: 0 };
  const audit: AuditReport = {
    ok: false,
    checks: [
      { name: 'no window is overdrawn', ok: true, detail: '' },
      { name: 'every purchase is settled', ok: false, detail: '2 are open' },
    ],
    totals: { serp_credit: total, micro_usd: { ...total, spent: 12_345 } },
    unknownPurchases: [
      {
        purchaseId: 9,
        service: 'vendor',
        what: 'serp shoes',
        amount: 3,
        currency: 'serp_credit',
        at: '2026-01-15T05:00:00.000Z',
        error: 'CONNECTION_LOST',
      },
    ],
  };
  const broken = await inFolder(['audit'], { app: { audit: () => audit } });
  expect(broken.exitCode).toBe(1);
  expect(broken.out).toContain('BROKEN  every purchase is settled: 2 are open');
  expect(broken.out).toMatch(/SERP credits +1,500 +1,200 +0 +0 +0/);
  expect(broken.out).toContain('$0.012345');
  expect(broken.out).toMatch(/9 +2026-01-15T05:00:00.000Z +vendor +serp shoes +3 +CONNECTION_LOST/);
  expect((await inFolder(['audit', '--json'], { app: { audit: () => ({ ...audit, ok: true }) } })).exitCode).toBe(0);
});
