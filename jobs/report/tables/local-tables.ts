// The table local-pack.csv: who is in the local results of a project that tracks places.

import { reportTable } from '../../../src/report/formats/table-writer.ts';
import { localPackColumns, localPackRows, type TrackedPlace } from '../../../src/report/tables/local-pack.ts';
import { compileTargets, findPlace, isPlace, type ListedPlace } from '../../../src/tracker/targets/target.ts';
import type { ReportScope } from '../../read/rows/report-scope.ts';

export const localTable = reportTable({
  name: 'local-pack',
  columns: localPackColumns,
  start({ context: { store }, runs, run, slot, project, warning }: ReportScope) {
    const targets = [...project.targets, ...project.competitors];
    if (!targets.some(isPlace)) return null;
    const { places } = compileTargets(targets);
    const trackedAs = (listed: ListedPlace): TrackedPlace | null => {
      const index = places.find(({ place }) => typeof findPlace([listed], place) === 'object')?.index;
      const target = index === undefined ? undefined : targets[index];
      if (index === undefined || target === undefined) return null;
      return { target: target.value, role: index < project.targets.length ? 'own' : 'competitor' };
    };
    const ids = runs.map(({ id }) => id);
    const facts = { project: project.id, runId: run.id, warning, date: slot.localDate };
    return { rest: () => localPackRows(store.searchRecords.localResults(ids, project.id), trackedAs, facts) };
  },
});
