// The keyword row: a target in a search of a run, with its change. Pure.

import { createHash } from 'node:crypto';
import { featureChanges, type OwnedFeatures } from '../tracker/changes/alerts.ts';
import { type Change, comparableSource, compare, hasMoved, notComparable } from '../tracker/changes/change.ts';
import { estimatedClicks } from '../tracker/changes/visibility.ts';
import type { ClickNumbers } from '../tracker/clicks/clicks.ts';
import { rounded } from '../tracker/figures.ts';
import type { ChangeClass, CheckStatus, Observation, RowStatus, SignificanceClass } from '../tracker/observation.ts';
import type { Market, NamedMarket, Search, Target } from '../tracker/project.ts';
import { isProvenCode, rankCodes, rankOfCode } from '../tracker/rank-codes.ts';
import { addDays, localDate } from '../tracker/schedule/local-time.ts';
import type { Sighting } from '../tracker/signal/sightings.ts';
import { type Significance, significanceAmong } from '../tracker/signal/significance.ts';
import type { TargetOutcome } from '../tracker/targets/match.ts';
import { classifyDestination, type Destination, isOtherPage, isPlace } from '../tracker/targets/target.ts';
import { apiRow, type FieldValues } from './fields.ts';
import { type LastRanking, type NotedRow, rowNote } from './note.ts';

/** The history of one target in one search of one run. */
export interface RowInput {
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
  readonly metrics: RowMetrics | null;
  /** What the search engine counted for it over the newest weeks; absent: nothing is known. */
  readonly clicks?: ClickNumbers;
  /** Absent: no earlier ranks are known. */
  readonly recent?: RecentRanks;
  /** 0: it was never made. */
  readonly searchId?: number;
  /** A note about the run: it is suspect, or the baseline is far away. */
  readonly note: string | null;
  /** Notes between baseline and check, printed in rows that moved. */
  readonly happened?: readonly string[];
}

/** The ranks of searches on the newest dates, up to that of the rows: read when a row first asks. */
export interface RecentRanks {
  /** Local dates, oldest first. */
  readonly dates: readonly string[];
  /** A code of src/tracker/rank-codes.ts by the index of a date. `searchId` 0: it was never made. */
  codesOf(target: Target, searchId: number): (date: number) => number;
}

/** Of the keyword in the market, as bought. */
export interface RowMetrics {
  readonly searchVolume: number | null;
  readonly month: string | null;
  readonly cpcMicroUsd: number | null;
  readonly competition: number | null;
  readonly competitionLevel: string | null;
  readonly intent: string | null;
}

/** What the rows of a run share. */
export interface RowTable {
  readonly project: string;
  /** The local date of rows that read no page, and the time zone of dates. */
  readonly slot: { readonly localDate: string; readonly timezone: string };
  readonly ctrCurve: string;
}

const idCharacters = 16;
/** The last days of `daysInTop10`. */
const recentDays = 30;

/** Equal for the same keyword, market and target, in every database. */
export function rowId({
  keyword,
  country,
  language,
  device,
  location,
  target,
}: NamedMarket & Pick<Row, 'keyword' | 'target'>): string {
  const name = [country, language, device, ...(location === undefined ? [] : [location]), target, keyword].join('\n');
  return createHash('sha256').update(name).digest('base64url').slice(0, idCharacters);
}

/**
 * One tracked row: keyword, market and own target, with its change. Null means missing: no number stands for a missing
 * one. Readers of history give the facts; what follows from them is here.
 */
export abstract class Row implements FieldValues {
  abstract readonly table: RowTable;
  abstract readonly keyword: string;
  abstract readonly market: Market;
  abstract readonly own: Target;
  abstract readonly tags: readonly string[];
  /** Null: none is preferred, or it belongs to another target. */
  abstract readonly preferredUrl: string | null;

  abstract readonly status: RowStatus;
  /** The check is complete and proves the ranking, so that the row counts in sums. */
  abstract readonly complete: boolean;
  abstract readonly rank: number | null;
  abstract readonly absoluteRank: number | null;
  abstract readonly page: number | null;
  abstract readonly url: string | null;
  /**
   * Pages: those that prove an absence, or those read of a target that was not followed to the depth, else those
   * requested.
   */
  abstract readonly depth: number | null;
  /** UTC milliseconds, like `previousCheckedAt`. */
  abstract readonly checkedAt: number | null;
  abstract readonly source: string | null;
  abstract readonly runId: number | null;
  abstract readonly serpFeatures: readonly string[];
  abstract readonly ownedFeatures: readonly string[];

  /** Of the baseline. */
  abstract readonly previousRank: number | null;
  abstract readonly previousUrl: string | null;
  abstract readonly previousCheckedAt: number | null;
  abstract readonly previousDepth: number | null;
  abstract readonly changeClass: ChangeClass;
  /** Why there is nothing to compare with; null: there is, or this is the first check. */
  abstract readonly incomparable: string | null;
  /** Whether the change is more than the noise of this keyword. Null: no comparable change. */
  abstract readonly judged: Significance | null;
  abstract readonly lostFeatures: readonly string[];

  /** Up to this check. */
  abstract readonly bestRank: number | null;
  abstract readonly metrics: RowMetrics | null;
  /** What the search engine counted over the newest weeks. Null: not known. */
  abstract readonly counted: ClickNumbers | null;
  /** Of a keyword that was not checked in this slot; absent: it was, or was never checked. */
  abstract readonly lastRanking: LastRanking | undefined;
  abstract readonly noted: NotedRow;
  /** Its rank codes by date, among the newest dates of the project. Null: not known. */
  abstract readonly recent: { readonly dates: readonly string[]; readonly codeOn: (date: number) => number } | null;

  get id(): string {
    return rowId(this);
  }
  get project(): string {
    return this.table.project;
  }
  get country(): string {
    return this.market.country;
  }
  get language(): string {
    return this.market.language;
  }
  get device(): string {
    return this.market.device;
  }
  get location(): string | undefined {
    return this.market.location;
  }
  get target(): string {
    return this.own.value;
  }
  get isPlace(): boolean {
    return isPlace(this.own);
  }

  /** Of a place: its rank, which is its position in the local results; null: not in them, or not a place. */
  get localRank(): number | null {
    return this.isPlace ? this.rank : null;
  }
  /** Previous - current: positive is better. */
  get change(): number | null {
    const { rank, previousRank } = this;
    return this.changeClass === 'not_comparable' || rank === null || previousRank === null ? null : previousRank - rank;
  }
  get significance(): SignificanceClass | null {
    return this.judged?.class ?? null;
  }
  get bandBest(): number | null {
    return this.judged?.band?.best ?? null;
  }
  get bandWorst(): number | null {
    return this.judged?.band?.worst ?? null;
  }
  get bandObservations(): number | null {
    return this.judged?.observations ?? null;
  }
  /** The check is incomplete: it proves this rank, or that a place is absent, and no sum counts it. */
  get incomplete(): true | undefined {
    return !this.complete && (this.status === 'ranked' || this.status === 'not_found') ? true : undefined;
  }

  get destination(): Destination | null {
    const { url } = this;
    return url === null || url === '' ? null : classifyDestination(url);
  }
  get urlChanged(): boolean | null {
    const { url, previousUrl } = this;
    return url === null || previousUrl === null ? null : isOtherPage(url, previousUrl);
  }
  /** Null: no URL is preferred, or the ranking page is not known. */
  get urlIsPreferred(): boolean | null {
    const { preferredUrl } = this;
    const url = preferredUrl === null ? null : this.url;
    const isOther = url === null || preferredUrl === null ? null : isOtherPage(url, preferredUrl);
    return isOther === null ? null : !isOther;
  }

  get searchVolume(): number | null {
    return this.metrics?.searchVolume ?? null;
  }
  get volumeMonth(): string | null {
    return this.metrics?.month ?? null;
  }
  get cpc(): number | null {
    const micro = this.metrics?.cpcMicroUsd ?? null;
    return micro === null ? null : micro / 1_000_000;
  }
  get competition(): number | null {
    return this.metrics?.competition ?? null;
  }
  get competitionLevel(): string | null {
    return this.metrics?.competitionLevel ?? null;
  }
  get intent(): string | null {
    return this.metrics?.intent ?? null;
  }
  get estimatedClicks(): number | null {
    return rounded(this.#clicksAt(this.rank), 2);
  }
  /** Both ends use today's volume, so that only ranks change it. */
  get estimatedClicksChange(): number | null {
    if (this.previousCheckedAt === null || this.changeClass === 'not_comparable') return null;
    const [now, before] = [this.#clicksAt(this.rank), this.#clicksAt(this.previousRank)];
    return now === null || before === null ? null : rounded(now - before, 2);
  }
  /** Null for places: no curve estimates their clicks. */
  #clicksAt(rank: number | null): number | null {
    const { status } = this;
    if (this.isPlace || (status !== 'ranked' && status !== 'not_found')) return null;
    return estimatedClicks(this.searchVolume, rank, this.table.ctrCurve);
  }

  get measuredClicks(): number | null {
    return this.counted?.clicks ?? null;
  }
  get impressions(): number | null {
    return this.counted?.impressions ?? null;
  }
  get averagePosition(): number | null {
    return rounded(this.counted?.averagePosition ?? null, 2);
  }

  /** The last complete check of a day counts. Places rank in another list. */
  get daysInTop10(): number | null {
    const { recent, date: until } = this;
    if (recent === null || this.isPlace) return null;
    const since = addDays(until, 1 - recentDays);
    let days: number | null = null;
    for (const [at, date] of recent.dates.entries()) {
      const code = date < since || date > until ? rankCodes.none : recent.codeOn(at);
      if (isProvenCode(code)) days = (days ?? 0) + ((rankOfCode(code) ?? Number.POSITIVE_INFINITY) <= 10 ? 1 : 0);
    }
    return days;
  }

  get date(): string {
    return this.#dateOf(this.checkedAt) ?? this.table.slot.localDate;
  }
  get previousDate(): string | null {
    return this.#dateOf(this.previousCheckedAt);
  }
  #dateOf(at: number | null): string | null {
    return at === null ? null : localDate(at, this.table.slot.timezone);
  }
  get lastRank(): number | null {
    return this.lastRanking?.rank ?? null;
  }
  get lastCheckedAt(): number | null {
    return this.lastRanking?.checkedAt ?? null;
  }
  get lastAgeDays(): number | null {
    return this.lastRanking?.ageDays ?? null;
  }
  get last(): { readonly rank: number | null; readonly date: string; readonly ageDays: number } | undefined {
    if (this.lastRanking === undefined) return undefined;
    const { rank, checkedAt, ageDays } = this.lastRanking;
    return { rank, date: localDate(checkedAt, this.table.slot.timezone), ageDays };
  }
  get note(): string | null {
    const { changeClass, incomparable, complete, urlChanged } = this;
    return rowNote(this.noted, this.status, complete ? { changeClass, reason: incomparable } : null, urlChanged);
  }

  /** The row of the read API. */
  toJSON(): Record<string, unknown> {
    return apiRow(this);
  }
}

/** A row whose history was read for it. */
export class HistoryRow extends Row {
  readonly input: RowInput;
  readonly table: RowTable;
  readonly status: RowStatus;
  readonly complete: boolean;
  readonly url: string | null;
  readonly page: number | null;
  readonly depth: number | null;
  readonly changeClass: ChangeClass;
  readonly incomparable: string | null;
  readonly judged: Significance | null;
  readonly lostFeatures: readonly string[];
  readonly #ranked: Extract<TargetOutcome, { kind: 'ranked' }> | null;

  /** Only an `ok` check is compared. An incomplete check has its proven ranks, without change. */
  constructor(input: RowInput, table: RowTable) {
    super();
    const { check, outcome } = input;
    const status = rowStatus(input);
    const ranked = outcome.kind === 'ranked' && status === 'ranked' ? outcome : null;
    const located = ranked ?? (outcome.kind === 'seen' && status === 'incomplete' ? outcome : null);
    const observation = provenObservation(input, status);
    const change = observation === null ? notComparable('no proven ranking') : computeChange(input, observation);
    this.input = input;
    this.table = table;
    this.status = status;
    this.complete = observation !== null;
    this.url = located?.url ?? null;
    this.page = located?.page ?? null;
    this.depth = provenDepth(outcome, status) ?? check?.depth ?? null;
    this.changeClass = change.changeClass;
    this.incomparable = change.reason;
    this.judged = judgeChange(input, observation, change.changeClass);
    this.lostFeatures = lostFeatures(input, observation);
    this.#ranked = ranked;
  }

  /** For rows that are kept: V8 takes all rows for lasting ones if the first of them stay. */
  copy(): HistoryRow {
    return new HistoryRow({ ...this.input }, this.table);
  }

  get keyword(): string {
    return this.input.search.keyword;
  }
  get market(): Market {
    return this.input.search.market;
  }
  get own(): Target {
    return this.input.target;
  }
  get tags(): readonly string[] {
    return this.input.tags;
  }
  get preferredUrl(): string | null {
    return this.input.preferredUrl ?? null;
  }
  get rank(): number | null {
    return this.#ranked?.organicRank ?? null;
  }
  get absoluteRank(): number | null {
    return this.#ranked?.absoluteRank ?? null;
  }
  get checkedAt(): number | null {
    return this.input.check?.checkedAt ?? null;
  }
  get source(): string | null {
    return this.input.check?.source || null;
  }
  get runId(): number | null {
    return this.input.check?.runId ?? null;
  }
  get serpFeatures(): readonly string[] {
    return this.input.check?.features ?? none;
  }
  get ownedFeatures(): readonly string[] {
    return this.input.ownedFeatures;
  }
  get previousRank(): number | null {
    return this.input.baseline?.rank ?? null;
  }
  get previousUrl(): string | null {
    return this.input.baseline?.url ?? null;
  }
  get previousCheckedAt(): number | null {
    return this.input.baseline?.checkedAt ?? null;
  }
  get previousDepth(): number | null {
    return this.input.baseline?.depth ?? null;
  }
  get bestRank(): number | null {
    return betterRank(this.input.bestRank, this.rank);
  }
  get metrics(): RowMetrics | null {
    return this.input.metrics;
  }
  get counted(): ClickNumbers | null {
    return this.input.clicks ?? null;
  }
  get lastRanking(): LastRanking | undefined {
    return this.input.last;
  }
  get noted(): NotedRow {
    return this.input;
  }
  get recent(): Row['recent'] {
    const { recent, searchId = 0, target } = this.input;
    return recent === undefined ? null : { dates: recent.dates, codeOn: recent.codesOf(target, searchId) };
  }
}

/** Whether a change is more than noise; null: nothing has moved. */
export function judgeChange(
  { baseline, ranksBefore, secondLook }: Pick<RowInput, 'baseline' | 'ranksBefore' | 'secondLook'>,
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
  { check, ownedFeatures, unlinkedFeatures = none, ownedBefore, baseline }: RowInput,
  observation: Observation | null,
): readonly string[] {
  const pages = check?.pagesRead;
  if (observation === null || pages === undefined || ownedBefore === undefined) return none;
  if (ownedBefore.features.length === 0 || baseline === null) return none;
  if (comparableSource(baseline.source) !== comparableSource(observation.source)) return none;
  const now = { features: ownedFeatures, pages, unlinked: unlinkedFeatures };
  return featureChanges({ when: 'feature-lost', checks: 1 }, now, [ownedBefore]);
}

const none: readonly string[] = Object.freeze([]);

function computeChange({ baseline, baselineMissing }: RowInput, observation: Observation): Change {
  return baseline === null && baselineMissing !== undefined
    ? notComparable(baselineMissing)
    : compare(baseline, observation);
}

/**
 * "Not found" needs a complete check: the target may be on the pages that an incomplete one lacks. Of a place, page 1
 * decides.
 */
function rowStatus({ check, outcome, target }: RowInput): RowStatus {
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
function provenObservation({ check, outcome, resultsRead }: RowInput, status: RowStatus): Observation | null {
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

function betterRank(best: number | null, rank: number | null): number | null {
  if (best === null || rank === null) return best ?? rank;
  return Math.min(best, rank);
}
