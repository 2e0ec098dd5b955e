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
  /** Those that wanted the check, in the order in which they were made. */
  readonly projects: readonly string[];
  /** Number of the check modulo the number of projects: who gets what cannot be split evenly. */
  readonly remainderOffset: number;
}
