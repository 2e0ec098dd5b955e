// `alerts`, and alerts in `run` and `status`: a real app over the sandbox, a real webhook and a real file.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import type { Log } from '../../../jobs/context.ts';
import { openApp } from '../../../src/app/app.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { closeLater } from '../../helpers/closing.ts';
import { startMailServer } from '../../helpers/mail-server.ts';
import { secretPath, startWebhook, type Webhook } from '../../helpers/webhook.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const start = Date.UTC(2026, 0, 15, 6);

let folder: ProjectFolder;
let hook: Webhook;
let clock: SimulatedClock;
let logged: string[];
let smtp = '';
beforeEach(async () => {
  hook = await startWebhook();
  clock = new SimulatedClock(start);
  logged = [];
  folder = projectFolder(`
budget: { serpCredits: { perMonth: 10 } }
reports: { url: "https://seo.example/reports" }
alerts:
  channels:
    ops: { type: webhook, url: "\${ALERT_URL}", allowHttp: true }
    log: { type: file, path: logs/alerts.jsonl }
  rules:
    - { when: budget-share, percent: 10 }
    - { when: run-failed }
projects:
  - { id: acme, targets: [acme.com], depth: 1, keywords: [a, b] }
  - { id: quiet, targets: [acme.com], depth: 1, keywords: [c], alerts: [] }
`);
});
afterEach(async () => {
  await hook.close();
});

const note = (level: string) => (facts: object, message: string) =>
  void logged.push(`${level} ${message} ${JSON.stringify(facts)}`);
const log: Log = { debug: note('debug'), info: note('info'), warn: note('warn'), error: note('error') };

const rankledger = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now: clock.now(),
    env: { ALERT_URL: hook.url, SMTP: smtp },
    openApp: (config, options) => openApp(config, { ...options, clock, log }),
  });

const file = () => join(folder.path, 'logs/alerts.jsonl');
const lines = () =>
  readFileSync(file(), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('scheduled reports that wait or were given up are listed, by `status` too', async () => {
  await rankledger('run', '--project', 'quiet');
  const app = await openApp(await loadConfig({ cwd: folder.path, env: { ALERT_URL: hook.url } }), { clock });
  const { reportDeliveries } = app.context.store;
  const facts = { project: 'acme', channel: 'mail', recipient: 'b@acme.example', schedule: 'weekly' } as const;
  const week = (fromDate: string, toDate: string) =>
    ({ ...facts, fromDate, toDate, attach: 'html', dueAt: start }) as const;
  for (const days of [week('2025-12-29', '2026-01-04'), week('2026-01-05', '2026-01-11')]) {
    reportDeliveries.add([days], start, 'new');
  }
  const [taken] = reportDeliveries.take(start, start + 1, 10);
  reportDeliveries.markFailed([taken?.id ?? 0], 'mail.acme.example: refused', null);
  await app.close();
  for (const command of [['alerts', 'list'], ['status']]) {
    const { out } = await rankledger(...command);
    expect(out).toContain('Unsent reports\n');
    expect(out).toMatch(
      /acme +weekly, 2026-01-05 to 2026-01-11 +mail +b@acme\.example +1 +given up +mail\.acme\.example: refused/,
    );
    expect(out).toContain('1 report given up; to retry: rankledger report --deliver');
  }
  const { deliveries } = JSON.parse((await rankledger('alerts', 'list', '--json')).out);
  expect(deliveries).toMatchObject({
    pending: 0,
    failed: 1,
    unsent: [{ id: taken?.id, state: 'failed', attempts: 1 }],
  });
});

describe('a run', () => {
  test('sends alerts to its channels before it ends, each change once', async () => {
    expect(await rankledger('run', '--project', 'acme')).toMatchObject({ exitCode: 0, err: '' });
    expect(hook.posts).toHaveLength(1);
    expect(hook.posts[0]?.body).toMatchObject({
      project: 'acme',
      title: '[simulated] acme: 20 % of the SERP credits of month 2026-01 are used: 2 of 10',
      report: { url: 'https://seo.example/reports/acme/2026-01-15T0600/' },
      alerts: [{ about: 'budget', rule: 'budget-share percent 10', used: 2, cap: 10 }],
    });
    expect(lines()).toMatchObject([{ project: 'acme', id: 'alert-2', about: 'budget' }]);
    clock.goTo(start + 86_400_000);
    await rankledger('run', '--all');
    expect(hook.posts).toHaveLength(1);
    expect((await rankledger('alerts', 'list')).out).toBe('All alerts have been sent.\n');
  });

  test('of a project without alerts sends none', async () => {
    await rankledger('run', '--project', 'quiet');
    expect([hook.posts.length, existsSync(file())]).toEqual([0, false]);
  });

  test('does not fail when a channel fails; status shows it, and the next run retries', async () => {
    hook.answers.push(500, 500);
    expect(await rankledger('run', '--project', 'acme')).toMatchObject({ exitCode: 0, err: '' });
    expect(lines()).toHaveLength(1);
    const { alerts } = JSON.parse((await rankledger('status', '--json')).out);
    expect(alerts).toMatchObject({
      pending: 1,
      failed: 0,
      unsent: [
        { project: 'acme', runId: 1, channel: 'ops', rule: 'budget-share percent 10', attempts: 1, state: 'pending' },
      ],
    });
    const { out } = await rankledger('status');
    expect(out).toMatch(
      /Unsent alerts\n.*\n +1 +acme +ops +1 +2026-01-15T06:01:\S+Z +20 % of the SERP .* 127\.0\.0\.1:\d+ answered 500/,
    );
    expect(await rankledger('run', '--project', 'acme')).toMatchObject({ exitCode: 0 });
    expect(hook.posts).toHaveLength(1);
    clock.goTo(start + 120_000);
    await rankledger('run');
    expect(hook.posts).toHaveLength(2);
    expect((await rankledger('alerts', 'retry')).out).toBe('1 alert sent, 0 failed\n');
    expect(hook.posts).toHaveLength(3);
    expect(logged.filter((line) => line.includes('alerts could not be sent'))).toHaveLength(2);
    const bytes = readFileSync(join(folder.path, 'data/rankledger.sqlite'), 'latin1');
    expect(`${logged.join()}${out}${bytes}`).not.toContain(secretPath);
  });
});

describe('alerts test', () => {
  test('sends a sample to each channel, or to the named ones, and records nothing', async () => {
    expect(await rankledger('alerts', 'test')).toMatchObject({
      exitCode: 0,
      out: 'ok      ops (webhook)\nok      log (file)\n',
    });
    expect(hook.posts[0]?.body).toMatchObject({ run: null, warning: 'this is a test of this channel' });
    expect(existsSync(join(folder.path, 'data'))).toBe(false);
    await rankledger('alerts', 'test', 'log');
    expect([hook.posts.length, lines().length]).toEqual([1, 2]);
  });

  test('names the channel that failed, without its address', async () => {
    hook.answers.push(404, 404);
    const { exitCode, out } = await rankledger('alerts', 'test', 'ops');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^FAILED {2}ops \(webhook\): 127\.0\.0\.1:\d+ answered 404\n$/);
    const trials = JSON.parse((await rankledger('alerts', 'test', '--json')).out);
    expect(trials).toMatchObject([
      { channel: 'ops', type: 'webhook', ok: false },
      { channel: 'log', ok: true, detail: null },
    ]);
    const { exitCode: usage, err } = await rankledger('alerts', 'test', 'opps');
    expect([usage, err.includes('there is no channel "opps"')]).toEqual([2, true]);
  });
});

test('alerts retry lists the unsent alerts, with exit code 1', async () => {
  hook.answers.push(500, 500);
  await rankledger('run', '--project', 'acme');
  const { exitCode, out } = await rankledger('alerts', 'retry', '--json');
  expect(exitCode).toBe(1);
  expect(JSON.parse(out)).toMatchObject({ told: 0, notTold: 1, pending: 1, failed: 0, unsent: [{ attempts: 2 }] });
  expect((await rankledger('alerts', 'list')).out).toContain('Unsent alerts');
  expect(JSON.parse((await rankledger('alerts', 'list', '--json')).out)).toMatchObject({ pending: 1 });
});

test.each([
  [
    'rules in a project alone',
    'projects: [{ id: acme, targets: [acme.com], keywords: [a], alerts: [{ when: run-failed }] }]',
  ],
  ['a secret that is not set', 'projects: [{ id: acme, targets: [acme.com], keywords: [a] }]', `\${UNSET_URL}`],
])(
  'alerts list shows unsent alerts, and knows that there are rules, with %s',
  async (_, projects, url = 'https://ops.example/') => {
    hook.answers.push(500);
    await rankledger('run', '--project', 'acme');
    const rules = url.includes('UNSET') ? '  rules: [{ when: run-failed }]\n' : '';
    folder.write(
      'rankledger.yaml',
      `alerts:\n  channels: { ops: { type: webhook, url: "${url}" } }\n${rules}${projects}\n`,
    );
    expect((await rankledger('alerts', 'list')).out).toMatch(/^Unsent alerts\n/);
    await openApp(await loadConfig({ cwd: folder.path, env: {}, offline: true }), { clock }).then(async (app) => {
      app.context.store.alertDeliveries.markSent([1], start);
      await app.close();
    });
    expect((await rankledger('alerts', 'list')).out).toBe('All alerts have been sent.\n');
  },
);

test('an alert mail that one recipient refuses is sent to that one later, and never twice to the other', async () => {
  const server = closeLater(await startMailServer({ unknown: ['b@acme.com'] }));
  folder.write(
    'rankledger.yaml',
    `budget: { serpCredits: { perMonth: 10 } }
alerts:
  channels: { mail: { type: email, smtp: "\${SMTP}", from: rank@acme.com, to: [a@acme.com, b@acme.com] } }
  rules: [{ when: budget-share, percent: 10 }]
projects: [{ id: acme, targets: [acme.com], depth: 1, keywords: [a] }]
`,
  );
  smtp = `smtp://127.0.0.1:${server.port}`;
  await rankledger('run', '--all');
  expect((await rankledger('alerts', 'list')).out).toMatch(/refused b@acme\.com/);
  server.options = {};
  expect((await rankledger('alerts', 'retry')).out).toBe('1 alert sent, 0 failed\n');
  expect(server.received.map(({ to }) => to)).toEqual([['a@acme.com'], ['b@acme.com']]);
  const ids = server.received.map(({ text }) => /^Message-ID: (\S+)/im.exec(text)?.[1]);
  expect(ids[1]).toBe(ids[0]);
});
