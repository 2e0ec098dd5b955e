// Settles purchases with an unknown outcome: by asking the provider again, or as the operator decides.
import type { JobContext } from '../../../jobs/context.ts';
import { askAgain, type ReconcileResult, takeWord } from '../../../jobs/query/reconcile.ts';
import type { App } from '../app.ts';
import { throwFailures } from '../opening/setup-failures.ts';
import { UsageError } from '../opening/usage-error.ts';
import { type AuditReport, withAge } from './audit.ts';

/**
 * `ask`: asks providers that keep idempotency keys again. `word`: the operator has seen the bill; one of the two
 * selectors is needed.
 */
export type ReconcileRequest =
  | { readonly kind: 'ask' }
  | {
      readonly kind: 'word';
      readonly as: 'charged' | 'free';
      readonly purchases: readonly number[];
      readonly service?: string;
    };

export interface ReconcileReport {
  readonly settled: readonly (AuditReport['unknownPurchases'][number] & { readonly as: 'charged' | 'free' })[];
  /** Purchases that are still unknown. */
  readonly left: number;
  /** Why a service was not asked about all of them. */
  readonly notes: readonly string[];
}

/** Opens the services. Throws UsageError if the request selects no purchase, or one whose outcome is known. */
export async function reconcile(
  app: App,
  request: ReconcileRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<ReconcileReport> {
  throwFailures(await app.openServices());
  return await settleUnknown(app.context, request, signal);
}

/** Services must be open. */
export async function settleUnknown(
  context: JobContext,
  request: ReconcileRequest,
  signal: AbortSignal,
): Promise<ReconcileReport> {
  const unknown = new Map(context.store.audit.unknownPurchases().map((purchase) => [purchase.purchaseId, purchase]));
  const result = request.kind === 'ask' ? await askAgain(context, signal) : byWord(context, request);
  const now = context.clock.now();
  return {
    settled: result.settled.flatMap(({ purchase, as }) => {
      const known = unknown.get(purchase.purchaseId);
      return known === undefined ? [] : [{ ...withAge({ ...known, amount: purchase.amount }, now), as }];
    }),
    left: result.left.length,
    notes: result.notes,
  };
}

function byWord(context: JobContext, request: Extract<ReconcileRequest, { kind: 'word' }>): ReconcileResult {
  const { as, purchases, service } = request;
  if (purchases.length === 0 && service === undefined)
    throw new UsageError('name the purchases: --purchase ID (once for each) or --service NAME');
  const unknown = new Map(context.store.reconciliations.unknown().map((one) => [one.purchaseId, one]));
  for (const id of purchases) {
    const purchase = unknown.get(id);
    if (purchase === undefined)
      throw new UsageError(`purchase ${id} has no unknown outcome; \`rankledger audit\` lists those that have`);
    if (purchase.isUnderWay) throw new UsageError(`purchase ${id} belongs to a run in progress: wait until it ends`);
  }
  const named = new Set([...context.services.keys(), ...[...unknown.values()].map((one) => one.service)]);
  if (service !== undefined && !named.has(service))
    throw new UsageError(`there is no service "${service}"; known: ${[...named].join(', ')}`);
  const isMeant = new Set(purchases);
  return takeWord(
    context,
    as,
    (purchase) => isMeant.has(purchase.purchaseId) || (isMeant.size === 0 && purchase.service === service),
  );
}
