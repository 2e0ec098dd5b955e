// What a claimed check says that comes next. Types only: who decides it is check-work.ts, who carries it out check-search.ts.
import type { CheckStatus } from '../src/tracker/observation.ts';
import type { PageJob } from './queue.ts';
import type { Failure } from './retry.ts';

/** A page to fetch, a pause before it is tried again, or the end. */
export type Step =
  | { readonly kind: 'fetch'; readonly page: number; readonly job: PageJob }
  | { readonly kind: 'pause'; readonly delayMs: number }
  | { readonly kind: 'ended'; readonly status: CheckStatus }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'halted'; readonly failure: Failure };

export type Fetch = Extract<Step, { kind: 'fetch' }>;

/** The budget has no room for the worst case of the check; nothing was changed. */
export interface Short {
  readonly kind: 'short';
  readonly reason: string;
}
