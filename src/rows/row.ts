// One tracked row of a report: a target in a search of a run, with its change. Pure.
import { featureChanges, type OwnedFeatures } from '../tracker/changes/alert-rules.ts';
import { type Change, compare, hasMoved, notComparable } from '../tracker/changes/change.ts';
import { estimatedClicks } from '../tracker/changes/visibility.ts';
import type { ClickNumbers } from '../tracker/clicks/matching.ts';
import type { ChangeClass, CheckStatus, Observation, RowStatus } from '../tracker/observation.ts';
import type { Search, Target } from '../tracker/project.ts';
import type { Sighting } from '../tracker/signal/sighting.ts';
import { type Significance, significanceAmong } from '../tracker/signal/significance.ts';
import type { TargetOutcome } from '../tracker/targets/match.ts';
import { isPlace } from '../tracker/targets/place.ts';
import { isOtherPage } from '../tracker/targets/target.ts';
import { type LastRanking, rowNote } from './note.ts';

/** The history of one target in one search of one run. */
export interface RankChangeInput {
  readonly project: string;
  readonly search: Search;
  readonly target: Target;
  readonly tags: readonly string[];
  /** The URL that should rank; absent: none is preferred, or it belongs to another target. */
  readonly preferredUrl?: string;
  /** Null: the run has no check of this search. */
  readonly check: {
    /** Of the check; absent: not known. */
    readonly id?: number;
    readonly status: CheckStatus;
    readonly reason: string | null;
    /** UTC milliseconds. */
    readonly checkedAt: number | null;
    /** Requested pages. */
    readonly depth: number;
    /** Empty if nothing was read. */
    readonly source: string;
    readonly runId: number;
    readonly features: readonly string[];
    /** Pages that were read. */
    readonly pagesRead?: number;
  } | null;
  /** Of a search that the run has no check of: its newest proven ranking; absent: there is none. */
  readonly last?: LastRanking;
  readonly outcome: TargetOutcome;
  /** Organic results that prove an absence, see `Observation`; absent: the depth decides. */
  readonly resultsRead?: number | null;
  readonly ownedFeatures: readonly string[];
  /** Features that the check shows without links, where the baseline showed others than now; absent: none. */
  readonly unlinkedFeatures?: readonly string[];
  /** The features that showed the target in the baseline's check; absent: not known. */
  readonly ownedBefore?: OwnedFeatures;
  /** The observation to compare with, from `chooseBaseline`. */
  readonly baseline: Observation | null;
  /**
   * Of a row that has moved: the ranks that decide the noise band, as `significanceAmong` takes them; absent: only that
   * of the baseline is known.
   */
  readonly ranksBefore?: ArrayLike<number>;
  /** What a second look at the change showed, later the same day; absent: there was none. */
  readonly secondLook?: Sighting;
  /** A second look at the change is to come: its alerts wait. */
  readonly awaitsSecondLook?: true;
  /** Why history has no usable baseline; absent without history. */
  readonly baselineMissing?: string;
  /** Best rank ever, with or without this check. */
  readonly bestRank: number | null;
  readonly metrics: {
    readonly searchVolume: number | null;
    readonly month: string | null;
    readonly cpcUsd: number | null;
    readonly competition: number | null;
    readonly level: string | null;
    readonly intent: string | null;
  } | null;
  /** What the search engine counted for it over the newest weeks; absent: nothing is known. */
  readonly clicks?: ClickNumbers;
  /** A note about the run: it is suspect, or the baseline is far away. */
  readonly note: string | null;
  /** Notes between baseline and check, printed in rows that moved. */
  readonly happened?: readonly string[];
}

/** One row. Null means missing: no number stands for a missing one. */
export interface RankChangeRow {
  readonly project: string;
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
  readonly target: string;
  readonly status: RowStatus;
  readonly rank: number | null;
  readonly previousRank: number | null;
  /** Previous - current: positive is better. */
  readonly change: number | null;
  readonly changeClass: ChangeClass;
  /** Whether the change is more than the noise of this keyword. Null: no comparable change. */
  readonly significance: Significance | null;
  readonly absoluteRank: number | null;
  readonly page: number | null;
  readonly url: string | null;
  readonly previousUrl: string | null;
  readonly urlChanged: boolean | null;
  readonly preferredUrl: string | null;
  /** Whether the preferred URL ranks. Null: none is preferred, or the ranking page is not known. */
  readonly urlIsPreferred: boolean | null;
  readonly bestRank: number | null;
  /** Of a place: its rank, which is its position in the local results; null: not in them. Absent: not a place. */
  readonly localRank?: number | null;
  /** UTC milliseconds, like `previousCheckedAt`. */
  readonly checkedAt: number | null;
  readonly previousCheckedAt: number | null;
  /** Of a keyword that was not checked in this slot; absent: it was, or was never checked. */
  readonly last?: LastRanking;
  /**
   * Pages: those that prove an absence, or those read of a target that was not followed to the depth, else those
   * requested.
   */
  readonly depth: number | null;
  readonly serpFeatures: readonly string[];
  readonly ownedFeatures: readonly string[];
  /** Features that showed the target in the baseline, and no longer do in as many pages. Not a column. */
  readonly lostFeatures: readonly string[];
  readonly searchVolume: number | null;
  readonly volumeMonth: string | null;
  readonly cpc: number | null;
  readonly competition: number | null;
  readonly competitionLevel: string | null;
  readonly intent: string | null;
  readonly estimatedClicks: number | null;
  readonly estimatedClicksChange: number | null;
  readonly tags: readonly string[];
  readonly note: string | null;
  readonly source: string | null;
  readonly runId: number | null;
  /** Not columns: what the search engine counted over the newest weeks. Null: not known. */
  readonly measuredClicks: number | null;
  readonly impressions: number | null;
  readonly averagePosition: number | null;
  /** Not a column: the check is complete and proves the ranking, so that the row counts in sums. */
  readonly complete: boolean;
  /** Not a column: depth of the baseline. */
  readonly previousDepth: number | null;
}

/**
 * Builds one row. Only an `ok` check is compared. An incomplete check prints its proven ranks, without change. Throws
 * RangeError for an unknown curve.
 */
export function rankChangeRow(input: RankChangeInput, curveName: string): RankChangeRow {
  const { search, check, outcome, baseline, metrics } = input;
  const status = rowStatus(input);
  const ranked = outcome.kind === 'ranked' && status === 'ranked' ? outcome : null;
  const located = ranked ?? (outcome.kind === 'seen' && status === 'incomplete' ? outcome : null);
  const observation = provenObservation(input, status);
  const change = observation === null ? notComparable('no proven ranking') : computeChange(input, observation);
  const url = located?.url ?? null;
  const previousUrl = baseline?.url ?? null;
  const urlChanged = url === null || previousUrl === null ? null : isOtherPage(url, previousUrl);
  const preferredUrl = input.preferredUrl ?? null;
  const isOther = url === null || preferredUrl === null ? null : isOtherPage(url, preferredUrl);
  const volume = metrics?.searchVolume ?? null;
  const isCounted = !isPlace(input.target) && (ranked !== null || status === 'not_found');
  const clicks = isCounted ? estimatedClicks(volume, ranked?.organicRank ?? null, curveName) : null;
  return {
    project: input.project,
    keyword: search.keyword,
    country: search.market.country,
    language: search.market.language,
    device: search.market.device,
    ...(search.market.location !== undefined && { location: search.market.location }),
    target: input.target.value,
    status,
    rank: ranked?.organicRank ?? null,
    ...(isPlace(input.target) && { localRank: ranked?.organicRank ?? null }),
    previousRank: baseline?.rank ?? null,
    change: change.change,
    changeClass: change.changeClass,
    significance: judgeChange(input, observation, change.changeClass),
    absoluteRank: ranked?.absoluteRank ?? null,
    page: located?.page ?? null,
    url,
    previousUrl,
    urlChanged,
    preferredUrl,
    urlIsPreferred: isOther === null ? null : !isOther,
    bestRank: betterRank(input.bestRank, ranked?.organicRank ?? null),
    checkedAt: check?.checkedAt ?? null,
    previousCheckedAt: baseline?.checkedAt ?? null,
    ...(input.last === undefined ? {} : { last: input.last }),
    depth: provenDepth(outcome, status) ?? check?.depth ?? null,
    serpFeatures: check?.features ?? [],
    ownedFeatures: input.ownedFeatures,
    lostFeatures: lostFeatures(input, observation),
    searchVolume: volume,
    volumeMonth: metrics?.month ?? null,
    cpc: metrics?.cpcUsd ?? null,
    competition: metrics?.competition ?? null,
    competitionLevel: metrics?.level ?? null,
    intent: metrics?.intent ?? null,
    estimatedClicks: roundCents(clicks),
    estimatedClicksChange: clicksChange(clicks, volume, change.changeClass, baseline, curveName),
    measuredClicks: input.clicks?.clicks ?? null,
    impressions: input.clicks?.impressions ?? null,
    averagePosition: roundCents(input.clicks?.averagePosition ?? null),
    tags: input.tags,
    note: rowNote(input, status, observation === null ? null : change, urlChanged),
    source: check === null || check.source === '' ? null : check.source,
    runId: check?.runId ?? null,
    complete: observation !== null,
    previousDepth: baseline?.depth ?? null,
  };
}

function judgeChange(
  { baseline, ranksBefore, secondLook }: RankChangeInput,
  observation: Observation | null,
  changeClass: ChangeClass,
): Significance | null {
  if (observation === null || baseline === null || !hasMoved(changeClass)) return null;
  const change = { before: baseline, after: observation };
  const known = ranksBefore ?? (baseline.rank === null ? [] : [baseline.rank]);
  return significanceAmong(secondLook === undefined ? change : { ...change, secondLook }, known);
}

/** Only complete checks of one source compare. */
function lostFeatures(
  { check, ownedFeatures, unlinkedFeatures = none, ownedBefore, baseline }: RankChangeInput,
  observation: Observation | null,
): readonly string[] {
  const pages = check?.pagesRead;
  if (observation === null || pages === undefined || ownedBefore === undefined) return none;
  if (ownedBefore.features.length === 0 || baseline?.source !== observation.source) return none;
  const now = { features: ownedFeatures, pages, unlinked: unlinkedFeatures };
  return featureChanges({ when: 'feature-lost', checks: 1 }, now, [ownedBefore]);
}

const none: readonly string[] = Object.freeze([]);

function computeChange({ baseline, baselineMissing }: RankChangeInput, observation: Observation): Change {
  return baseline === null && baselineMissing !== undefined
    ? notComparable(baselineMissing)
    : compare(baseline, observation);
}

/**
 * "Not found" needs a complete check: the target may be on the pages that an incomplete one lacks. Of a place, page 1
 * decides.
 */
function rowStatus({ check, outcome, target }: RankChangeInput): RowStatus {
  if (check === null) return 'deferred';
  if (check.status !== 'ok' && check.status !== 'incomplete') return check.status;
  if (outcome.kind === 'ranked') return 'ranked';
  if (check.status !== 'ok') return outcome.kind === 'notFound' && isPlace(target) ? 'not_found' : 'incomplete';
  if (outcome.kind === 'notFollowed') return 'not_followed';
  return outcome.kind === 'notFound' ? 'not_found' : 'incomplete';
}

/** The pages of the row; null: the requested ones. */
function provenDepth(outcome: TargetOutcome, status: RowStatus): number | null {
  if (outcome.kind === 'notFound' && status === 'not_found') return outcome.depth;
  return outcome.kind === 'notFollowed' && status === 'not_followed' ? outcome.pages : null;
}

/** What a complete check proves. */
function provenObservation({ check, outcome, resultsRead }: RankChangeInput, status: RowStatus): Observation | null {
  if (check === null || check.status !== 'ok' || (status !== 'ranked' && status !== 'not_found')) return null;
  const ranked = outcome.kind === 'ranked' ? outcome : null;
  return {
    status,
    rank: ranked?.organicRank ?? null,
    absoluteRank: ranked?.absoluteRank ?? null,
    page: ranked?.page ?? null,
    url: ranked?.url ?? null,
    depth: outcome.kind === 'notFound' ? outcome.depth : check.depth,
    resultsRead: outcome.kind === 'notFound' ? (resultsRead ?? null) : null,
    checkedAt: check.checkedAt ?? 0,
    source: check.source,
  };
}

/** Both ends use today's volume, so that only ranks change it. */
function clicksChange(
  clicks: number | null,
  volume: number | null,
  changeClass: ChangeClass,
  baseline: Observation | null,
  curveName: string,
): number | null {
  if (baseline === null || clicks === null || changeClass === 'not_comparable') return null;
  const before = estimatedClicks(volume, baseline.rank, curveName);
  return before === null ? null : roundCents(clicks - before);
}

/** Rounds to two decimals, without -0. */
export function roundCents(number: number | null): number | null {
  return number === null ? null : Math.round(number * 100) / 100 + 0;
}

function betterRank(best: number | null, rank: number | null): number | null {
  if (best === null || rank === null) return best ?? rank;
  return Math.min(best, rank);
}
