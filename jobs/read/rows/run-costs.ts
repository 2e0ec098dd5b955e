// What the checks of runs cost, read once for all projects whose reports are made together.

import type { RunFacts } from '../../../db/reads/reports/run-facts.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { CheckCost } from '../../../src/tracker/paging.ts';

export class RunCosts {
  readonly #facts: Pick<RunFacts, 'checkCosts'>;
  readonly #known = new Map<number, readonly CheckCost[]>();

  constructor(facts: Pick<RunFacts, 'checkCosts'>) {
    this.#facts = facts;
  }

  of(runId: number): readonly CheckCost[] {
    return getOrInsert(this.#known, runId, () => this.#facts.checkCosts(runId));
  }
}
