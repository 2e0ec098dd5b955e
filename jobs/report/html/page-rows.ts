// The rows of report.html with their history, and the sums of each target over time.

import { batchesOf } from '../../../db/connection/batches.ts';
import { type CodeSums, datedSums, SummedSearches } from '../../../src/report/html/data/code-sums.ts';
import type { PageData, PageProject } from '../../../src/report/html/data/page-data.ts';
import { type KeptRow, KeptRows, packRows, type RowHistories } from '../../../src/report/html/data/row-columns.ts';
import { RowTrails } from '../../../src/report/html/data/row-trails.ts';
import { TargetTimeline } from '../../../src/report/html/data/timeline.ts';
import type { HistoryRow } from '../../../src/rows/row.ts';
import type { Note } from '../../../src/tracker/changes/note.ts';
import { marketName, type Target } from '../../../src/tracker/project.ts';
import { isPlace, targetKey } from '../../../src/tracker/targets/target.ts';
import { RankDates, readGaps } from '../rows/rank-dates.ts';
import type { ReportScope } from '../rows/report-scope.ts';
import type { SeriesAxis } from '../rows/series-axis.ts';
import { competitorHistory, listCompetitors } from './competitor-history.ts';
import { FeatureHistory } from './feature-history.ts';
import { pageAnswers } from './page-answers.ts';
import { pageClicks } from './page-clicks.ts';
import { RivalTrails, serpDetails, volumeDetails } from './row-details.ts';
import { shareHistory } from './share-history.ts';

/** A limit on rows keeps the file small enough for mail. */
const rowsMax = 20_000;
/** Rows whose searches are looked up together. */
const rowsPerRead = 100;
const urlsPerRead = 2_000;
/** Two dates are no chart of the share of voice. */
const shareDatesMin = 3;

/** An own target, with the searches of its rows; 0: it was never made. */
interface OwnTarget {
  readonly target: Target;
  readonly searchIds: number[];
}

/** The history of a target: its sums, and the trails of its rows on the page. */
interface OwnHistory {
  readonly target: Target;
  readonly timeline: TargetTimeline;
  /** Of each row of the page its number in `trails`. */
  readonly rows: ReadonlyMap<number, number>;
  readonly trails: RowTrails;
}

/** Collects rows as they are made. Their history is read at the end, for rows that the page shows. */
export class PageRowsReader {
  readonly #scope: ReportScope;
  readonly #axis: SeriesAxis;
  readonly #rows = new KeptRows(rowsMax);
  /** By value. */
  readonly #own: ReadonlyMap<string, OwnTarget>;
  /** Today's, by search. */
  readonly #volumes = new Map<number, number | null>();
  #waiting: HistoryRow[] = [];

  constructor(scope: ReportScope, axis: SeriesAxis) {
    this.#scope = scope;
    this.#axis = axis;
    this.#own = new Map(scope.project.targets.map((target) => [target.value, { target, searchIds: [] }]));
  }

  get total(): number {
    this.#read();
    return this.#rows.total;
  }

  add(row: HistoryRow): void {
    const [first] = this.#waiting;
    if (first !== undefined && (this.#waiting.length === rowsPerRead || !isReadWith(first, row))) this.#read();
    this.#waiting.push(row);
  }

  data(notes: readonly Note[], shown: PageProject): PageData {
    this.#read();
    const { context, clicks, findings } = this.#scope;
    const { clickChanges, answers } = findings;
    const axis = { dates: this.#axis.dates.map(({ date }) => date) };
    const [from = '', to = ''] = [axis.dates[0], axis.dates.at(-1)];
    const kept = this.#rows.taken();
    const ranks = new RankDates(
      this.#scope,
      this.#axis,
      readGaps(this.#scope, this.#axis.dates),
      Int32Array.from(this.#volumes.keys()).sort(),
    );
    const volumes = Array.from(ranks.searchIds, (id) => this.#volumes.get(id) ?? null);
    const places = Int32Array.from(kept, ({ searchId }) => (searchId === null ? -1 : ranks.placeOf(searchId)));
    const own = [...this.#own.values()].map((target) => this.#readOwn(target, ranks, volumes, kept, places));
    const first = own[0]?.timeline;
    const rivals = listCompetitors(this.#scope.project).map(({ value }) => value);
    const trails = new RivalTrails(places, axis.dates.length, rivals.length);
    const columns = packRows(kept, readUrls(this.#scope, own), this.#histories(kept, own, ranks));
    return {
      project: shown,
      axis,
      charts: {
        visibility: [
          ...own.map(({ target, timeline }) => ({
            target: target.value,
            isOwn: true,
            values: timeline.visibility(),
            of: timeline.weighed(),
          })),
          ...competitorHistory(this.#scope, this.#axis, { ranks, volumes }, trails),
        ],
        shareOfVoice: shareHistory({ ...this.#scope, datesMin: shareDatesMin }, this.#axis.dates, this.#volumes),
        distribution: first?.distribution() ?? [],
        checked: first?.checked() ?? [],
        total: first?.total ?? 0,
      },
      marks: notes.filter(({ date }) => date >= from && date <= to).map(({ date, text }) => ({ date, text })),
      details: {
        rivals: trails.details(rivals),
        volumes: volumeDetails(this.#scope, kept),
        ...serpDetails(this.#scope, kept),
      },
      ...columns,
      ...(answers.length === 0 ? {} : { answers: pageAnswers(context, this.#scope.project, answers) }),
      ...(clicks === null || clickChanges === null
        ? {}
        : { clicks: pageClicks(clicks, clickChanges, (columns.texts['urls'] ?? []).map(String)) }),
    };
  }

  /** Looks up the searches of the rows that wait, all of one market and target. */
  #read(): void {
    const rows = this.#waiting;
    const [first] = rows;
    if (first === undefined) return;
    this.#waiting = [];
    const { context } = this.#scope;
    const own = this.#own.get(first.target);
    if (own === undefined) return;
    const searchIds = context.store.runColumns.searchIds(
      first.market,
      rows.map(({ keyword }) => keyword),
    );
    for (const [index, row] of rows.entries()) {
      const searchId = searchIds[index] ?? 0;
      own.searchIds.push(searchId);
      if (searchId > 0) this.#volumes.set(searchId, row.searchVolume);
      this.#rows.add(row, searchId > 0 ? searchId : null);
    }
  }

  /** `volumes`: in the order of the searches; `places`: of the kept rows. */
  #readOwn(
    { target, searchIds }: OwnTarget,
    ranks: RankDates,
    volumes: readonly (number | null)[],
    kept: readonly KeptRow[],
    places: Int32Array,
  ): OwnHistory {
    const dateCount = this.#axis.dates.length;
    const timeline = new TargetTimeline(dateCount, this.#scope.settings.ctrCurve);
    const shown = [...kept.keys()].filter((index) => kept[index]?.row.target === target.value);
    const trails = new RowTrails(
      Int32Array.from(shown, (index) => places[index] ?? -1),
      dateCount,
    );
    const all = Int32Array.from(searchIds, (id) => ranks.placeOf(id));
    const summed = new SummedSearches(
      all,
      [...all].map((place) => (isPlace(target) ? null : (volumes[place] ?? null))),
    );
    const sums: CodeSums[] = new Array(dateCount);
    const from = this.#axis.firstMoment(0) ?? 0;
    for (const column of ranks.of({ target: targetKey(target), from, what: 'all' })) {
      sums[column.date] = summed.of(column.codes);
      trails.add(column);
    }
    timeline.addSums(datedSums(searchIds.length, sums), [...sums.keys()]);
    return { target, timeline, rows: new Map(shown.map((index, row) => [index, row])), trails };
  }

  #histories(kept: readonly KeptRow[], own: readonly OwnHistory[], ranks: RankDates): RowHistories {
    const searchIds = new Set(kept.flatMap(({ searchId }) => searchId ?? []));
    const features = new FeatureHistory(this.#scope, this.#axis.dates, searchIds);
    const ownedNames = ranks.ownedNames();
    const ofTarget = new Map(own.map((history) => [history.target.value, history]));
    const at = <Value>(index: number, read: (trails: RowTrails, row: number) => Value): Value => {
      const history = ofTarget.get(kept[index]?.row.target ?? '');
      const row = history?.rows.get(index);
      if (history === undefined || row === undefined) throw new RangeError(`the page has no row ${index}`);
      return read(history.trails, row);
    };
    return {
      codes: (index) => at(index, (trails, row) => trails.codes(row)),
      urlSteps: (index) => at(index, (trails, row) => trails.urlSteps(row)),
      ownedSteps: (index) => at(index, (trails, row) => trails.ownedSteps(row, ownedNames)),
      shown: (searchId) => features.of(searchId),
    };
  }
}

/** The URLs of rows by id: each is read once, many together. */
function readUrls({ context: { store } }: ReportScope, own: readonly OwnHistory[]): (id: number) => string {
  const ids = [...new Set(own.flatMap(({ trails }) => [...trails.urlIds()]))];
  const known = new Map<number, string>();
  for (const batch of batchesOf(ids, urlsPerRead))
    for (const [id, url] of store.serpContents.urls(batch)) known.set(id, url);
  return (id) => known.get(id) ?? store.names.url(id);
}

function isReadWith(a: HistoryRow, b: HistoryRow): boolean {
  return a.target === b.target && marketName(a) === marketName(b);
}
