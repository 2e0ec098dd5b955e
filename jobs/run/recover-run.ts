// Recovers a run of a dead process: settles its purchases, frees its checks, and defers those that were removed.

import type { PlannedCheck } from '../../db/history/checks/checks.ts';
import type { OpenAttempt } from '../../db/ledger/purchases.ts';
import { expandSearches, marketName } from '../../src/tracker/project.ts';
import { searchKey } from '../../src/tracker/searches.ts';
import { deferredEnd } from '../check/reduce-check.ts';
import type { JobContext } from '../context.ts';
import { failedSettlement, receivedSettlement, settlePurchase } from '../purchase/settlement.ts';
import type { FetchQueue, PageOutcome, Recalled } from '../queue/queue.ts';

/**
 * Prepares a run that this process has taken over. An answer that arrived after the former owner died is kept with its
 * purchase, and its check reads it. A purchase without a known outcome becomes `unknown`. Rejects only where the store
 * fails.
 */
export async function recoverRun(
  context: JobContext,
  queue: FetchQueue,
  runId: number,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = context;
  // as recorded when they were sent: the config may name another source by now, or none
  const openAttempts = store.purchaseAttempts.openOf(runId).filter(({ isSimulated }) => !isSimulated);
  await Promise.all(
    openAttempts.map(async (open) => {
      const recalled = await queue.recall(pageJob(open), signal);
      if (recalled.kind !== 'lost') await store.grouped(() => settle(context, runId, open, recalled));
    }),
  );
  store.transaction(() => {
    for (const { purchaseId, checkId, service, requestKey, page, isSimulated } of store.purchaseAttempts.openOf(
      runId,
    )) {
      if (isSimulated) continue;
      const facts = {
        runId,
        checkId,
        service,
        purchaseId,
        requestKey,
        page,
        state: 'unknown',
        errorCode: 'INTERRUPTED',
      };
      log.warn(facts, 'purchase outcome unknown: it counts as spent');
    }
    const unknown = store.ledger.recover(runId, clock.now());
    store.checks.putBackAll(runId);
    if (unknown > 0) log.warn({ runId, unknown }, 'purchases without a recorded answer count as spent');
  });
}

function pageJob({ service, requestKey, attempt, keyword, market, page, moment }: OpenAttempt) {
  const { country, language, device, location } = market;
  const request = {
    keyword,
    country,
    language,
    mobile: device === 'mobile',
    page,
    ...(location !== undefined && { location }),
  };
  return { service, request, at: moment, requestKey, attempt, order: 0 };
}

function settle(
  context: JobContext,
  runId: number,
  open: OpenAttempt,
  recalled: Exclude<Recalled, { kind: 'lost' }>,
): void {
  if (recalled.kind === 'outcome') {
    settleOutcome(context, runId, open, recalled.outcome);
    return;
  }
  context.store.ledger.settle(open.purchaseId, {
    state: 'free',
    at: context.clock.now(),
    errorCode: 'NEVER_SENT',
    message: 'no worker had begun the request',
  });
}

function settleOutcome(context: JobContext, runId: number, open: OpenAttempt, outcome: PageOutcome): void {
  const { store, clock } = context;
  const { purchaseId, checkId } = open;
  const ref = { runId, checkId, service: open.service, purchaseId, requestKey: open.requestKey, page: open.page };
  const at = clock.now();
  if (outcome.ok) {
    settlePurchase(context, ref, receivedSettlement(outcome.isShared === true, at, outcome.answer, outcome.stated));
    store.pages.keepBody(purchaseId, outcome.answer.body, false);
    return;
  }
  const { charged, body } = outcome.failure;
  settlePurchase(context, ref, failedSettlement(outcome.failure, at, 1));
  if (charged !== 'no' && body !== null) store.pages.keepBody(purchaseId, body, false);
}

const checksPerTransaction = 2000;
const remedy = 'It is checked when the config has it again.';

/** A check stays planned if any of its projects still tracks its search. */
export function deferRemoved(context: JobContext, runId: number): void {
  const { store, clock } = context;
  const tracked = new TrackedSearches(context);
  let last: PlannedCheck | null = null;
  for (;;) {
    const checks: PlannedCheck[] = store.checks.plannedAfter(runId, last, checksPerTransaction);
    last = checks.at(-1) ?? null;
    if (last === null) return;
    store.transaction(() => {
      store.runs.heartbeat(runId, clock.now());
      for (const check of checks) {
        const absence = tracked.absence(check);
        if (absence !== null) store.checks.end(check.id, deferredEnd(absence, clock.now(), remedy));
      }
    });
  }
}

class TrackedSearches {
  readonly #context: JobContext;
  readonly #byProject = new Map<string, ReadonlySet<string>>();

  constructor(context: JobContext) {
    this.#context = context;
  }

  /** What the config no longer has of a planned check; null where it has all. */
  absence({ keyword, market, projects: ids }: PlannedCheck): string | null {
    const { services, projects } = this.#context;
    if (!services.has(market.service)) return `the config has no service "${market.service}" any more`;
    const present = ids.filter((id) => projects.has(id));
    const names = (some: readonly string[]) => some.map((id) => `"${id}"`).join(' or ');
    if (present.length === 0 && ids.length > 0) return `the config has no project ${names(ids)} any more`;
    if (ids.length === 0 || present.some((id) => this.#of(id).has(searchKey({ keyword, market })))) return null;
    return `project ${names(present)} does not track this keyword in ${marketName(market)} any more`;
  }

  #of(id: string): ReadonlySet<string> {
    const known = this.#byProject.get(id);
    if (known !== undefined) return known;
    const project = this.#context.projects.get(id);
    const searches = new Set<string>();
    if (project !== undefined) {
      for (const keyword of project.keywords) {
        for (const search of expandSearches(project, keyword)) searches.add(searchKey(search));
      }
    }
    this.#byProject.set(id, searches);
    return searches;
  }
}
