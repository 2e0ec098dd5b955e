// The faults of a provider: those of single requests, the outages, and how a seed draws the fault of a request.
import type { Random } from './random.ts';

/**
 * - `slow`: sold and answered later than usual, before the client's timeout.
 * - `charged-timeout`, `uncharged-timeout`: no answer, ever.
 * - `charged-reset`, `uncharged-reset`: the connection breaks, after or before the sale.
 * - `refused`: the connection is refused.
 * - `charged-5xx`, `uncharged-5xx`: 500, 502 or 504, after or before the sale.
 * - `rate-limited`: 429, with Retry-After in seconds, as a date, or without.
 * - `out-of-credits`, `bad-credentials`, `forbidden`: 402, 401, 403.
 * - `truncated`, `html`: sold; 200 with half of the JSON, or with HTML.
 * - `empty`, `empty-organic`: sold; 200 with `{}`, or with an empty list of results.
 * - `another-search`: sold; the page of another search. The JSON does not name its search: no client can detect it.
 * - `repeats-page-1`: sold; page 1 for any requested page.
 */
export type FaultName =
  | 'ok'
  | 'slow'
  | 'charged-timeout'
  | 'uncharged-timeout'
  | 'charged-reset'
  | 'uncharged-reset'
  | 'refused'
  | 'charged-5xx'
  | 'uncharged-5xx'
  | 'rate-limited'
  | 'out-of-credits'
  | 'bad-credentials'
  | 'forbidden'
  | 'truncated'
  | 'html'
  | 'empty'
  | 'empty-organic'
  | 'another-search'
  | 'repeats-page-1';

/** How likely each fault is; the rest of 1 is `ok`. */
export type FaultMix = Readonly<Partial<Record<FaultName, number>>>;

/** A stretch of days in which everybody gets the same, UTC milliseconds. */
export interface Phase {
  readonly kind: 'out-of-credits' | 'bad-credentials' | 'forbidden' | 'storm' | 'dead' | 'silent';
  readonly from: number;
  readonly until: number;
}

const phaseMixes: Readonly<Record<Phase['kind'], FaultMix>> = {
  'out-of-credits': { 'out-of-credits': 1 },
  'bad-credentials': { 'bad-credentials': 1 },
  forbidden: { forbidden: 1 },
  storm: { 'rate-limited': 0.85 },
  dead: { 'charged-5xx': 0.5, 'uncharged-5xx': 0.3, 'charged-reset': 0.2 },
  silent: { 'charged-timeout': 0.4, 'uncharged-timeout': 0.4, refused: 0.2 },
};

const single: readonly FaultName[] = [
  'slow',
  'charged-timeout',
  'uncharged-timeout',
  'charged-reset',
  'uncharged-reset',
  'refused',
  'charged-5xx',
  'uncharged-5xx',
  'rate-limited',
  'truncated',
  'html',
  'empty',
  'empty-organic',
  'another-search',
  'repeats-page-1',
];

/** Each seed has a few kinds of faults, from rare to frequent. */
export function drawMix(random: Random): FaultMix {
  const names = random.some(single, random.whole(1, 6));
  return Object.fromEntries(names.map((name) => [name, random.pick([0.01, 0.03, 0.08, 0.15])]));
}

/** Up to three stretches of 2 hours to 3 days. */
export function drawPhases(random: Random, start: number, days: number): Phase[] {
  const hourMs = 3_600_000;
  return Array.from({ length: random.pick([0, 0, 0, 1, 1, 1, 2, 2, 3]) }, () => {
    const kind = random.pick(Object.keys(phaseMixes) as Phase['kind'][]);
    const from = start + random.whole(24, days * 24) * hourMs;
    return { kind, from, until: from + random.pick([2, 6, 26, 72]) * hourMs };
  });
}

/** What happens to a request that arrives at `at`. */
export function dealFault(random: Random, mix: FaultMix, phases: readonly Phase[], at: number): FaultName {
  const phase = phases.find(({ from, until }) => at >= from && at < until);
  let left = random.next();
  for (const [name, share] of Object.entries(phase === undefined ? mix : phaseMixes[phase.kind])) {
    left -= share;
    if (left < 0) return name as FaultName;
  }
  return 'ok';
}
