// The proof that the ledger explains every credit: invariants, totals, and purchases with an unknown outcome.

import type { AuditCheck, UnknownPurchase } from '../../../db/integrity/audit.ts';
import type { DaySpent } from '../../../db/ledger/ledger-head.ts';
import type { DisputeTotals } from '../../../db/ledger/reconciliations.ts';
import { salesLabel } from '../../../jobs/context.ts';
import type { App } from '../app.ts';
import type { Spending } from '../runs/run-result.ts';

export interface AuditReport {
  readonly ok: boolean;
  /** Each invariant that was checked, and what broke it. */
  readonly checks: readonly AuditCheck[];
  readonly totals: Readonly<Record<'serp_credit' | 'micro_usd', Spending & { readonly open: number }>>;
  /** Sales by budget month, the newest first: of sources in a chain, and of sources that count their requests. */
  readonly sources: readonly {
    readonly month: string;
    readonly source: string;
    readonly spent: number;
    readonly unknown: number;
    /** Null if it counts none. */
    readonly requests: { readonly charged: number; readonly free: number; readonly unknown: number } | null;
  }[];
  /** Purchases that the witness file recorded and the database lacks. The next run counts them as unknown. */
  readonly gap: readonly DaySpent[];
  readonly unknownPurchases: readonly {
    readonly purchaseId: number;
    readonly service: string;
    readonly what: string;
    readonly amount: number;
    readonly currency: string;
    readonly at: string;
    readonly ageMs: number;
    readonly error: string | null;
  }[];
  /** Purchases whose provider stated a higher price than agreed: the newest, and sums of open ones by service. */
  readonly disputes: readonly PriceDispute[];
  readonly disputeTotals: readonly DisputeTotals[];
}

/** Amounts in credits, or in micro-USD. */
export interface PriceDispute {
  readonly purchaseId: number;
  readonly runId: number;
  readonly service: string;
  readonly currency: 'serp_credit' | 'micro_usd';
  readonly agreed: number;
  readonly stated: number;
  /** What the ledger counts: the stated price, or less once it is settled. */
  readonly counted: number;
  /** By how much that exceeds the fullest window of the budget. */
  readonly exceeded: number;
  readonly at: string;
}

/** The newest of them: a provider may state another price for every page. */
const disputesShown = 20;

export function audit({ context }: App): AuditReport {
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
  const checks = [...empty, ...ledger.checks(), witness.check(witness.file, behind)];
  const now = clock.now();
  return {
    ok: checks.every((check) => check.ok),
    checks,
    totals: { serp_credit: ledger.totals('serp_credit'), micro_usd: ledger.totals('micro_usd') },
    sources: ledger.salesByMonth().map((sales) => {
      const { month, spent, unknown, requests } = sales;
      return { month, source: salesLabel(sales), spent, unknown, requests };
    }),
    gap: gap?.days ?? [],
    unknownPurchases: ledger.unknownPurchases().map((purchase) => withAge(purchase, now)),
    disputes: disputes
      .newest(disputesShown)
      .map(({ isUnderWay: _, ...dispute }) => ({ ...dispute, at: new Date(dispute.at).toISOString() })),
    disputeTotals: disputes.totals(),
  };
}

/** `at` in ISO 8601. */
export function withAge(purchase: UnknownPurchase, now: number): AuditReport['unknownPurchases'][number] {
  return { ...purchase, at: new Date(purchase.at).toISOString(), ageMs: Math.max(0, now - purchase.at) };
}
