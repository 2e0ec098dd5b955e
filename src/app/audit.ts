// What `audit` proves and shows: every check of the database, totals, and purchases with an unknown outcome.
import type { AuditCheck, UnknownPurchase } from '../../db/integrity/audit.ts';
import { salesLabel } from '../../jobs/context.ts';
import type { App } from './app.ts';

export type AuditReport = ReturnType<typeof audit>;

/** The newest of them: a provider may state another price for every page. */
const disputesShown = 20;

/** Writes nothing, and nothing may write while `proofs` are made. */
export function audit({ context }: App, proofs: Iterable<AuditCheck> = context.store.proofs()) {
  const { store, clock } = context;
  const { audit: ledger, disputes } = store;
  const gap = store.witness.gap();
  const { missing, witness } = store;
  const behind =
    missing === null
      ? `it is older than ${witness.file}, or another database: it was restored or replaced`
      : `${missing} does not exist, and ${witness.file} records its spending: it was deleted or renamed`;
  const isEmpty = missing !== null && gap === null;
  const empty = isEmpty ? [{ name: 'nothing was recorded yet', ok: true, detail: `${missing} does not exist` }] : [];
  const checks: AuditCheck[] = [...empty, ...proofs, witness.check(witness.file, behind)];
  const now = clock.now();
  return {
    ok: checks.every((check) => check.ok),
    /** Each proof, and what broke it. */
    checks,
    totals: { serp_credit: ledger.totals('serp_credit'), micro_usd: ledger.totals('micro_usd') },
    /** Sales by budget month, the newest first: of sources in a chain, and of sources that count their requests. */
    sources: ledger.salesByMonth().map((sales) => {
      const { month, spent, unknown, requests } = sales;
      return { month, source: salesLabel(sales), spent, unknown, requests };
    }),
    /** Purchases that the witness file recorded and the database lacks. The next run counts them as unknown. */
    gap: gap?.days ?? [],
    unknownPurchases: ledger.unknownPurchases().map((purchase) => withAge(purchase, now)),
    /** Purchases whose provider stated a higher price than agreed: the newest, and sums of open ones by service. */
    disputes: disputes
      .newest(disputesShown)
      .map(({ isUnderWay: _, ...dispute }) => ({ ...dispute, at: new Date(dispute.at).toISOString() })),
    disputeTotals: disputes.totals(),
  };
}

/** `at` in ISO 8601. */
export function withAge(purchase: UnknownPurchase, now: number) {
  return { ...purchase, at: new Date(purchase.at).toISOString(), ageMs: Math.max(0, now - purchase.at) };
}
