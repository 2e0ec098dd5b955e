// A claimed check as data: constant facts, immutable state, the events that change it, and the next step.
import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { SearchDataService } from '../../src/service/index.ts';
import type { CheckStatus } from '../../src/tracker/observation.ts';
import type { RunPages } from '../../src/tracker/trust/run-pages.ts';
import { findService, type JobContext, sourceLabel } from '../context.ts';
import { PageBuyer, type PageReservation } from '../purchase/page-buyer.ts';
import type { NextPurchase } from '../purchase/page-purchases.ts';
import type { ServiceStop } from '../purchase/service-states.ts';
import type { PageJob, ReceivedPage } from '../queue/queue.ts';
import type { RequestFailure } from '../retry.ts';
import type { ShownRun } from '../slot-day.ts';
import { type CheckPages, noPages } from './check-pages.ts';
import { PageJudge } from './page-judge.ts';
import type { CheckTargets } from './targets.ts';

/** What a check works with. */
export interface CheckJob {
  readonly context: JobContext;
  readonly check: PlannedCheck;
  readonly targets: CheckTargets;
  readonly run: ShownRun;
  readonly service: SearchDataService;
  /** How pages that are bought now are labelled. */
  readonly source: string;
  readonly buyer: PageBuyer;
  readonly judge: PageJudge;
}

export interface CheckState {
  readonly pages: CheckPages;
  readonly reservation: PageReservation | null;
  /** Why nothing more may be bought from the service: the price that it stated exceeds the budget. */
  readonly overpriced: ServiceStop | null;
  /** Of the page that is fetched: attempts that failed, and waits that its provider asked for. */
  readonly failures: number;
  readonly waits: number;
  /** Of the request in flight; null while it waits for its turn. */
  readonly purchaseId: number | null;
  /** Nothing more is bought: the check is put back instead. */
  readonly isStopping: boolean;
}

export const claimedState: CheckState = {
  pages: noPages,
  reservation: null,
  overpriced: null,
  failures: 0,
  waits: 0,
  purchaseId: null,
  isStopping: false,
};

/**
 * `claimed`: with `isLast`, no reservation can come back to the budget any more. `resumed`: after a pause. `turn`: a
 * request may leave.
 */
export type CheckEvent =
  | { readonly kind: 'claimed'; readonly isLast: boolean }
  | { readonly kind: 'resumed' }
  | { readonly kind: 'turn'; readonly fetch: FetchStep; readonly isAdmitted: boolean }
  | { readonly kind: 'received'; readonly fetch: FetchStep; readonly received: ReceivedPage }
  | { readonly kind: 'failed'; readonly fetch: FetchStep; readonly failure: RequestFailure };

/**
 * The effect of an event: a page to fetch, a request to send, a pause, or the end. `put-back`: stopped half way,
 * claimable again with its pages kept. `short`, at the claim only: the budget has no room for the worst case of the
 * check, and nothing was changed.
 */
export type CheckStep =
  | { readonly kind: 'fetch'; readonly purchase: NextPurchase; readonly job: PageJob }
  | { readonly kind: 'send'; readonly attempt: number }
  | { readonly kind: 'pause'; readonly delayMs: number }
  | { readonly kind: 'ended'; readonly status: CheckStatus }
  | { readonly kind: 'put-back' }
  | { readonly kind: 'halted'; readonly failure: RequestFailure }
  | { readonly kind: 'short'; readonly reason: string };

export type FetchStep = Extract<CheckStep, { kind: 'fetch' }>;

export function checkJob(
  context: JobContext,
  check: PlannedCheck,
  targets: CheckTargets,
  run: ShownRun,
  runPages: RunPages,
): CheckJob {
  const service = findService(context, check.market.service);
  const source = sourceLabel(context, check.market.service, service);
  const buyer = new PageBuyer(context, check, run.moment);
  const judge = new PageJudge(context, check, service, source, runPages);
  return { context, check, targets, run, service, source, buyer, judge };
}
