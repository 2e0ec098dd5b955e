// Columns of the past of own targets, opened where they are quicker to read than history.

import type { ColumnPast, RankColumns } from '../../../db/reads/rank-columns.ts';
import type { Store } from '../../../db/store.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Project } from '../../../src/tracker/project.ts';

interface PastSource {
  readonly store: Store;
  readonly project: Pick<Project, 'keywords'>;
  /** Of runs: those of this moment and later ones are left out. */
  readonly before: number;
}

/** Beyond this many rankings in a run's column per row of the report, reading history is quicker. */
const rankingsPerRowMax = 16;
/** The pasts of further targets are read from history. */
const targetsMax = 4;

/** By target, what `make` returns for its columns. */
export class TargetPasts<Past> {
  readonly #source: PastSource;
  readonly #make: (columns: RankColumns, past: ColumnPast) => Past;
  readonly #known = new Map<number, Past | null>();

  constructor(source: PastSource, make: (columns: RankColumns, past: ColumnPast) => Past) {
    this.#source = source;
    this.#make = make;
  }

  /** Null: history is read instead. */
  of(targetId: number): Past | null {
    return getOrInsert(this.#known, targetId, () => (this.#known.size < targetsMax ? this.#open(targetId) : null));
  }

  #open(targetId: number): Past | null {
    const { store, project, before } = this.#source;
    const past = store.rankColumns.before(targetId, before);
    return past.rows > rankingsPerRowMax * project.keywords.length ? null : this.#make(store.rankColumns, past);
  }
}
