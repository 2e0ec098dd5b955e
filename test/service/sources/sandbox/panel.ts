// The calibration panel: 368 invented keywords of one shop, and the comparison of its ranks between two days.
import { calibrationHost } from '../../../../src/service/sources/sandbox/sites.ts';
import type { World } from '../../../../src/service/sources/sandbox/world.ts';

const materials =
  'clay,concrete,slate,terracotta,blue,red,black,victorian,georgian,edwardian,antique,old,ornate,angled,half round,hogsback,crested,plain,staffordshire,welsh,dry,handmade,grey'.split(
    ',',
  );
const things =
  'ridge tile,ridge tiles,roof tile,roof tiles,roof slates,chimney pot,hip roof tiles,valley roof tile'.split(',');

export const panel: readonly string[] = things.flatMap((thing) =>
  materials.flatMap((material) => [`${material} ${thing}`, `reclaimed ${material} ${thing}`]),
);

/** Rank of the panel's site, 1 to 100, or null. */
export type Rank = number | null;

/** Ranks of the panel's site in one world on one day. */
export function ranksOn(world: World, mobile: boolean, day: number): Rank[] {
  return panel.map((keyword) => {
    const ranking = world.rank({ keyword, country: 'GB', language: 'en', mobile }, day);
    for (let index = 0; index < Math.min(100, ranking.length); index++) {
      if (ranking.at(index)?.site.host === calibrationHost) return index + 1;
    }
    return null;
  });
}

/** One row of the measured table. Shares in percent of the keywords that are ranked on both days. */
export interface Movement {
  readonly ranked: number;
  readonly same: number;
  readonly within1: number;
  readonly within3: number;
  readonly within10: number;
  readonly samePage: number;
  readonly nextPage: number;
  readonly entered: number;
  readonly dropped: number;
  readonly notFound: number;
}

export function movementBetween(before: readonly Rank[], after: readonly Rank[]): Movement {
  const pairs = before.map((rank, i) => [rank, after[i] ?? null] as const);
  const both = pairs.flatMap(([from, to]) => (from !== null && to !== null ? [[from, to] as const] : []));
  const share = (holds: (from: number, to: number) => boolean) =>
    (100 * both.filter(([from, to]) => holds(from, to)).length) / both.length;
  const count = (holds: (from: Rank, to: Rank) => boolean) => pairs.filter(([from, to]) => holds(from, to)).length;
  return {
    ranked: both.length,
    same: share((from, to) => from === to),
    within1: share((from, to) => Math.abs(from - to) <= 1),
    within3: share((from, to) => Math.abs(from - to) <= 3),
    within10: share((from, to) => Math.abs(from - to) <= 10),
    samePage: share((from, to) => pageOf(from) === pageOf(to)),
    nextPage: share((from, to) => Math.abs(pageOf(from) - pageOf(to)) <= 1),
    entered: count((from, to) => from === null && to !== null),
    dropped: count((from, to) => from !== null && to === null),
    notFound: count((from, to) => from === null && to === null),
  };
}

/** Results page of a rank with ten results per page, as in the measured export. */
export function pageOf(rank: number): number {
  return Math.ceil(rank / 10);
}

/** The mean of several rows. */
export function meanOf(rows: readonly Movement[]): Movement {
  const mean = (name: keyof Movement) => rows.reduce((sum, row) => sum + row[name], 0) / rows.length;
  return {
    ranked: mean('ranked'),
    same: mean('same'),
    within1: mean('within1'),
    within3: mean('within3'),
    within10: mean('within10'),
    samePage: mean('samePage'),
    nextPage: mean('nextPage'),
    entered: mean('entered'),
    dropped: mean('dropped'),
    notFound: mean('notFound'),
  };
}
