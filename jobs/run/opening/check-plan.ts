// A check of a run before it has an id.
import type { PagingStrategy, Priority, Search } from '../../../src/tracker/project.ts';

/** A check as the plan sees it, before it has an id. */
export interface CheckPlan {
  readonly search: Search;
  /** Null: never stored. */
  readonly searchId: number | null;
  readonly projects: readonly string[];
  readonly depth: number;
  readonly deep: boolean;
  readonly paging: PagingStrategy;
  readonly freshForMs: number;
  /** Lower goes first. */
  readonly sequence: number;
  readonly pagesWorstCase: number;
  readonly pagesExpected: number;
  /** Pages that need not be bought. */
  readonly pagesReusable: number;
}

/** A check that a fixed plan would make. */
export interface PlannedCheck {
  readonly plan: CheckPlan;
  readonly priority: Priority;
  readonly tags: readonly string[];
}
