// The rows of report.html with their history, and the sums of each target over time.

import { batchesOf } from '../../../db/connection/batches.ts';
import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { type AnswerRow, answerRecord } from '../../../src/read/answer-row.ts';
import type { HistoryRow } from '../../../src/read/row.ts';
import { type CodeSums, datedSums, SummedSearches } from '../../../src/read/sums/code-sums.ts';
import { TargetTimeline } from '../../../src/read/sums/timeline.ts';
import { type KeptRow, KeptRows, pageRow } from '../../../src/report/html/data/kept-rows.ts';
import type {
  PageAnswers,
  PageClicks,
  PageData,
  PageProject,
  RowHistory,
  Steps,
  TargetSeries,
} from '../../../src/report/html/data/page-data.ts';
import { addStep, RowTrails, type StepList } from '../../../src/report/html/data/row-trails.ts';
import { keywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import {
  type ChangeSummary,
  changeSummary,
  type ExplainedChange,
  explainedChange,
} from '../../../src/tracker/causes/change-summary.ts';
import { isNarrow, type Note, notesBetween } from '../../../src/tracker/changes/note.ts';
import { changeWeight } from '../../../src/tracker/changes/visibility.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import { namedMarket, type Project, type Target } from '../../../src/tracker/project.ts';
import { classifyDestination, isPlace, targetKey, trackedTargets } from '../../../src/tracker/targets/target.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import type { JobContext } from '../../context.ts';
import { isBeyondNoise } from '../../read/causes/explain-changes.ts';
import type { CauseReader } from '../../read/causes/read-causes.ts';
import { answerTexts } from '../../read/rows/answer-texts.ts';
import { RankDates, readGaps } from '../../read/rows/rank-dates.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';
import type { SeriesAxis } from '../../read/rows/series-axis.ts';
import { shareHistory } from '../../read/share-history.ts';
import { pageAnswersMax } from '../tables/answer-tables.ts';
import { isReadWith } from '../tables/tracked-tables.ts';
import { RivalTrails, serpDetails, volumeDetails } from './row-details.ts';

/** A limit on rows keeps the file small enough for mail. */
const rowsMax = 20_000;
/** Rows whose searches are looked up together. */
const rowsPerRead = 100;
const urlsPerRead = 2_000;
/** Changes whose causes the file holds. */
const explainedMax = 100;
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

  data(notes: readonly Note[], shown: PageProject, reader: CauseReader): PageData {
    this.#read();
    const { context, clicks, findings } = this.#scope;
    const { clickChanges, answers } = findings;
    const axis = { dates: this.#axis.dates.map(({ date }) => date) };
    const [from = '', to = ''] = [axis.dates[0], axis.dates.at(-1)];
    const kept = this.#rows.taken();
    const searchIds = Int32Array.from(this.#volumes.keys()).sort();
    const ranks = new RankDates(context.store, this.#axis, searchIds, readGaps(context.store, this.#axis.dates));
    const volumes = Array.from(ranks.searchIds, (id) => this.#volumes.get(id) ?? null);
    const places = Int32Array.from(kept, ({ searchId }) => (searchId === null ? -1 : ranks.placeOf(searchId)));
    const own = [...this.#own.values()].map((target) => this.#readOwn(target, ranks, volumes, kept, places));
    const first = own[0]?.timeline;
    const rivals = listCompetitors(this.#scope.project).map(({ value }) => value);
    const trails = new RivalTrails(places, axis.dates.length, rivals.length);
    const changes = this.#changes(kept, reader);
    const rows = kept.map(({ row }) => pageRow(row));
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
      marks: notesBetween(notes, from, to)
        .filter((note) => !isNarrow(note))
        .map(({ date, text }) => ({ date, text })),
      details: {
        rivals: trails.details(rivals),
        volumes: volumeDetails(this.#scope, kept),
        serps: serpDetails(this.#scope, kept),
      },
      rows,
      histories: this.#histories(kept, own, ranks),
      ...(changes.length === 0 ? {} : { causes: changes.map(({ causes }) => causes) }),
      changeSummary: this.#changeSummary(changes),
      ...(answers.length === 0 ? {} : { answers: pageAnswers(context, this.#scope.project, answers) }),
      ...(clicks === null || clickChanges === null ? {} : { clicks: pageClicks(clicks, clickChanges, rows) }),
    };
  }

  /** Why the largest changes of the file happened. The id of a row is its index. */
  #changes(kept: readonly KeptRow[], reader: CauseReader): ExplainedChange[] {
    const { project, settings } = this.#scope;
    const moved = kept
      .flatMap(({ row }, index) => (isBeyondNoise(row) ? [{ row, index }] : []))
      .toSorted((a, b) => changeWeight(b.row, settings.ctrCurve) - changeWeight(a.row, settings.ctrCurve))
      .slice(0, explainedMax);
    const explanations = reader.of(moved.map(({ row }) => row));
    return moved.flatMap(({ row, index }, at) => {
      const found = explanations[at];
      if (found === undefined) return [];
      const { keyword, target } = row;
      const named = { project: project.id, id: `${index}`, keyword, target, ...namedMarket(row) };
      return explainedChange(row, keywordCauses(named, found));
    });
  }

  #changeSummary(changes: readonly ExplainedChange[]): ChangeSummary {
    const { slot, findings } = this.#scope;
    const parts = findings.changeParts ?? { total: null, groups: [], competitors: [], from: null };
    return changeSummary({ ...parts, to: slot.localDate, changes });
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
    const searchIds = context.store.rankColumns.searchIds(
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
    for (const column of ranks.of({ target: targetKey(target), what: 'all' })) {
      sums[column.date] = summed.of(column.codes);
      trails.add(column);
    }
    timeline.addSums(datedSums(searchIds.length, sums), [...sums.keys()]);
    return { target, timeline, rows: new Map(shown.map((index, row) => [index, row])), trails };
  }

  #histories(kept: readonly KeptRow[], own: readonly OwnHistory[], ranks: RankDates): RowHistory[] {
    const searchIds = new Set(kept.flatMap(({ searchId }) => searchId ?? []));
    const shown = new FeatureHistory(this.#scope, this.#axis.dates, searchIds);
    const ownedNames = ranks.ownedNames();
    const urlOf = readUrls(this.#scope, own);
    const ofTarget = new Map(own.map((history) => [history.target.value, history]));
    return kept.map(({ row: { target }, searchId }, index) => {
      const { rows, trails } = ofTarget.get(target) ?? {};
      const row = rows?.get(index);
      if (trails === undefined || row === undefined) throw new RangeError(`the page has no row ${index}`);
      return {
        codes: [...trails.codes(row)],
        urls: trails.urlSteps(row).flatMap(([date, id]) => urlStep(date, urlOf(id))),
        owned: trails.ownedSteps(row, ownedNames).map(([date, names]) => [date, featureList(names)] as const),
        shown: searchId === null ? [] : shown.of(searchId),
      };
    });
  }
}

/** An empty text stands for a URL that another tool did not record. Of a page that the engine hid nothing is known. */
function urlStep(date: number, url: string): RowHistory['urls'] {
  if (url === '') return [[date, null]];
  return classifyDestination(url) === 'exact' ? [[date, url]] : [];
}

/** `names`: joined by `|`. */
function featureList(names: string): readonly string[] {
  return names === '' ? [] : names.split('|');
}

/** The URLs of rows by id: each is read once, many together. */
function readUrls({ context: { store } }: ReportScope, own: readonly OwnHistory[]): (id: number) => string {
  const ids = [...new Set(own.flatMap(({ trails }) => [...trails.urlIds()]))];
  const known = new Map<number, string>();
  for (const batch of batchesOf(ids, urlsPerRead))
    for (const [id, url] of store.serpContents.urls(batch)) known.set(id, url);
  return (id) => known.get(id) ?? store.names.url(id);
}

// Reads the visibility of competitors over time, within a limit of rows, for the report page.

/** Most rankings of competitors, over all dates, that one report reads. */
const rankingsMax = 3_000_000;

/**
 * One line a competitor, as configured; empty where not even one date can be read. Of more history than can be read the
 * newest dates have values. `volumes`: today's, in the order of the searches. `trails` keeps those of shown rows.
 */
function competitorHistory(
  { settings, project }: ReportScope,
  axis: SeriesAxis,
  { ranks, volumes }: { readonly ranks: RankDates; readonly volumes: readonly (number | null)[] },
  trails: RivalTrails,
): TargetSeries[] {
  const competitors = listCompetitors(project);
  const affordable = Math.floor(rankingsMax / Math.max(1, volumes.length * competitors.length));
  const { dates } = axis;
  const from = affordable === 0 ? undefined : axis.firstMoment(Math.max(0, dates.length - affordable));
  if (from === undefined) return [];
  const summed = new SummedSearches(Int32Array.from(volumes.keys()), volumes);
  return competitors.map((target) => {
    const timeline = new TargetTimeline(dates.length, settings.ctrCurve);
    const shown = trails.start();
    const sums: CodeSums[] = new Array(dates.length);
    for (const column of ranks.of({ target: targetKey(target), from, what: 'codes' })) {
      sums[column.date] = summed.of(column.codes);
      shown.add(column);
    }
    timeline.addSums(datedSums(volumes.length, sums), [...sums.keys()]);
    return { target: target.value, isOwn: false, values: timeline.visibility(), of: timeline.weighed() };
  });
}

/** Without places, whose ranks do not compare with organic ones. */
function listCompetitors(project: Project): Target[] {
  return trackedTargets(project).flatMap(({ target, role }) =>
    role === 'competitor' && !isPlace(target) ? [target] : [],
  );
}

// Reads which SERP features each search showed over time, newest date first, for the report page.

/** Complete checks that are read, newest date first; dates beyond have no features. */
const checksMax = 3_000_000;

export class FeatureHistory {
  /** By search id. Equal sets of features are one list. */
  readonly #steps: ReadonlyMap<number, StepList<readonly string[] | null>>;
  readonly #lists = new Map<string, readonly string[]>();

  /** Of these searches. */
  constructor(
    { context, project }: Pick<ReportScope, 'context' | 'project'>,
    dates: readonly SeriesDate[],
    wanted: ReadonlySet<number>,
  ) {
    this.#steps = new Map([...wanted].map((id) => [id, []]));
    let left = checksMax;
    for (const [date, { runs }] of [...dates.entries()].reverse()) {
      if (left <= 0) return;
      // of several checks on a date the last made counts
      for (const run of runs.toReversed()) {
        for (const { searchIds, features, names } of context.store.reportSeries.features(project.id, run)) {
          left -= searchIds.length;
          const lists = names.map((name) => this.#listOf(name));
          for (let at = 0; at < searchIds.length; at += 1) {
            const steps = this.#steps.get(searchIds[at] ?? 0);
            if (steps !== undefined) addStep(steps, date, lists[features[at] ?? 0] ?? null);
          }
        }
      }
    }
  }

  of(searchId: number): Steps<readonly string[] | null> {
    return this.#steps.get(searchId)?.toReversed() ?? [];
  }

  /** Null: not recorded. */
  #listOf(names: string | null): readonly string[] | null {
    if (names === null) return null;
    const sorted = featureList(names).toSorted();
    return getOrInsert(this.#lists, sorted.join('|'), () => sorted);
  }
}

// AI answers in report.html: their shares, and the texts of the newest period, as far as they have room.

const textCharactersMax = 300_000;

/** `rows`: oldest period first. Those of all prompts together come before those of the newest periods. */
function pageAnswers(context: Pick<JobContext, 'store'>, project: Project, rows: readonly AnswerRow[]): PageAnswers {
  const [wholes, parts] = [true, false].map((isWhole) => rows.filter(({ prompt }) => (prompt === null) === isWhole));
  const kept = new Set([...(wholes ?? []), ...(parts ?? []).toReversed()].slice(0, pageAnswersMax));
  const newest = rows.findLast(({ shown }) => shown === null)?.period;
  let left = textCharactersMax;
  const samples = newest === undefined ? [] : [...answerTexts(context, project, { from: newest, to: newest })];
  return {
    rows: rows.filter((row) => kept.has(row)).map(answerRecord),
    samples: samples.filter(({ text }) => {
      left -= text.length;
      return left >= 0;
    }),
  };
}

// Measured clicks in report.html: of its rows, and of the pages that rank.

function pageClicks(clicks: ProjectClicks, changes: PageClicks['changes'], rows: PageData['rows']): PageClicks {
  const urls = new Set(rows.flatMap(({ url }) => url ?? []));
  return {
    facts: clicks.facts(),
    changes,
    pages: [...urls].flatMap((url) => {
      const page = clicks.ofPage(url);
      return page === null ? [] : [{ url, clicks: page.clicks, impressions: page.impressions }];
    }),
  };
}
