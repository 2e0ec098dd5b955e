// The earlier ranks of the own targets of a report, out of columns where that is quicker than history.
import { EarlierRanks } from '../../../db/history/columns/earlier-ranks.ts';
import type { Store } from '../../../db/store.ts';
import type { Project } from '../../../src/tracker/project.ts';

interface PastSource {
  readonly store: Store;
  readonly project: Pick<Project, 'keywords'>;
  readonly runs: readonly [{ readonly moment: number }, ...unknown[]];
}

/** Columns are read for so many of their rankings to each row: where rows are fewer, history is quicker. */
const rankingsPerRowMax = 16;
/** Others are read from history. */
const targetsMax = 4;

/** The earlier ranks of targets, by id. */
export class TargetPasts {
  readonly #source: PastSource;
  readonly #known = new Map<number, EarlierRanks | null>();

  constructor(source: PastSource) {
    this.#source = source;
  }

  of(targetId: number): EarlierRanks | null {
    const known = this.#known.get(targetId);
    if (known !== undefined) return known;
    const past = this.#known.size < targetsMax ? this.#open(targetId) : null;
    this.#known.set(targetId, past);
    return past;
  }

  #open(targetId: number): EarlierRanks | null {
    const { store, project, runs } = this.#source;
    const past = store.runColumns.before(targetId, runs[0].moment);
    return past.rows > rankingsPerRowMax * project.keywords.length ? null : new EarlierRanks(store.runColumns, past);
  }
}
