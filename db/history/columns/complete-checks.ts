// SQL by which columns know that they are stale.

/** How many complete checks history has of a run. */
export function completeChecks(run: string): string {
  return `coalesce((SELECT o.rows FROM history_digests o WHERE o.subject = 'checks' AND o.key = ${run}), 0)`;
}
