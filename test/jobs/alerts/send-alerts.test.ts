// Sending alerts: once per channel, again after a failure or a death; a failure never fails the run.
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AlertChannel, DeliveryError } from '../../../jobs/alerts/alert-channel.ts';
import { webhookChannel } from '../../../jobs/alerts/alert-webhook.ts';
import { type SendResult, sendAlerts } from '../../../jobs/alerts/send-alerts.ts';
import type { AlertMessage } from '../../../src/tracker/changes/alerts.ts';
import { keywordAlert } from '../../helpers/alerts.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { World } from '../../helpers/jobs.ts';
import { startWebhook } from '../../helpers/webhook.ts';

const at = Date.UTC(2026, 0, 15, 6);
const minuteMs = 60_000;
const never = new AbortController().signal;

/** A channel that accepts messages, or fails with `failure`. */
class Channel implements AlertChannel {
  readonly messages: AlertMessage[] = [];
  failure: DeliveryError | Error | null = null;
  tries = 0;
  onSend: () => void = () => {};

  async send(message: AlertMessage): Promise<void> {
    this.tries += 1;
    this.onSend();
    if (this.failure !== null) throw this.failure;
    this.messages.push(message);
  }
}

function begin(file?: string) {
  const world = new World({
    projects: [],
    services: new Map(),
    ...(file === undefined ? {} : { file }),
  });
  const channels = { ops: new Channel(), log: new Channel() };
  const send = (more: { dueAt?: number; signal?: AbortSignal; url?: string } = {}): Promise<SendResult> =>
    sendAlerts(
      world.context,
      {
        channels: new Map<string, AlertChannel>(Object.entries(channels)),
        reportsDirectory: '/reports',
        ...(more.url === undefined ? {} : { reportsUrl: more.url }),
      },
      more.signal ?? never,
      more.dueAt,
    );
  return { world, channels, send };
}

/** Ends a run that records an alert for each of these keywords. */
function endRun({ store, clock }: World, keywords: readonly string[], channels = ['ops'], project = 'acme'): void {
  store.transaction(() => {
    const slot = `2026-01-15T06:${String(store.runs.lastRuns(100).length).padStart(2, '0')}`;
    const claim = { project, slot, at, timezone: 'UTC', localDate: '2026-01-15' };
    const { id = 0 } = store.runs.open({ kind: 'ranks', moment: at, owner: 'o', at }, [claim]) ?? {};
    store.runs.close(id, { state: 'complete', reason: null, at });
    const payload = (keyword: string) =>
      JSON.stringify({ alert: keywordAlert({ keyword }), warning: null, report: `${project}/2026-01-15T0600` });
    const delivery = (keyword: string, channel: string) => ({
      runId: id,
      project,
      rule: 'moved by 5 any',
      subject: keyword,
      channel,
      payload: payload(keyword),
    });
    store.alertDeliveries.add(
      keywords.flatMap((keyword) => channels.map((name) => delivery(keyword, name))),
      clock.now(),
    );
  });
}

describe('a pending alert', () => {
  it('is sent once by each of its channels, in one message per run and project', async () => {
    const { world, channels, send } = begin();
    endRun(world, ['a', 'b'], ['ops', 'log']);
    endRun(world, ['c'], ['ops'], 'beta');
    expect(await send({ url: 'https://seo.example/r/' })).toEqual({ sent: 5, failed: 0 });
    expect(await send()).toEqual({ sent: 0, failed: 0 });
    const [first, second] = channels.ops.messages;
    expect(first?.alerts.map(({ id, alert }) => `${id} ${alert.about === 'keyword' ? alert.keyword : ''}`)).toEqual([
      'alert-1 a',
      'alert-3 b',
    ]);
    expect(first).toMatchObject({
      project: 'acme',
      run: { id: 1, slot: '2026-01-15T06:00', timezone: 'UTC', state: 'complete' },
      report: {
        directory: join('/reports', 'acme/2026-01-15T0600'),
        url: 'https://seo.example/r/acme/2026-01-15T0600/',
      },
    });
    expect(second).toMatchObject({ project: 'beta', run: { id: 2 } });
    expect(channels.log.messages).toHaveLength(1);
  });

  it('is sent in a message of at most a hundred', async () => {
    const { world, channels, send } = begin();
    endRun(
      world,
      Array.from({ length: 250 }, (_, index) => `word ${index}`),
    );
    expect(await send()).toEqual({ sent: 250, failed: 0 });
    expect(channels.ops.messages.map(({ alerts }) => alerts.length)).toEqual([100, 100, 50]);
  });
});

describe('a failed alert', () => {
  it('is retried after growing pauses, fails for good after the last one, and can be queued again', async () => {
    const { world, channels, send } = begin();
    endRun(world, ['a']);
    channels.ops.failure = new DeliveryError('hooks.example answered 500');
    const pauses: number[] = [];
    for (let next: number | null = at; next !== null; next = world.store.alertDeliveries.nextTryAt()) {
      world.clock.set(next);
      expect(await send()).toEqual({ sent: 0, failed: 1 });
      expect(await send()).toEqual({ sent: 0, failed: 0 });
      const due = world.store.alertDeliveries.nextTryAt();
      if (due !== null) pauses.push((due - next) / minuteMs);
    }
    expect(pauses.map((minutes) => Math.round(minutes / 1.05))).toEqual([1, 5, 15, 60, 180, 360, 720]);
    expect(world.store.alertDeliveries.unsent(10)).toMatchObject([
      { state: 'failed', attempts: 8, error: 'hooks.example answered 500', nextTryAt: null },
    ]);
    channels.ops.failure = null;
    expect(world.store.alertDeliveries.retryFailed(world.clock.now())).toBe(1);
    expect(await send()).toEqual({ sent: 1, failed: 0 });
  });

  it('waits as long as the receiver requests', async () => {
    const { world, channels, send } = begin();
    endRun(world, ['a']);
    channels.ops.failure = new DeliveryError('hooks.example answered 429', 30 * minuteMs);
    await send();
    expect(world.store.alertDeliveries.nextTryAt()).toBe(world.clock.now() + 30 * minuteMs);
  });

  it('blocks no other channel, and its own channel is tried once per pass', async () => {
    const { world, channels, send } = begin();
    endRun(world, ['a'], ['ops', 'log']);
    endRun(world, ['b'], ['ops', 'log']);
    channels.ops.failure = new Error('a bug of the channel');
    expect(await send()).toEqual({ sent: 2, failed: 2 });
    expect(channels.ops.tries).toBe(1);
    expect(channels.log.messages).toHaveLength(2);
  });

  it('of one receiver is tried again for that one alone, also by the next process, and holds up no other', async () => {
    const file = join(temporaryFolder(), 'd.sqlite');
    const first = begin(file);
    endRun(first.world, ['a'], ['ops']);
    first.channels.ops.failure = new DeliveryError('mail.example refused b@x', 0, ['a@x']);
    expect(await first.send()).toEqual({ sent: 0, failed: 1 });
    endRun(first.world, ['b', 'c'], ['ops']);
    endRun(first.world, ['d'], ['ops']);
    expect(await first.send()).toEqual({ sent: 0, failed: 3 });
    expect(first.channels.ops.tries).toBe(3);
    const second = begin(file);
    second.world.clock.advance(2 * minuteMs);
    expect(await second.send()).toEqual({ sent: 4, failed: 0 });
    expect(second.channels.ops.messages.map(({ reached, alerts }) => [reached, alerts.length])).toEqual([
      [['a@x'], 1],
      [['a@x'], 2],
      [['a@x'], 1],
    ]);
  });

  it('of a channel that the config no longer has names that channel', async () => {
    const { world, send } = begin();
    endRun(world, ['a'], ['gone']);
    expect(await send()).toEqual({ sent: 0, failed: 1 });
    expect(world.store.alertDeliveries.unsent(1)[0]?.error).toBe('the config has no channel "gone"');
  });

  it('is sent at once on request', async () => {
    const { world, channels, send } = begin();
    endRun(world, ['a']);
    channels.ops.failure = new DeliveryError('no');
    await send();
    channels.ops.failure = null;
    expect(await send()).toEqual({ sent: 0, failed: 0 });
    expect(await send({ dueAt: Number.MAX_SAFE_INTEGER })).toEqual({ sent: 1, failed: 0 });
  });
});

describe('a process that dies', () => {
  it('before it sends leaves every alert to the next process', async () => {
    const file = join(temporaryFolder(), 'a.sqlite');
    const first = begin(file);
    endRun(first.world, ['a']);
    const second = begin(file);
    expect(await second.send()).toEqual({ sent: 1, failed: 0 });
    expect(await first.send()).toEqual({ sent: 0, failed: 0 });
  });

  it('while it sends may repeat an alert: after its lease the next process sends it again under the same id', async () => {
    const file = join(temporaryFolder(), 'b.sqlite');
    const first = begin(file);
    endRun(first.world, ['a']);
    const hook = await startWebhook();
    const dies = new Error('killed');
    const dying: AlertChannel = {
      async send(message, signal) {
        await webhookChannel({ url: hook.url, format: 'json' }).send(message, signal);
        throw dies;
      },
    };
    const death = new AbortController();
    const ending = sendAlerts(
      first.world.context,
      {
        channels: new Map([['ops', { send: (...call) => dying.send(...call).finally(() => death.abort()) }]]),
        reportsDirectory: '/r',
      },
      death.signal,
    );
    expect(await ending).toEqual({ sent: 0, failed: 0 });
    const second = begin(file);
    expect(await second.send()).toEqual({ sent: 0, failed: 0 });
    second.world.clock.advance(10 * minuteMs);
    expect(await second.send()).toEqual({ sent: 1, failed: 0 });
    const posted = hook.posts[0]?.body as { alerts: { id: string }[] };
    expect(second.channels.ops.messages[0]?.alerts[0]?.id).toBe(posted.alerts[0]?.id);
    expect(first.world.value('SELECT count(*) FROM alert_deliveries')).toBe(1);
  });

  it('does not block another sender: neither sends the alerts that the other one has claimed', async () => {
    const file = join(temporaryFolder(), 'c.sqlite');
    const first = begin(file);
    endRun(first.world, ['a']);
    const second = begin(file);
    let other: Promise<SendResult> | undefined;
    first.channels.ops.onSend = () => {
      other = second.send();
    };
    expect(await first.send()).toEqual({ sent: 1, failed: 0 });
    expect(await other).toEqual({ sent: 0, failed: 0 });
  });
});
