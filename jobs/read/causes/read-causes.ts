// The causes of changes: kept at the end of a run, or found again for any two dates.

import type { RunRow } from '../../../db/history/runs/runs.ts';
import type { HistoryRow, Row } from '../../../src/read/row.ts';
import { AlikeCounts } from '../../../src/tracker/causes/alike.ts';
import { type CauseRecord, firstReason, keywordCauses } from '../../../src/tracker/causes/cause-text.ts';
import type { CommonRoots, Explanation } from '../../../src/tracker/causes/causes.ts';
import { type Note, notesOf } from '../../../src/tracker/changes/note.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { Project } from '../../../src/tracker/project.ts';
import { targetKey } from '../../../src/tracker/targets/target.ts';
import { siteFeatureCurves } from '../../clicks/feature-curves.ts';
import { fitSiteCurve } from '../../clicks/site-curve.ts';
import type { JobContext } from '../../context.ts';
import { findSuspicion } from '../rows/report-rows.ts';
import type { ReportScope } from '../rows/report-scope.ts';
import { searchIdOf } from '../rows/stored-serps.ts';
import { confirmedUpdates } from '../rows/suspected-updates.ts';
import { type ChangeScope, type ExplainedRow, explainChanges, isBeyondNoise, sharedRoots } from './explain-changes.ts';

interface CauseSource {
  readonly context: Pick<JobContext, 'store'>;
  readonly project: Project;
  /** Those of the config; others stand in the store. */
  readonly notes: readonly Note[];
  readonly suspect: string | null;
  /** Local date of the newer checks. */
  readonly date: string;
}

/** Rows that say what the changes of a day have in common, where causes are found for one of them. */
const otherRowsMax = 300;

/** The changes of a project between two dates: counted, and those that are explained without being asked for. */
export class Changes {
  readonly counts = new AlikeCounts();
  readonly explained: Row[] = [];

  static of(rows: Iterable<Row>): Changes {
    const changes = new Changes();
    for (const row of rows) changes.#add(row, () => row);
    return changes;
  }

  add(row: HistoryRow): void {
    this.#add(row, () => row.copy());
  }

  #add(row: Row, kept: () => Row): void {
    this.counts.add(row);
    if (isExplained(row)) this.explained.push(kept());
  }
}

/** Keeps the causes of the rows that moved beyond their noise. Repeating it changes nothing. */
export function keepCauses(source: CauseSource, run: RunRow, { counts, explained: rows }: Changes): void {
  const { store } = source.context;
  const explained = explainChanges(scopeOf(source, counts), rows);
  store.transaction(() => {
    const kept = explained.flatMap(({ row, searchId, explanation }) => {
      const targetId = store.names.knownTargetId(targetKey(row.own));
      if (searchId === null || targetId === null) return [];
      return [{ runId: run.id, searchId, targetId, explanation: JSON.stringify(explanation) }];
    });
    store.causes.keep(source.project.id, kept);
  });
}

/** Whether the causes of a row are kept with its run. */
function isExplained(row: Row): boolean {
  return isBeyondNoise(row) || (row.changeClass === 'not_comparable' && row.rank !== null && row.previousRank !== null);
}

/** Explains rows between two dates. `changes`: those of the project between them, which are read when needed. */
export class CauseReader {
  readonly #source: CauseSource;
  readonly #changes: () => Changes;
  readonly #kept = new Map<number, ReadonlyMap<string, string>>();
  #found: { readonly scope: ChangeScope; readonly roots: CommonRoots } | undefined;

  constructor(source: CauseSource, changes: () => Changes) {
    this.#source = source;
    this.#changes = changes;
  }

  /** The strongest cause of a row that moved beyond its noise; null: none is known. */
  first(row: Row): CauseRecord | null {
    const [explanation] = isExplained(row) ? this.of([row]) : [];
    return explanation === undefined ? null : firstReason(keywordCauses(row, explanation));
  }

  of(rows: readonly Row[]): Explanation[] {
    const kept = rows.map((row) => this.#keptOf(row));
    const missing = rows.filter((_, index) => kept[index] === null);
    const found = (missing.length === 0 ? [] : this.#find(missing)).values();
    return kept.map((explanation) => {
      if (explanation !== null) return explanation;
      const { value } = found.next();
      if (value === undefined) throw new Error('each row is explained');
      return value.explanation;
    });
  }

  /** Null: none is kept, or it is of other dates, or a second look changed what the row says. */
  #keptOf(row: Row): Explanation | null {
    const { store } = this.#source.context;
    const { runId } = row;
    // what is kept counts all keywords of the project
    if (this.#source.project.isPart || runId === null || !isExplained(row)) return null;
    const ofRun = getOrInsert(
      this.#kept,
      runId,
      () =>
        new Map(
          store.causes
            .ofRun(this.#source.project.id, runId)
            .map(({ searchId, targetId, explanation }) => [`${searchId} ${targetId}`, explanation]),
        ),
    );
    const searchId = searchIdOf(this.#source.context, this.#source.project, row);
    const written = ofRun.get(`${searchId} ${store.names.knownTargetId(targetKey(row.own))}`);
    if (written === undefined) return null;
    const explanation = JSON.parse(written) as Explanation; // written by keepCauses
    const { from, to, rank, previousRank, significance } = explanation;
    const isSame =
      from === row.previousDate &&
      to === row.date &&
      rank === row.rank &&
      previousRank === row.previousRank &&
      significance === row.significance;
    return isSame ? explanation : null;
  }

  /** Other changes of the same dates say what they have in common. */
  #find(rows: readonly Row[]): ExplainedRow[] {
    this.#found ??= this.#readOthers();
    const { scope, roots } = this.#found;
    return explainChanges(scope, rows, roots);
  }

  #readOthers() {
    const { counts, explained } = this.#changes();
    const scope = scopeOf(this.#source, counts);
    return { scope, roots: sharedRoots(scope, explained.filter(isBeyondNoise).slice(0, otherRowsMax)) };
  }
}

/** Explains the rows of a report. `changes`: as for `CauseReader`. */
export function reportCauses(scope: ReportScope, changes: () => Changes): CauseReader {
  const { context, project, settings, runs, slot } = scope;
  const suspect = findSuspicion({ store: context.store, project, runs });
  const source = { context, project, notes: settings.notes ?? [], suspect, date: slot.localDate };
  return new CauseReader(source, changes);
}

function scopeOf({ context, project, notes, suspect, date }: CauseSource, counts: AlikeCounts): ChangeScope {
  const { store } = context;
  const known = [...notes, ...store.notes.list(), ...confirmedUpdates(store, project.timezone)];
  return {
    ...{ context, project, suspect, counts },
    notes: notesOf(known, project),
    featureRatios: featureRatios(context, project, date),
  };
}

/** Clicks with a feature / without it, measured for the site up to a date; empty: not measured. */
export function featureRatios(
  { store }: CauseSource['context'],
  project: Project,
  date: string,
): ReadonlyMap<string, number> {
  if (store.clicks.property(project) === null) return new Map();
  const curves = siteFeatureCurves(store, project, fitSiteCurve(store, project, date));
  return new Map(curves.flatMap(({ feature, ratio }) => (ratio === null ? [] : [[feature, ratio.value]])));
}
