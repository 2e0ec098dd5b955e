// The kinds of runs, and why a run was opened.
export type RunKind = 'ranks' | 'volumes' | 'adhoc';

/** Why a run was opened. `backfill`: to buy what was missing. `import`: to hold what another tool recorded. */
export type RunOrigin = 'schedule' | 'backfill' | 'import';
