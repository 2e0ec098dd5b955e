// What a dead process left of a run: purchases get the outcome that the queue knows of, reservations go back, checks become claimable.
import type { OpenTry } from '../db/tries.ts';
import type { JobContext } from './context.ts';
import { type FetchQueue, type PageOutcome, type Recalled, receivedSettlement } from './queue.ts';

/**
 * Brings a run that this process has taken over into a state that work can go on from. An answer that came while nobody was there is kept with its
 * purchase, and read when its check goes on; what nobody knows is `unknown`. Rejects only where the store fails.
 */
export async function recoverRun(
  context: JobContext,
  queue: FetchQueue,
  runId: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, services, clock, log } = context;
  const isSimulated = (service: string): boolean => services.get(service)?.kind !== 'live';
  const tries = store.tries.openOf(runId).filter((open) => !isSimulated(open.service));
  await Promise.all(
    tries.map(async (open) => {
      const recalled = await queue.recall(jobOf(open), signal);
      if (recalled.kind !== 'lost') await store.grouped(() => settle(context, open, recalled));
    }),
  );
  store.transaction(() => {
    const unknown = store.ledger.recover(runId, isSimulated, clock.now());
    store.checks.putBackAll(runId);
    if (unknown > 0) log.warn({ runId, unknown }, 'purchases without a recorded answer count as spent');
  });
}

function jobOf({ service, requestKey, attempt, keyword, market, page, moment }: OpenTry) {
  const { country, language, device } = market;
  const request = { keyword, country, language, mobile: device === 'mobile', page };
  return { service, request, at: moment, requestKey, attempt, order: 0 };
}

function settle(context: JobContext, open: OpenTry, recalled: Exclude<Recalled, { kind: 'lost' }>): void {
  if (recalled.kind === 'outcome') {
    settleOutcome(context, open, recalled.outcome);
    return;
  }
  context.store.ledger.settle(open.purchaseId, {
    state: 'free',
    at: context.clock.now(),
    errorCode: 'NEVER_SENT',
    message: 'no worker had begun the request',
  });
}

function settleOutcome({ store, clock }: JobContext, { purchaseId }: OpenTry, outcome: PageOutcome): void {
  const at = clock.now();
  if (outcome.ok) {
    store.ledger.settle(purchaseId, receivedSettlement(outcome.isShared === true, at));
    store.pages.keepBody(purchaseId, outcome.answer.body, false);
    return;
  }
  const { charged, code, message, body } = outcome.failure;
  const state = ({ no: 'free', yes: 'paid', unknown: 'unknown' } as const)[charged];
  store.ledger.settle(purchaseId, { state, at, errorCode: code, message });
  if (state !== 'free' && body !== null) store.pages.keepBody(purchaseId, body, false);
}
