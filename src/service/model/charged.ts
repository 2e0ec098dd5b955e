// Whether requests were charged, and counts of them that survive a failed or aborted call.

/** Whether the failed request cost credits. `unknown` counts as spent until it is reconciled. */
export type Charged = 'no' | 'yes' | 'unknown';

/** Requests to a source by outcome: the numbers on a bill per request. */
export interface RequestCount {
  readonly charged: number;
  readonly free: number;
  /** Sent; it is not known yet whether they were charged. */
  readonly unknown: number;
}

const nothing: RequestCount = Object.freeze({ charged: 0, free: 0, unknown: 0 });
const kindOf = { yes: 'charged', no: 'free', unknown: 'unknown' } as const;

export class RequestTally {
  #count = nothing;

  get count(): RequestCount {
    return this.#count;
  }

  /** Counts a request as unknown until its outcome is reported; only the first report counts. */
  begin(): (charged: Charged) => void {
    this.#move('unknown', 1);
    let isOpen = true;
    return (charged) => {
      if (!isOpen) return;
      isOpen = false;
      this.#move('unknown', -1);
      this.#move(kindOf[charged], 1);
    };
  }

  #move(kind: keyof RequestCount, by: number): void {
    this.#count = { ...this.#count, [kind]: this.#count[kind] + by };
  }
}

/** The requests since an earlier count. */
export function requestsSince(before: RequestCount, { charged, free, unknown }: RequestCount): RequestCount {
  return { charged: charged - before.charged, free: free - before.free, unknown: unknown - before.unknown };
}

export function sumOfRequests({ charged, free, unknown }: RequestCount): number {
  return charged + free + unknown;
}
