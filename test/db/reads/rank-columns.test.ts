// The ranks of all searches of a run at once are those of history, also of rankings that are added later.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeOfRank, rankCodes, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import { type RecordedHistory, recordedHistory } from '../../helpers/recorded-history.ts';

let history: RecordedHistory;
beforeAll(async () => {
  history = await recordedHistory(3);
});
afterAll(async () => {
  await history.close();
});

it('each run has the ranks, pages and times of the rankings of its target, by search', async () => {
  const world = history.open();
  const { rankColumns } = world.store;
  const runs = rankColumns.runs();
  expect(runs.map(({ id }) => id)).toEqual([3, 2, 1]);
  for (const { id } of runs) {
    const rows = world.db
      .sql<{ searchId: number; rank: number | null; page: number | null; url: number | null; at: number }>(
        `SELECT r.search_id AS searchId, r.rank, r.page, r.url_id AS url, c.checked_at AS at
         FROM rankings r JOIN checks c ON c.id = r.check_id WHERE r.target_id = 1 AND c.run_id = ? ORDER BY r.search_id`,
      )
      .all(id);
    expect(rows).toHaveLength(10);
    const [ranks, details] = [rankColumns.ranks(id, 1), rankColumns.details(id, 1)];
    const read = rows.map((_, at) => ({
      searchId: ranks?.searchIds[at],
      rank: rankOfCode(ranks?.codes[at] ?? 0),
      page: details?.pages[at] || null,
      url: details?.urlIds[at] || null,
      at: details?.checkedAt[at],
    }));
    expect(read).toEqual(rows);
    const among = JSON.stringify([rows[7]?.searchId, 999, rows[2]?.searchId]);
    const [some, facts] = [rankColumns.ranks(id, 1, { among }), rankColumns.details(id, 1, among)];
    const few = [...(some?.searchIds ?? [])].map((searchId, at) => ({
      ...{ searchId, rank: rankOfCode(some?.codes[at] ?? 0), page: facts?.pages[at] || null },
      ...{ url: facts?.urlIds[at] || null, at: facts?.checkedAt[at] },
    }));
    expect(few).toEqual([rows[2], rows[7]]);
  }
  await world.close();
});

it('runs share the list of their searches', async () => {
  const world = history.open();
  const first = world.store.rankColumns.ranks(3, 1);
  const second = world.store.rankColumns.ranks(2, 1, { like: first ?? undefined });
  expect(second?.searchIds).toBe(first?.searchIds);
  expect(second?.searchIds).toHaveLength(10);
  await world.close();
});

it('a ranking that is added later is read, and changes the stamp of its run', async () => {
  const world = history.open();
  const { store } = world;
  const [, middle] = store.rankColumns.runs();
  if (middle === undefined) throw new Error('there are three runs');
  const targetId = store.names.targetId({ identity: 'domain:later.example', match: 'domain', value: 'later.example' });
  const [check] = store.derivations.checksAfter(0, 100).filter(({ moment }) => moment === middle.moment);
  if (check === undefined) throw new Error('the run has checks');
  const { searchId, moment, id: checkId, depth } = check;
  expect(store.rankColumns.ranks(middle.id, targetId)).toBeNull();
  store.transaction(() =>
    store.rankings.insert({
      ...{ targetId, searchId, moment, checkId, depth },
      outcome: { kind: 'notFound', depth },
      ownedFeatures: [],
    }),
  );
  const found = store.rankColumns.ranks(middle.id, targetId);
  expect([found?.searchIds, found?.codes].map((column) => [...(column ?? [])])).toEqual([
    [searchId],
    [rankCodes.not_found],
  ]);
  const stamps = store.rankColumns.runs().map(({ stamp }) => stamp);
  expect(stamps[1]).not.toBe(middle.stamp);
  await world.close();
});

it('a rank is equal after encoding and decoding', () => {
  for (const rank of [1, 7, 100, 4_000]) expect(rankOfCode(codeOfRank(rank))).toBe(rank);
});
