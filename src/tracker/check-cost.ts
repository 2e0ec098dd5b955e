// What checks of a run cost, and the projects that share them.
import type { CheckStatus } from './observation.ts';

/** Checks of a run that are alike: as many as `count`, each with these numbers. */
export interface CheckCost {
  readonly count: number;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
  readonly status: CheckStatus;
  /** Pages. */
  readonly depth: number;
  readonly pagesRead: number;
  /** Credits, as the ledger has them. */
  readonly spent: number;
  readonly unknown: number;
  /** Purchases that were paid and gave a page. */
  readonly pagesPaid: number;
  /** Projects that wanted the check. */
  readonly projects: number;
  /** Place of our project among them, from 0; null where it did not want it. */
  readonly projectIndex: number | null;
  /** Number of the check modulo `projects`: who gets what cannot be split evenly. */
  readonly remainderOffset: number;
}
