// A row of the keyword table over columns: each field is computed when it is read.
import { seenDate } from '../../../db/history/checks/seen-date.ts';
import { rankOfCode } from '../../../db/history/columns/rank-columns.ts';
import { roundCents } from '../../../src/rows/row.ts';
import { placeDepths, type SummedRow } from '../../../src/rows/sums.ts';
import { estimatedClicks } from '../../../src/tracker/changes/visibility.ts';
import type { ChangeClass } from '../../../src/tracker/observation.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { localDate } from '../../../src/tracker/schedule/local-time.ts';
import { isPlace } from '../../../src/tracker/targets/place.ts';
import { isOtherPage } from '../../../src/tracker/targets/target.ts';
import { keywordPlace } from '../../../src/workspace/keyword-filter.ts';
import type { KeywordRow } from '../../../src/workspace/records.ts';
import type { TableRow } from '../table-row.ts';
import type { TargetColumns } from './target-columns.ts';

/** A row whose check is complete and compared: `Baselines.isPlain`. */
export class ColumnRow implements KeywordRow, SummedRow, TableRow {
  readonly #of: TargetColumns;
  readonly searchIndex: number;

  constructor(of: TargetColumns, searchIndex: number) {
    this.#of = of;
    this.searchIndex = searchIndex;
  }

  get row(): KeywordRow {
    return this;
  }
  get summed(): SummedRow {
    return isPlace(this.own) ? this.#summedPlace : this;
  }
  get own(): Target {
    return this.#of.own;
  }
  /** A plain object, with the fields of a row from history in their order. */
  toJSON(): KeywordRow {
    const { id, keyword, country, language, device, location, target, tags } = this;
    const { status, rank, previousRank, change, changeClass } = this;
    const { significance, bandBest, bandWorst, bestRank, depth } = this;
    const { url, previousUrl, preferredUrl, urlIsPreferred } = this;
    const { serpFeatures, ownedFeatures, lostFeatures } = this;
    const { searchVolume, cpc, competition, intent, estimatedClicks, estimatedClicksChange } = this;
    const { measuredClicks, impressions, averagePosition } = this;
    const { checkedAt, date, previousDate, source, runId, note } = this;
    return {
      ...{ id, keyword, country, language, device, ...(location !== undefined && { location }), target, tags },
      ...{ status, rank, previousRank, change, changeClass },
      ...{ significance, bandBest, bandWorst, bestRank, depth },
      ...{ url, previousUrl, preferredUrl, urlIsPreferred },
      ...{ serpFeatures, ownedFeatures, lostFeatures },
      ...{ searchVolume, cpc, competition, intent, estimatedClicks, estimatedClicksChange },
      ...{ measuredClicks, impressions, averagePosition },
      ...{ checkedAt, date, previousDate, source, runId, note },
    };
  }

  get id(): string {
    return this.#of.searches.rowId(this.searchIndex, this.#of.own.value);
  }
  get [keywordPlace](): number {
    return this.#of.searches.keywordPlace(this.keyword);
  }
  get keyword(): string {
    return this.#search.tracked.keyword;
  }
  get country(): string {
    return this.#search.market.country;
  }
  get language(): string {
    return this.#search.market.language;
  }
  get device(): string {
    return this.#search.market.device;
  }
  get location(): string | undefined {
    return this.#search.market.location;
  }
  get target(): string {
    return this.#of.own.value;
  }
  get tags(): readonly string[] {
    return this.#search.tracked.tags;
  }

  get complete(): boolean {
    return true;
  }
  get status(): 'ranked' | 'not_found' {
    return this.rank === null ? 'not_found' : 'ranked';
  }
  get rank(): number | null {
    return rankOfCode(this.#of.codes[this.searchIndex] ?? 0);
  }
  get previousRank(): number | null {
    return rankOfCode(this.#of.baselines.codes[this.searchIndex] ?? 0);
  }
  get change(): number | null {
    const { rank, previousRank } = this;
    return rank === null || previousRank === null ? null : previousRank - rank;
  }
  get changeClass(): ChangeClass {
    return this.#of.baselines.changeClass(this.searchIndex);
  }
  get depth(): number {
    return this.#of.depth(this.searchIndex);
  }
  get previousDepth(): number | null {
    return this.#of.baselines.depths[this.searchIndex] || null;
  }
  get previousCheckedAt(): number | null {
    return this.#of.baselines.checkedAt[this.searchIndex] || null;
  }
  get checkedAt(): string {
    return new Date(this.checkedMs).toISOString();
  }
  get checkedMs(): number {
    return this.#of.checkedAt(this.searchIndex);
  }
  get serpFeatures(): readonly string[] {
    return this.#of.features(this.searchIndex);
  }
  get ownedFeatures(): readonly string[] {
    return this.#of.ownedFeatures(this.searchIndex);
  }
  get url(): string | null {
    return this.#of.url(this.searchIndex);
  }

  get searchVolume(): number | null {
    return this.#metrics?.searchVolume ?? null;
  }
  get cpc(): number | null {
    const micro = this.#metrics?.cpcMicroUsd ?? null;
    return micro === null ? null : micro / 1_000_000;
  }
  get competition(): number | null {
    return this.#metrics?.competition ?? null;
  }
  get intent(): string | null {
    return this.#metrics?.intent ?? null;
  }
  get estimatedClicks(): number | null {
    if (isPlace(this.own)) return null;
    return roundCents(estimatedClicks(this.searchVolume, this.rank, this.#of.ctrCurve));
  }
  get estimatedClicksChange(): number | null {
    if (this.previousCheckedAt === null || isPlace(this.own)) return null;
    const [now, before] = [this.rank, this.previousRank].map((rank) =>
      estimatedClicks(this.searchVolume, rank, this.#of.ctrCurve),
    );
    return now == null || before == null ? null : roundCents(now - before);
  }

  get measuredClicks(): number | null {
    return this.#clicks?.clicks ?? null;
  }
  get impressions(): number | null {
    return this.#clicks?.impressions ?? null;
  }
  get averagePosition(): number | null {
    return roundCents(this.#clicks?.averagePosition ?? null);
  }

  get significance(): KeywordRow['significance'] {
    return this.#of.significance(this.searchIndex);
  }
  get bandBest(): number | null {
    return this.#of.band(this.searchIndex)?.best ?? null;
  }
  get bandWorst(): number | null {
    return this.#of.band(this.searchIndex)?.worst ?? null;
  }
  get bestRank(): number | null {
    return this.#of.bestRank(this.searchIndex);
  }
  get previousUrl(): string | null {
    return this.#of.previousUrl(this.searchIndex);
  }
  get preferredUrl(): string | null {
    return this.#of.preferredUrl(this.searchIndex);
  }
  get urlIsPreferred(): boolean | null {
    const { preferredUrl } = this;
    if (preferredUrl === null) return null;
    const { url } = this;
    return url === null ? null : !isOtherPage(url, preferredUrl);
  }
  get lostFeatures(): readonly string[] {
    return this.#of.lostFeatures(this.searchIndex);
  }
  get date(): string | null {
    return seenDate(this.checkedMs, this.#of.table.slot);
  }
  get previousDate(): string | null {
    const { previousCheckedAt } = this;
    return previousCheckedAt === null ? null : localDate(previousCheckedAt, this.#of.table.project.timezone);
  }
  get source(): string | null {
    return this.#of.source(this.searchIndex) || null;
  }
  get runId(): number | null {
    return this.#of.table.runs[0].id;
  }
  get note(): string | null {
    const { url, previousUrl } = this;
    const urlChanged = url === null || previousUrl === null ? null : isOtherPage(url, previousUrl);
    return this.#of.note(this.searchIndex, urlChanged);
  }

  get #summedPlace(): SummedRow {
    const { complete, changeClass, rank, depth, searchVolume, estimatedClicks } = this;
    const { previousRank, previousDepth, previousCheckedAt } = this;
    const row = { complete, changeClass, rank, searchVolume, estimatedClicks, previousRank, previousCheckedAt };
    return { ...row, ...placeDepths(depth, previousDepth) };
  }
  get #search() {
    return this.#of.searches.search(this.searchIndex);
  }
  get #clicks() {
    return this.#of.clicks(this.searchIndex);
  }
  get #metrics() {
    return this.#of.metrics[this.searchIndex] ?? null;
  }
}
