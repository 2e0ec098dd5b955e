// Ad-hoc requests of a person: one request with the budget, ledger and services of a run, without history.

import type { Currency } from '../../db/ledger/budget-windows.ts';
import type { PurchaseSettlement } from '../../db/ledger/ledger.ts';
import { isTakenOver } from '../../db/ledger/run-fence.ts';
import {
  type Charged,
  doubtFailure,
  type KeywordDataAnswer,
  type KeywordDataRequestInput,
  keywordDataCostMicroUsd,
  type RequestCount,
  type SerpAnswer,
  type SerpRequestInput,
  ServiceError,
} from '../../src/service/index.ts';
import { sumOf } from '../../src/tracker/figures.ts';
import { findService, firstPageCredits, isSimulated, type JobContext } from '../context.ts';
import { shortBudget, windowKeysAt } from '../purchase/money.ts';
import {
  failedSettlement,
  logOpened,
  type PurchaseRef,
  settledSource,
  settlePurchase,
} from '../purchase/settlement.ts';
import { toRequestFailure } from '../queue/queue.ts';
import type { AnsweringSource } from '../retry.ts';
import { holdRun } from '../run/run-lease.ts';
import { metricsPrice } from '../volumes/metrics-request.ts';

/**
 * Pages of one SERP request, at a credit each; the first one may cost more. Throws ServiceError; INSUFFICIENT_CREDITS
 * where our own budget has no room.
 */
export function askSerp(
  context: JobContext,
  serviceName: string,
  request: SerpRequestInput,
  signal?: AbortSignal,
  onBooked?: OnBooked,
): Promise<SerpAnswer> {
  const first = request.start_page ?? 1;
  const pages = Math.max(1, (request.end_page ?? first) - first + 1);
  const extra = first === 1 ? firstPageCredits(context, serviceName) - 1 : 0;
  const price = (Number.isSafeInteger(pages) ? pages : 1) + extra;
  return ask(context, serviceName, { currency: 'serp_credit', price, onBooked }, (requestKey) =>
    findService(context, serviceName)
      .serp(request, { idempotencyKey: requestKey, signal })
      .then((answer) => {
        for (const refused of answer.pages[0]?.passedOver ?? [])
          context.log.warn({ service: serviceName, ...refused }, 'source skipped: needs attention');
        const source = findSource(answer);
        refuseDoubts(answer, isSimulated(context, serviceName, 'serp_credit') ? 'no' : 'yes', source);
        return {
          answer,
          price: { charged: Math.min(price, answer.creditsStated ?? pages), stated: answer.creditsStated },
          source,
        };
      }),
  );
}

/** Keyword metrics for at most `limit` results. Throws ServiceError like `askSerp`. */
export function askKeywords(
  context: JobContext,
  serviceName: string,
  request: KeywordDataRequestInput,
  signal?: AbortSignal,
  onBooked?: OnBooked,
): Promise<KeywordDataAnswer> {
  const price = keywordDataCostMicroUsd(request.limit ?? 100);
  return ask(context, serviceName, { currency: 'micro_usd', price, onBooked }, (requestKey) =>
    findService(context, serviceName)
      .keywordData(request, { idempotencyKey: requestKey, signal })
      .then((answer) => ({ answer, price: metricsPrice(answer, price) })),
  );
}

/** Called with the run of the request when an answer is paid. */
type OnBooked = (runId: number) => void;

interface Order {
  readonly currency: Currency;
  readonly price: number;
  readonly onBooked: OnBooked | undefined;
}

interface Sold<Answer> {
  readonly answer: Answer;
  readonly price: { readonly charged: number; readonly stated?: number | undefined };
  readonly source?: AnsweringSource;
}

async function ask<Answer>(
  context: JobContext,
  service: string,
  { currency, price, onBooked }: Order,
  send: (requestKey: string) => Promise<Sold<Answer>>,
): Promise<Answer> {
  const { store, clock } = context;
  const opened = store.transaction(() => open(context, service, currency, price));
  logOpened(context, toPurchaseRef(service, opened), 1);
  store.runs.activeRuns.add(opened.runId);
  const lease = holdRun(context, opened.runId);
  try {
    const sent = await send(opened.requestKey).then(
      (received) => ({ received }),
      (error: unknown) => ({ error }),
    );
    if ('error' in sent) {
      const failure = toRequestFailure(sent.error);
      const reason = `${failure.code}: ${failure.message}`;
      await end(context, service, opened, failedSettlement(failure, clock.now()), reason);
      throw isSimulated(context, service, currency) ? sent.error : withCost(sent.error, failure.charged);
    }
    const { answer, price: sold, source = {} } = sent.received;
    const stated = sold.stated === undefined ? {} : { stated: sold.stated };
    const paid = {
      state: 'paid',
      charged: sold.charged,
      ...stated,
      at: clock.now(),
      ...settledSource(source),
    } as const;
    await end(context, service, opened, paid, null);
    onBooked?.(opened.runId);
    return answer;
  } finally {
    lease.end();
    store.runs.activeRuns.delete(opened.runId);
  }
}

/** The failure of a request that may have cost something says so: the caller has nothing else to show for it. */
function withCost(error: unknown, charged: Charged): unknown {
  if (!(error instanceof ServiceError) || charged === 'no') return error;
  const cost = charged === 'yes' ? 'The request was charged' : 'The request may have been charged and counts as spent';
  return error.with({ hint: `${error.hint} ${cost}: see \`rankledger audit\`.` });
}

/** Throws for a page in doubt: a single request has no earlier page that could settle it. The pages are paid. */
function refuseDoubts(
  { pages, creditsStated: stated }: SerpAnswer,
  charged: Charged,
  { source, requests }: AnsweringSource,
): void {
  const doubt = pages.map((page) => doubtFailure(page, page.body)).find((found) => found !== undefined);
  if (doubt === undefined) return;
  const facts = { ...(source !== undefined && { source }), ...(requests !== undefined && { requests }) };
  throw doubt.with({ charged, ...(stated !== undefined && { stated }), ...facts });
}

/**
 * Settles the purchase and closes its run. Where another process took the run over meanwhile, it has done both: the
 * purchase counts as unknown.
 */
async function end(
  context: JobContext,
  service: string,
  opened: Opened,
  settlement: PurchaseSettlement,
  reason: string | null,
): Promise<void> {
  const ref = toPurchaseRef(service, opened);
  try {
    await context.store.grouped(() => {
      settlePurchase(context, ref, settlement);
      close(context, opened, reason);
    });
  } catch (error) {
    if (!isTakenOver(error)) throw error;
    context.log.warn(ref, 'request taken over by another process: its purchase counts as unknown');
  }
}

/** The source that sold the pages; undefined where several did. */
function findSource({ pages }: SerpAnswer): AnsweringSource {
  const [first, ...others] = pages;
  const source = others.every((page) => page.source === first?.source) ? first?.source : undefined;
  const counted = pages.flatMap(({ requests }) => requests ?? []);
  if (counted.length === 0) return { source };
  const sum = (of: keyof RequestCount) => sumOf(counted, (count) => count[of]);
  return { source, requests: { charged: sum('charged'), free: sum('free'), unknown: sum('unknown') } };
}

interface Opened {
  readonly runId: number;
  readonly reservationId: number;
  readonly purchaseId: number;
  readonly requestKey: string;
}

function toPurchaseRef(service: string, { runId, purchaseId, requestKey }: Opened): PurchaseRef {
  return { runId, checkId: null, service, purchaseId, requestKey, page: null };
}

function open(context: JobContext, service: string, currency: Currency, price: number): Opened {
  const { store, clock, timezone, owner } = context;
  const at = clock.now();
  const run = store.runs.open({ kind: 'adhoc', moment: at, owner, at }, []);
  if (run === null) throw new Error('a run for a single request could not be opened');
  const reserved = store.ledger.reserve({
    runId: run.id,
    checkId: null,
    currency,
    amount: price,
    at,
    keys: windowKeysAt(at, timezone),
  });
  if (!reserved.ok)
    throw new ServiceError('INSUFFICIENT_CREDITS', shortBudget(reserved.short, price), {
      hint: 'Raise the budget in the config, or wait for the next window.',
    });
  const requestKey = `rl-adhoc-${run.id}-${at}`;
  const { id: purchaseId } = store.ledger.open({
    reservationId: reserved.id,
    service,
    requestKey,
    searchId: null,
    moment: at,
    page: null,
    price,
    isSimulated: isSimulated(context, service, currency),
    at,
  });
  return { runId: run.id, reservationId: reserved.id, purchaseId, requestKey };
}

function close({ store, clock }: JobContext, opened: Opened, reason: string | null): void {
  store.ledger.release(opened.reservationId, clock.now());
  store.runs.close(opened.runId, {
    state: reason === null ? 'complete' : 'partial',
    reason,
    at: clock.now(),
  });
}
