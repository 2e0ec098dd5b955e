// Columns of ranks equal history, are read only if they are current, and are rebuilt otherwise.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openForReading } from '../../../db/connection/client.ts';
import { verification } from '../../../db/integrity/verify.ts';
import { codeOfRank, rankOfCode } from '../../../src/tracker/rank-codes.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { type RecordedHistory, recordedHistory } from '../../helpers/recorded-history.ts';

let history: RecordedHistory;
beforeAll(async () => {
  history = await recordedHistory(3);
});
afterAll(async () => {
  await history.close();
});

it('each run of ranks has columns of each target, which can be derived again from history', async () => {
  const { store, close } = opened();
  const runs = store.runColumns.runs();
  expect(runs.map(({ rowsByTarget }) => [...(rowsByTarget?.values() ?? [])])).toEqual([
    [10, 10],
    [10, 10],
    [10, 10],
  ]);
  for (const { id, rowsByTarget } of runs) {
    for (const targetId of rowsByTarget?.keys() ?? []) expect(store.runColumns.isDerived(id, targetId)).toBe(true);
  }
  await close();
});

it('the columns contain the ranks, pages and times of the rankings', async () => {
  const { store, close } = opened();
  const [run] = store.runColumns.runs();
  const target = [...(run?.rowsByTarget?.keys() ?? [])].at(-1) ?? 0;
  const ranks = store.runColumns.ranks(run?.id ?? 0, target);
  const details = store.runColumns.details(run?.id ?? 0, target);
  expect([...(ranks?.searchIds ?? [])]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const rankOf = (code: number) => rankOfCode(code) ?? 0;
  expect([...(ranks?.codes ?? [])].map(rankOf).every((rank) => rank > 0)).toBe(true);
  expect(new Set(details?.pages)).toEqual(new Set([1]));
  expect(details?.sources.names).toHaveLength(1);
  expect([...(details?.checkedAt ?? [])].every((at) => at >= (run?.moment ?? 0))).toBe(true);
  await close();
});

it('the memory of columns is free when their block ends, but for the searches that runs share', async () => {
  const { store, close } = opened();
  const [run, earlier] = store.runColumns.runs().map(({ id }) => id);
  const read = () => {
    using ranks = store.runColumns.ranks(run ?? 0, 1);
    using details = store.runColumns.details(run ?? 0, 1);
    const lengths = [ranks?.codes.length, details?.checkIds.length];
    return { ranks, details, lengths };
  };
  const { ranks, details, lengths } = read();
  expect(lengths).toEqual([10, 10]);
  expect([ranks?.codes.length, details?.checkIds.length, details?.features.column.length]).toEqual([0, 0, 0]);
  using others = store.runColumns.ranks(earlier ?? 0, 1, ranks ?? undefined);
  expect(others?.searchIds).toBe(ranks?.searchIds);
  expect(others?.searchIds).toHaveLength(10);
  await close();
});

it('a ranking that is added later makes the columns of its moment stale, and the next run rebuilds them', async () => {
  const world = history.open();
  const { store } = world;
  const [, middle] = store.runColumns.runs();
  if (middle === undefined) throw new Error('there are three runs');
  const targetId = store.names.targetId({ identity: 'domain:later.example', match: 'domain', value: 'later.example' });
  const [check] = store.derivations.checksAfter(0, 100).filter(({ moment }) => moment === middle.moment);
  if (check === undefined) throw new Error('the run has checks');
  const { searchId, moment, id: checkId, depth } = check;
  store.transaction(() =>
    store.rankings.insert({
      targetId,
      searchId,
      moment,
      checkId,
      depth,
      outcome: { kind: 'notFound', depth },
      ownedFeatures: [],
    }),
  );
  const stale = store.runColumns.runs();
  expect(stale.map(({ rowsByTarget }) => rowsByTarget === null)).toEqual([false, true, false]);
  await history.runNextDay(world);
  const made = store.runColumns.runs().find(({ id }) => id === middle.id);
  expect(made?.rowsByTarget?.get(targetId)).toBe(1);
  await world.close();
});

it('verify names columns that differ from history', () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  writeFileSync(file, readFileSync(history.file));
  const sqlite = new Database(file);
  // bytes of another target: readable, and only history shows that they are wrong
  sqlite
    .prepare(
      'UPDATE run_columns SET ranks = (SELECT o.ranks FROM run_columns o WHERE o.run_id = 1 AND o.target_id = 2) WHERE run_id = 1 AND target_id = 1',
    )
    .run();
  sqlite.close();
  const db = openForReading(file);
  const broken = [...verification(db)].filter(({ ok }) => !ok);
  db.close();
  expect(broken).toContainEqual({
    name: 'columns of ranks are those of history',
    ok: false,
    detail: 'the columns of target 1 in run 1 are not what history says',
  });
});

it('a rank is equal after encoding and decoding', () => {
  for (const rank of [1, 7, 100, 4_000]) expect(rankOfCode(codeOfRank(rank))).toBe(rank);
});

function opened() {
  const world = history.open();
  return { store: world.store, close: () => world.close() };
}
