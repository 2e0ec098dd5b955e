// A run is compared with what its projects usually lose.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { keyword, project, removeTemporaryFolders, resultsWith, World } from '../../helpers/jobs.ts';
import { type Provider, startProvider } from '../../helpers/provider.ts';

const dayMs = 86_400_000;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
afterAll(removeTemporaryFolders);

/** Two projects that share nothing; `gone` selects the keywords under which our sites are missing. */
async function begin(gone: (text: string) => boolean): Promise<{ world: World; provider: Provider }> {
  const provider = await startProvider({
    results: ({ keyword: text }) => resultsWith(gone(text) ? 'https://other.example/' : 'https://acme.example/', 3),
  });
  const words = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => keyword(`${prefix} ${index}`, { depth: 1 }));
  const projects = [
    project({ id: 'small', keywords: words('shoe', 8) }),
    project({ id: 'large', keywords: words('hat', 60) }),
  ];
  const world = new World({ provider, projects });
  open.push(provider, world);
  return { world, provider };
}

describe('a run of several projects', () => {
  it('is suspect if one of them lost too much, and names that one', async () => {
    let isGone = false;
    const { world } = await begin((text) => isGone && text.startsWith('shoe') && Number(text.slice(5)) < 4);
    await world.run();
    isGone = true;
    world.clock.advance(dayMs);
    await world.run();
    expect(world.store.runs.run(1)?.suspectReason).toBeNull();
    expect(world.store.runs.run(2)?.suspectReason).toMatch(
      /^small: 4 of 8 ranked keywords were lost at once \(0.1 expected at 1.0 % a run/,
    );
  });
});

describe('the history of a project', () => {
  it('is kept with its slots, and a project that usually loses much is not suspect for it', async () => {
    const { world, provider } = await begin(() => false);
    await world.run();
    expect(
      world.rows('SELECT checks_ended, checks_failed, ranked_before, ranks_lost FROM slots ORDER BY checks_ended'),
    ).toEqual([
      { checks_ended: 8, checks_failed: 0, ranked_before: 0, ranks_lost: 0 },
      { checks_ended: 60, checks_failed: 0, ranked_before: 0, ranks_lost: 0 },
    ]);
    const reasons: boolean[] = [];
    for (let day = 0; day < 3; day += 1) {
      provider.next(...Array.from({ length: 8 }, () => ({ status: 400 })));
      world.clock.advance(dayMs);
      await world.run();
      reasons.push(world.store.runs.run(day + 2)?.suspectReason !== null);
      // as after months of such days
      if (day === 0)
        world.db.sql('UPDATE slots SET checks_ended = 100 * checks_ended, checks_failed = 100 * checks_failed').run();
    }
    expect(reasons[0]).toBe(true);
    expect(reasons.at(-1)).toBe(false);
  });
});
