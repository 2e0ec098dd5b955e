// Sums of own targets and competitors over the same complete checks: ranks, share of voice, wins and losses.

import { addToSums, type SummedRow, type Sums, startSums } from '../../rows/sums.ts';
import { compare } from '../../tracker/changes/change.ts';
import { estimatedClicks, ShareOfVoice, sumRates } from '../../tracker/changes/visibility.ts';
import type { Observation } from '../../tracker/observation.ts';
import { pageOfRank, provenDepth, type ReportTarget, type Serp, type SerpRow } from '../rows/serp.ts';

/** Sums of one target. */
export interface CompetitorTargetSums {
  readonly sums: Sums;
  /** Over all searches whose pages prove the target's clicks. A target that was not followed further has none. */
  readonly share: ShareOfVoice;
  /** Searches with a volume in `share`. */
  shareCount: number;
  /** Searches in which the target is on none of the pages read, which do not reach the depth. */
  notFollowed: number;
  /** Over searches comparable for this target. */
  readonly shareNow: ShareOfVoice;
  readonly shareBefore: ShareOfVoice;
  /** For a competitor: searches in which we rank above it; `losses`: below it. */
  wins: number;
  losses: number;
  winsChange: number;
  lossesChange: number;
}

/** The depths of complete checks in a scope. */
export interface Depths {
  checked: number;
  asked: number;
  read: number;
  readonly sources: Set<string>;
}

/** The sums of a scope. */
export interface CompetitorSums {
  /** One per target. */
  readonly lines: readonly CompetitorTargetSums[];
  readonly depth: Depths;
}

/** Throws RangeError for an unknown curve. */
export function startCompetitorSums(curveName: string, targets: readonly ReportTarget[]): CompetitorSums {
  return {
    lines: targets.map(() => startLine(curveName)),
    depth: { checked: 0, asked: 0, read: 0, sources: new Set() },
  };
}

function startLine(curveName: string): CompetitorTargetSums {
  const share = () => new ShareOfVoice(curveName);
  const against = { wins: 0, losses: 0, winsChange: 0, lossesChange: 0, shareCount: 0, notFollowed: 0 };
  return { sums: startSums(curveName), share: share(), shareNow: share(), shareBefore: share(), ...against };
}

/** Adds a search to all its sums. */
export function addToCompetitorSums(
  scopes: readonly CompetitorSums[],
  row: SerpRow,
  targets: readonly ReportTarget[],
  curveName: string,
): void {
  const { now, before } = row;
  const rates = now === null ? 0 : sumRates(curveName, now.bestRanks);
  const ratesBefore = before === null ? 0 : sumRates(curveName, before.bestRanks);
  for (const { depth } of scopes) if (now !== null) addDepth(depth, now);
  const own = now === null ? undefined : bestOwn(now, targets);
  const ownBefore = before === null ? undefined : bestOwn(before, targets);
  for (let index = 0; index < targets.length; index += 1) {
    const summed = toSummedRow(row, index, curveName);
    const verdict = now === null || now.unproven.has(index) ? 0 : compareRanks(own, summed.rank);
    const verdictBefore =
      before === null || before.unproven.has(index) ? 0 : compareRanks(ownBefore, summed.previousRank);
    const comparable = summed.changeClass !== 'first_check' && summed.changeClass !== 'not_comparable';
    for (const { lines } of scopes) {
      const line = lines[index];
      if (line === undefined) continue;
      addToSums(line.sums, summed);
      if (now === null || now.unproven.has(index)) continue;
      line.share.add(row.searchVolume, summed.rank, rates);
      line.shareCount += row.searchVolume === null ? 0 : 1;
      line.notFollowed += now.notFollowed.has(index) ? 1 : 0;
      line.wins += verdict > 0 ? 1 : 0;
      line.losses += verdict < 0 ? 1 : 0;
      if (!comparable) continue;
      line.shareNow.add(row.searchVolume, summed.rank, rates);
      line.shareBefore.add(row.searchVolume, summed.previousRank, ratesBefore);
      line.winsChange += Number(verdict > 0) - Number(verdictBefore > 0);
      line.lossesChange += Number(verdict < 0) - Number(verdictBefore < 0);
    }
  }
}

/** A target's ranking in a search, for `addToSums`. */
function toSummedRow(
  { now, before, searchVolume, incomparable }: SerpRow,
  target: number,
  curveName: string,
): SummedRow {
  const current = now === null ? null : provenObservation(now, target);
  const previous = before === null ? null : provenObservation(before, target);
  const changeClass =
    current === null || incomparable === 'not_comparable' || (before !== null && previous === null)
      ? 'not_comparable'
      : compare(previous, current).changeClass;
  return {
    complete: current !== null,
    changeClass,
    rank: current?.rank ?? null,
    depth: current?.depth ?? null,
    searchVolume,
    estimatedClicks: estimatedClicks(searchVolume, current?.rank ?? null, curveName),
    previousRank: previous?.rank ?? null,
    previousDepth: previous?.depth ?? null,
    previousCheckedAt: previous?.checkedAt ?? null,
    isPlace: false,
    lastAgeDays: null,
  };
}

/** Null if the pages prove neither a rank nor an absence down to the depth. */
function provenObservation(serp: Serp, target: number): Observation | null {
  if (serp.unproven.has(target) || serp.notFollowed.has(target)) return null;
  const rank = serp.targets[target]?.[0] ?? null;
  return {
    status: rank === null ? 'not_found' : 'ranked',
    rank,
    absoluteRank: null,
    page: rank === null ? null : pageOfRank(serp, rank),
    url: null,
    depth: rank === null ? provenDepth(serp) : serp.depth,
    resultsRead: rank === null && !serp.ended ? serp.urlIds.length : null,
    checkedAt: serp.checkedAt,
    source: serp.source,
  };
}

/** The best rank of any own target; null: none is on the pages; undefined: unproven. */
function bestOwn(serp: Serp, targets: readonly ReportTarget[]): number | null | undefined {
  if (targets.some(({ role }, index) => role === 'own' && serp.unproven.has(index))) return undefined;
  let best: number | null = null;
  targets.forEach(({ role }, index) => {
    const rank = serp.targets[index]?.[0];
    if (role === 'own' && rank !== undefined && (best === null || rank < best)) best = rank;
  });
  return best;
}

/** Positive: we rank better. Both were searched on the same pages, so a found target beats a missing one. */
function compareRanks(own: number | null | undefined, other: number | null): number {
  if (own === undefined) return 0;
  if (own === null || other === null) return Number(own !== null) - Number(other !== null);
  return other - own;
}

function addDepth(depth: Depths, { depth: asked, pages, source }: Serp): void {
  depth.checked += 1;
  depth.asked += asked;
  depth.read += pages;
  depth.sources.add(source);
}
