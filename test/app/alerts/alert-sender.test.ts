// The alert sender: sends in the background, sends nothing twice, waits at its end, and never fails a run.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ResolvedConfig, Secret } from '../../../config/resolve.ts';
import { openAlertSender } from '../../../src/app/runs/senders.ts';
import { keywordAlert } from '../../helpers/alerts.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { World } from '../../helpers/jobs.ts';
import { startWebhook } from '../../helpers/webhook.ts';

const at = Date.UTC(2026, 0, 15, 6);
async function begin(giveUp = new AbortController().signal) {
  const warned: string[] = [];
  const world = new World({
    projects: [],
    services: new Map(),
    log: {
      debug() {},
      info() {},
      error() {},
      warn: (facts, message) => warned.push(`${message} ${JSON.stringify(facts)}`),
    },
  });
  const hook = await startWebhook();
  const file = join(temporaryFolder(), 'alerts.jsonl');
  const alerts: ResolvedConfig['alerts'] = {
    channels: new Map([
      ['ops', { type: 'webhook', url: new Secret(hook.url), format: 'slack' }],
      ['log', { type: 'file', path: file }],
    ]),
    rules: [{ when: 'run-failed' }],
    ownRules: new Map(),
  };
  const config = { alerts, reports: { directory: '/reports' } } as ResolvedConfig;
  const sender = openAlertSender(config, world.context, giveUp);
  const { store } = world;
  const note = (subject: string, channel: string) =>
    store.transaction(() => {
      const slot = { project: 'acme', slot: '2026-01-15T06:00', at, timezone: 'UTC', localDate: '2026-01-15' };
      const opened = store.runs.open({ kind: 'ranks', moment: at, owner: 'o', at }, [slot]);
      const payload = JSON.stringify({ alert: keywordAlert({ keyword: subject }), warning: null, report: null });
      store.alertDeliveries.add(
        [{ runId: opened?.id ?? 1, project: 'acme', rule: 'x', subject, channel, payload }],
        world.clock.now(),
      );
    });
  return { world, hook, file, sender, note, warned };
}

it('the alert sender sends due alerts at a tick, and at its end waits for them and for new ones', async () => {
  const { sender, note, hook, file } = await begin();
  sender.sendDue();
  note('a', 'ops');
  sender.sendDue();
  sender.sendDue();
  note('b', 'log');
  await sender.close();
  expect(hook.posts).toHaveLength(1);
  expect(readFileSync(file, 'utf8')).toContain('"keyword":"b"');
});

it('the alert sender leaves an undelivered alert until it is due again', async () => {
  const { world, sender, note, hook, warned } = await begin();
  hook.answers.push(503);
  note('a', 'ops');
  await sender.close();
  sender.sendDue();
  await sender.close();
  expect(hook.posts).toHaveLength(1);
  expect(warned).toEqual([expect.stringMatching(/^alerts could not be sent .*answered 503/)]);
  world.clock.advance(120_000);
  sender.sendDue();
  await sender.close();
  expect(hook.posts).toHaveLength(2);
  expect(world.store.alertDeliveries.countByState()).toEqual({ pending: 0, sent: 1, failed: 0 });
});

it('the alert sender begins nothing after the shutdown deadline, and aborts what hangs', async () => {
  const giveUp = new AbortController();
  const { world, sender, note, hook, file } = await begin(giveUp.signal);
  hook.answers.push('hang');
  note('a', 'ops');
  sender.sendDue();
  while (hook.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
  giveUp.abort();
  note('b', 'log');
  await sender.close();
  expect(existsSync(file)).toBe(false);
  expect(world.store.alertDeliveries.countByState()).toEqual({ pending: 2, sent: 0, failed: 0 });
});

it('the alert sender logs a database that does not answer', async () => {
  const { world, sender, warned } = await begin();
  world.db.sql('DROP TABLE alert_deliveries').run();
  sender.sendDue();
  await sender.close();
  expect(warned[0]).toMatch(/^alerts wait: the database could not be read .*no such table/);
});
