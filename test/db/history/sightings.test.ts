import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../db/store.ts';
import { buildHistory } from '../../bench/history.ts';

const dayMs = 86_400_000;
const today = Date.UTC(2026, 0, 8, 6);
const source = 'default/sandbox';
const folder = mkdtempSync(join(tmpdir(), 'rankledger-sightings-'));
const file = join(folder, 'rankledger.sqlite');
let store: Store;

beforeAll(() => {
  buildHistory(file, { keywords: 40, days: 8 });
  store = openStore(file);
});

afterAll(() => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Oldest first. */
function ranksOf(searchId: number): { rank: number; checkedAt: number }[] {
  const database = new Database(file, { readonly: true });
  const rows = database
    .prepare(
      `SELECT r.rank, c.checked_at AS checkedAt FROM rankings r JOIN checks c ON c.id = r.check_id
       WHERE r.search_id = ? AND r.rank IS NOT NULL AND r.moment < ? ORDER BY r.moment`,
    )
    .all(searchId, today) as { rank: number; checkedAt: number }[];
  database.close();
  return rows;
}

describe('the sightings before a change', () => {
  it('are those of each search, oldest first, of many searches at a time', () => {
    const searches = Array.from({ length: 40 }, (_, index) => ({ searchId: 40 - index, checkedAt: today, source }));
    const found = store.rankings.sightingsOfMany({ targetId: 1, moment: today, max: 60 }, searches);
    expect(found).toHaveLength(40);
    for (const [index, { searchId }] of searches.entries())
      expect(found[index]).toEqual(
        ranksOf(searchId).map((seen) => ({ ...seen, depth: 10, resultsRead: null, source })),
      );
    expect(found.flat().length).toBeGreaterThan(100);
  });

  it('are the newest of one source before the baseline', () => {
    const searchId = Array.from({ length: 40 }, (_, index) => index + 1).find((id) => ranksOf(id).length === 7) ?? 0;
    const checkedAt = today - 2 * dayMs;
    const one = { targetId: 1, searchId, moment: today, checkedAt, source, max: 3 };
    const seen = store.rankings.sightingsBefore(one);
    expect(seen.map((each) => each.checkedAt)).toEqual(
      ranksOf(searchId)
        .map((each) => each.checkedAt)
        .filter((at) => at < checkedAt)
        .slice(-3),
    );
    expect(seen).toHaveLength(3);
    expect(store.rankings.sightingsBefore({ ...one, source: 'default/other' })).toEqual([]);
  });
});
