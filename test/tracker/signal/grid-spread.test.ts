// Points of a grid: bought where they say most, and never more than their value.
import { expect, it } from 'vitest';
import { isChecked, planAdaptively } from '../../../src/tracker/signal/adaptive-plan.ts';
import type { SearchOutlook } from '../../../src/tracker/signal/check-value.ts';
import { noEvidence } from '../../../src/tracker/signal/sightings.ts';

const size = 7;
const spots = Array.from({ length: size * size }, (_, index) => ({
  row: Math.floor(index / size),
  column: index % size,
}));

it('a plan that cannot afford a grid buys points that are apart, and no point twice', () => {
  const searches = spots.map(
    (spot, index): SearchOutlook => ({
      key: String(index),
      group: 'g',
      volume: 100,
      priority: 'normal',
      depth: 1,
      targets: [noEvidence],
      spot: { map: 'dentist', ...spot },
    }),
  );
  const plan = planAdaptively(searches, {
    now: 100 * 86_400_000,
    slotDays: 1,
    curve: 'sistrix-2020',
    rateFactor: 1,
    credits: 12,
    atLeastEveryDays: 7,
  });
  const bought = plan.decisions.flatMap((decision, index) => (isChecked(decision) ? (spots[index] ?? []) : []));
  expect(bought).toHaveLength(12);
  const gaps = bought.map((a) =>
    Math.min(...bought.filter((b) => b !== a).map((b) => Math.hypot(a.row - b.row, a.column - b.column))),
  );
  expect(Math.min(...gaps)).toBeGreaterThan(1);
});
