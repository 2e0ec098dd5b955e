// Faults of the measured numbers that the search engine itself has confirmed. Their days are marked, and left out.
import { addDays } from '../schedule/local-time.ts';

export interface KnownFault {
  /** Dates in Pacific time, inclusive. */
  readonly from: string;
  readonly to: string;
  /** What is wrong: clicks were right. */
  readonly metric: 'impressions';
  readonly text: string;
  readonly source: string;
}

/** Oldest first; none overlap. */
const knownFaults: readonly KnownFault[] = [
  {
    from: '2025-05-13',
    to: '2026-04-27',
    metric: 'impressions',
    text: 'Search Console reported too many impressions',
    // "Data anomalies in Search Console", announced on 2026-04-03
    source: 'https://support.google.com/webmasters/answer/6211453',
  },
];

/** The faults of these dates, inclusive. */
export function faultsIn(from: string, to: string): KnownFault[] {
  return knownFaults.filter((fault) => fault.from <= to && fault.to >= from);
}

/** The parts of these dates without a fault, oldest first. */
export function soundPeriods(from: string, to: string): { readonly from: string; readonly to: string }[] {
  const starts = [from, ...faultsIn(from, to).map((fault) => addDays(fault.to, 1))];
  const ends = [...faultsIn(from, to).map((fault) => addDays(fault.from, -1)), to];
  return starts
    .map((start, index) => ({ from: start, to: ends[index] ?? to }))
    .filter((period) => period.from <= period.to);
}

/** For records: absent without a fault. */
export function withFaults(from: string, to: string): { readonly faults?: readonly KnownFault[] } {
  const faults = faultsIn(from, to);
  return faults.length === 0 ? {} : { faults };
}
