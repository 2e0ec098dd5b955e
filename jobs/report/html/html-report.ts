// Collects the data of report.html from the store. The page is rendered by src/report/html.

import { FeatureCounts } from '../../../src/report/html/data/feature-counts.ts';
import type { PageFacts } from '../../../src/report/html/data/page-facts.ts';
import { pageSums } from '../../../src/report/html/data/page-sums.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { summariseCompetitors } from '../../../src/report/html/sections/competitors.ts';
import { type IncompleteCheck, problemGroups } from '../../../src/report/html/sections/problem-groups.ts';
import { startMoverTable } from '../../../src/report/tables/movers.ts';
import { startSummary } from '../../../src/report/tables/summary.ts';
import type { HistoryRow } from '../../../src/rows/row.ts';
import { comparisonName } from '../../../src/tracker/changes/change.ts';
import { plainTemplate } from '../../../src/tracker/changes/client-reports.ts';
import type { Note } from '../../../src/tracker/changes/note.ts';
import { ctrCurveNames, curveRates } from '../../../src/tracker/changes/visibility.ts';
import { overlappingTargets } from '../../../src/tracker/targets/target.ts';
import { datesAsked } from '../report-question.ts';
import { findSuspicion } from '../rows/report-rows.ts';
import { projectNotes, type ReportScope, type ReportTable } from '../rows/report-scope.ts';
import { SeriesAxis } from '../rows/series-axis.ts';
import { isMissing, type RowReader, toUncheckedSearch } from '../tables/tracked-tables.ts';
import { readPageAssets } from './page-assets.ts';
import { PageRowsReader } from './page-rows.ts';

/** A season of daily runs, or two years of weekly ones. */
const datesMax = 90;
const uncheckedRemedy = 'the next run checks it; `rankledger backfill ranks` checks it now';

/** Gathers the rows of the page while the tracked tables read them, and the rest when the other tables are written. */
export class HtmlReport implements RowReader {
  readonly #scope: ReportScope;
  readonly #notes: readonly Note[];
  readonly #rows: PageRowsReader;
  readonly #summary: ReturnType<typeof startSummary>;
  readonly #movers: ReturnType<typeof startMoverTable>;
  readonly #features = new FeatureCounts();
  readonly #unchecked: IncompleteCheck[] = [];
  readonly #sources = new Set<string>();

  constructor(scope: ReportScope) {
    const { context, settings, run, project } = scope;
    this.#scope = scope;
    this.#notes = projectNotes(scope);
    this.#rows = new PageRowsReader(scope, new SeriesAxis(datesAsked(context, settings, run, project, datesMax)));
    this.#summary = startSummary(settings.ctrCurve);
    this.#movers = startMoverTable(settings.ctrCurve);
  }

  add(row: HistoryRow): void {
    this.#summary.add(row);
    this.#movers.add(row);
    if (row.source !== null && row.source !== '') this.#sources.add(row.source);
    this.#rows.add(row);
    const { project } = this.#scope;
    if (row.target !== project.targets[0]?.value) return;
    this.#features.add(row);
    if (isMissing(project, row))
      this.#unchecked.push({
        ...toUncheckedSearch(row),
        status: row.status,
        reason: 'not checked in this run',
        remedy: uncheckedRemedy,
      });
  }

  table(): ReportTable {
    return { name: 'report.html', rows: null, chunks: reportPage(this.#facts(), readPageAssets()) };
  }

  #facts(): PageFacts {
    const { context, settings, run, runs, slot, project, state, warning, findings } = this.#scope;
    const { ctrCurve, comparison } = settings;
    const [summary, movers, rows] = [this.#summary, this.#movers, this.#rows];
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
      run: { id: run.id, state, slot: slot.slot, timezone: slot.timezone },
      warning,
      isSuspect: findSuspicion({ store: context.store, project, runs }) !== null,
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
      tables: settings.tables,
      rowsTotal: rows.total,
      data: rows.data(this.#notes, {
        name: project.id,
        timezone: project.timezone,
        date: slot.localDate,
        compare,
        ctrCurve,
        ...(ctrCurveNames.includes(ctrCurve) ? {} : { ctrRates: curveRates(ctrCurve) }),
        columns: template.columns,
        competitors: project.competitors.map(({ value }) => value),
        grid: project.grid,
        overlaps: overlappingTargets(project.targets),
        views: settings.views?.get(project.id) ?? [],
        standings: competitors,
        sums: pageSums(lines),
      }),
    };
  }
}
