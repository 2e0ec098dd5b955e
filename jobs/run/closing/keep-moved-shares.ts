// Counts how many keywords of a run moved outside their noise bands, for the update detector.
import type { RunShare, ShareScope } from '../../../db/history/moved-shares.ts';
import type { Row } from '../../../src/rows/row.ts';
import { exceedsBand } from '../../../src/tracker/signal/significance.ts';
import type { JobContext } from '../../context.ts';

type Share = Omit<RunShare, 'date'>;

/** The counts of one project in one run. */
export class MovedCounts {
  readonly #runId: number;
  readonly #counts = new Map<string, { scope: ShareScope; name: string; compared: number; outside: number }>();

  constructor(runId: number) {
    this.#runId = runId;
  }

  /** Only comparable changes count. Second looks do not: they are made of changes alone. */
  add(row: Row): void {
    if (!row.complete || row.changeClass === 'first_check' || row.changeClass === 'not_comparable') return;
    const isOutside = exceedsBand(row.judged);
    this.#count('project', '', isOutside);
    this.#count('market', `${row.country}, ${row.language}, ${row.device}`, isOutside);
    for (const tag of row.tags) this.#count('tag', tag, isOutside);
  }

  /** Of the whole project. */
  get project(): { readonly compared: number; readonly outside: number } {
    return this.#counts.get('project ') ?? { compared: 0, outside: 0 };
  }

  /** Keeps them in one transaction. */
  keep({ store }: JobContext, project: string): void {
    const shares: Share[] = [...this.#counts.values()].map((count) => ({ ...count, runId: this.#runId }));
    if (shares.length > 0) store.transaction(() => store.movedShares.keep(project, shares));
  }

  #count(scope: ShareScope, name: string, isOutside: boolean): void {
    const key = `${scope} ${name}`;
    const count = this.#counts.get(key) ?? { scope, name, compared: 0, outside: 0 };
    this.#counts.set(key, count);
    count.compared += 1;
    count.outside += isOutside ? 1 : 0;
  }
}
