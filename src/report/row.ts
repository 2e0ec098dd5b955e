// One tracked row: a target in a search of a run, with what became of it. Every report is made of these; none of them reads history.
import { type Change, compare, hasMoved, notComparable } from '../tracker/change.ts';
import { destinationOf } from '../tracker/destination.ts';
import type { TargetOutcome } from '../tracker/match.ts';
import type { ChangeClass, CheckStatus, Observation, RowStatus } from '../tracker/observation.ts';
import type { Search, Target } from '../tracker/project.ts';
import { isOtherPage } from '../tracker/target.ts';
import { estimatedClicks } from '../tracker/visibility.ts';

/** What history holds about one target in one search of one run. */
export interface RankChangeInput {
  readonly project: string;
  readonly search: Search;
  readonly target: Target;
  readonly tags: readonly string[];
  /** Null: the run has no check of this search. */
  readonly check: {
    readonly status: CheckStatus;
    readonly reason: string | null;
    /** UTC milliseconds. */
    readonly checkedAt: number | null;
    /** Pages asked. */
    readonly depth: number;
    /** Empty where nothing was read. */
    readonly source: string;
    readonly runId: number;
    readonly features: readonly string[];
  } | null;
  readonly outcome: TargetOutcome;
  readonly ownedFeatures: readonly string[];
  /** The earlier observation to compare with, as `chooseBaseline` chose it. */
  readonly baseline: Observation | null;
  /** Why there is no baseline although there is history; absent where there is none of either. */
  readonly baselineMissing?: string;
  /** Best rank ever, this check included or not. */
  readonly bestRank: number | null;
  readonly metrics: {
    readonly searchVolume: number | null;
    readonly month: string | null;
    readonly cpcUsd: number | null;
    readonly competition: number | null;
    readonly level: string | null;
    readonly intent: string | null;
  } | null;
  /** Said of the row from outside: the run is suspect, the baseline is far away. */
  readonly note: string | null;
  /** What happened between baseline and check, as it is printed: rows that moved say it. */
  readonly happened?: readonly string[];
}

/** One row. Null where there is none: no number ever stands for a missing one. */
export interface RankChangeRow {
  readonly project: string;
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly target: string;
  readonly status: RowStatus;
  readonly rank: number | null;
  readonly previousRank: number | null;
  /** previous - current: positive is better. */
  readonly change: number | null;
  readonly changeClass: ChangeClass;
  readonly absoluteRank: number | null;
  readonly page: number | null;
  readonly url: string | null;
  readonly previousUrl: string | null;
  readonly urlChanged: boolean | null;
  readonly bestRank: number | null;
  /** UTC milliseconds, like `previousCheckedAt`. */
  readonly checkedAt: number | null;
  readonly previousCheckedAt: number | null;
  /** Pages: those that prove an absence, those read of a target that was not followed to the depth, else those asked. */
  readonly depth: number | null;
  readonly serpFeatures: readonly string[];
  readonly ownedFeatures: readonly string[];
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
  /** Not a column: the check is complete and proves the target's place, so that the row counts in sums. */
  readonly complete: boolean;
  /** Not a column: depth of the baseline. */
  readonly previousDepth: number | null;
}

/**
 * Makes one row. Only an `ok` check is compared: a rank that an incomplete check proves is printed, its change is not. `curveName` as in
 * visibility.ts; throws RangeError for one that does not exist.
 */
export function rankChangeRow(input: RankChangeInput, curveName: string): RankChangeRow {
  const { search, check, outcome, baseline, metrics } = input;
  const status = statusOf(input);
  const ranked = outcome.kind === 'ranked' && status === 'ranked' ? outcome : null;
  const located = ranked ?? (outcome.kind === 'seen' && status === 'incomplete' ? outcome : null);
  const observation = observationOf(input, status);
  const change = observation === null ? notComparable('no proven place') : changeOf(input, observation);
  const url = located?.url ?? null;
  const previousUrl = baseline?.url ?? null;
  const urlChanged = url === null || previousUrl === null ? null : isOtherPage(url, previousUrl);
  const volume = metrics?.searchVolume ?? null;
  const clicks = ranked !== null || status === 'not_found' ? clicksOf(volume, ranked, curveName) : null;
  return {
    project: input.project,
    keyword: search.keyword,
    country: search.market.country,
    language: search.market.language,
    device: search.market.device,
    target: input.target.value,
    status,
    rank: ranked?.organicRank ?? null,
    previousRank: baseline?.rank ?? null,
    change: change.change,
    changeClass: change.changeClass,
    absoluteRank: ranked?.absoluteRank ?? null,
    page: located?.page ?? null,
    url,
    previousUrl,
    urlChanged,
    bestRank: bestOf(input.bestRank, ranked?.organicRank ?? null),
    checkedAt: check?.checkedAt ?? null,
    previousCheckedAt: baseline?.checkedAt ?? null,
    depth: depthOf(outcome, status) ?? check?.depth ?? null,
    serpFeatures: check?.features ?? [],
    ownedFeatures: input.ownedFeatures,
    searchVolume: volume,
    volumeMonth: metrics?.month ?? null,
    cpc: metrics?.cpcUsd ?? null,
    competition: metrics?.competition ?? null,
    competitionLevel: metrics?.level ?? null,
    intent: metrics?.intent ?? null,
    estimatedClicks: cents(clicks),
    estimatedClicksChange: clicksChange(clicks, volume, change.changeClass, baseline, curveName),
    tags: input.tags,
    note: noteOf(input, status, observation === null ? null : change, urlChanged),
    source: check === null || check.source === '' ? null : check.source,
    runId: check?.runId ?? null,
    complete: observation !== null,
    previousDepth: baseline?.depth ?? null,
  };
}

function changeOf({ baseline, baselineMissing }: RankChangeInput, observation: Observation): Change {
  return baseline === null && baselineMissing !== undefined
    ? notComparable(baselineMissing)
    : compare(baseline, observation);
}

/** An absence is an absence only where the check is complete: what an incomplete one did not find may be on the pages it lacks. */
function statusOf({ check, outcome }: RankChangeInput): RowStatus {
  if (check === null) return 'deferred';
  if (check.status !== 'ok' && check.status !== 'incomplete') return check.status;
  if (outcome.kind === 'ranked') return 'ranked';
  if (check.status !== 'ok') return 'incomplete';
  if (outcome.kind === 'notFollowed') return 'not_followed';
  return outcome.kind === 'notFound' ? 'not_found' : 'incomplete';
}

/** The pages that the row is of; null where these are the pages asked. */
function depthOf(outcome: TargetOutcome, status: RowStatus): number | null {
  if (outcome.kind === 'notFound' && status === 'not_found') return outcome.depth;
  return outcome.kind === 'notFollowed' && status === 'not_followed' ? outcome.pages : null;
}

/** What the check proves, where it is complete. */
function observationOf({ check, outcome }: RankChangeInput, status: RowStatus): Observation | null {
  if (check === null || check.status !== 'ok' || (status !== 'ranked' && status !== 'not_found')) return null;
  const ranked = outcome.kind === 'ranked' ? outcome : null;
  return {
    status,
    rank: ranked?.organicRank ?? null,
    absoluteRank: ranked?.absoluteRank ?? null,
    page: ranked?.page ?? null,
    url: ranked?.url ?? null,
    depth: outcome.kind === 'notFound' ? outcome.depth : check.depth,
    checkedAt: check.checkedAt ?? 0,
    source: check.source,
  };
}

const unreadAbove = 'a page before it was not read';
const hiddenAbove = 'a page before it was not read, or a result above it shows its site alone';

/** Why a number is missing or not comparable; null where there is nothing to say. */
function noteOf(
  input: RankChangeInput,
  status: RowStatus,
  change: Change | null,
  urlChanged: boolean | null,
): string | null {
  const { check, outcome } = input;
  const notes: string[] = [];
  if (check === null) notes.push('not checked in this run');
  else if (check.status !== 'ok') notes.push(check.reason ?? `the check is ${check.status.replace('_', ' ')}`);
  if (status === 'incomplete' && outcome.kind === 'seen') {
    notes.push(
      `seen on page ${outcome.page}; no exact rank, because ${check?.status === 'ok' ? hiddenAbove : unreadAbove}`,
    );
  } else if (status === 'not_followed' && outcome.kind === 'notFollowed') {
    notes.push(`not followed: ${pageCount(outcome.pages)} read, of ${check?.depth ?? 0} asked`);
  } else if (status === 'incomplete' && check?.status === 'ok') {
    notes.push('not found, but a result hides its address and may be it');
  } else if (status === 'incomplete') {
    notes.push('not on the pages that were read, which are not all');
  } else if (status === 'ranked' && outcome.kind === 'ranked' && destinationOf(outcome.url) === 'host_only') {
    notes.push('the engine hid which page ranks; its site is known');
  }
  if (status === 'ranked' && change === null) {
    notes.push('the rank is exact, but a check that is not complete is not compared');
  }
  if (change !== null && change.reason !== null) notes.push(`not comparable: ${change.reason}`);
  if (input.happened !== undefined && change !== null && (urlChanged === true || hasMoved(change.changeClass))) {
    notes.push(...input.happened);
  }
  if (input.note !== null) notes.push(input.note);
  return notes.length === 0 ? null : notes.join('; ');
}

function pageCount(count: number): string {
  return count === 1 ? '1 page' : `${count} pages`;
}

function clicksOf(volume: number | null, ranked: { organicRank: number } | null, curveName: string): number | null {
  return estimatedClicks(volume, ranked?.organicRank ?? null, curveName);
}

/** Both ends at today's volume, so that the change is the ranks' doing. */
function clicksChange(
  clicks: number | null,
  volume: number | null,
  changeClass: ChangeClass,
  baseline: Observation | null,
  curveName: string,
): number | null {
  if (baseline === null || clicks === null || changeClass === 'not_comparable') return null;
  const before = estimatedClicks(volume, baseline.rank, curveName);
  return before === null ? null : cents(clicks - before);
}

/** Two decimals, and no -0. */
function cents(number: number | null): number | null {
  return number === null ? null : Math.round(number * 100) / 100 + 0;
}

function bestOf(best: number | null, rank: number | null): number | null {
  if (best === null || rank === null) return best ?? rank;
  return Math.min(best, rank);
}
