// Keyword metrics by month: a recorded month is kept, and queries get the newest known month.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredVolume } from '../../../db/history/volumes.ts';
import { openStore, type Store } from '../../../db/store.ts';

let store: Store;
beforeEach(() => {
  store = openStore(':memory:');
});
afterEach(() => store.close());

const market = { service: 'vendor', country: 'US', language: 'en' };
const volume = (month: string, searchVolume: number | null): StoredVolume => ({
  month,
  observedAt: 5,
  source: 'vendor/remote',
  searchVolume,
  cpcMicroUsd: 1_250_000,
  competition: 40,
  competitionLevel: 'medium',
  intent: 'commercial',
  relatedKeywords: ['__proto__', 'a "quoted" one'],
});

/** The volumes that a report of that month reads. */
const latest = (keyword: string, month: string) =>
  store.trackedRows.of({
    runs: [{ id: 1, moment: 1 }],
    project: 'acme',
    market: { ...market, device: 'desktop' },
    keywords: [keyword],
    baselines: { from: 0, until: 0 },
    month,
    target: 'domain:acme.example',
  })[0]?.metrics ?? null;

describe('the metrics of a month', () => {
  it('are read as they were written', () => {
    store.volumes.insert('shoes', market, volume('2026-01', 0), null);
    expect(latest('shoes', '2026-01')).toEqual({
      month: '2026-01',
      searchVolume: 0,
      cpcMicroUsd: 1_250_000,
      competition: 40,
      competitionLevel: 'medium',
      intent: 'commercial',
    });
  });

  it('keep their first values', () => {
    store.volumes.insert('shoes', market, volume('2026-01', 100), null);
    store.volumes.insert('shoes', market, volume('2026-01', 200), null);
    expect(latest('shoes', '2026-01')?.searchVolume).toBe(100);
  });

  it('are those of the newest month up to the requested one', () => {
    for (const [month, value] of [
      ['2025-11', 1],
      ['2026-01', 2],
      ['2026-02', 3],
    ] as const)
      store.volumes.insert('shoes', market, volume(month, value), null);
    expect(latest('shoes', '2025-10')).toBeNull();
    expect(latest('shoes', '2025-12')?.searchVolume).toBe(1);
    expect(latest('shoes', '2026-01')?.searchVolume).toBe(2);
    expect(latest('shoes', '2027-01')?.searchVolume).toBe(3);
  });

  it('are recorded as unknown if the vendor knows none', () => {
    store.volumes.insert('zzqx', market, volume('2026-01', null), null);
    expect(store.volumes.has('zzqx', market, '2026-01')).toBe(true);
    expect(store.volumes.has('zzqx', market, '2026-02')).toBe(false);
    expect(store.volumes.has('zzqx', { ...market, country: 'GB' }, '2026-01')).toBe(false);
  });
});
