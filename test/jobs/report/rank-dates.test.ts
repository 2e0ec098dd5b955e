// Where targets stood on the dates of the page: columns of ranks say what rankings say.

import { expect, it } from 'vitest';
import { RankDates, readGaps } from '../../../jobs/read/rows/rank-dates.ts';
import { inBatches } from '../../../jobs/read/rows/search-batches.ts';
import { SeriesAxis } from '../../../jobs/read/rows/series-axis.ts';
import { buildTrail } from '../../../src/read/sums/timeline.ts';
import { rankCodes } from '../../../src/tracker/rank-codes.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';
import { seeded } from '../../helpers/seeded.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15);
const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const acme = project({
  timezone: 'UTC',
  keywords: words.map((word) => keyword(word, { depth: 1 })),
  competitors: [{ match: 'domain', value: 'globex.example' }],
});

function scene(random: () => number): Scene {
  const at: Record<number, string> = {};
  if (random() < 0.7) at[1 + Math.floor(random() * 5)] = `https://acme.example/${random() < 0.5 ? 'one' : 'two'}`;
  if (random() < 0.5) at[6 + Math.floor(random() * 5)] = 'https://globex.example/';
  const features: Scene['features'] = random() < 0.3 ? { people_also_ask: ['https://acme.example/one'] } : {};
  return { at, features, ...(random() < 0.15 ? { fails: true } : {}) };
}

/** Days with one run, with a backfill of what failed, and with a run that ends on the next date. */
async function wanderingHistory(seed: number): Promise<RankedWorld> {
  const random = seeded(seed);
  const ranked = new RankedWorld([acme]);
  const change = (): void => {
    ranked.scenes = Object.fromEntries(words.map((word) => [word, scene(random)]));
  };
  for (let day = 0; day < 7; day += 1) {
    const isLate = random() < 0.4;
    const at = start + day * dayMs + (isLate ? dayMs - 60_000 : 6 * 3_600_000);
    ranked.onPage = () => (isLate ? ranked.clock.set(ranked.clock.now() + 20_000) : undefined);
    change();
    await ranked.run(at);
    ranked.onPage = () => undefined;
    if (random() < 0.5) {
      change();
      await ranked.backfill(ranked.clock.now() + 120_000);
    }
  }
  return ranked;
}

function read({ world, clock }: RankedWorld) {
  const { reportSeries } = world.store;
  const axis = new SeriesAxis(reportSeries.dates(acme.id, clock.now(), 90));
  const ids = world.db.sql<{ id: number }>('SELECT id FROM searches ORDER BY id').all();
  const searchIds = Int32Array.from(ids, ({ id }) => id);
  const ranks = new RankDates(world.store, axis, searchIds, readGaps(world.store, axis.dates));
  const isProven = (code = 0): boolean => code === rankCodes.not_found || code > rankCodes.not_followed;
  const found = [...acme.targets, ...acme.competitors].map((target) =>
    (['all', 'codes'] as const).map((what) => {
      const query = { target: targetKey(target), what };
      // each date is valid until the next is read
      return Array.from(ranks.of(query), ({ date, codes, urlIds, owned }) => ({
        date,
        codes: [...codes],
        urls: [...urlIds].filter((_, place) => what === 'all' && (codes[place] ?? 0) > rankCodes.not_followed),
        owned: [...owned]
          .filter((_, place) => what === 'all' && isProven(codes[place]))
          .map((id) => ranks.ownedNames()[id]),
      }));
    }),
  );
  return { found, axis };
}

/** The codes of each date, newest first, from each ranking. */
function inHistory({ world, clock }: RankedWorld, axis: SeriesAxis): number[][][] {
  const { reportSeries } = world.store;
  const { spanning } = axis;
  const gaps = readGaps(world.store, axis.dates);
  const unread = new Set(axis.dates.flatMap(({ runs }) => runs.flatMap(({ id }) => reportSeries.incomplete(id))));
  const dates = [...axis.dates.keys()].reverse();
  return [...acme.targets, ...acme.competitors].map((target) => {
    const trails = [...inBatches(acme)].flatMap(({ market, keywords }) => {
      const words = keywords.map(({ keyword }) => keyword);
      const query = { target: targetKey(target), market, keywords: words, from: 0, until: clock.now(), spanning };
      return Array.from(reportSeries.of(query), ({ searchId, rankings }) => {
        const isComplete = (id: number): boolean => !unread.has(id);
        const { codes } = buildTrail(rankings, (each) => axis.indexOf(each), axis.dates.length, isComplete);
        for (const [date, found] of gaps) for (const [id, code] of found) if (id === searchId) codes[date] ||= code;
        return { searchId: searchId ?? 0, codes };
      });
    });
    trails.sort((one, other) => one.searchId - other.searchId);
    return dates.map((date) => trails.map(({ codes }) => codes[date] ?? 0));
  });
}

/** Each backfill gets the moment of the run before it. */
function shareMoments({ db }: RankedWorld['world']): void {
  for (const { name } of db.sql<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
    db.sql(`DROP TRIGGER ${name}`).run(); // history is append-only
  const shared = `(SELECT max(b.moment) FROM runs b WHERE b.moment < r.moment AND b.origin = 'schedule')`;
  const pairs = db
    .sql<{ id: number; moment: number }>(`SELECT r.id, ${shared} AS moment FROM runs r WHERE r.origin = 'backfill'`)
    .all();
  for (const run of pairs) {
    db.sql('UPDATE rankings SET moment = @moment WHERE check_id IN (SELECT id FROM checks WHERE run_id = @id)').run(
      run,
    );
    db.sql('UPDATE runs SET moment = @moment WHERE id = @id').run(run);
  }
}

it.each([1, 2, 3, 4, 5, 6])(
  'columns say what rankings say, on dates of several runs and in runs of one moment too, with seed %i',
  async (seed) => {
    const ranked = await wanderingHistory(seed);
    const { world } = ranked;
    const compare = () => {
      const { found, axis } = read(ranked);
      const codes = found.map((ways) => ways.map((dates) => dates.map((one) => one.codes)));
      for (const [at, due] of inHistory(ranked, axis).entries()) expect(codes[at]).toEqual([due, due]);
      expect(axis.dates.some(({ runs }) => runs.length > 1)).toBe(true);
      expect(new Set(codes.flat(3)).size).toBeGreaterThan(5);
    };
    compare();
    expect(world.store.rankColumns.runs().length).toBeGreaterThan(6);
    shareMoments(world);
    compare();
    await world.close();
  },
);

it('a target that no check has looked for yet has the failures of each date, and of no other', async () => {
  const ranked = new RankedWorld([acme]);
  for (const [day, failing] of ['b', '', 'a'].entries()) {
    ranked.scenes = { [failing]: { fails: true } };
    await ranked.run(start + day * dayMs);
  }
  const { world, clock } = ranked;
  const axis = new SeriesAxis(world.store.reportSeries.dates(acme.id, clock.now(), 90));
  const ids = world.db.sql<{ id: number }>('SELECT id FROM searches ORDER BY id').all();
  const searchIds = Int32Array.from(ids, ({ id }) => id);
  const dates = new RankDates(world.store, axis, searchIds, readGaps(world.store, axis.dates));
  const target = targetKey({ match: 'domain', value: 'new.example' });
  const found = Array.from(dates.of({ target, what: 'all' }), ({ codes }) =>
    words.filter((_, place) => codes[place] !== rankCodes.none),
  );
  expect(found).toEqual([['a'], [], ['b']]);
  await world.close();
});
