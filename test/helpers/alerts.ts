// Alert messages, for tests of their texts, formats and channels.
import type { Alert, AlertMessage, KeywordAlert } from '../../src/tracker/changes/alerts.ts';

export function keywordAlert(more: Partial<KeywordAlert> = {}): KeywordAlert {
  return {
    about: 'keyword',
    when: 'moved',
    rule: 'moved by 5 any',
    keyword: 'running shoes',
    country: 'US',
    language: 'en',
    device: 'desktop',
    target: 'acme.example',
    tags: [],
    changeClass: 'improved',
    now: { rank: 4, url: 'https://acme.example/a', depth: 3, date: '2026-01-15' },
    before: { rank: 12, url: 'https://acme.example/a', depth: 3, date: '2026-01-14' },
    searchVolume: 1000,
    estimatedClicksChange: 120,
    ...more,
  };
}

/** One alert of run 7. */
export function runMessage(alert: Partial<KeywordAlert> = {}, more: Partial<AlertMessage> = {}): AlertMessage {
  return messageOf([keywordAlert(alert)], more);
}

export function messageOf(alerts: readonly Alert[], more: Partial<AlertMessage> = {}): AlertMessage {
  return {
    project: 'acme',
    run: { id: 7, kind: 'ranks', slot: '2026-01-15T06:00', timezone: 'UTC', state: 'complete' },
    warning: null,
    report: null,
    alerts: alerts.map((alert, index) => ({ id: `alert-${index + 1}`, alert })),
    ...more,
  };
}
