// Types: whether a request was charged, and how many were.

/** Whether the failed request cost credits. `unknown` counts as spent until it is reconciled. */
export type Charged = 'no' | 'yes' | 'unknown';

/** Requests to a source by outcome: the numbers on a bill per request. */
export interface RequestCount {
  readonly charged: number;
  readonly free: number;
  /** Sent; it is not known yet whether they were charged. */
  readonly unknown: number;
}
