// The audit as the commands see it: every invariant, the totals, what is still unknown, and how that is settled.
import type { UnknownPurchase } from '../../db/audit.ts';
import { witnessFile } from '../../db/witness.ts';
import { type JobContext, salesLabel } from '../../jobs/context.ts';
import { askAgain, type ReconcileResult, takeWord } from '../../jobs/reconcile.ts';
import { type AuditReport, type ReconcileReport, type ReconcileRequest, UsageError } from './contract.ts';

/** Of a provider that states another price for every page. */
const disputesShown = 20;

export function auditReport({ store, clock }: JobContext): AuditReport {
  const { audit, disputes } = store;
  const gap = store.witness.gap();
  const behind = gap === null ? '' : `it is older than ${witnessFile(store.file)}, or another one: restored or swapped`;
  const witnessed = { name: 'the ledger holds what its witness saw', ok: gap === null, detail: behind };
  const checks = [...audit.checks(), witnessed];
  const now = clock.now();
  return {
    ok: checks.every((check) => check.ok),
    checks,
    totals: { serp_credit: audit.totals('serp_credit'), micro_usd: audit.totals('micro_usd') },
    sources: audit.salesByMonth().map((sales) => {
      const { month, spent, unknown, requests } = sales;
      return { month, source: salesLabel(sales), spent, unknown, requests };
    }),
    gap: gap?.days ?? [],
    unknownPurchases: audit.unknownPurchases().map((purchase) => shown(purchase, now)),
    disputes: disputes.newest(disputesShown).map((dispute) => ({ ...dispute, at: new Date(dispute.at).toISOString() })),
    disputeTotals: disputes.totals(),
  };
}

/** Settles what is unknown. Services must be open. Throws UsageError where the request selects nothing that could be settled. */
export async function reconcile(
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
      return known === undefined ? [] : [{ ...shown(known, now), as }];
    }),
    left: result.left.length,
    notes: result.notes,
  };
}

function byWord(context: JobContext, request: Extract<ReconcileRequest, { kind: 'word' }>): ReconcileResult {
  const { as, purchases, service } = request;
  if (purchases.length === 0 && service === undefined)
    throw new UsageError('say which purchases are meant: --purchase ID (once for each) or --service NAME');
  const unknown = new Map(context.store.reconciliations.unknown().map((one) => [one.purchaseId, one]));
  for (const id of purchases) {
    const purchase = unknown.get(id);
    if (purchase === undefined)
      throw new UsageError(`purchase ${id} is not unknown; \`rankledger audit\` lists those that are`);
    if (purchase.isUnderWay)
      throw new UsageError(`purchase ${id} belongs to a run that is under way: wait for its end`);
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

function shown(purchase: UnknownPurchase, now: number) {
  return { ...purchase, at: new Date(purchase.at).toISOString(), ageMs: Math.max(0, now - purchase.at) };
}
