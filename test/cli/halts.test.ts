// Refusals as an operator meets them: the exit code, the message, the next run, and a second service that continues.
import { describe, expect, test } from 'vitest';
import { csvRows, type Folder } from './child.ts';
import { folderHere } from './folder-here.ts';
import { type Fault, SpecProvider } from './spec-provider.ts';

const secrets = { PROVIDER_USER: 'ada', PROVIDER_PASSWORD: 'sesame' };
const serviceOf = (name: string, provider: SpecProvider) => `
  ${name}: { mode: remote, baseUrl: "${provider.baseUrl}", user: "\${PROVIDER_USER}", password: "\${PROVIDER_PASSWORD}", requestsPerSecond: 500, concurrency: 1 }`;
const slot = (day: number) => `2026-10-0${day}T06:00:00Z`;
const words = (name: string) => Array.from({ length: 5 }, (_, index) => `${name} ${index}`).join(', ');
const statuses = (folder: Folder, project: string) =>
  csvRows(folder.read(`reports/${project}/latest/rank-changes.csv`)).map((row) => row['status']);
const refused: Fault = { kind: 'status', status: 402, code: 'INSUFFICIENT_CREDITS' };

describe('a provider that is out of credits', () => {
  test('halts only its own searches: exit code 4, and the rest comes first the next day', async () => {
    const [poor, rich] = [await SpecProvider.start(), await SpecProvider.start()];
    const folder = folderHere(
      {
        'rankledger.yaml': `services:${serviceOf('poor', poor)}${serviceOf('rich', rich)}
projects:
  - { id: acme, service: poor, targets: [acme.com], depth: 1, keywords: [${words('a')}] }
  - { id: globex, service: rich, targets: [acme.com], depth: 1, keywords: [${words('b')}] }
`,
      },
      secrets,
    );
    try {
      poor.fault = ({ order }) => (order >= 2 ? refused : undefined);
      const halted = await folder.run('run', '--all', '--slot', slot(1), '--late');
      expect(halted.exitCode).toBe(4);
      expect(halted.out).toContain('INSUFFICIENT_CREDITS');
      expect(poor.asks.length).toBe(3);
      expect(statuses(folder, 'acme').sort()).toEqual(['deferred', 'deferred', 'deferred', 'ranked', 'ranked']);
      expect(statuses(folder, 'globex')).toEqual(Array(5).fill('ranked'));
      poor.fault = () => undefined;
      expect((await folder.run('run', '--all', '--slot', slot(2), '--late')).exitCode).toBe(0);
      expect(poor.asks.slice(3, 6).map(({ keyword }) => keyword)).toEqual(['a 2', 'a 3', 'a 4']);
      const { document } = await folder.json('audit');
      expect(document).toMatchObject({
        ok: true,
        unknownPurchases: [],
        totals: { serp_credit: { spent: 17, open: 0 } },
      });
    } finally {
      folder.remove();
      await Promise.all([poor.stop(), rich.stop()]);
    }
  });

  test('is named by run and status with what happens next, and the next run repairs the slot', async () => {
    const provider = await SpecProvider.start();
    const folder = folderHere(
      {
        'rankledger.yaml': `services:${serviceOf('default', provider)}
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [${words('a')}], schedule: "0 0 * * *", timezone: Etc/UTC }
`,
      },
      secrets,
    );
    try {
      provider.fault = () => refused;
      const halted = await folder.run('run');
      expect(halted.exitCode).toBe(4);
      const left = 'UNFINISHED: acme, ';
      expect(halted.out).toContain(left);
      expect(halted.out).toContain(': 5 deferred of 5 searches; the next run tries them again.');
      expect(halted.out).toContain('To repair it now: rankledger backfill ranks --failed --project acme');
      const { out: status } = await folder.run('status');
      expect(status).toContain('NOTHING CHECKED: acme');
      expect(status).toContain(left);
      const { out: planned } = await folder.run('plan');
      expect(planned).toContain('acme: 5 searches of its last slot would be tried again');
      expect(planned).toContain('Nothing else would be bought.');
      provider.fault = () => undefined;
      const repaired = await folder.run('run');
      expect({ exitCode: repaired.exitCode, out: repaired.out }).toEqual({
        exitCode: 0,
        out: expect.stringContaining('run 1 (resumed)'),
      });
      expect(statuses(folder, 'acme')).toEqual(Array(5).fill('ranked'));
      const after = await folder.run('status');
      expect(after.out).not.toMatch(/NOTHING CHECKED|UNFINISHED/);
    } finally {
      folder.remove();
      await provider.stop();
    }
  });

  test('is named by plan and by one alert with all that the run left undone, while no run tries it', async () => {
    const provider = await SpecProvider.start();
    const project = (id: string, keywords: string) =>
      `  - { id: ${id}, targets: [acme.com], depth: 1, keywords: [${keywords}], schedule: "0 0 * * *", timezone: Etc/UTC }`;
    const folder = folderHere(
      {
        'rankledger.yaml': `services:${serviceOf('default', provider)}
alerts: { channels: { log: { type: file, path: alerts.jsonl } }, rules: [{ when: run-failed }] }
projects:
${project('acme', 'a, b, c')}
${project('blog', 'c, d')}
`,
      },
      secrets,
    );
    try {
      provider.fault = () => refused;
      for (const _ of ['the run', 'its first try']) expect((await folder.run('run')).exitCode).toBe(4);
      const { exitCode, out } = await folder.run('plan');
      expect(exitCode).toBe(0);
      for (const [id, count] of [['acme', 3] as const, ['blog', 2] as const])
        expect(out).toMatch(
          new RegExp(
            `UNFINISHED: ${id}, .*: ${count} deferred of ${count} searches; tried again from .*backfill ranks --failed --project ${id}`,
          ),
        );
      const texts = folder
        .read('alerts.jsonl')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).text);
      expect(texts).toEqual([
        expect.stringMatching(
          /^the run was halted: .*; 4 deferred of 4 searches: .* rankledger backfill ranks --failed$/,
        ),
      ]);
      provider.fault = () => undefined;
      expect((await folder.run('backfill', 'ranks', '--failed')).exitCode).toBe(0);
      expect((await folder.run('plan')).out).not.toContain('UNFINISHED');
    } finally {
      folder.remove();
      await provider.stop();
    }
  });

  test('halts keyword data with exit code 4, after one request', async () => {
    const provider = await SpecProvider.start({
      fault: ({ path }) => (path === '/v1/keyword-data' ? refused : undefined),
    });
    const folder = folderHere(
      {
        'rankledger.yaml': `services:${serviceOf('default', provider)}
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [${words('a')}], schedule: "0 6 * * *", volumes: { schedule: "0 4 2 * *" } }
`,
      },
      secrets,
    );
    try {
      const halted = await folder.run('run');
      expect({ exitCode: halted.exitCode, out: halted.out }).toEqual({
        exitCode: 4,
        out: expect.stringContaining('INSUFFICIENT_CREDITS'),
      });
      expect(provider.asks.filter(({ path }) => path === '/v1/keyword-data').length).toBe(1);
      expect(provider.microUsd).toBe(0);
    } finally {
      folder.remove();
      await provider.stop();
    }
  });

  test('and lost an answer is queried by `audit --reconcile` if it keeps keys; otherwise its bill decides', async () => {
    const provider = await SpecProvider.start({
      fault: ({ keyword, earlier }) => (keyword === 'a 0' && earlier < 3 ? { kind: 'reset', sold: false } : undefined),
    });
    const config = (
      keeps: boolean,
    ) => `services:${serviceOf('default', provider).replace(' }', `, keepsKeys: ${keeps} }`)}
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [a 0, a 1] }
`;
    const folder = folderHere({ 'rankledger.yaml': config(false) }, secrets);
    try {
      expect((await folder.run('run', '--all')).exitCode).toBe(3);
      const before = await folder.json('audit', '--reconcile');
      expect(before.document).toMatchObject({ ok: true, reconciled: { settled: [], left: 3 } });
      const [first] = before.document['unknownPurchases'] as { purchaseId: number; ageMs: number }[];
      const word = await folder.json('audit', '--reconcile', 'free', '--purchase', String(first?.purchaseId));
      expect(word.document).toMatchObject({ ok: true, reconciled: { settled: [{ as: 'free' }], left: 2 } });
      expect((await folder.run('audit', '--reconcile', 'free', '--purchase', String(first?.purchaseId))).exitCode).toBe(
        2,
      );
      folder.write('rankledger.yaml', config(true));
      const asked = await folder.run('audit', '--reconcile');
      expect(asked.exitCode).toBe(0);
      expect(asked.out).toContain('2 purchases settled, 0 purchases still unknown');
      const { document } = await folder.json('audit');
      expect(document).toMatchObject({
        ok: true,
        unknownPurchases: [],
        totals: { serp_credit: { spent: 2, unknown: 0 } },
      });
      expect(provider.sold.length).toBe(2);
    } finally {
      folder.remove();
      await provider.stop();
    }
  });
});
