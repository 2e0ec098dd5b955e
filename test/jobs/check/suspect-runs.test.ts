import { afterEach, describe, expect, it } from 'vitest';
import type { KeptAlert } from '../../../src/tracker/changes/alerts.ts';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const shoes = Array.from({ length: 8 }, (_, index) => `shoe ${index}`);
const hats = Array.from({ length: 60 }, (_, index) => `hat ${index}`);
const words = (texts: readonly string[]) => texts.map((text) => keyword(text, { depth: 1 }));

let open: RankedWorld | undefined;
afterEach(async () => {
  expect(open?.world.broken()).toEqual([]);
  open = undefined;
});

/** Two projects that share no search. */
function begin(): RankedWorld {
  open = new RankedWorld(
    [project({ id: 'small', keywords: words(shoes) }), project({ id: 'large', keywords: words(hats) })],
    { reports: true },
  );
  open.rules = [{ when: 'moved', by: 1, direction: 'any' }];
  return open;
}

/** Runs the slots of a day; `lost` and `failed` keywords have no result of ours, or no page. */
async function runDay(ranked: RankedWorld, day: number, { rank = 3, lost = [] as string[], failed = [] as string[] }) {
  const scene = (text: string): Scene => ({
    ...(!lost.includes(text) && { at: { [rank]: 'https://acme.example/a' } }),
    ...(failed.includes(text) && { fails: true }),
  });
  ranked.scenes = Object.fromEntries([...shoes, ...hats].map((text) => [text, scene(text)]));
  await ranked.run(start + day * dayMs);
}

const manifest = (ranked: RankedWorld, id: string): { warning: string | null; run: { status: string } } =>
  JSON.parse(ranked.world.report('manifest.json', id));
const warningOf = (ranked: RankedWorld, id: string): string | null => manifest(ranked, id).warning;
const baselinesOf = (ranked: RankedWorld, id: string): string[] => {
  const rows = ranked.world.table('rank-changes.csv', id);
  return [...new Set(rows.flatMap((row) => row['previous_checked_at']?.slice(0, 10) ?? []))];
};
/** Of each alert: its project, and what it is about. */
const alertsOf = ({ world }: RankedWorld, runId: number): string[] => {
  const rows = world.rows(
    `SELECT p.name, d.payload FROM alert_deliveries d JOIN projects p ON p.id = d.project_id WHERE d.run_id = ${runId}`,
  );
  const about = rows.map(({ name, payload }) => `${name} ${(JSON.parse(String(payload)) as KeptAlert).alert.when}`);
  return [...new Set(about)].sort();
};

describe('a run of several projects', () => {
  it.each([
    ['ranks', { lost: shoes.slice(0, 4) }, '4 of 8 ranked keywords were lost at once (0.1 expected at 1.0 % a run'],
    ['checks', { failed: shoes.slice(0, 4) }, '4 of 8 checks failed (0.1 expected at 1.0 % a run'],
  ])(
    'is suspect only for the project that lost many %s, and the others have alerts, baselines and no warning',
    async (_, losses, reason) => {
      const ranked = begin();
      await runDay(ranked, 0, {});
      await runDay(ranked, 1, { rank: 4, ...losses });
      expect(warningOf(ranked, 'small')).toContain(`suspect run: ${reason}`);
      expect(manifest(ranked, 'large')).toMatchObject({ warning: null, run: { status: 'complete' } });
      expect(ranked.world.report('rank-changes.csv', 'large')).not.toContain('suspect');
      expect(alertsOf(ranked, 2)).toEqual(['large moved', 'small run-suspect']);
      await runDay(ranked, 2, { rank: 5 });
      expect(baselinesOf(ranked, 'large')).toEqual(['2026-01-16']);
      expect(baselinesOf(ranked, 'small')).toEqual(['2026-01-15']);
      expect(alertsOf(ranked, 3)).toEqual(['large moved', 'small moved', 'small run-suspect']);
    },
  );

  it('says that the source failed where every project lost too much, without numbers of the others', async () => {
    const ranked = begin();
    await runDay(ranked, 0, {});
    await runDay(ranked, 1, { lost: [...shoes, ...hats] });
    for (const [id, own] of [
      ['small', '8 of 8'],
      ['large', '60 of 60'],
    ] as const) {
      const text = warningOf(ranked, id) ?? '';
      expect(text).toContain('so did every project of the run at service vendor');
      expect(text.match(/\d+ of \d+ (checks|ranked)/g)).toEqual([`${own} ranked`]);
    }
  });
});

describe('the history of a project', () => {
  it('is kept with its slots, and a project that usually loses much is not suspect for it', async () => {
    const ranked = begin();
    const { world } = ranked;
    await runDay(ranked, 0, {});
    expect(
      world.rows('SELECT checks_ended, checks_failed, ranked_before, ranks_lost FROM slots ORDER BY checks_ended'),
    ).toEqual([
      { checks_ended: 8, checks_failed: 0, ranked_before: 0, ranks_lost: 0 },
      { checks_ended: 60, checks_failed: 0, ranked_before: 0, ranks_lost: 0 },
    ]);
    const suspect: boolean[] = [];
    for (const day of [1, 2, 3]) {
      await runDay(ranked, day, { failed: shoes.slice(0, 4) });
      suspect.push(world.store.runs.slotsOf(day + 1).some(({ suspectReason }) => suspectReason !== null));
      // as after months of such days
      if (day === 1)
        world.db.sql('UPDATE slots SET checks_ended = 100 * checks_ended, checks_failed = 100 * checks_failed').run();
    }
    expect(suspect[0]).toBe(true);
    expect(suspect.at(-1)).toBe(false);
  });
});
