// `status`: one screen.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatusReport } from '../../../src/app/runs/status.ts';
import { type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { market } from '../samples.ts';

let folder: ProjectFolder;
beforeAll(() => {
  folder = projectFolder();
});
afterAll(() => folder.remove());

const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
  invoke(argv, { cwd: folder.path, ...invocation });

test('status shows runs, dueness, budget, unknown purchases and failures', async () => {
  const status: StatusReport = {
    database: join(folder.path, 'data/rankledger.sqlite'),
    broken: { projects: [], problems: [] },
    unset: ['rankledger.yaml:3:5: services.vendor.user: the environment variable USER is not set'],
    runs: [
      {
        runId: 7,
        kind: 'ranks',
        state: 'complete',
        openedAt: '2026-01-15T05:00:00.000Z',
        closedAt: null,
        projects: ['acme'],
        slots: [{ project: 'acme', slot: '2026-01-15T06:00' }],
        slot: '2026-01-15T06:00',
        checks: { ok: 2, failed: 1, deferred: 0 },
        reason: null,
        suspectReason:
          'many were lost: 60 of 100 searches of service vendor failed, and the service answered 503 to all',
        remark: null,
        discardedAt: null,
        discardReason: null,
      },
    ],
    underWay: [
      {
        runId: 8,
        kind: 'volumes',
        projects: ['acme'],
        done: 0,
        total: 0,
        openedAt: '2026-01-15T06:00:00.000Z',
        heartbeatAt: '2026-01-15T06:00:05.000Z',
        isAlive: false,
      },
    ],
    projects: [
      {
        project: 'acme',
        kind: 'ranks',
        due: true,
        reason: 'due at 06:00',
        nextSlot: null,
        startsAt: null,
        runUnderWay: 8,
        overdueSince: null,
        nothingChecked: null,
      },
    ],
    paused: [{ service: 'vendor', until: '2026-01-15T06:15:00.000Z', runId: 7, reason: 'no credits' }],
    missed: [
      {
        project: 'acme',
        kind: 'ranks',
        slot: '2026-01-14T06:00',
        lastSlot: '2026-01-14T06:00',
        count: 1,
        timezone: 'Europe/Berlin',
        reason: 'no scheduler ran',
      },
      {
        project: 'globex',
        kind: 'ranks',
        slot: '2025-01-14T06:00',
        lastSlot: '2026-01-13T06:00',
        count: 365,
        timezone: 'Europe/Berlin',
        reason: 'a year without power',
      },
    ],
    updates: [],
    unwritten: [
      {
        runId: 7,
        part: 'report',
        project: 'acme',
        reason: 'ENOTDIR',
        attempts: 3,
        at: '2026-01-15T06:00:00.000Z',
      },
    ],
    budget: [],
    isBehindWitness: false,
    adaptive: [
      {
        project: 'acme',
        days: 30,
        runs: 12,
        searches: 2400,
        waiting: 1800,
        creditsSpent: 700,
        creditsSaved: 2100,
        savedShare: 0.75,
        changes: 140.4,
        missed: 12.3,
        missedError: 4.2,
      },
    ],
    unknownPurchases: 2,
    disputes: [
      { service: 'vendor', currency: 'micro_usd', purchases: 3, agreed: 30_000, stated: 13_500_000, exceeded: 0 },
    ],
    alerts: {
      deliveries: { pending: 0, failed: 0, unsent: [] },
      pending: 1,
      failed: 1,
      nextTryAt: '2026-01-15T06:20:00.000Z',
      unsent: [
        {
          id: 4,
          project: 'acme',
          runId: 7,
          rule: 'moved by 5 any',
          channel: 'ops',
          text: '"trail shoes" (US, en, desktop), acme.com: down 7: rank 12, was rank 5',
          state: 'pending',
          attempts: 2,
          createdAt: '2026-01-15T05:00:00.000Z',
          nextTryAt: '2026-01-15T06:20:00.000Z',
          error: 'hooks.example answered 503',
        },
        {
          id: 3,
          project: 'acme',
          runId: 7,
          rule: 'run-suspect',
          channel: 'mail',
          text: 'the run is suspect: many were lost',
          state: 'failed',
          attempts: 8,
          createdAt: '2026-01-13T05:00:00.000Z',
          nextTryAt: null,
          error: 'mail.example: connect ECONNREFUSED',
        },
      ],
    },
    problems: [
      {
        project: 'acme',
        keyword: 'trail shoes',
        market,
        status: 'unknown_paid',
        reason: 'reset',
        remedy: null,
        alike: 1,
      },
    ],
    problemsTotal: 31,
  };
  const { exitCode, out } = await inFolder(['status'], { fakes: { readStatus: async () => status } });
  expect(exitCode).toBe(0);
  expect(out).toMatch(
    /7 +ranks +2026-01-15T06:00 +acme +complete, suspect +2 ok, 1 failed +many were lost: .* answered 503 to all$/m,
  );
  expect(out).toMatch(/acme +ranks +yes +- +due at 06:00/);
  expect(out).toMatch(/acme +12 +600 of 2,400 +700 +2,100 \(75 %\) +about 140 +12 ± 5/);
  expect(out).toMatch(/8 +volumes +acme +- +\S+Z +2026-01-15T06:00:05.000Z +its process is gone/);
  expect(out).toContain('does not use service vendor until 2026-01-15T06:15:00.000Z: run 7 was halted (no credits)');
  expect(out).toMatch(/7 +acme +ops +2 +2026-01-15T06:20:00.000Z +"trail shoes" .* hooks.example answered 503/);
  expect(out).toMatch(
    /7 +acme +mail +8 +given up +the run is suspect: many were lost +mail.example: connect ECONNREFUSED/,
  );
  expect(out).toContain('1 alert given up; to retry: rankledger alerts retry');
  expect(out).toMatch(/acme +ranks +2026-01-14T06:00 Europe\/Berlin +no scheduler ran/);
  expect(out).toContain('2 purchases without an answer, perhaps charged');
  expect(out).toContain('perhaps charged, no answer  acme, "trail shoes", US en desktop: reset');
  expect(out).toContain('... and 30 more');
  expect(out).toMatch(/Not set in this environment.*\n {2}rankledger.yaml:3:5: services.vendor.user/);
  expect(out).toContain('Database: data/rankledger.sqlite');
});
