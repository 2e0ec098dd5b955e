import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { openStore, type Store } from '../../../db/store.ts';
import { ProjectSearches } from '../../../jobs/read/columns/project-searches.ts';
import { RankPast } from '../../../jobs/read/columns/rank-past.ts';
import { RunRanks, SharedColumns } from '../../../jobs/read/columns/run-ranks.ts';
import { writeConfig } from '../../bench/folder.ts';
import { buildHistory } from '../../bench/history.ts';

const dayMs = 86_400_000;
const days = 8;
const momentOf = (run: number) => Date.UTC(2026, 0, run, 6);
const today = momentOf(days);
const source = 'default/sandbox';
const searchIds = Array.from({ length: 40 }, (_, index) => index + 1);
const folder = mkdtempSync(join(tmpdir(), 'rankledger-sightings-'));
const file = join(folder, 'rankledger.sqlite');
const config = writeConfig(folder, 40);
let store: Store;

beforeAll(() => {
  buildHistory(file, { keywords: 40, days });
  store = openStore(file);
  const database = new Database(file);
  // history is append-only: these tests make another one
  for (const name of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().all())
    database.exec(`DROP TRIGGER ${name}`);
  database.close();
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

function change(...statements: readonly string[]): void {
  const database = new Database(file);
  database.pragma('foreign_keys = OFF');
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** Writes the columns of a run again, as its end does. */
function writeColumns(run: number): void {
  change(
    `UPDATE history_digests SET rows = (SELECT count(*) FROM rankings WHERE moment = ${momentOf(run)})
     WHERE subject = 'rankings' AND key = ${momentOf(run)}`,
    `UPDATE history_digests SET rows = (SELECT count(*) FROM checks WHERE run_id = ${run} AND state = 'ok')
     WHERE subject = 'checks' AND key = ${run}`,
  );
  store.transaction(() => {
    store.checkColumns.write(run);
  });
}

describe('the ranks before a change', () => {
  it('are those of each search, oldest first, of many searches at a time', () => {
    const searches = searchIds.map((id) => ({ searchId: 41 - id, checkedAt: today, source }));
    const found = store.rankings.ranksOfMany({ targetId: 1, moment: today, max: 60 }, searches);
    expect(found).toEqual(searches.map(({ searchId }) => ranksOf(searchId).map(({ rank }) => rank)));
    expect(found.flat().length).toBeGreaterThan(100);
  });

  it('are the newest of one source before the baseline', () => {
    const searchId = searchIds.find((id) => ranksOf(id).length === 7) ?? 0;
    const checkedAt = today - 2 * dayMs;
    const one = { targetId: 1, searchId, moment: today, checkedAt, source, max: 3 };
    const seen = ranksOf(searchId).filter((each) => each.checkedAt < checkedAt);
    expect(store.rankings.ranksBefore(one)).toEqual(seen.slice(-3).map(({ rank }) => rank));
    expect(seen.length).toBeGreaterThan(3);
    expect(store.rankings.ranksBefore({ ...one, source: 'default/other' })).toEqual([]);
  });
});

describe('the ranks before a change, out of columns,', () => {
  /** Of each search. */
  async function found(before: number, source: string, max: number, moment = today): Promise<number[][]> {
    const { projects } = await loadConfig({ file: config, env: {}, cwd: folder });
    const [project] = projects;
    if (project === undefined) throw new Error('the config has a project');
    const searches = new ProjectSearches({ store }, project);
    const ranks = new RunRanks({ store }, new SharedColumns({ store, projects: new Map() }), searches);
    for (const _ of ranks.warm(1)); // others are read from history
    const past = new RankPast(store, ranks, moment, 1);
    return searches.indices.map((index) => [...Array.from(past.ranksUntil({ index, rank: 7, source, before, max }))]);
  }

  function inHistory(checkedAt: number, from: string, max: number, moment = today): number[][] {
    const searches = searchIds.map((searchId) => ({ searchId, checkedAt, source: from }));
    const ranks = store.rankings.ranksOfMany({ targetId: 1, moment, max: max - 1 }, searches);
    return ranks.map((earlier) => [...earlier, 7]);
  }

  it('are those of history: for each source, each moment, and runs with fewer searches or other ones', async () => {
    change(
      // seen an hour before those of its run, by another source, in part, and after the next run
      "UPDATE checks SET source = 'default/other' WHERE run_id = 4 AND search_id % 2 = 0",
      'DELETE FROM rankings WHERE search_id > 30 AND check_id IN (SELECT id FROM checks WHERE run_id = 5)',
      'DELETE FROM rankings WHERE search_id < 5 AND check_id IN (SELECT id FROM checks WHERE run_id = 7)',
      `UPDATE checks SET checked_at = checked_at + ${1.5 * dayMs} WHERE run_id = 6 AND search_id % 3 = 0`,
      "UPDATE checks SET state = 'incomplete' WHERE run_id = 3 AND search_id % 4 = 0",
    );
    for (const run of [3, 4, 5, 6, 7]) writeColumns(run);
    let ranks = 0;
    for (const before of [today, today - dayMs + 20, today - dayMs, today - 2 * dayMs + 20, today - 9 * dayMs]) {
      for (const from of [source, 'default/other', 'default/none']) {
        for (const max of [1, 3, 60]) {
          const here = await found(before, from, max);
          expect(here).toEqual(inHistory(before, from, max));
          ranks += here.flat().length;
        }
      }
    }
    expect(ranks).toBeGreaterThan(2_500);
    expect(await found(today, source, 60, momentOf(4))).toEqual(inHistory(today, source, 60, momentOf(4)));
    // one source is known without the details of rankings
    expect([4, 5].map((run) => store.rankColumns.seen(run)?.names ?? null)).toEqual([null, [source]]);
  });

  it('leave out discarded runs', async () => {
    change('UPDATE runs SET discarded_at = 1 WHERE id = 6');
    const without = await found(today, source, 60);
    expect(without).toEqual(inHistory(today, source, 60));
    change('UPDATE runs SET discarded_at = NULL WHERE id = 6');
    expect(await found(today, source, 60)).not.toEqual(without);
  });
});
