// The table local-pack.csv: who is in the local results of a project that tracks places.

import { localPackColumns, localPackRows, type TrackedPlace } from '../../../src/report/tables/local-pack.ts';
import { compileTargets, findPlace, isPlace } from '../../../src/tracker/targets/target.ts';
import { countedTable, type ReportScope, type ReportTable } from '../rows/report-scope.ts';

export function* localTables({
  context: { store },
  settings,
  runs,
  run,
  slot,
  project,
  warning,
}: ReportScope): Generator<ReportTable> {
  const targets = [...project.targets, ...project.competitors];
  if (!targets.some(isPlace)) return;
  const { places } = compileTargets(targets);
  const rows = localPackRows(
    store.searchRecords.localResults(
      runs.map(({ id }) => id),
      project.id,
    ),
    (listed): TrackedPlace | null => {
      const index = places.find(({ place }) => typeof findPlace([listed], place) === 'object')?.index;
      const target = index === undefined ? undefined : targets[index];
      if (index === undefined || target === undefined) return null;
      return { target: target.value, role: index < project.targets.length ? 'own' : 'competitor' };
    },
    { project: project.id, runId: run.id, warning, date: slot.localDate },
  );
  yield countedTable('local-pack.csv', rows, localPackColumns, settings.csv);
}
