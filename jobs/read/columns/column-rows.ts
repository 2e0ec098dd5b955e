// The rows of a keyword table from columns: facts are read when asked for. Rows that columns lack come from history.

import { batchesOf } from '../../../db/connection/batches.ts';
import type { TrackedMetrics } from '../../../db/history/volumes.ts';
import { keywordPlace } from '../../../src/read/keyword-filter.ts';
import type { LastRanking, NotedRow } from '../../../src/read/note.ts';
import { judgeChange, Row, type RowMetrics, type RowTable } from '../../../src/read/row.ts';
import { featureChanges } from '../../../src/tracker/changes/alerts.ts';
import { hasMoved } from '../../../src/tracker/changes/change.ts';
import { noteTextsBetween } from '../../../src/tracker/changes/note.ts';
import type { ClickNumbers } from '../../../src/tracker/clicks/clicks.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { ChangeClass, SignificanceClass } from '../../../src/tracker/observation.ts';
import type { Market, Target } from '../../../src/tracker/project.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { type Significance, sightingsMax } from '../../../src/tracker/signal/significance.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../../src/tracker/targets/target.ts';
import { batchRows, preferredPage, type RowSource, runNotes, secondLookAt } from '../rows/report-rows.ts';
import { Baselines, SeenRun } from './baselines.ts';
import { RankPast } from './rank-past.ts';
import type { RunRanks } from './run-ranks.ts';

/** Searches of one statement. */
const searchesPerRead = 500;
/** So many URLs of a table are read one by one: a page of rows needs few. */
const singleUrlsMax = 500;

/** A row with the place of its search among those of the project; -1: it has none. */
export type TableRow = Row & { readonly searchIndex: number };

/** The rows in the order of a report. Only for a report of a single run. */
export function columnRows(source: RowSource, ranks: RunRanks): TableRow[] {
  const { searches } = ranks;
  const { project, runs, slot } = source;
  const month = monthWindowKey(Math.max(runs[0].moment, slot.at), slot.timezone);
  const metrics = ranks.metrics(project.service, month);
  const byTarget = project.targets.map((own) => {
    const columns = new TargetColumns(source, own, ranks, metrics);
    const others = searches.indices.filter((index) => !columns.baselines.isPlain(index));
    const rest = readInFull(source, ranks, others, own);
    return { columns, others: new Map(others.map((index, at) => [index, rest[at]])) };
  });
  const rows: TableRow[] = [];
  let first = 0;
  for (const count of searches.batches) {
    for (const { columns, others } of byTarget) {
      for (let index = first; index < first + count; index += 1) {
        const row = columns.baselines.isPlain(index) ? new ColumnRow(columns, index) : others.get(index);
        if (row !== undefined) rows.push(row);
      }
    }
    first += count;
  }
  return rows;
}

/** In the order of `indices`. */
function readInFull(source: RowSource, ranks: RunRanks, indices: readonly number[], target: Target): TableRow[] {
  const { searches } = ranks;
  const ofTarget = { ...source, project: { ...source.project, targets: [target] } };
  const found = new Map<number, TableRow>();
  for (const [market, group] of Map.groupBy(indices, (index) => searches.search(index).market)) {
    for (const batch of batchesOf(group, searchesPerRead)) {
      const keywords = batch.map((index) => searches.search(index).tracked);
      let next = 0;
      for (const row of batchRows(ofTarget, { market, keywords })) {
        const searchIndex = batch[next] ?? 0;
        next += 1;
        found.set(searchIndex, Object.assign(row, { searchIndex }));
      }
    }
  }
  return indices.flatMap((index) => found.get(index) ?? []);
}

/** What the rows of one target share, by search. */
class TargetColumns {
  readonly own: Target;
  readonly source: RowSource;
  readonly ranks: RunRanks;
  readonly table: RowTable;
  readonly metrics: readonly (TrackedMetrics | null)[];
  readonly baselines: Baselines;
  readonly pages: CompiledTargets;
  readonly past: RankPast | null;
  readonly targetId: number | null;
  readonly judged: SignificanceColumn;
  /** Null: columns do not hold the run. */
  readonly now: SeenRun | null;
  #noteOf: ReturnType<typeof runNotes> | undefined;
  /** Checks of the run with a second look. */
  #lookedAgain: ReadonlySet<number> | undefined;
  readonly #lists = new Map<string, readonly string[]>();
  #urlsRead = 0;

  constructor(source: RowSource, own: Target, ranks: RunRanks, metrics: readonly (TrackedMetrics | null)[]) {
    const [run] = source.runs;
    const { length } = ranks.searches.all;
    const targetId = source.store.names.knownTargetId(targetKey(own));
    const read = targetId === null ? null : ranks.details(run.id, targetId);
    this.own = own;
    this.source = source;
    this.ranks = ranks;
    this.table = { project: source.project.id, slot: source.slot, ctrCurve: source.ctrCurve };
    this.metrics = metrics;
    this.targetId = targetId;
    this.now =
      read === null || targetId === null ? null : new SeenRun(source.store, read, ranks.codes(run.id, targetId));
    this.baselines = new Baselines(source, ranks, targetId, this.now);
    this.past = targetId === null ? null : new RankPast(source.store, ranks, run.moment, targetId);
    this.judged = new SignificanceColumn(length);
    this.pages = compileTargets([own]);
  }

  get noteOf(): ReturnType<typeof runNotes> {
    this.#noteOf ??= runNotes(this.source);
    return this.#noteOf;
  }

  isLookedAtAgain(checkId: number): boolean {
    this.#lookedAgain ??= this.source.store.secondLooks.checksIn(this.source.runs[0].id);
    return this.#lookedAgain.has(checkId);
  }

  url(id: number): string | null {
    return id === 0 ? null : this.ranks.url(id, () => this.#otherUrls());
  }

  /** Once many were read one by one: those of all searches. */
  #otherUrls(): Int32Array[] {
    this.#urlsRead += 1;
    if (this.#urlsRead <= singleUrlsMax) return [];
    return [this.now?.details.urlIds ?? new Int32Array(), this.baselines.urlIds()];
  }

  /** Equal lists are one. */
  list(text: string): readonly string[] {
    return getOrInsert(this.#lists, text, () => (text === '' ? [] : text.split('|')));
  }
}

/** A row whose check is complete and compared: `Baselines.isPlain`. */
export class ColumnRow extends Row {
  readonly #of: TargetColumns;
  readonly searchIndex: number;

  constructor(of: TargetColumns, searchIndex: number) {
    super();
    this.#of = of;
    this.searchIndex = searchIndex;
  }

  override get id(): string {
    return this.#of.ranks.searches.rowId(this.searchIndex, this.own.value);
  }
  get [keywordPlace](): number {
    return this.#of.ranks.searches.keywordPlace(this.keyword);
  }
  get table(): RowTable {
    return this.#of.table;
  }
  get own(): Target {
    return this.#of.own;
  }
  get keyword(): string {
    return this.#search.tracked.keyword;
  }
  get market(): Market {
    return this.#search.market;
  }
  get tags(): readonly string[] {
    return this.#search.tracked.tags;
  }
  get preferredUrl(): string | null {
    return preferredPage(this.#search.tracked, this.#of.pages).preferredUrl ?? null;
  }

  get complete(): boolean {
    return true;
  }
  get status(): 'ranked' | 'not_found' {
    return this.rank === null ? 'not_found' : 'ranked';
  }
  get rank(): number | null {
    return this.#now.rank(this.searchIndex);
  }
  /** Columns do not hold it. */
  get absoluteRank(): null {
    return null;
  }
  get page(): number | null {
    return this.#now.page(this.searchIndex);
  }
  get url(): string | null {
    return this.#of.url(this.#now.urlId(this.searchIndex));
  }
  get depth(): number {
    return this.#now.shownDepth(this.searchIndex);
  }
  get checkedAt(): number {
    return this.#now.checkedAt(this.searchIndex);
  }
  get source(): string | null {
    return this.#now.source(this.searchIndex) || null;
  }
  get runId(): number {
    return this.#of.source.runs[0].id;
  }
  get serpFeatures(): readonly string[] {
    return this.#of.list(this.#now.features(this.searchIndex));
  }
  get ownedFeatures(): readonly string[] {
    return this.#of.list(this.#now.ownedFeatures(this.searchIndex));
  }

  get previousRank(): number | null {
    return this.#before?.rank(this.searchIndex) ?? null;
  }
  get previousUrl(): string | null {
    return this.#of.url(this.#before?.urlId(this.searchIndex) ?? 0) || null;
  }
  get previousCheckedAt(): number | null {
    return this.#before?.checkedAt(this.searchIndex) ?? null;
  }
  get previousDepth(): number | null {
    return this.#before?.depth(this.searchIndex) ?? null;
  }
  get changeClass(): ChangeClass {
    return this.#of.baselines.changeClass(this.searchIndex);
  }
  get incomparable(): string | null {
    return this.#of.baselines.missing(this.searchIndex);
  }
  get judged(): Significance | null {
    const { changeClass } = this;
    if (!hasMoved(changeClass)) return null;
    const known = this.#of.judged.at(this.searchIndex);
    if (known !== null) return known;
    const judged = this.#judge();
    if (judged !== null) this.#of.judged.set(this.searchIndex, judged);
    return judged;
  }
  /** Only of features that showed the target in the compared check, and no longer do in as many pages. */
  get lostFeatures(): readonly string[] {
    const [now, before, index] = [this.#now, this.#before, this.searchIndex];
    const then = this.#of.list(before?.ownedFeatures(index) ?? '');
    const { ownedFeatures: features } = this;
    if (before === null || then.every((feature) => features.includes(feature))) return none;
    const { rankings, pages } = this.#of.source.store;
    const checkId = now.checkId(index);
    return featureChanges(
      { when: 'feature-lost', checks: 1 },
      { features, pages: rankings.pagesRead(checkId), unlinked: pages.unlinkedFeatures(checkId) },
      [{ features: then, pages: rankings.pagesRead(before.checkId(index)) }],
    );
  }

  get bestRank(): number | null {
    return this.#of.past?.bestRank(this.searchIndex) ?? null;
  }
  get metrics(): RowMetrics | null {
    return this.#of.metrics[this.searchIndex] ?? null;
  }
  get counted(): ClickNumbers | null {
    return this.#of.source.clicks?.of(this.keyword, this.market, this.own) ?? null;
  }
  /** Each of these rows was checked. */
  get lastRanking(): LastRanking | undefined {
    return undefined;
  }
  get recent(): Row['recent'] {
    const { recent } = this.#of.source;
    const searchId = this.#of.ranks.searches.ids[this.searchIndex] ?? 0;
    return recent === undefined ? null : { dates: recent.dates, codeOn: recent.codesOf(this.own, searchId) };
  }
  get noted(): NotedRow {
    const { slot, notes = [] } = this.#of.source;
    const { rank, depth, checkedAt, runId } = this;
    return {
      check: { status: 'ok', reason: null, depth },
      outcome:
        rank === null
          ? { kind: 'notFound', depth }
          : { kind: 'ranked', organicRank: rank, absoluteRank: null, page: 1, url: this.url ?? '' },
      note: this.#of.noteOf({ runId, checkedAt }),
      happened: noteTextsBetween(notes, this, slot.timezone, this.previousCheckedAt, checkedAt),
    };
  }

  #judge(): Significance | null {
    const { source: of, past, targetId } = this.#of;
    const [now, before, index] = [this.#now, this.#before, this.searchIndex];
    if (before === null || targetId === null) return null;
    const baseline = before.observation(index, before.depth(index));
    const { rank } = baseline;
    const source = now.source(index);
    const checkId = now.checkId(index);
    const query = { index, source, before: baseline.checkedAt, max: sightingsMax };
    return judgeChange(
      {
        baseline,
        ranksBefore: rank === null ? [] : (past?.ranksUntil({ ...query, rank }) ?? [rank]),
        ...(this.#of.isLookedAtAgain(checkId) ? secondLookAt(of.store, { targetId, checkId, source }) : {}),
      },
      now.observation(index, this.depth),
      this.changeClass,
    );
  }

  get #search() {
    return this.#of.ranks.searches.search(this.searchIndex);
  }
  get #now(): SeenRun {
    const { now } = this.#of;
    if (now === null) throw new Error('columns do not hold the run of the row');
    return now;
  }
  get #before(): SeenRun | null {
    return this.#of.baselines.before(this.searchIndex);
  }
}

const classes: readonly SignificanceClass[] = ['noise', 'likely', 'certain'];

/** Judged changes by search, as numbers: an object for each of 100,000 rows takes 10 MB. */
class SignificanceColumn {
  /** 0: not judged yet; otherwise one more than an index into `classes`. */
  readonly #classes: Uint8Array;
  /** The ends of the band; 0: there is none. */
  readonly #best: Int32Array;
  readonly #worst: Int32Array;
  readonly #observations: Uint16Array;

  constructor(length: number) {
    this.#classes = new Uint8Array(length);
    this.#best = new Int32Array(length);
    this.#worst = new Int32Array(length);
    this.#observations = new Uint16Array(length);
  }

  set(index: number, judged: Significance): void {
    this.#classes[index] = 1 + classes.indexOf(judged.class);
    this.#best[index] = judged.band?.best ?? 0;
    this.#worst[index] = judged.band?.worst ?? 0;
    this.#observations[index] = judged.observations;
  }

  /** Null: not judged yet. */
  at(index: number): Significance | null {
    const judged = classes[(this.#classes[index] ?? 0) - 1];
    if (judged === undefined) return null;
    const [best, worst] = [this.#best[index] ?? 0, this.#worst[index] ?? 0];
    return { class: judged, band: best === 0 ? null : { best, worst }, observations: this.#observations[index] ?? 0 };
  }
}

const none: readonly string[] = Object.freeze([]);
