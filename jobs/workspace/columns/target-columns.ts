// The rows of one target on one date from columns: rank, baseline and change, for rows of which columns know all.

import type { RankDetails } from '../../../db/history/columns/run-columns.ts';
import type { TrackedMetrics } from '../../../db/history/volumes.ts';
import type { NotedRow } from '../../../src/rows/note.ts';
import type { RowTable } from '../../../src/rows/row.ts';
import { featureChanges } from '../../../src/tracker/changes/alerts.ts';
import { hasMoved } from '../../../src/tracker/changes/change.ts';
import { noteTextsBetween } from '../../../src/tracker/changes/note.ts';
import type { ClickNumbers } from '../../../src/tracker/clicks/clicks.ts';
import type { ChangeClass } from '../../../src/tracker/observation.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { rankOfCode } from '../../../src/tracker/rank-codes.ts';
import type { Sighting } from '../../../src/tracker/signal/sightings.ts';
import { type Significance, sightingsMax, significanceAmong } from '../../../src/tracker/signal/significance.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../../src/tracker/targets/target.ts';
import { preferredPage, type RowSource, runNotes } from '../../report/rows/report-rows.ts';
import { Baselines, depthIn, type SeenRun, textOf } from './baselines.ts';
import type { ProjectSearches } from './project-searches.ts';
import { RankPast } from './rank-past.ts';
import type { RunRanks } from './run-ranks.ts';
import { SignificanceColumn } from './significance-column.ts';

/** So many URLs of a table are read one by one: a page of rows needs few. */
const singleUrlsMax = 500;

export interface TargetColumnsQuery {
  readonly source: RowSource;
  readonly own: Target;
  readonly ranks: RunRanks;
  /** By search. */
  readonly metrics: readonly (TrackedMetrics | null)[];
}

export class TargetColumns {
  readonly own: Target;
  readonly searches: ProjectSearches;
  readonly table: RowTable;
  readonly runId: number;
  readonly metrics: readonly (TrackedMetrics | null)[];
  readonly codes: Uint16Array;
  readonly baselines: Baselines;
  /** Null: columns do not hold the run. */
  readonly #now: SeenRun | null;
  readonly #query: TargetColumnsQuery;
  readonly #past: RankPast | null;
  readonly #targetId: number | null;
  /** Absent: none was asked. */
  #significances: SignificanceColumn | undefined;
  /** Checks of the run with a second look. */
  #lookedAgain: ReadonlySet<number> | undefined;
  readonly #noteOf: ReturnType<typeof runNotes>;
  readonly #pages: CompiledTargets;
  readonly #lists = new Map<string, readonly string[]>();
  #urlsRead = 0;

  constructor(query: TargetColumnsQuery) {
    const { source, own, ranks, metrics } = query;
    const [run] = source.runs;
    const { searches } = ranks;
    const targetId = source.store.names.knownTargetId(targetKey(own));
    const read = targetId === null || !ranks.isWhole(run.id) ? null : ranks.details(run.id, targetId);
    this.own = own;
    this.#targetId = targetId;
    this.searches = searches;
    this.table = { project: source.project.id, slot: source.slot, ctrCurve: source.ctrCurve };
    this.runId = run.id;
    this.metrics = metrics;
    this.#query = query;
    this.#now = read === null || targetId === null ? null : { ...read, codes: ranks.codes(run.id, targetId) };
    this.codes = this.#now?.codes ?? new Uint16Array(searches.all.length);
    this.baselines = new Baselines(source, ranks, targetId, this.#now);
    this.#past = targetId === null ? null : new RankPast(source.store, ranks, run.moment, targetId);
    this.#noteOf = runNotes(source);
    this.#pages = compileTargets([own]);
  }

  /** Pages: those that prove an absence, otherwise those requested. */
  depth(index: number): number {
    return this.#now === null ? 0 : depthIn(this.#now, index);
  }

  checkedAt(index: number): number {
    return this.#now?.details.checkedAt[this.#at(index)] ?? 0;
  }

  /** Null: not ranked. */
  page(index: number): number | null {
    return this.#now?.details.pages[this.#at(index)] || null;
  }

  features(index: number): readonly string[] {
    return this.#list(this.#now?.details.features, index);
  }

  ownedFeatures(index: number): readonly string[] {
    return this.#list(this.#now?.details.ownedFeatures, index);
  }

  url(index: number): string | null {
    return this.#urlOf(this.#now?.details.urlIds[this.#at(index)] ?? 0);
  }

  previousUrl(index: number): string | null {
    return this.#urlOf(this.baselines.urlIds[index] ?? 0) || null;
  }

  /** Null: none is preferred, or it is no page of the target. */
  preferredUrl(index: number): string | null {
    return preferredPage(this.searches.search(index).tracked, this.#pages).preferredUrl ?? null;
  }

  /** Null: nothing is reported. */
  clicks(index: number): ClickNumbers | null {
    const { clicks } = this.#query.source;
    if (clicks === undefined) return null;
    const { tracked, market } = this.searches.search(index);
    return clicks.of(tracked.keyword, market, this.own);
  }

  /** Up to this run. */
  bestRank(index: number): number | null {
    return this.#past?.bestRank(index) ?? null;
  }

  source(index: number): string {
    return textOf(this.#now?.details.sources, this.#at(index));
  }

  /** Null: no comparable change. */
  judged(index: number): Significance | null {
    const changeClass = this.baselines.changeClass(index);
    if (!hasMoved(changeClass)) return null;
    this.#significances ??= new SignificanceColumn(this.searches.all.length);
    const known = this.#significances.at(index);
    if (known !== null) return known;
    const judged = this.#judge(index, changeClass);
    this.#significances.set(index, judged);
    return judged;
  }

  #judge(index: number, changeClass: ChangeClass): Significance {
    const { rankings, secondLooks } = this.#query.source.store;
    const checkId = this.#checkId(index);
    this.#lookedAgain ??= secondLooks.checksIn(this.#query.source.runs[0].id);
    const look =
      this.#targetId === null || !this.#lookedAgain.has(checkId) ? null : secondLooks.of(checkId, this.#targetId);
    const source = this.source(index);
    const before = this.#sighting(index, 'before');
    const after = this.#sighting(index, 'now');
    const resultsRead = (checkId: number): number | null => rankings.resultsRead(checkId);
    const secondLook = look?.isAwaited === false && look.sighting?.source === source ? look.sighting : null;
    const { rank, checkedAt } = before;
    return significanceAmong(
      {
        ...(secondLook === null ? {} : { secondLook }),
        before:
          changeClass === 'entered'
            ? { ...before, resultsRead: resultsRead(this.baselines.checkIds[index] ?? 0) }
            : before,
        after: changeClass === 'dropped' ? { ...after, resultsRead: resultsRead(checkId) } : after,
      },
      rank === null
        ? []
        : (this.#past?.ranksUntil({ index, rank, source, before: checkedAt, max: sightingsMax }) ?? [rank]),
    );
  }

  /** SERP features that showed the target in the compared check, and no longer do in as many pages. */
  lostFeatures(index: number): readonly string[] {
    const before = this.baselines.owned.get(index);
    if (before === undefined) return none;
    const [features, then] = [this.ownedFeatures(index), before.split('|')];
    if (then.every((feature) => features.includes(feature))) return none;
    const { rankings, pages: archive } = this.#query.source.store;
    const pages = (checkId: number): number => rankings.pagesRead(checkId);
    const checkId = this.#checkId(index);
    const now = { features, pages: pages(checkId), unlinked: archive.unlinkedFeatures(checkId) };
    const compared = [{ features: then, pages: pages(this.baselines.checkIds[index] ?? 0) }];
    return featureChanges({ when: 'feature-lost', checks: 1 }, now, compared);
  }

  noted(index: number): NotedRow {
    const { source } = this.#query;
    const { slot, runs } = source;
    const [checkedAt, previous] = [this.checkedAt(index), this.baselines.checkedAt[index] || null];
    const [url, organicRank] = [this.url(index), rankOfCode(this.codes[index] ?? 0)];
    const depth = this.depth(index);
    return {
      check: { status: 'ok', reason: null, depth },
      outcome:
        organicRank === null
          ? { kind: 'notFound', depth }
          : { kind: 'ranked', organicRank, absoluteRank: null, page: 1, url: url ?? '' },
      note: this.#noteOf({ runId: runs[0].id, checkedAt }),
      happened: noteTextsBetween(source.notes ?? [], slot.timezone, previous, checkedAt),
    };
  }

  #urlOf(id: number): string | null {
    return id === 0 ? null : this.#query.ranks.url(id, () => this.#otherUrls());
  }

  /** Once many were read one by one: those of all searches. */
  #otherUrls(): Int32Array[] {
    this.#urlsRead += 1;
    if (this.#urlsRead <= singleUrlsMax) return [];
    return [this.#now?.details.urlIds ?? new Int32Array(), this.baselines.urlIds];
  }

  /** Where the search is in the details. */
  #at(index: number): number {
    return this.#now?.positions[index] ?? -1;
  }

  #checkId(index: number): number {
    return this.#now?.details.checkIds[this.#at(index)] ?? 0;
  }

  #sighting(index: number, when: 'before' | 'now'): Sighting {
    const isNow = when === 'now';
    return {
      rank: rankOfCode((isNow ? this.codes : this.baselines.codes)[index] ?? 0),
      depth: isNow ? this.depth(index) : (this.baselines.depths[index] ?? 0),
      resultsRead: null,
      checkedAt: isNow ? this.checkedAt(index) : (this.baselines.checkedAt[index] ?? 0),
      source: '',
    };
  }

  #list(texts: RankDetails['features'] | undefined, index: number): readonly string[] {
    const text = textOf(texts, this.#at(index));
    const known = this.#lists.get(text);
    if (known !== undefined) return known;
    const list = text === '' ? [] : text.split('|');
    this.#lists.set(text, list);
    return list;
  }
}

const none: readonly string[] = Object.freeze([]);
