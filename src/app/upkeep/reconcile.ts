// Settles purchases with an unknown outcome: by asking the provider again, or as the operator decides.
import type { JobContext } from '../../../jobs/context.ts';
import { askAgain, type ReconcileResult, settleAsAgreed, takeWord } from '../../../jobs/query/reconcile.ts';
import type { App } from '../app.ts';
import { throwFailures } from '../opening/setup-failures.ts';
import { UsageError } from '../opening/usage-error.ts';
import { type AuditReport, withAge } from './audit.ts';

/**
 * `ask`: asks providers that keep idempotency keys again. `word`: the operator has seen the bill; one of the two
 * selectors is needed.
 */
export type ReconcileRequest = { readonly kind: 'ask' } | PurchaseWord | PriceWord;

interface Selected {
  readonly purchases: readonly number[];
  readonly service?: string;
}

interface PurchaseWord extends Selected {
  readonly kind: 'word';
  readonly as: 'charged' | 'free';
}

/** The bill has the agreed price where the provider stated a higher one. */
interface PriceWord extends Selected {
  readonly kind: 'word';
  readonly as: 'agreed';
}

export interface ReconcileReport {
  readonly settled: readonly (AuditReport['unknownPurchases'][number] & { readonly as: 'charged' | 'free' })[];
  /** Prices in dispute that were settled at the agreed one; amounts in credits, or in micro-USD. */
  readonly prices: readonly {
    readonly purchaseId: number;
    readonly service: string;
    readonly currency: 'serp_credit' | 'micro_usd';
    readonly agreed: number;
    /** What was counted beyond it, and returned to the budget. */
    readonly returned: number;
  }[];
  /** Purchases that are still unknown. */
  readonly left: number;
  /** Why a service was not asked about all of them. */
  readonly notes: readonly string[];
}

/** Opens the services. Throws UsageError if the request selects no purchase, or one with nothing to settle. */
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
  if (request.kind === 'word' && request.as === 'agreed') return settlePrices(context, request);
  const unknown = new Map(context.store.audit.unknownPurchases().map((purchase) => [purchase.purchaseId, purchase]));
  const result = request.kind === 'ask' ? await askAgain(context, signal) : byWord(context, request);
  const now = context.clock.now();
  return {
    settled: result.settled.flatMap(({ purchase, as }) => {
      const known = unknown.get(purchase.purchaseId);
      return known === undefined ? [] : [{ ...withAge({ ...known, amount: purchase.amount }, now), as }];
    }),
    prices: [],
    left: result.left.length,
    notes: result.notes,
  };
}

function byWord(context: JobContext, request: PurchaseWord): ReconcileResult {
  const { as, purchases } = request;
  const unknown = new Map(context.store.reconciliations.unknown().map((one) => [one.purchaseId, one]));
  for (const id of purchases) {
    const purchase = unknown.get(id);
    if (purchase === undefined)
      throw new UsageError(`purchase ${id} has no unknown outcome; \`rankledger audit\` lists those that have`);
    refuseUnderWay(purchase);
  }
  return takeWord(context, as, selector(context, request, unknown.values()));
}

function settlePrices(context: JobContext, request: PriceWord): ReconcileReport {
  const open = new Map(context.store.disputes.open().map((one) => [one.purchaseId, one]));
  for (const id of request.purchases) {
    const dispute = open.get(id);
    if (dispute === undefined)
      throw new UsageError(`purchase ${id} has no price in dispute; \`rankledger audit\` lists those that have`);
    refuseUnderWay(dispute);
  }
  const settled = settleAsAgreed(context, selector(context, request, open.values()));
  return {
    settled: [],
    prices: settled.map(({ purchaseId, service, currency, agreed, counted }) => {
      return { purchaseId, service, currency, agreed, returned: counted - agreed };
    }),
    left: context.store.ledger.unknownPurchases(),
    notes: [],
  };
}

interface Selectable {
  readonly purchaseId: number;
  readonly service: string;
  readonly isUnderWay: boolean;
}

function refuseUnderWay({ purchaseId, isUnderWay }: Selectable): void {
  if (isUnderWay) throw new UsageError(`purchase ${purchaseId} belongs to a run in progress: wait until it ends`);
}

/** The purchases that a request names, or all of its service. Throws UsageError where it names neither. */
function selector(
  { services }: JobContext,
  { purchases, service }: Selected,
  candidates: Iterable<Selectable>,
): (purchase: Selectable) => boolean {
  if (purchases.length > 0) return ({ purchaseId }) => purchases.includes(purchaseId);
  if (service === undefined)
    throw new UsageError('name the purchases: --purchase ID (once for each) or --service NAME');
  const named = new Set([...services.keys(), ...[...candidates].map((one) => one.service)]);
  if (!named.has(service)) throw new UsageError(`there is no service "${service}"; known: ${[...named].join(', ')}`);
  return (purchase) => purchase.service === service;
}
