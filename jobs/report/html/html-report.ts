// Collects the data of report.html from the store. The page is rendered by src/report/html.

import type { HistoryRow } from '../../../src/read/row.ts';
import type { PageFacts } from '../../../src/report/html/data/page-facts.ts';
import {
  FeatureCounts,
  pageSums,
  problemGroups,
  summariseCompetitors,
} from '../../../src/report/html/data/page-facts.ts';
import { reportPage } from '../../../src/report/html/page.ts';
import { comparisonName } from '../../../src/tracker/changes/change.ts';
import { plainTemplate } from '../../../src/tracker/changes/client-reports.ts';
import { ctrCurveNames, curveRates } from '../../../src/tracker/changes/visibility.ts';
import { overlappingTargets } from '../../../src/tracker/targets/target.ts';
import { findSuspicion } from '../../read/rows/report-rows.ts';
import { projectNotes, type ReportScope } from '../../read/rows/report-scope.ts';
import { SeriesAxis } from '../../read/rows/series-axis.ts';
import { datesAsked } from '../report-question.ts';
import { problemRows } from '../tables/outcome-tables.ts';
import type { RowReader, TrackedPass } from '../tables/tracked-tables.ts';
import { readPageAssets } from './page-assets.ts';
import { PageRowsReader } from './page-rows.ts';

/** A season of daily runs, or two years of weekly ones. */
const datesMax = 90;

/** Gathers the rows of the page while the tracked tables read them, and the rest when the other tables are written. */
export class HtmlReport implements RowReader {
  readonly #scope: ReportScope;
  readonly #rows: PageRowsReader;
  readonly #features = new FeatureCounts();

  constructor(scope: ReportScope) {
    const { context, settings, run, project } = scope;
    this.#scope = scope;
    this.#rows = new PageRowsReader(scope, new SeriesAxis(datesAsked(context, settings, run, project, datesMax)));
  }

  add(row: HistoryRow): void {
    this.#rows.add(row);
    if (row.target === this.#scope.project.targets[0]?.value) this.#features.add(row);
  }

  /** Once all tables are made. */
  chunks(pass: TrackedPass): Iterable<string> {
    return reportPage(this.#facts(pass), readPageAssets());
  }

  #facts(pass: TrackedPass): PageFacts {
    const { context, settings, run, runs, slot, project, state, warning, findings } = this.#scope;
    const { ctrCurve, comparison } = settings;
    const rows = this.#rows;
    const compare = comparisonName(comparison);
    const template = settings.templates?.get(project.id) ?? settings.template ?? plainTemplate;
    const competitors = summariseCompetitors(findings.competitors);
    const { summary, sources } = pass.facts();
    return {
      project: project.id,
      run: { id: run.id, state, slot: slot.slot, timezone: slot.timezone },
      warning,
      isSuspect: findSuspicion({ store: context.store, project, runs }) !== null,
      compare,
      ctrCurve,
      sources,
      template,
      generatedAt: context.clock.now(),
      summary,
      movers: findings.movers,
      features: this.#features.lines(),
      competitors,
      spend: findings.spend,
      period: settings.question?.period === undefined ? null : { ...settings.question.period, rows: findings.period },
      problems: problemGroups(problemRows(this.#scope, pass.unchecked)),
      tables: settings.tables,
      rowsTotal: rows.total,
      data: rows.data(
        projectNotes(this.#scope),
        {
          name: project.id,
          engine: project.engine ?? null,
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
          sums: pageSums(summary),
        },
        pass.causes,
      ),
    };
  }
}
