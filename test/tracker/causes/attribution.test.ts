// The change of a project's clicks and visibility, split into effects.
import { describe, expect, it } from 'vitest';
import {
  type AttributedRow,
  Attribution,
  type AttributionGroup,
  attributionGroupings,
  clickUnits,
  type EffectSums,
  effects,
  otherEffects,
  ownMovement,
  placeShares,
  type RowOnDate,
  visibilityUnits,
} from '../../../src/tracker/causes/attribution.ts';
import { movementsAround } from '../../../src/tracker/causes/places.ts';
import { ctr, Visibility } from '../../../src/tracker/changes/visibility.ts';
import { seeded } from '../../helpers/seeded.ts';

const curve = 'sistrix-2020';

const on = (rank: number | null, volume: number | null, featureRatio: number | null = 1): RowOnDate => ({
  isChecked: true,
  rank,
  volume,
  featureRatio,
});

const row = (before: RowOnDate | null, after: RowOnDate | null, more: Partial<AttributedRow> = {}): AttributedRow => ({
  keyword: 'shoes',
  page: 'https://example.com/shoes',
  tags: ['shop'],
  market: 'US en mobile',
  device: 'mobile',
  isPlace: false,
  before,
  after,
  isComparable: true,
  ...more,
});

const clicksOf = (...rows: AttributedRow[]): EffectSums => new Attribution(rows, curve).total().clicks;
const zero = { rank: 0, feature: 0, demand: 0, tracking: 0 };

describe('the clicks of a row', () => {
  it.each([
    ['rank', on(2, 1000), on(1, 1000), 128],
    ['feature', on(1, 1000), on(1, 1000, 0.5), -142.5],
    ['demand', on(2, 1000), on(2, 2000), 157],
    ['tracking', null, on(1, 1000), 285],
    ['tracking', on(1, 1000), null, -285],
    ['tracking', on(1, 1000), { ...on(1, 1000), isChecked: false }, -285],
    ['tracking', on(1, null), on(1, 1000), 285],
  ] as const)('have the whole change as the %s effect where nothing else changes', (effect, before, after, clicks) => {
    const { before: _, after: __, ...found } = clicksOf(row(before, after));
    expect(found).toEqual({ ...zero, [effect]: clicks * clickUnits });
  });

  it('change by tracking only where the checks do not compare', () => {
    const found = clicksOf(row(on(2, 1000), on(1, 2000, 0.5), { isComparable: false }));
    expect(found).toEqual({ ...zero, before: 1_570_000, tracking: 1_280_000, after: 2_850_000 });
  });

  it('do not exist for a place', () => {
    expect(new Attribution([row(on(2, 1000), on(1, 1000), { isPlace: true })], curve).total()).toMatchObject({
      rows: 0,
      clicks: { ...zero, before: 0, after: 0 },
      visibility: null,
    });
  });

  it('have no feature effect where one of both checks does not know its features', () => {
    expect(clicksOf(row(on(1, 1000, null), on(1, 1000, 0.5)))).toEqual({
      ...zero,
      before: 1_425_000,
      after: 1_425_000,
    });
  });
});

/** All that a date can hold: a row that is not tracked, not checked, without volume, not found, or ranked. */
function randomOn(random: () => number): RowOnDate | null {
  if (random() < 0.1) return null;
  return {
    isChecked: random() < 0.9,
    rank: random() < 0.15 ? null : 1 + Math.floor(random() * 25),
    volume: random() < 0.15 ? null : Math.floor(random() ** 3 * 50_000),
    featureRatio: random() < 0.1 ? null : random() < 0.5 ? 1 : 0.3 + random(),
  };
}

function randomRows(seed: number, count: number): AttributedRow[] {
  const random = seeded(seed);
  const one = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? '';
  return Array.from({ length: count }, (_, index) => {
    const before = randomOn(random);
    const isSame = random() < 0.3;
    return row(before, isSame ? before : randomOn(random), {
      keyword: `keyword ${index % 17}`,
      page: random() < 0.1 ? null : one(['/a', '/b', '/c']),
      tags: ['x', 'y', 'z'].filter(() => random() < 0.4),
      market: one(['US en', 'DE de']),
      device: one(['desktop', 'mobile']),
      isPlace: random() < 0.05,
      isComparable: random() < 0.9,
      places: ['', 'one.example', 'two.example'].map((site) => ({ site, places: Math.floor(random() * 4) })),
    });
  });
}

const sumUp = (groups: readonly AttributionGroup[], measure: 'clicks' | 'visibility'): Record<string, number> =>
  Object.fromEntries(
    ['before', ...effects, 'after'].map((column) => [
      column,
      groups.reduce((sum, group) => sum + (group[measure]?.[column as keyof EffectSums] ?? 0), 0),
    ]),
  );

const addsUp = ({ before, after, ...by }: EffectSums): boolean =>
  after - before === by.rank + by.feature + by.demand + by.tracking;

describe('random histories', () => {
  const seeds = Array.from({ length: 40 }, (_, seed) => seed + 1);

  it.each(seeds)('add up in each line and over the lines, to the last unit (seed %i)', (seed) => {
    const rows = randomRows(seed, 3 + seed * 5);
    const attribution = new Attribution(rows, curve);
    const total = attribution.total();
    for (const grouping of attributionGroupings) {
      const groups = attribution.by(grouping);
      for (const { clicks, visibility } of groups) {
        expect(Object.values(clicks).every(Number.isInteger)).toBe(true);
        expect(addsUp(clicks)).toBe(true);
        expect(visibility === null || addsUp(visibility)).toBe(true);
      }
      if (grouping === 'tag') continue;
      expect(sumUp(groups, 'clicks')).toEqual(grouping === 'competitor' ? sumUp([total], 'clicks') : total.clicks);
      if (total.visibility !== null) expect(sumUp(groups, 'visibility')).toEqual(total.visibility);
    }
  });

  it.each(seeds)('have as lines of tags what the rows of each tag have (seed %i)', (seed) => {
    const rows = randomRows(seed, 60).map((each, index) => ({ ...each, keyword: `${index}` }));
    const attribution = new Attribution(rows, curve);
    const byKeyword = new Map(attribution.by('keyword').map((group) => [group.name, group]));
    for (const { name, clicks } of attribution.by('tag')) {
      const own = rows.filter(({ tags }) => (name === '' ? tags.length === 0 : tags.includes(name)));
      const groups = own.flatMap(({ keyword }) => byKeyword.get(keyword) ?? []);
      expect(sumUp(groups, 'clicks')).toEqual(clicks);
    }
  });

  it.each(seeds)('begin and end with the visibility of each date (seed %i)', (seed) => {
    const rows = randomRows(seed, 40);
    const percent = (side: 'before' | 'after'): number | null => {
      const visibility = new Visibility(curve);
      for (const { isPlace, [side]: of } of rows)
        if (!isPlace && of?.isChecked === true) visibility.add(of.volume, of.rank);
      return visibility.percent();
    };
    const { visibility } = new Attribution(rows, curve).total();
    expect(Math.abs((visibility?.before ?? 0) / visibilityUnits - (percent('before') ?? 0))).toBeLessThan(1e-6);
    expect(Math.abs((visibility?.after ?? 0) / visibilityUnits - (percent('after') ?? 0))).toBeLessThan(2e-6);
    expect(visibility?.feature).toBe(0);
  });

  it.each(seeds)('have effects that are the mean over all orders of change (seed %i)', (seed) => {
    const rows = randomRows(seed, 30);
    const { clicks, visibility } = new Attribution(rows, curve).total();
    const [clickMeans, visibilityMeans] = [meanOverOrders(rows, 'clicks'), meanOverOrders(rows, 'visibility')];
    for (const effect of effects) {
      expect(Math.abs(clicks[effect] / clickUnits - clickMeans[effect])).toBeLessThan(1.01 / clickUnits);
      if (visibility === null) continue;
      expect(Math.abs(visibility[effect] / visibilityUnits - visibilityMeans[effect])).toBeLessThan(1.01e-6);
    }
  });

  it('are the same in any order of rows, but for the last units', () => {
    const rows = randomRows(7, 200);
    const [some, others] = [clicksOf(...rows), clicksOf(...rows.toReversed())];
    expect(some).toEqual(others);
  });
});

/** The slow way: changes one thing after the other, in each of the 24 orders. */
function meanOverOrders(rows: readonly AttributedRow[], measure: 'clicks' | 'visibility') {
  const valueAt = (changed: ReadonlySet<string>): number => {
    let [clicks, most] = [0, 0];
    for (const { isPlace, isComparable, before, after } of rows) {
      const counts = (state: RowOnDate | null) => !isPlace && state?.isChecked === true && state.volume !== null;
      const isKept = counts(before) && counts(after) && isComparable;
      const stateOf = (effect: string) => ((isKept ? changed.has(effect) : changed.has('tracking')) ? after : before);
      const [ofRank, ofVolume, ofFeature] = [stateOf('rank'), stateOf('demand'), stateOf('feature')];
      if (!counts(ofVolume)) continue;
      const other = ofFeature === before ? after : before;
      const ratio = measure === 'visibility' ? 1 : (ofFeature?.featureRatio ?? other?.featureRatio ?? 1);
      clicks += (ofVolume?.volume ?? 0) * ctr(curve, ofRank?.rank ?? null) * ratio;
      most += (ofVolume?.volume ?? 0) * ctr(curve, 1);
    }
    return measure === 'clicks' ? clicks : most === 0 ? 0 : (100 * clicks) / most;
  };
  const ordersOf = (names: readonly string[]): string[][] =>
    names.length === 0
      ? [[]]
      : names.flatMap((name) => ordersOf(names.filter((other) => other !== name)).map((rest) => [name, ...rest]));
  const orders = ordersOf(effects);
  const means = { ...zero };
  for (const order of orders)
    for (const [at, effect] of order.entries()) {
      const earlier = new Set(order.slice(0, at));
      const adds = valueAt(new Set([...earlier, effect])) - valueAt(earlier);
      means[effect as keyof typeof zero] += adds / orders.length;
    }
  return means;
}

describe('the rank effect by competitor', () => {
  it('goes to the sites that moved, by their places, and the rest to our own movement', () => {
    const places = [
      { site: 'one.example', places: 1 },
      { site: 'two.example', places: 2 },
      { site: '', places: 1 },
    ];
    const groups = new Attribution([row(on(1, 1000), on(2, 2000), { places })], curve).by('competitor');
    // (0.157 - 0.285) x 1500 = -192 clicks, 1000 x 0.221 = 221 clicks
    expect(groups.map(({ name, clicks }) => [name, (clicks.after - clicks.before) / clickUnits])).toEqual([
      [otherEffects, 221],
      ['two.example', -96],
      [ownMovement, -48],
      ['one.example', -48],
    ]);
  });

  it('is all our own movement where no results were kept', () => {
    const groups = new Attribution([row(on(1, 1000), on(2, 1000))], curve).by('competitor');
    expect(groups.map(({ name, clicks }) => [name, clicks.rank])).toEqual([
      [ownMovement, -1_280_000],
      [otherEffects, 0],
    ]);
  });

  it('names the site that entered above, and nothing else', () => {
    const before = { urlIds: [1, 9, 2], siteIds: [1, 9, 2] };
    const after = { urlIds: [1, 5, 9, 2], siteIds: [1, 5, 9, 2] };
    expect(placeShares(movementsAround(before, 2, after, 3), (urlId) => `site${urlId}.example`)).toEqual([
      { site: 'site5.example', places: 1 },
      { site: '', places: 0 },
    ]);
  });
});
