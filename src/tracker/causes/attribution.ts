// Splits the change of a project's clicks and visibility between two dates into effects that add up. Pure.

import { ctr } from '../changes/visibility.ts';
import { byText, rounded, sumOf } from '../figures.ts';
import { addTo, getOrInsert } from '../maps.ts';
import { type Movements, placesOf } from './places.ts';

/**
 * What changed, in the order of columns. `rank`: ranks. `feature`: what the pages show beside the results. `demand`:
 * search volumes. `tracking`: rows that came, went, lack a check or a volume on one date, or do not compare.
 */
export const effects = ['rank', 'feature', 'demand', 'tracking'] as const;
type Effect = (typeof effects)[number];

/** Clicks are counted in 1/10,000, visibility in 1/1,000,000 of a percentage point: integers add up exactly. */
export const clickUnits = 10_000;
export const visibilityUnits = 1_000_000;

/** A row on one date. */
export interface RowOnDate {
  /** It has a complete check. */
  readonly isChecked: boolean;
  /** Null: not found. */
  readonly rank: number | null;
  /** Searches a month. Null: unknown, so that the row has no clicks. */
  readonly volume: number | null;
  /** Clicks with the shown features / without them: the product of what is measured. Null: not known what was shown. */
  readonly featureRatio: number | null;
}

/** A place of which a competitor, or our own movement, explains a part. */
export interface PlaceShare {
  /** Empty: our own movement, or not known. From the web: not trusted. */
  readonly site: string;
  readonly places: number;
}

export interface AttributedRow {
  readonly keyword: string;
  /** The page that ranks on the later date, else on the earlier one; null: none is known. */
  readonly page: string | null;
  readonly tags: readonly string[];
  readonly market: string;
  readonly device: string;
  /** A place has no curve, and so no clicks. */
  readonly isPlace: boolean;
  /** Null: not tracked on the date. */
  readonly before: RowOnDate | null;
  readonly after: RowOnDate | null;
  /** Both checks are of one source, and their depths compare. */
  readonly isComparable: boolean;
  /** Absent: none is known. */
  readonly places?: readonly PlaceShare[];
}

/** Integers in the unit of the measure: before + rank + feature + demand + tracking = after. */
export interface EffectSums extends Readonly<Record<Effect, number>> {
  readonly before: number;
  readonly after: number;
}

export interface AttributionGroup {
  readonly name: string;
  /** Rows that count on one of the dates. */
  readonly rows: number;
  readonly clicks: EffectSums;
  /** Null: without a volume on one of the dates there is no visibility. */
  readonly visibility: EffectSums | null;
  /** It has some effects of rows that others have, too: no clicks before and after are its own. */
  readonly isPart?: true;
}

/** A group in clicks and percentage points: before + all effects = after, to the last decimal. */
export interface AttributionLine {
  /** Empty: rows without a page, or without a tag. */
  readonly name: string;
  readonly keywords: number;
  /** Null, like all ends of competitors: only effects are theirs. */
  readonly clicksBefore: number | null;
  readonly clicksAfter: number | null;
  readonly rankEffect: number;
  readonly featureEffect: number;
  readonly demandEffect: number;
  readonly trackingEffect: number;
  /** Percentage points; null: without a volume on one of the dates there is no visibility. */
  readonly visibilityBefore: number | null;
  readonly visibilityAfter: number | null;
  readonly visibilityRankEffect: number | null;
  readonly visibilityFeatureEffect: number | null;
  readonly visibilityDemandEffect: number | null;
  readonly visibilityTrackingEffect: number | null;
}

export function attributionLine({ name, rows, clicks, visibility, isPart }: AttributionGroup): AttributionLine {
  const ofClicks = (column: keyof EffectSums): number => rounded(clicks[column] / clickUnits, 4);
  const ofVisibility = (column: keyof EffectSums): number | null =>
    visibility === null ? null : rounded(visibility[column] / visibilityUnits, 6);
  return {
    name,
    keywords: rows,
    clicksBefore: isPart ? null : ofClicks('before'),
    clicksAfter: isPart ? null : ofClicks('after'),
    rankEffect: ofClicks('rank'),
    featureEffect: ofClicks('feature'),
    demandEffect: ofClicks('demand'),
    trackingEffect: ofClicks('tracking'),
    visibilityBefore: isPart ? null : ofVisibility('before'),
    visibilityAfter: isPart ? null : ofVisibility('after'),
    visibilityRankEffect: ofVisibility('rank'),
    visibilityFeatureEffect: ofVisibility('feature'),
    visibilityDemandEffect: ofVisibility('demand'),
    visibilityTrackingEffect: ofVisibility('tracking'),
  };
}

export const attributionGroupings = ['keyword', 'page', 'tag', 'market', 'device', 'competitor'] as const;
export type AttributionGrouping = (typeof attributionGroupings)[number];

/** Names of lines that stand for no competitor. */
export const ownMovement = '(own movement)';
export const otherEffects = '(other effects)';

const namesOf: Readonly<
  Record<Exclude<AttributionGrouping, 'competitor'>, (row: AttributedRow) => readonly (string | null)[]>
> = {
  keyword: ({ keyword }) => [keyword],
  page: ({ page }) => [page],
  tag: ({ tags }) => (tags.length === 0 ? [null] : tags),
  market: ({ market }) => [market],
  device: ({ device }) => [device],
};

type Columns = Readonly<Record<'before' | Effect, Float64Array>>;

/** Throws RangeError for an unknown curve. */
export class Attribution {
  readonly #rows: readonly AttributedRow[];
  readonly #clicks: Columns;
  readonly #visibility: Columns | null;

  constructor(all: Iterable<AttributedRow>, curveName: string) {
    this.#rows = [...all].filter((row) => clicksKnown(row, row.before) || clicksKnown(row, row.after));
    this.#clicks = clickColumns(this.#rows, curveName);
    this.#visibility = visibilityColumns(this.#rows, curveName);
  }

  total(): AttributionGroup {
    return this.#group('', Array.from(this.#rows.keys()));
  }

  /**
   * By the size of their change of clicks. A row with several tags counts for each of them: only the lines of tags
   * overlap. Rows without a page or tag have the name ''.
   */
  by(grouping: AttributionGrouping): AttributionGroup[] {
    return grouping === 'competitor' ? bySize(this.#byCompetitor()) : this.byNames(namesOf[grouping]);
  }

  /** Of the rows with each name. */
  byNames(namesOfRow: (row: AttributedRow) => readonly (string | null)[]): AttributionGroup[] {
    const indices = new Map<string, number[]>();
    for (const [index, row] of this.#rows.entries())
      for (const name of namesOfRow(row)) {
        const known = indices.get(name ?? '');
        if (known === undefined) indices.set(name ?? '', [index]);
        else known.push(index);
      }
    return bySize([...indices].map(([name, of]) => this.#group(name, of)));
  }

  /** The groups that have at least this share of the effect of all ranks. */
  leading(namesOfRow: (row: AttributedRow) => readonly string[], shareMin: number): AttributionGroup[] {
    const { rank } = this.#visibility ?? this.#clicks;
    const whole = sumOf(rank);
    if (whole === 0) return [];
    const sums = new Map<string, number>();
    for (const [index, row] of this.#rows.entries()) {
      const effect = rank[index] ?? 0;
      if (effect !== 0) for (const name of namesOfRow(row)) addTo(sums, name, effect);
    }
    const leading = new Set([...sums].flatMap(([name, sum]) => (sum / whole >= shareMin ? [name] : [])));
    return leading.size === 0 ? [] : this.byNames((row) => namesOfRow(row).filter((name) => leading.has(name)));
  }

  /** Competitors have rank effects only: what they took is negative. */
  #byCompetitor(): AttributionGroup[] {
    if (this.#rows.length === 0) return [];
    const sums = new Map<string, { rows: number; clicks: number; visibility: number }>();
    const [clicks, visibility] = [this.#clicks.rank, this.#visibility?.rank];
    for (const [index, { places = [] }] of this.#rows.entries()) {
      const [ofClicks, ofVisibility] = [clicks[index] ?? 0, visibility?.[index] ?? 0];
      if (ofClicks === 0 && ofVisibility === 0) continue;
      const shares = bySite(places);
      const [clickParts, visibilityParts] = [partsOf(ofClicks, shares), partsOf(ofVisibility, shares)];
      for (const [at, { site }] of shares.entries()) {
        const sum = getOrInsert(sums, site, () => ({ rows: 0, clicks: 0, visibility: 0 }));
        sum.rows += 1;
        sum.clicks += clickParts[at] ?? 0;
        sum.visibility += visibilityParts[at] ?? 0;
      }
    }
    const total = this.total();
    const groups = [...sums].map(
      ([site, sum]): AttributionGroup => ({
        name: site || ownMovement,
        rows: sum.rows,
        isPart: true,
        clicks: rankOnly(sum.clicks),
        visibility: total.visibility === null ? null : rankOnly(sum.visibility),
      }),
    );
    const rest = { name: otherEffects, rows: total.rows, isPart: true as const, clicks: withoutRank(total.clicks) };
    return [...groups, { ...rest, visibility: total.visibility === null ? null : withoutRank(total.visibility) }];
  }

  #group(name: string, indices: readonly number[]): AttributionGroup {
    const visibility = this.#visibility === null ? null : sumOfRows(this.#visibility, indices);
    return { name, rows: indices.length, clicks: sumOfRows(this.#clicks, indices), visibility };
  }
}

/**
 * Who moved around a target, as shares of its places: movers in the direction of the change, each as far as the change
 * of sides is its own movement (`lead`), and our own movement for the rest.
 */
export function placeShares({ movers, places }: Movements, siteOf: (urlId: number) => string): PlaceShare[] {
  const alike = movers.filter((mover) => placesOf(mover) === Math.sign(places));
  const led = alike.map(({ urlId, lead }) => ({ site: siteOf(urlId), places: lead }));
  return [...led, { site: '', places: alike.reduce((sum, { lead }) => sum + 1 - lead, 0) }];
}

function bySite(places: readonly PlaceShare[]): PlaceShare[] {
  const sums = new Map<string, number>();
  for (const { site, places: of } of places) if (of > 0) addTo(sums, site, of);
  return sums.size === 0 ? [{ site: '', places: 1 }] : [...sums].map(([site, of]) => ({ site, places: of }));
}

function partsOf(effect: number, shares: readonly PlaceShare[]): Float64Array {
  const all = sumOf(shares, ({ places }) => places);
  return roundedTo(
    Float64Array.from(shares, ({ places }) => (effect * places) / all),
    effect,
  );
}

function rankOnly(rank: number): EffectSums {
  return { before: 0, rank, feature: 0, demand: 0, tracking: 0, after: rank };
}

function withoutRank(sums: EffectSums): EffectSums {
  return { ...sums, rank: 0, after: sums.after - sums.rank };
}

function bySize(groups: AttributionGroup[]): AttributionGroup[] {
  return groups.sort((a, b) => changeOf(b) - changeOf(a) || byText(a.name, b.name));
}

function changeOf({ clicks }: AttributionGroup): number {
  return Math.abs(clicks.after - clicks.before);
}

function sumOfRows(columns: Columns, indices: readonly number[]): EffectSums {
  const sum = (column: Float64Array): number => sumOf(indices, (index) => column[index] ?? 0);
  const before = sum(columns.before);
  const [rank, feature] = [sum(columns.rank), sum(columns.feature)];
  const [demand, tracking] = [sum(columns.demand), sum(columns.tracking)];
  return { before, rank, feature, demand, tracking, after: before + rank + feature + demand + tracking };
}

/** The row counts on the date. */
function clicksKnown({ isPlace }: AttributedRow, on: RowOnDate | null): on is RowOnDate & { readonly volume: number } {
  return !isPlace && on?.isChecked === true && on.volume !== null;
}

interface Factors {
  readonly volume: number;
  readonly rate: number;
  readonly ratio: number;
}

/** Null: the row does not count on the date. A ratio that is not known is that of the other date. */
function factorsOf(row: AttributedRow, curveName: string): readonly [Factors | null, Factors | null] {
  const of = (on: RowOnDate | null, other: RowOnDate | null): Factors | null =>
    clicksKnown(row, on)
      ? { volume: on.volume, rate: ctr(curveName, on.rank), ratio: on.featureRatio ?? other?.featureRatio ?? 1 }
      : null;
  return [of(row.before, row.after), of(row.after, row.before)];
}

/**
 * Clicks of a row are volume x rate x ratio. An effect is its Shapley value: what its factor adds, averaged over the
 * orders in which the three can change. Of a product of three it is the change of one factor times (both others before
 * + both after) / 3 + (one before, one after, either way) / 6.
 */
function clickColumns(rows: readonly AttributedRow[], curveName: string): Columns {
  const exact = emptyColumns(rows.length);
  for (const [index, row] of rows.entries()) {
    const [before, after] = factorsOf(row, curveName);
    const [then, now] = [clickValue(before), clickValue(after)];
    exact.before[index] = then;
    if (before === null || after === null || !row.isComparable) {
      exact.tracking[index] = now - then;
      continue;
    }
    const share = (of: keyof Factors, a: keyof Factors, b: keyof Factors): number =>
      clickUnits *
      (after[of] - before[of]) *
      ((before[a] * before[b] + after[a] * after[b]) / 3 + (before[a] * after[b] + after[a] * before[b]) / 6);
    exact.rank[index] = share('rate', 'volume', 'ratio');
    exact.feature[index] = share('ratio', 'volume', 'rate');
    exact.demand[index] = share('volume', 'rate', 'ratio');
  }
  return roundedColumns(exact);
}

function clickValue(factors: Factors | null): number {
  return factors === null ? 0 : clickUnits * factors.volume * factors.rate * factors.ratio;
}

/**
 * Visibility is a sum over rows with one denominator, sum(volume x CTR(1)), which changes with demand and tracking. So
 * the Shapley value is that of the whole sum over the orders of rank, demand and tracking, and each row has its part of
 * it. Visibility knows no features. Null: no volume counts on one of the dates.
 */
function visibilityColumns(rows: readonly AttributedRow[], curveName: string): Columns | null {
  const most = [0, 0, 0, 0];
  const parts = rows.map((row) => {
    const [before, after] = factorsOf(row, curveName);
    return { before, after, isKept: before !== null && after !== null && row.isComparable };
  });
  for (const { before, after, isKept } of parts)
    for (let state = 0; state < most.length; state += 1) {
      const isLater = isKept ? (state & demandBit) !== 0 : (state & trackingBit) !== 0;
      most[state] = (most[state] ?? 0) + ((isLater ? after : before)?.volume ?? 0);
    }
  if (most[0] === 0 || most[demandBit | trackingBit] === 0) return null;
  const whole = 100 * visibilityUnits;
  const scale = most.map((volume) => (volume === 0 ? 0 : whole / (volume * ctr(curveName, 1))));
  const exact = emptyColumns(rows.length);
  const values = new Float64Array(8);
  for (const [index, { before, after, isKept }] of parts.entries()) {
    for (let state = 0; state < values.length; state += 1) {
      const [volumeOf, rateOf] = isKept
        ? [state & demandBit ? after : before, state & rankBit ? after : before]
        : [state & trackingBit ? after : before, state & trackingBit ? after : before];
      values[state] = (volumeOf?.volume ?? 0) * (rateOf?.rate ?? 0) * (scale[state & ~rankBit] ?? 0);
    }
    exact.before[index] = values[0] ?? 0;
    exact.demand[index] = shapleyOf(values, demandBit, trackingBit, rankBit);
    exact.tracking[index] = shapleyOf(values, trackingBit, demandBit, rankBit);
    exact.rank[index] = shapleyOf(values, rankBit, demandBit, trackingBit);
  }
  return roundedColumns(exact);
}

/** A state says of each player whether it has changed. */
const [demandBit, trackingBit, rankBit] = [1, 2, 4] as const;

/** By the values of all eight states of three players. */
function shapleyOf(values: Float64Array, player: number, a: number, b: number): number {
  const adds = (state: number): number => (values[state | player] ?? 0) - (values[state] ?? 0);
  return (adds(0) + adds(a | b)) / 3 + (adds(a) + adds(b)) / 6;
}

function emptyColumns(length: number): Columns {
  const column = (): Float64Array => new Float64Array(length);
  return { before: column(), rank: column(), feature: column(), demand: column(), tracking: column() };
}

/**
 * To integers: first the totals of the effects, which add up to the change of the rounded totals, then the rows of each
 * effect, which add up to its total. What is 0 stays 0.
 */
function roundedColumns(exact: Columns): Columns {
  const before = Math.round(snapped(sumOf(exact.before)));
  const totals = Float64Array.from(effects, (effect) => snapped(sumOf(exact[effect])));
  const after = Math.round(snapped(sumOf(exact.before) + sumOf(totals)));
  const whole = roundedTo(totals, after - before);
  const column = (effect: Effect): Float64Array => roundedTo(exact[effect], whole[effects.indexOf(effect)] ?? 0);
  return {
    before: roundedTo(exact.before, before),
    rank: column('rank'),
    feature: column('feature'),
    demand: column('demand'),
    tracking: column('tracking'),
  };
}

/** Products of decimal rates miss their integer by the error of floating point. */
const fuzz = 1e-5;

function snapped(value: number): number {
  const whole = Math.round(value);
  return Math.abs(value - whole) < fuzz ? whole : value;
}

/** Integers with this sum, by largest remainders: of equal ones the first. */
function roundedTo(values: Float64Array, sum: number): Float64Array {
  const near = values.map(snapped);
  const whole = near.map(Math.floor);
  let rest = sum - sumOf(whole);
  const remainder = (index: number): number => (near[index] ?? 0) - (whole[index] ?? 0);
  // most rows have no effect, and so no remainder
  const sorted = near
    .map((value) => value - Math.floor(value))
    .filter((value) => value !== 0)
    .sort();
  const least = rest <= 0 ? Number.POSITIVE_INFINITY : (sorted[Math.max(0, sorted.length - rest)] ?? 0);
  for (const isTie of [false, true])
    for (let index = 0; index < whole.length && rest > 0; index += 1) {
      const own = remainder(index);
      if (own === 0 || (isTie ? own !== least : own <= least)) continue;
      whole[index] = (whole[index] ?? 0) + 1;
      rest -= 1;
    }
  // the totals are rounded, too: the largest value takes what is left
  if (rest !== 0 && whole.length > 0) {
    const largest = near.reduce((best, value, at) => (Math.abs(value) > Math.abs(near[best] ?? 0) ? at : best), 0);
    whole[largest] = (whole[largest] ?? 0) + rest;
  }
  return whole;
}
