import { beforeEach, expect, it } from 'vitest';
import { keyword, project } from '../../helpers/jobs.ts';
import { RankedWorld, type Scene } from '../../helpers/ranked-world.ts';

const dayMs = 86_400_000;
const start = Date.UTC(2026, 0, 15, 6);
const names = Array.from({ length: 12 }, (_, index) => `word ${index + 1}`);
const at = (rank: number, features: Scene['features'] = {}): Scene => ({
  at: { [rank]: 'https://acme.example/a' },
  features,
});

let ranked: RankedWorld;
beforeEach(() => {
  ranked = new RankedWorld([project({ competitors: [], keywords: names.map((text) => keyword(text, { depth: 1 })) })], {
    reports: true,
  });
});

async function runDay(day: number, scene: Scene): Promise<void> {
  for (const text of names) ranked.scenes[text] = scene;
  await ranked.run(start + day * dayMs);
}

function lines(name: string, ...columns: string[]): string[] {
  return [...new Set(ranked.world.table(name).map((row) => columns.map((column) => row[column] || '-').join(' ')))];
}

it('the run after a suspect one is compared with the last good one', async () => {
  await runDay(0, at(3, { people_also_ask: ['https://acme.example/a'] }));
  await runDay(1, {});
  expect(ranked.world.store.runs.slotsOf(2)[0]?.suspectReason).toContain('12 of 12 ranked keywords were lost');
  await runDay(2, at(4, { people_also_ask: ['https://acme.example/a'] }));
  expect(lines('rank-changes.csv', 'previous_rank', 'change_class', 'previous_checked_at')).toEqual([
    '3 declined 2026-01-15T06:00:00.000Z',
  ]);
  expect(lines('summary.csv', 'declined', 'entered', 'bucket_not_found_change')).toEqual(['12 0 0']);
  expect(lines('serp-features.csv', 'change', 'own_change')).toEqual(['kept kept']);
  expect(lines('competitors.csv', 'coverage_comparable', 'average_rank_ranked_change')).toEqual(['12 -1']);
});

it('a loss that the next run confirms is a change to the last good run', async () => {
  await runDay(0, at(3));
  await runDay(1, {});
  await runDay(2, {});
  expect(lines('rank-changes.csv', 'previous_rank', 'change_class')).toEqual(['3 dropped']);
  await runDay(3, {});
  expect(lines('rank-changes.csv', 'previous_rank', 'change_class')).toEqual(['- unchanged']);
});
