// Dates on an axis by days, and where a line is interrupted because runs are missing.
import { dayMs } from './periods.js';

/** Dates further apart than this many usual steps have missing runs between them. */
const breakSteps = 1.8;

/** Days since 1970, so that the axis shows gaps at their length. @param {string} date */
export function dayNumber(date) {
  return Math.round(Date.parse(`${date}T00:00:00Z`) / dayMs);
}

/** @param {number} days since 1970 */
export function dateOf(days) {
  return new Date(days * dayMs).toISOString().slice(0, 10);
}

/** Indices of days before which runs are missing. @param {readonly number[]} days ascending */
export function breaksIn(days) {
  const steps = days.slice(1).map((day, index) => day - (days[index] ?? day));
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 1;
  return steps.flatMap((step, index) => (step > usual * breakSteps ? [index + 1] : []));
}

/**
 * Points of a line. Between two dates with missing runs, a point without a value interrupts the line.
 * @param {readonly (number | null)[]} values one per day
 * @param {readonly number[]} days
 */
export function linePoints(values, days) {
  const breaks = new Set(breaksIn(days));
  /** @type {{ x: number, y: number | null }[]} */
  const points = [];
  for (const [index, y] of values.entries()) {
    const x = days[index] ?? 0;
    if (breaks.has(index)) points.push({ x: (x + (days[index - 1] ?? x)) / 2, y: null });
    points.push({ x, y });
  }
  return points;
}

/**
 * Radii of the points of a line. A point between two gaps has no line, so it is drawn as a dot.
 * @param {readonly { readonly y: number | null }[]} points
 */
export function pointRadii(points) {
  const otherwise = points.length > 45 ? 0 : 2;
  return points.map(({ y }, index) => {
    const isAlone = (points[index - 1]?.y ?? null) === null && (points[index + 1]?.y ?? null) === null;
    return y !== null && isAlone ? 2.5 : otherwise;
  });
}
