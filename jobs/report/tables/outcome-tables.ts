// The rows of problems.csv (searches without a complete check), and the table spend.csv (where the money went).

import { joinNotes } from '../../../src/read/note.ts';
import { reportTable } from '../../../src/report/formats/table-writer.ts';
import { reportWarning } from '../../../src/report/tables/manifest.ts';
import type { ProblemRow } from '../../../src/report/tables/problems.ts';
import {
  type SourceSpend,
  type SpendFacts,
  type SpendRow,
  spendColumns,
  spendOfChecks,
  spendOfDollars,
  spendOfSources,
  withPlan,
} from '../../../src/report/tables/spend.ts';
import type { NamedMarket, Project } from '../../../src/tracker/project.ts';
import { type JobContext, memberLabel, salesLabel } from '../../context.ts';
import { describeDisputes } from '../../read/price-disputes.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';
import { discardNote } from '../../slot-day.ts';

/** A tracked search that no run of the report has a check of. */
export interface UncheckedSearch extends NamedMarket {
  readonly keyword: string;
}

const unchecked = {
  status: 'deferred',
  reason: 'not checked in this run',
  remedy: 'the next run checks it; `rankledger backfill ranks` checks it now',
  depth: null,
  pagesRead: null,
  checkedAt: null,
  finishedAt: null,
  credits: null,
  source: null,
  runId: null,
} as const;

/** Checks without a good end, then searches without a check. */
export function* problemRows(
  { context, runs, project, warning }: ReportScope,
  searches: readonly UncheckedSearch[],
): Generator<ProblemRow> {
  const ids = runs.map(({ id }) => id);
  for (const problem of context.store.runFacts.problems(project.id, ids))
    yield { project: project.id, ...problem, warning };
  for (const search of searches) yield { project: project.id, ...search, ...unchecked, warning };
}

/**
 * The runs of ranks that the report is made of, the runs of keyword data since the slot before, and what discarded runs
 * since then spent, marked.
 */
export const spendTable = reportTable({
  name: 'spend',
  columns: spendColumns,
  neededFor: 'page',
  start: (scope: ReportScope) => ({ rest: () => spendRows(scope) }),
});

/** The page shows the rows without those of discarded runs. */
function spendRows({ context, runs, slot, project, kind, warning, findings, costs }: ReportScope): SpendRow[] {
  const { store } = context;
  const factsOf = (runId: number): SpendFacts => ({ project: project.id, runId, warning });
  const spentBy = (facts: SpendFacts): SpendRow[] => [
    ...withPlan(spendOfChecks(facts, costs.of(facts.runId)), store.planOutcomes.of(facts.runId, project.id)),
    ...spendOfSources(facts, soldBy(context, project, facts.runId)),
  ];
  const rows = runs.flatMap(({ id }) => spentBy(factsOf(id)));
  for (const runId of store.runFacts.dollarRuns(project.id, slot.at)) {
    const { dailySpend } = store;
    rows.push(
      ...spendOfDollars(factsOf(runId), dailySpend.dollarsOf(runId, null), dailySpend.dollarsOf(runId, project.id)),
    );
  }
  findings.spend = rows;
  const discarded = store.runFacts.discardedRuns(project.id, slot.at).flatMap(({ runId, reason }) => {
    const notes = [discardNote(reason), reportWarning(null, kind, describeDisputes(store, [runId]))];
    return spentBy({ project: project.id, runId, warning: joinNotes(notes) });
  });
  return [...rows, ...discarded];
}

/** What each source of a run sold, by the label that its pages have. */
function soldBy(context: JobContext, project: Project, runId: number): SourceSpend[] {
  const { store } = context;
  const parts = store.runFacts.soldBy(runId).map((sales) => ({ ...sales, source: salesLabel(sales) }));
  const best = context.best?.get(project.service);
  if (best === undefined) return parts;
  const chosen = store.jointLooks.soldIn(runId).flatMap(({ service, pages, ...sales }) => {
    if (!best.of.includes(service)) return [];
    const microUsd = best.microUsd.get(service) ?? null;
    return [{ ...sales, source: memberLabel(context, service), requests: null, chosen: { pages, microUsd } }];
  });
  return [...chosen, ...parts];
}
