// When a scheduled report is due, and the days that it covers.
import { expect, test } from 'vitest';
import { type DeliveryRule, dueDelivery } from '../../../src/tracker/changes/client-reports.ts';

const rule: DeliveryRule = { every: 'weekly', day: 1, at: '06:00', channels: ['mail'], projects: null, attach: 'html' };
const at = (text: string): number => Date.parse(text);

test.each([
  [{}, '2026-11-23T05:00:00Z', '2026-11-23T05:00:00Z', '2026-11-16', '2026-11-22'],
  [{}, '2026-11-23T04:59:00Z', '2026-11-16T05:00:00Z', '2026-11-09', '2026-11-15'],
  [{ day: 0 }, '2026-11-23T12:00:00Z', '2026-11-22T05:00:00Z', '2026-11-15', '2026-11-21'],
  [{ every: 'daily', day: null }, '2026-11-23T12:00:00Z', '2026-11-23T05:00:00Z', '2026-11-23', '2026-11-23'],
  [{ every: 'monthly', day: 1 }, '2026-03-02T12:00:00Z', '2026-03-01T05:00:00Z', '2026-02-01', '2026-02-28'],
  [{ every: 'monthly', day: 5 }, '2026-03-02T12:00:00Z', '2026-02-05T05:00:00Z', '2026-01-01', '2026-01-31'],
  [{ every: 'weekly', day: 1 }, '2026-03-30T04:00:00Z', '2026-03-30T04:00:00Z', '2026-03-23', '2026-03-29'],
] as const)('a report with %j at %s is due since %s for %s to %s', (more, now, dueAt, from, to) => {
  const due = dueDelivery({ ...rule, ...more } as DeliveryRule, 'Europe/Berlin', at(now));
  expect(due).toEqual({ dueAt: at(dueAt), from, to });
});
