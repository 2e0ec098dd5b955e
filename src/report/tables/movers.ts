// The rows with the largest change in clicks: movers.csv, a hundred per class, and the few that commands print.

import type { Row } from '../../read/row.ts';
import type { CauseRecord } from '../../tracker/causes/cause-text.ts';
import { hasMoved } from '../../tracker/changes/change.ts';
import { ctr } from '../../tracker/changes/visibility.ts';
import type { ChangeClass, SignificanceClass } from '../../tracker/observation.ts';
import type { NamedMarket } from '../../tracker/project.ts';
import { columnsOf, fieldColumns } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** A row whose ranking changed. */
export interface Mover extends NamedMarket {
  readonly project: string;
  readonly keyword: string;
  readonly target: string;
  readonly changeClass: ChangeClass;
  readonly rank: number | null;
  readonly previousRank: number | null;
  /** Previous - current: positive is better. */
  readonly change: number | null;
  readonly searchVolume: number | null;
  /** Clicks a month, positive is better; null: unknown volume. */
  readonly estimatedClicksChange: number | null;
  readonly significance: SignificanceClass | null;
  /** Why it moved, in words; null: no reason is known. With texts from the web. */
  readonly cause: string | null;
}

/** Collects rows and keeps the few that moved most. */
export interface Movers {
  add(row: Row): void;
  /** Biggest first. `causeOf`: the first cause of a row; null: none is known. */
  list(causeOf: (row: Row) => Pick<CauseRecord, 'sentence'> | null): Mover[];
}

/**
 * Collects at most `max` movers by |estimated_clicks_change|, noise after all others. Rows without a known volume come
 * last, by the change of their click-through rate; ties keep the order of rows. Rows that did not move, or are not
 * comparable, never count.
 */
export function startMovers(max: number, curveName: string): Movers {
  const biggest = new Biggest(max, curveName);
  return {
    add: (row) => biggest.add(row),
    list: (causeOf) => biggest.rows().map((row) => toMover(row, causeOf(row)?.sentence ?? null)),
  };
}

type MoverClass = 'winner' | 'loser' | 'entered' | 'dropped';

/** One line of movers.csv. */
export interface MoverRow {
  readonly moverClass: MoverClass;
  /** 1 is the biggest of its class. */
  readonly position: number;
  readonly row: Row;
  readonly warning: string | null;
}

/** Most lines per class. */
export const moversOfClassMax = 100;

const classOf: Partial<Record<ChangeClass, MoverClass>> = {
  improved: 'winner',
  declined: 'loser',
  entered: 'entered',
  dropped: 'dropped',
};

const { text, number } = columnsOf<MoverRow>();
const rowOf = ({ row }: MoverRow): Row => row;

export const moverColumns: readonly CsvColumn<MoverRow>[] = [
  ...fieldColumns(rowOf, 'project'),
  text(
    'class',
    `winner (ranks better), loser (ranks worse), entered or dropped; the ${moversOfClassMax} largest of each`,
    (line) => line.moverClass,
  ),
  number('place', '1 is the largest of its class', (line) => line.position),
  ...fieldColumns(rowOf, 'keyword', 'country', 'language', 'device', 'target', 'rank', 'previousRank', 'change'),
  ...fieldColumns(rowOf, 'searchVolume', 'estimatedClicks'),
  number(
    'estimated_clicks_change',
    'Its change from the baseline, at the same volume; lines without a known volume come last, and noise after all others',
    ({ row }) => row.estimatedClicksChange,
  ),
  ...fieldColumns(rowOf, 'url', 'previousUrl', 'checkedAt', 'previousCheckedAt', 'tags', 'note', 'source', 'runId'),
  text('warning', 'Warnings: a suspect run, simulated data', (line) => line.warning),
  ...fieldColumns(rowOf, 'significance', 'bandBest', 'bandWorst', 'bandObservations', 'date', 'location'),
];

interface MoverTable {
  add(row: Row): void;
  /** Winners, losers, entered, dropped; the biggest first in each, as in `startMovers`. */
  rows(warning: string | null): MoverRow[];
}

export function startMoverTable(curveName: string): MoverTable {
  const classes: readonly MoverClass[] = ['winner', 'loser', 'entered', 'dropped'];
  const biggest = new Map(classes.map((name) => [name, new Biggest(moversOfClassMax, curveName)]));
  return {
    add(row) {
      const name = classOf[row.changeClass];
      if (name !== undefined) biggest.get(name)?.add(row);
    },
    rows: (warning) =>
      [...biggest].flatMap(([moverClass, kept]) =>
        kept.rows().map((row, index) => ({ moverClass, position: index + 1, row, warning })),
      ),
  };
}

interface Candidate {
  readonly row: Row;
  readonly isNoise: boolean;
  readonly size: number;
  readonly rateChange: number;
}

/** A bounded list of rows, biggest first. */
class Biggest {
  readonly #max: number;
  readonly #curveName: string;
  readonly #kept: Candidate[] = [];

  constructor(max: number, curveName: string) {
    this.#max = max;
    this.#curveName = curveName;
  }

  add(row: Row): void {
    const candidate = toCandidate(row, this.#curveName);
    if (candidate === null) return;
    const kept = this.#kept;
    const last = kept.at(-1);
    if (kept.length >= this.#max && (last === undefined || !isBigger(candidate, last))) return;
    const at = kept.findIndex((other) => isBigger(candidate, other));
    kept.splice(at === -1 ? kept.length : at, 0, candidate);
    if (kept.length > this.#max) kept.pop();
  }

  rows(): Row[] {
    return this.#kept.map(({ row }) => row);
  }
}

function toCandidate(row: Row, curveName: string): Candidate | null {
  const { changeClass, rank, previousRank } = row;
  if (!hasMoved(changeClass)) return null;
  const rateChange = Math.abs(ctr(curveName, rank) - ctr(curveName, previousRank));
  const clicks = row.estimatedClicksChange;
  return {
    row,
    isNoise: row.significance === 'noise',
    size: clicks === null ? -1 : Math.abs(clicks),
    rateChange,
  };
}

function isBigger(candidate: Candidate, other: Candidate): boolean {
  if (candidate.isNoise !== other.isNoise) return other.isNoise;
  if (candidate.size !== other.size) return candidate.size > other.size;
  return candidate.rateChange > other.rateChange;
}

function toMover(row: Row, cause: string | null): Mover {
  const { project, keyword, country, language, device, location, target, changeClass } = row;
  const { rank, previousRank, change, searchVolume, estimatedClicksChange } = row;
  const at = { project, keyword, country, language, device, location, target };
  return {
    ...at,
    changeClass,
    rank,
    previousRank,
    change,
    searchVolume,
    estimatedClicksChange,
    significance: row.significance,
    cause,
  };
}
