// The biggest movers: the few rows whose change is worth the most clicks. Printing them is left to the commands.
import type { ChangeClass } from '../tracker/observation.ts';
import { ctr } from '../tracker/visibility.ts';
import type { RankChangeRow } from './row.ts';

/** A row that moved. */
export interface Mover {
  readonly project: string;
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly target: string;
  readonly changeClass: ChangeClass;
  readonly rank: number | null;
  readonly previousRank: number | null;
  /** previous - current: positive is better. */
  readonly change: number | null;
  readonly searchVolume: number | null;
  /** Clicks a month, positive is better; null where the volume is not known. */
  readonly estimatedClicksChange: number | null;
}

/** Collects rows one by one and keeps the few that moved most. */
export interface Movers {
  add(row: RankChangeRow): void;
  /** Biggest first. */
  list(): Mover[];
}

interface Candidate {
  readonly mover: Mover;
  readonly size: number;
  readonly rateChange: number;
}

/**
 * Starts an empty list of at most `max` movers by |estimated_clicks_change|. Rows without a known volume come after all others, by the
 * change of their click-through rate; ties keep the order in which rows came. Rows that did not move, or are not comparable, never count.
 */
export function startMovers(max: number, curveName: string): Movers {
  const kept: Candidate[] = [];
  return {
    add(row) {
      const candidate = candidateOf(row, curveName);
      if (candidate === null) return;
      const place = kept.findIndex((other) => isBigger(candidate, other));
      if (place === -1 && kept.length >= max) return;
      kept.splice(place === -1 ? kept.length : place, 0, candidate);
      if (kept.length > max) kept.pop();
    },
    list: () => kept.map((candidate) => candidate.mover),
  };
}

function candidateOf(row: RankChangeRow, curveName: string): Candidate | null {
  const { changeClass, rank, previousRank } = row;
  const moved =
    changeClass === 'improved' || changeClass === 'declined' || changeClass === 'entered' || changeClass === 'dropped';
  if (!moved) return null;
  const rateChange = Math.abs(ctr(curveName, rank) - ctr(curveName, previousRank));
  const clicks = row.estimatedClicksChange;
  return { mover: moverOf(row), size: clicks === null ? -1 : Math.abs(clicks), rateChange };
}

function isBigger(candidate: Candidate, other: Candidate): boolean {
  if (candidate.size !== other.size) return candidate.size > other.size;
  return candidate.rateChange > other.rateChange;
}

function moverOf(row: RankChangeRow): Mover {
  const { project, keyword, country, language, device, target, changeClass } = row;
  const { rank, previousRank, change, searchVolume, estimatedClicksChange } = row;
  const place = { project, keyword, country, language, device, target };
  return { ...place, changeClass, rank, previousRank, change, searchVolume, estimatedClicksChange };
}
