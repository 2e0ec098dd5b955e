// Columns of checks say what history says of features and AI overviews, and are rebuilt when they are stale.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openConnection, openForReading } from '../../../db/connection/client.ts';
import { type OrganicColumns, organicResults } from '../../../db/history/columns/check-columns.ts';
import { verification } from '../../../db/integrity/verify.ts';
import type { OverviewQuery } from '../../../db/reads/reports/overviews.ts';
import { temporaryFolder } from '../../helpers/closing.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';
import { seeded } from '../../helpers/seeded.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const keywords = (...words: string[]) => words.map((word) => keyword(word, { depth: 1 }));
const acme = project({ keywords: keywords('a', 'b', 'c', 'both') });
const globex = project({ id: 'globex', keywords: keywords('both', 'd', 'e') });
const everything: OverviewQuery = { project: 'acme', from: 0, until: Number.MAX_SAFE_INTEGER };

function scene(random: () => number): Scene {
  const links = random() < 0.7 ? ['https://acme.example/', 'https://other.example/'] : [];
  return {
    features: { ...(random() < 0.5 ? { ai_overview: links } : {}), ...(random() < 0.5 ? { images: [] } : {}) },
    ...(random() < 0.15 ? { fails: true } : {}),
  };
}

/** Five days of both projects; `freshForMs`: pages are used again. */
async function fiveDays(seed: number, freshForMs = 0, file = ':memory:'): Promise<RankedWorld> {
  const random = seeded(seed);
  const projects = [acme, globex].map((one) => ({ ...one, freshForMs }));
  const ranked = new RankedWorld(projects, { file });
  for (let day = 0; day < 5; day += 1) {
    for (const word of ['a', 'b', 'c', 'both', 'd', 'e']) ranked.scenes[word] = scene(random);
    ranked.onPage = () => ranked.clock.advance(1_000);
    await ranked.run(start + day * dayMs);
    if (random() < 0.5) await ranked.backfill(ranked.clock.now() + 3_600_000);
  }
  return ranked;
}

/** What the overviews and features of both projects are, whole and within some moments. */
function read({ world }: RankedWorld) {
  const { overviews, reportSeries } = world.store;
  const within = { from: start + dayMs + 2_000, until: start + 3 * dayMs + 1_500 };
  return ['acme', 'globex'].flatMap((name) =>
    [everything, within].map(({ from, until }) => {
      const query = { project: name, from, until };
      const bySearch = <Row extends { readonly searchId: number }>(rows: Iterable<Row>) =>
        [...rows].sort((one, other) => one.searchId - other.searchId);
      return overviews.runs(query).map((run) => ({
        run,
        shown: overviews.areShown(run, query),
        counts: overviews.counts(run, query),
        all: bySearch(overviews.checks(run, query, 'all')),
        overviews: bySearch(overviews.checks(run, query, 'shown')),
        features: reportSeries
          .features(name, { id: run, moment: 0, from, until, hasUnread: true })
          .flatMap(({ searchIds, features, names }) =>
            Array.from(searchIds, (id, at) => [id, names[features[at] ?? -1]] as const),
          )
          .toArray()
          .sort(([one], [other]) => one - other),
        organic: [...reportSeries.organic(name, { id: run, moment: 0, from, until, hasUnread: true })]
          .flatMap(resultsOf)
          .sort(([one], [other]) => one - other),
      }));
    }),
  );
}

/** The URLs of each check, by search. */
function resultsOf({ searchIds, counts, urlIds }: OrganicColumns): (readonly [number, readonly number[]])[] {
  const ends: number[] = [];
  for (const count of counts) ends.push((ends.at(-1) ?? 0) + count);
  const all = ends.map((end, at) => [searchIds[at] ?? 0, [...urlIds.subarray(ends[at - 1] ?? 0, end)]] as const);
  return all.filter(([searchId]) => searchId !== 0); // 0: seen on another date
}

it.each([1, 4])('overviews, features and results are those of history, with seed %i', async (seed) => {
  const ranked = await fiveDays(seed, seed === 4 ? 2 * dayMs : 0);
  const { store, db } = ranked.world;
  const stored = store.checkColumns.stored();
  expect(stored.length).toBeGreaterThan(9);
  for (const { runId, projectId } of stored) expect(store.checkColumns.isDerived(runId, projectId)).toBe(true);
  const fromColumns = read(ranked);
  const shown = fromColumns.flat().flatMap(({ overviews }) => overviews);
  expect(new Set(shown.map(({ urlIds }) => urlIds?.length)).size).toBeGreaterThan(1);
  const results = fromColumns.flat().flatMap(({ organic }) => organic.flatMap(([, urlIds]) => urlIds));
  expect(results.length).toBeGreaterThan(100);
  const reused = stored.flatMap(({ runId }) => store.checkColumns.sums(runId, 'acme')?.reused ?? 0);
  expect(reused.some((count) => count > 0)).toBe(seed === 4);
  db.sql('DELETE FROM check_columns').run();
  expect(read(ranked)).toEqual(fromColumns);
  await ranked.world.close();
});

it('a check that is added later makes the columns of its run stale, and the next run rebuilds them', async () => {
  const ranked = await fiveDays(5);
  const { store, db } = ranked.world;
  db.sql("UPDATE history_digests SET rows = rows + 1 WHERE subject = 'checks' AND key = 2").run();
  expect(store.checkColumns.read(2, 'acme')).toBeNull();
  expect(store.checkColumns.sums(2, 'acme')).toBeNull();
  await ranked.run(start + 6 * dayMs);
  expect(store.checkColumns.read(2, 'acme')?.searchIds).toHaveLength(store.checkColumns.sums(2, 'acme')?.rows ?? -1);
  await ranked.world.close();
});

it('results of runs that an older version recorded are read from pages, until the next run adds their columns', async () => {
  const ranked = await fiveDays(6);
  const { store, db } = ranked.world;
  const fromColumns = read(ranked);
  db.sql('UPDATE check_columns SET organic = NULL').run();
  expect(store.checkColumns.organic('acme', { id: 2, from: 0, until: Number.MAX_SAFE_INTEGER })).toBeNull();
  expect(read(ranked)).toEqual(fromColumns);
  for (const { runId, projectId } of store.checkColumns.stored())
    expect(store.checkColumns.isDerived(runId, projectId)).toBe(true);
  store.transaction(() => store.checkColumns.write(1));
  expect(db.sql('SELECT 1 FROM check_columns WHERE organic IS NULL').all()).toEqual([]);
  expect(read(ranked)).toEqual(fromColumns);
  await ranked.world.close();
});

it('results beyond a page that is not archived do not count: their ranks are unknown', async () => {
  const ranked = await fiveDays(8);
  const { db } = ranked.world;
  const check = db
    .sql<{ id: number; searchId: number }>("SELECT id, search_id AS searchId FROM checks WHERE state = 'ok' LIMIT 1")
    .get();
  if (check === undefined) throw new Error('no check is complete');
  const counted = (): number => organicResults(db, [check]).urlIds.length;
  const ofFirstPage = counted();
  expect(ofFirstPage).toBeGreaterThan(0);
  const copyAs = (page: number): void => {
    db.sql('INSERT INTO check_pages SELECT check_id, ?, page_id FROM check_pages WHERE check_id = ? AND page = 1').run(
      page,
      check.id,
    );
  };
  copyAs(3);
  expect(counted()).toBe(ofFirstPage);
  copyAs(2);
  expect(counted()).toBe(3 * ofFirstPage);
  await ranked.world.close();
});

it('runs end although an archived page of an older run cannot be read', async () => {
  const ranked = await fiveDays(7);
  const { store, db } = ranked.world;
  const damaged = store.checkColumns.stored().findLast(({ projectId }) => projectId === 1)?.runId ?? 0;
  db.sql('UPDATE check_columns SET organic = NULL').run();
  db.sql('DROP TRIGGER pages_no_update').run();
  const checks = "SELECT id FROM checks WHERE run_id = ? AND state = 'ok'";
  db.sql(
    `UPDATE pages SET archive = x'0109' WHERE id = (SELECT page_id FROM check_pages WHERE check_id IN (${checks}))`,
  ).run(damaged);
  store.transaction(() => store.checkColumns.write(1));
  const without = db.sql<{ run_id: number }>('SELECT DISTINCT run_id FROM check_columns WHERE organic IS NULL').all();
  expect(without).toEqual([{ run_id: damaged }]);
  await ranked.world.close();
});

const changes = [
  'shown = 0',
  'organic = checks',
  'first_at = first_at + 1',
  'overviews = NULL',
  "source = 'other'",
  'checks = (SELECT o.checks FROM check_columns o WHERE o.run_id = 2 AND o.project_id = 2)',
];
it('verify names columns after any update of them', async () => {
  const file = join(temporaryFolder(), 'db.sqlite');
  const ranked = await fiveDays(1, 0, file);
  await ranked.world.close();
  for (const [nth, change] of changes.entries()) {
    const changed = `${file}-${nth}`;
    copyFileSync(file, changed);
    const written = openConnection(changed);
    written.sql(`UPDATE check_columns SET ${change} WHERE run_id = 1 AND project_id = 1`).run();
    written.close();
    const db = openForReading(changed);
    expect([...verification(db)].filter(({ ok }) => !ok)).toEqual([
      {
        name: 'columns of checks are those of history',
        ok: false,
        detail: 'the columns of project 1 in run 1 are not what history says',
      },
    ]);
    db.close();
  }
});
