// Scheduled reports: once per period and recipient, over SMTP and into a file, through failures and deaths.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { type App, openApp } from '../../../src/app/app.ts';
import { deliver } from '../../../src/app/runs/deliveries.ts';
import { run } from '../../../src/app/runs/run.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { type MailServer, startMailServer } from '../../helpers/mail-server.ts';

const dayMs = 86_400_000;
/** A Wednesday. */
const start = Date.UTC(2026, 0, 7, 6, 0, 1);
const delivery = '{ every: weekly, channels: [mail, log] }';

let folder: string;
let mail: MailServer;
let clock: SimulatedClock;
let app: App;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-deliver-'));
  mail = await startMailServer();
  clock = new SimulatedClock(start);
  onTestFinished(async () => {
    await app.close();
    await mail.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

async function open(rules = delivery): Promise<void> {
  writeFileSync(
    join(folder, 'rankledger.yaml'),
    `reports:
  template: { name: Northlight, introduction: Dear team. }
  deliver: [${rules}]
alerts:
  channels:
    mail: { type: email, smtp: "smtp://127.0.0.1:${mail.port}", from: a@north.example, to: [b@acme.example, c@acme.example] }
    log: { type: file, path: digests.jsonl }
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 1, keywords: [running shoes, trail shoes] }
`,
  );
  app = await openApp(await loadConfig({ cwd: folder, env: {} }), { clock });
}

async function runDay(day: number): Promise<void> {
  clock.goTo(start + day * dayMs);
  await run(app, {});
}

const states = () =>
  app.context.store.reportDeliveries.list(100).map(({ state, recipient }) => `${state} ${recipient}`);
const digests = () =>
  readFileSync(join(folder, 'digests.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('a week is sent once to each recipient when it is over, with its numbers and the page', async () => {
  await open();
  for (const day of [0, 4, 5]) await runDay(day);
  // the first Monday that it saw was 5 January, before it was set up; the second is 12 January
  expect(states().filter((state) => state.startsWith('skipped'))).toHaveLength(3);
  expect(mail.received.map(({ to }) => to)).toEqual([['b@acme.example'], ['c@acme.example']]);
  const text = mail.received[0]?.text ?? '';
  expect(text.replaceAll('\r\n ', ' ')).toContain(
    'Subject: [Northlight] [simulated] acme: weekly report, 2026-01-05 to 2026-01-11',
  );
  expect(text).toContain('Dear team.');
  expect(text).toMatch(/Average rank +\S+ \(\S+\)/);
  expect(text).toContain('Attached: report.html');
  expect(text).toMatch(/<h2 [^>]*>Numbers<\/h2>/);
  expect(text).toContain('filename=report.html');
  expect(text).not.toContain(folder);
  expect(digests()).toEqual([
    expect.objectContaining({
      event: 'report',
      project: 'acme',
      schedule: 'weekly',
      from: '2026-01-05',
      to: '2026-01-11',
    }),
  ]);
  await runDay(6);
  expect((await deliver(app)).sent).toBe(0);
  expect(mail.received).toHaveLength(2);
});

test('a server that refuses is retried, and recipients who have the report get nothing twice', async () => {
  await open();
  mail.options = { unknown: ['c@acme.example'] };
  for (const day of [0, 4, 5]) await runDay(day);
  expect(mail.received.map(({ to }) => to)).toEqual([['b@acme.example']]);
  const waiting = app.context.store.reportDeliveries.list(10, ['pending']);
  expect(waiting).toMatchObject([{ recipient: 'c@acme.example', attempts: 1 }]);
  expect(waiting[0]?.error).toContain('127.0.0.1');
  mail.options = {};
  await runDay(6);
  expect(mail.received.map(({ to }) => to)).toEqual([['b@acme.example'], ['c@acme.example']]);
});

test('a report that a process claimed before it died is sent after its lease, under the same id', async () => {
  await open(`{ every: weekly }`);
  for (const day of [0, 4]) await runDay(day);
  clock.goTo(start + 5 * dayMs);
  const { reportDeliveries } = app.context.store;
  const due = { project: 'acme', channel: 'mail', schedule: 'weekly', attach: 'html', dueAt: clock.now() } as const;
  const week = { fromDate: '2026-01-05', toDate: '2026-01-11' };
  const recipients = ['b@acme.example', 'c@acme.example'];
  reportDeliveries.add(
    recipients.map((recipient) => ({ ...due, ...week, recipient })),
    clock.now(),
    '',
  );
  const lease = clock.now() + 60_000;
  expect(reportDeliveries.take(clock.now(), lease, 100)).toHaveLength(2);
  expect((await deliver(app)).sent).toBe(0);
  clock.goTo(lease);
  expect((await deliver(app)).sent).toBe(2);
  expect(mail.received).toHaveLength(2);
  expect(mail.received[0]?.text).toMatch(/Message-ID:\s+<report-\d+-acme-weekly-2026-01-05-2026-01-11@north\.example>/);
});

test('a daily report waits for its run, and a week without runs is skipped', async () => {
  await open(`{ every: daily, at: "05:00", channels: [log] }, { every: weekly, channels: [log] }`);
  await runDay(0);
  clock.goTo(start + dayMs - 3_000_000);
  expect((await deliver(app)).sent).toBe(0);
  expect(app.context.store.reportDeliveries.list(10, ['pending'])).toMatchObject([{ schedule: 'daily', attempts: 0 }]);
  await runDay(1);
  expect(digests()).toMatchObject([{ schedule: 'daily', from: '2026-01-08', to: '2026-01-08' }]);
  clock.goTo(start + 30 * dayMs);
  await deliver(app);
  expect(app.context.store.reportDeliveries.list(10, ['skipped'])[0]).toMatchObject({
    schedule: 'weekly',
    error: 'nothing was recorded on its days',
  });
});
