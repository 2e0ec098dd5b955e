// Types: whether a request was charged, and how many were.

/** Whether the failed request cost credits. `unknown` is counted as spent until it is reconciled. */
export type Charged = 'no' | 'yes' | 'unknown';

/** Requests of a source, each in one of these: what a bill by the request counts. */
export interface RequestCount {
  readonly charged: number;
  readonly free: number;
  /** They left, and it is not known yet whether they were charged. */
  readonly unknown: number;
}
