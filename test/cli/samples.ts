// One of each result that the app returns, for tests to change and print.
import type { RunResult } from '../../src/app/runs/run.ts';

export const market = { service: 'default', country: 'US', language: 'en', device: 'desktop' } as const;
const nothing = { reserved: 0, spent: 0, unknown: 0, released: 0 };

export const mover = {
  project: 'acme',
  keyword: 'running shoes',
  country: 'US',
  language: 'en',
  device: 'desktop',
  target: 'acme.com',
  changeClass: 'improved',
  cause: null,
  rank: 4,
  previousRank: 12,
  change: 8,
  searchVolume: 90_000,
  estimatedClicksChange: 1202.6,
  significance: 'likely',
} as const;

export function runResult(changes: Partial<RunResult> = {}): RunResult {
  return {
    runId: 7,
    kind: 'ranks',
    state: 'complete',
    resumed: false,
    slots: [{ project: 'acme', slot: '2026-01-15T06:00', suspectReason: null }],
    checks: { ok: 1234, incomplete: 0, failed: 0, deferred: 0, unknown_paid: 0 },
    serpCredits: { ...nothing, reserved: 3000, spent: 2345, released: 655 },
    microUsd: nothing,
    pagesReused: 3,
    haltReason: null,
    suspectReason: null,
    problems: [],
    clock: null,
    notes: [],
    reports: [],
    ...changes,
  };
}
