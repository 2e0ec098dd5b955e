// Collects the data of report.html from the store. The page is rendered by src/report/html.

import type { SearchSeries } from '../../../db/reads/reports/report-series.ts';
import { FeatureCounts } from '../../../src/report/html/data/feature-counts.ts';
import type { PageData, PageProject } from '../../../src/report/html/data/page-data.ts';
import type { PageFacts } from '../../../src/report/html/data/page-facts.ts';
import { pageSums } from '../../../src/report/html/data/page-sums.ts';
import { type KeptRow, RowColumns } from '../../../src/report/html/data/row-columns.ts';
import { buildTrail, type DatedRanks, TargetTimeline } from '../../../src/report/html/data/timeline.ts';
import { pairSteps } from '../../../src/report/html/data/trail.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { summariseCompetitors } from '../../../src/report/html/sections/competitors.ts';
import { type IncompleteCheck, problemGroups } from '../../../src/report/html/sections/problem-groups.ts';
import type { RankChangeRow } from '../../../src/report/rows/row.ts';
import { startMoverTable } from '../../../src/report/tables/movers.ts';
import { startSummary } from '../../../src/report/tables/summary.ts';
import { comparisonName } from '../../../src/tracker/changes/baseline.ts';
import type { Note } from '../../../src/tracker/changes/note.ts';
import { plainTemplate } from '../../../src/tracker/changes/report-template.ts';
import { ctrCurveNames, curveRates } from '../../../src/tracker/changes/visibility.ts';
import type { Target } from '../../../src/tracker/project.ts';
import { marketName } from '../../../src/tracker/project.ts';
import { isPlace } from '../../../src/tracker/targets/place.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { datesAsked } from '../report-question.ts';
import { findSuspicion } from '../rows/report-rows.ts';
import type { ReportScope, ReportTable } from '../rows/report-scope.ts';
import { projectNotes } from '../rows/report-scope.ts';
import { isMissing, type RowReader } from '../tables/tracked-tables.ts';
import { competitorHistory, listCompetitors } from './competitor-history.ts';
import { FeatureHistory } from './feature-history.ts';
import { readGaps } from './gaps.ts';
import { pageAnswers } from './page-answers.ts';
import { readPageAssets } from './page-assets.ts';
import { pageClicks } from './page-clicks.ts';
import { RivalTrails, serpDetails, volumeDetails } from './row-details.ts';
import { SeriesAxis } from './series-axis.ts';
import { shareHistory } from './share-history.ts';

/** A season of daily runs, or two years of weekly ones. */
const datesMax = 90;
/** A limit on rows keeps the file small enough for mail. */
const rowsMax = 20_000;
const uncheckedRemedy = 'the next run checks it; `rankledger backfill ranks` checks it now';
/** Rows whose history is read together. */
const rowsPerRead = 500;
const urlsPerRead = 2_000;

/** Gathers the rows of the page while the tracked tables read them, and the rest when the other tables are written. */
export class HtmlReport implements RowReader {
  readonly #scope: ReportScope;
  readonly #notes: readonly Note[];
  readonly #gathering: Gathering;
  readonly #summary: ReturnType<typeof startSummary>;
  readonly #movers: ReturnType<typeof startMoverTable>;
  readonly #features = new FeatureCounts();
  readonly #unchecked: IncompleteCheck[] = [];
  readonly #sources = new Set<string>();

  constructor(scope: ReportScope) {
    const { context, settings, run, project } = scope;
    this.#scope = scope;
    this.#notes = projectNotes(scope);
    this.#gathering = new Gathering(scope, new SeriesAxis(datesAsked(context, settings, run, project, datesMax)));
    this.#summary = startSummary(settings.ctrCurve);
    this.#movers = startMoverTable(settings.ctrCurve);
  }

  add(row: RankChangeRow): void {
    this.#summary.add(row);
    this.#movers.add(row);
    if (row.source !== null && row.source !== '') this.#sources.add(row.source);
    this.#gathering.add(row);
    const { project } = this.#scope;
    if (row.target !== project.targets[0]?.value) return;
    this.#features.add(row);
    if (isMissing(project, row))
      this.#unchecked.push({ ...row, reason: 'not checked in this run', remedy: uncheckedRemedy });
  }

  table(): ReportTable {
    return { name: 'report.html', rows: null, chunks: reportPage(this.#facts(), readPageAssets()) };
  }

  #facts(): PageFacts {
    const { context, settings, run, runs, slot, project, warning, findings } = this.#scope;
    const { ctrCurve, comparison } = settings;
    const [summary, movers, gathering] = [this.#summary, this.#movers, this.#gathering];
    const unchecked = this.#unchecked;
    const problems = function* (): Generator<IncompleteCheck> {
      yield* context.store.runFacts.problems(
        project.id,
        runs.map(({ id }) => id),
      );
      yield* unchecked;
    };
    const compare = comparisonName(comparison);
    const template = settings.templates?.get(project.id) ?? settings.template ?? plainTemplate;
    const competitors = summariseCompetitors(findings.competitors);
    const lines = summary.rows({ runId: run.id, compare, notesSince: () => [], warning });
    return {
      project: project.id,
      run: { id: run.id, state: run.state, slot: slot.slot, timezone: slot.timezone },
      warning,
      isSuspect: findSuspicion(runs) !== null,
      compare,
      ctrCurve,
      sources: [...this.#sources].sort(),
      template,
      generatedAt: context.clock.now(),
      summary: lines,
      movers: movers.rows(warning),
      features: this.#features.lines(),
      competitors,
      spend: findings.spend,
      period: settings.question?.period === undefined ? null : { ...settings.question.period, rows: findings.period },
      problems: problemGroups(problems()),
      rowsTotal: gathering.total,
      data: gathering.data(this.#notes, {
        name: project.id,
        timezone: project.timezone,
        date: slot.slot.slice(0, 10),
        compare,
        ctrCurve,
        ...(ctrCurveNames.includes(ctrCurve) ? {} : { ctrRates: curveRates(ctrCurve) }),
        columns: template.columns,
        competitors: project.competitors.map(({ value }) => value),
        ...(project.grid === undefined ? {} : { grid: project.grid }),
        views: settings.views?.get(project.id) ?? [],
        standings: competitors,
        sums: pageSums(lines),
      }),
    };
  }
}

/** Rows with their history, read some hundred at a time; and the sums of each target over time. */
class Gathering {
  readonly #scope: ReportScope;
  readonly #axis: SeriesAxis;
  readonly #incomplete: ReadonlySet<number>;
  readonly #gaps: ReadonlyMap<number, readonly (readonly [number, number])[]>;
  readonly #columns = new RowColumns(rowsMax);
  readonly #timelines: ReadonlyMap<string, { readonly target: Target; readonly timeline: TargetTimeline }>;
  /** Today's, by search. */
  readonly #volumes = new Map<number, number | null>();
  #waiting: RankChangeRow[] = [];

  constructor(scope: ReportScope, axis: SeriesAxis) {
    const { dates } = axis;
    this.#scope = scope;
    this.#axis = axis;
    this.#incomplete = new Set(
      dates.flatMap(({ runs }) => runs.flatMap(({ id }) => scope.context.store.reportSeries.incomplete(id))),
    );
    this.#gaps = readGaps(scope, dates);
    this.#timelines = new Map(
      scope.project.targets.map((target) => [
        target.value,
        { target, timeline: new TargetTimeline(dates.length, scope.settings.ctrCurve) },
      ]),
    );
  }

  get total(): number {
    this.#read();
    return this.#columns.total;
  }

  add(row: RankChangeRow): void {
    const [first] = this.#waiting;
    if (first !== undefined && (this.#waiting.length === rowsPerRead || !isReadWith(first, row))) this.#read();
    this.#waiting.push(row);
  }

  data(notes: readonly Note[], shown: PageProject): PageData {
    this.#read();
    const { context, clicks, findings } = this.#scope;
    const { clickChanges, answers } = findings;
    const axis = { dates: this.#axis.dates.map(({ date }) => date) };
    const own = [...this.#timelines.values()];
    const first = own[0]?.timeline;
    const [from = '', to = ''] = [axis.dates[0], axis.dates.at(-1)];
    const kept = this.#columns.kept();
    const rivals = listCompetitors(this.#scope.project).map(({ value }) => value);
    const trails = new RivalTrails(kept, axis.dates.length, rivals.length);
    const searchIds = new Set(kept.flatMap(({ searchId }) => searchId ?? []));
    const features = new FeatureHistory(this.#scope, this.#axis.dates, searchIds);
    const columns = this.#columns.columns(readUrls(this.#scope, kept), (searchId) => features.of(searchId));
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
          ...competitorHistory(this.#scope, this.#axis, this.#volumes, (search) => this.#buildTrail(search), trails),
        ],
        shareOfVoice: shareHistory(this.#scope, this.#axis.dates, this.#volumes),
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
        : { clicks: pageClicks(clicks, clickChanges, kept, columns.urls) }),
    };
  }

  /** Reads the history of the rows that wait, all of one market and target. */
  #read(): void {
    const rows = this.#waiting;
    const [first] = rows;
    if (first === undefined) return;
    this.#waiting = [];
    const { context, project } = this.#scope;
    const { country, language, device, location } = first;
    const own = this.#timelines.get(first.target);
    if (own === undefined) return;
    const series = context.store.reportSeries.of({
      target: targetKey(own.target),
      market: { service: project.service, country, language, device: device as 'desktop' | 'mobile', location },
      keywords: rows.map(({ keyword }) => keyword),
      from: this.#axis.firstMoment(0) ?? 0,
      until: this.#scope.run.moment,
      spanning: this.#axis.spanning,
    });
    let index = 0;
    for (const search of series) {
      const row = rows[index];
      index += 1;
      if (row === undefined) continue;
      if (search.searchId !== null) this.#volumes.set(search.searchId, row.searchVolume);
      const trail = this.#buildTrail(search);
      own.timeline.add(trail.codes, isPlace(own.target) ? null : row.searchVolume);
      this.#columns.add(row, trail, search.searchId);
    }
  }

  #buildTrail({ searchId, rankings: found }: SearchSeries): DatedRanks {
    const gaps = searchId === null ? undefined : this.#gaps.get(searchId);
    const axis = this.#axis;
    const isComplete = (checkId: number) => !this.#incomplete.has(checkId);
    return buildTrail(found, (ranking) => axis.indexOf(ranking), axis.dates.length, isComplete, gaps);
  }
}

/** The URLs of rows by id: each is read once, many together. */
function readUrls({ context: { store } }: ReportScope, rows: readonly KeptRow[]): (id: number) => string {
  const ids = new Set(rows.flatMap(({ urlSteps }) => pairSteps(urlSteps).map(([, id]) => id)));
  const known = new Map<number, string>();
  for (let left = [...ids]; left.length > 0; left = left.slice(urlsPerRead))
    for (const [id, url] of store.serpContents.urls(left.slice(0, urlsPerRead))) known.set(id, url);
  return (id) => known.get(id) ?? store.names.url(id);
}

function isReadWith(a: RankChangeRow, b: RankChangeRow): boolean {
  return a.target === b.target && marketName(a) === marketName(b);
}
