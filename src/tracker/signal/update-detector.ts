// Detects days on which more keywords move than usual: an update of the engine, or a problem of the site. Pure.

import { sumOf } from '../figures.ts';

/** Keywords of a project, tag or market on one day. */
export interface MovedShare {
  /** Local date: `2026-11-22`. */
  readonly date: string;
  /** Keywords with a comparable change. */
  readonly compared: number;
  /** Of these: outside their own noise band. */
  readonly outside: number;
}

/** A day on which more moved than the past explains. */
export interface Update {
  readonly date: string;
  readonly compared: number;
  readonly outside: number;
  /** Share expected from the days before, 0 to 1. */
  readonly usualShare: number;
  /** Standard deviations above it. */
  readonly score: number;
}

/** Days before, at most and at least, that say what is usual. */
const pastDaysMax = 28;
const pastDaysMin = 7;
/** A project without history: the share outside the band, and how many keywords it weighs. */
const priorShare = 0.06;
const priorWeight = 100;
/** Below this many keywords outside, a day is no update, however small the project. */
const outsideMin = 5;
/** Counts have a longer tail than a normal distribution: test/tracker/signal measures false alarms per year. */
const scoreMin = 5;

/**
 * The days on which an update shows, oldest first. `days`: oldest first, days without checks left out. A Shewhart chart
 * of shares with a dispersion that is estimated from the past (quasi-binomial: McCullagh and Nelder 1989, Generalized
 * Linear Models, section 4.5), because keywords of a project move together. Days of an update do not count as usual.
 */
export function detectUpdates<Day extends MovedShare>(days: readonly Day[]): (Day & Update)[] {
  const updates: (Day & Update)[] = [];
  const past: MovedShare[] = [];
  for (const day of days) {
    const { usualShare, score } = compareWithPast(day, past.slice(-pastDaysMax));
    const isUpdate = past.length >= pastDaysMin && day.outside >= outsideMin && score > scoreMin;
    if (isUpdate) updates.push({ ...day, usualShare, score });
    else past.push(day);
  }
  return updates;
}

/** The share of keywords outside their bands that the days before let expect. */
export function shareOf(past: readonly MovedShare[]): number {
  const compared = sumOf(past, (each) => each.compared);
  const outside = sumOf(past, (each) => each.outside);
  return (outside + priorShare * priorWeight) / (compared + priorWeight);
}

/** The usual share, and how many standard deviations the day lies above it. */
export function compareWithPast(day: MovedShare, past: readonly MovedShare[]): { usualShare: number; score: number } {
  const usualShare = shareOf(past);
  const variance = (count: number): number => count * usualShare * (1 - usualShare);
  const squares = past
    .filter((each) => each.compared > 0)
    .map((each) => (each.outside - each.compared * usualShare) ** 2 / variance(each.compared));
  const dispersion = Math.max(1, sumOf(squares) / Math.max(1, squares.length - 1));
  const distance = day.outside - day.compared * usualShare;
  return { usualShare, score: day.compared === 0 ? 0 : distance / Math.sqrt(dispersion * variance(day.compared)) };
}

/** Moves expected before any was seen: as few as this change no plan. */
const expectedMin = 3;
const factorScoreMin = 4;
const factorMax = 5;

/**
 * How many times as high as usual the rates of today are, by the first checks: searches that moved, and how many were
 * expected to (the sum of their change probabilities). 1 unless the excess is beyond chance.
 */
export function rateFactor(moved: number, expected: number): number {
  const isBeyondChance = moved > expected + factorScoreMin * Math.sqrt(expected + 1);
  if (!isBeyondChance) return 1;
  return Math.min(factorMax, (moved + expectedMin) / (expected + expectedMin));
}
