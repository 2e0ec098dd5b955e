// Rows that a planned check inserts.

import type { PagingStrategy } from '../../../src/tracker/project.ts';
import { insertInto } from '../../connection/insert.ts';
import type { NewTableRow } from '../../schema/rows.ts';

export interface NewCheck {
  readonly searchId: number;
  readonly sequence: number;
  readonly depth: number;
  readonly paging: PagingStrategy;
  readonly deep: boolean;
  readonly freshForMs: number;
  readonly projects: readonly string[];
}

export const insertPlannedCheck = insertInto(
  'checks',
  ['run_id', 'search_id', 'state', 'sequence', 'depth', 'paging', 'deep', 'fresh_for_ms'],
  'ON CONFLICT (run_id, search_id) DO NOTHING',
);
export const insertCheckProject = insertInto('check_projects', ['project_id', 'check_id']);

export function plannedCheckRow(runId: number, check: NewCheck): NewTableRow<'checks'> {
  return {
    run_id: runId,
    search_id: check.searchId,
    state: 'planned',
    sequence: check.sequence,
    depth: check.depth,
    paging: check.paging,
    deep: check.deep ? 1 : 0,
    fresh_for_ms: check.freshForMs,
  };
}
