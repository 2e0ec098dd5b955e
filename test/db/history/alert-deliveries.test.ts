// An alert is recorded once, claimed by one sender at a time, and retried until it is sent or given up.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewDelivery } from '../../../db/history/outbox.ts';
import { openStore, type Store } from '../../../db/store.ts';

let store: Store;
let runId = 0;
beforeEach(() => {
  store = openStore(':memory:');
  const slot = { project: 'acme', slot: '2026-11-20T06:00', at: 5, timezone: 'UTC', localDate: '2026-11-20' };
  runId = store.runs.open({ kind: 'ranks', moment: 5, owner: 'me', at: 5 }, [slot])?.id ?? 0;
});
afterEach(() => store.close());

const alert = (over: Partial<NewDelivery> = {}): NewDelivery => ({
  runId,
  project: 'acme',
  rule: 'moved',
  subject: 'shoes',
  channel: 'ops',
  payload: '{"rank":4}',
  ...over,
});
const deliveries = () => store.alertDeliveries;

describe('an alert', () => {
  it('is recorded once per change and channel', () => {
    expect(deliveries().add([alert(), alert({ channel: 'mail' }), alert()], 10)).toBe(2);
    expect(deliveries().add([alert({ payload: 'newer' }), alert({ subject: 'boots' })], 11)).toBe(1);
    expect(deliveries().ofRun(runId)).toMatchObject([
      { channel: 'ops', subject: 'shoes', payload: '{"rank":4}', state: 'pending', attempts: 0, nextTryAt: 10 },
      { channel: 'mail' },
      { subject: 'boots', createdAt: 11 },
    ]);
  });

  it('is claimed by one sender at a time, and again after that sender has died', () => {
    deliveries().add([alert()], 10);
    expect(deliveries().take(9, 100, 5)).toEqual([]);
    expect(deliveries().take(10, 100, 5)).toMatchObject([{ subject: 'shoes', attempts: 1, nextTryAt: 100 }]);
    expect(deliveries().take(99, 200, 5)).toEqual([]);
    expect(deliveries().take(100, 200, 5)).toMatchObject([{ attempts: 2 }]);
  });

  it('that is sent is not tried again', () => {
    deliveries().add([alert(), alert({ channel: 'mail' })], 10);
    const [first] = deliveries().take(10, 100, 1);
    deliveries().markSent([first?.id ?? 0], 20);
    expect(deliveries().take(1000, 2000, 5)).toMatchObject([{ channel: 'mail' }]);
    expect(deliveries().ofRun(runId)[0]).toMatchObject({ state: 'sent', sentAt: 20, nextTryAt: null, error: null });
    deliveries().markFailed([first?.id ?? 0], 'too late', 30);
    expect(deliveries().countByState()).toEqual({ pending: 1, sent: 1, failed: 0 });
  });

  it('that failed waits for its next attempt, is given up in the end, and can be requested again', () => {
    deliveries().add([alert()], 10);
    const [{ id } = { id: 0 }] = deliveries().take(10, 100, 5);
    deliveries().markFailed([id], 'connection refused', 500);
    expect(deliveries().nextTryAt()).toBe(500);
    expect(deliveries().take(499, 600, 5)).toEqual([]);
    deliveries().markFailed([id], 'gone', null);
    expect(deliveries().unsent(5)).toMatchObject([{ id, state: 'failed', error: 'gone', nextTryAt: null }]);
    expect(deliveries().nextTryAt()).toBeNull();
    expect(deliveries().retryFailed(700)).toBe(1);
    expect(deliveries().take(700, 800, 5)).toMatchObject([{ id, attempts: 2 }]);
  });
});
