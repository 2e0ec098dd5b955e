// The provider's books against our ledger, by request key: no unknown sale, and nothing is paid twice.
import type { OperatorProcess } from './process.ts';
import type { Provider } from './provider.ts';
import type { Sometimes } from './sometimes.ts';

/** Our purchases of one request key. */
interface Ours {
  readonly paid: number;
  readonly unknown: number;
  readonly open: number;
  readonly tries: number;
  readonly charged: number;
}

/**
 * As documented in jobs/retry.ts: attempts of one page that may have been charged, 3 and one for each further try of
 * its slot (at the next run, then 7 times), and waits that it obeys.
 */
const chargedTriesMax = 3 + 1 + 7;
/** Deaths over one key that its provider keeps: repeated requests are free. */
const interruptionsMax = 10;
const waitsMax = 8;

/** Differences as text; empty is right. */
export function moneyProblems(process: OperatorProcess, provider: Provider, sometimes: Sometimes): string[] {
  const problems: string[] = [];
  const reconcileRequests = process.world.options.events.filter(({ what }) => what.kind === 'reconcile').length;
  const ours = oursByKey(process);
  const sold = Map.groupBy(provider.sales, (sale) => sale.key);
  for (const [key, sales] of sold) {
    const { paid, unknown, charged } = ours.get(key) ?? { paid: 0, unknown: 0, charged: 0 };
    if (sales.length > paid + unknown)
      problems.push(`${key}: sold ${sales.length} times, ${paid} paid and ${unknown} unknown in our books`);
    const cost = sales.reduce((sum, sale) => sum + sale.serpCredits + sale.microUsd, 0);
    if (unknown === 0 && charged !== cost) problems.push(`${key}: cost ${cost}, booked as ${charged}`);
    if (sales.length > 1) sometimes.count('page bought again after an unknown outcome');
  }
  for (const [key, { paid, unknown, open, tries }] of ours) {
    const count = sold.get(key)?.length ?? 0;
    if (paid > count) problems.push(`${key}: paid ${paid} times in our books, sold ${count} times`);
    if (paid > 1) problems.push(`${key}: paid ${paid} times`);
    if (open > 0) problems.push(`${key}: ${open} purchases have no outcome`);
    const triesMax = chargedTriesMax + (process.world.options.provider.keepsKeys ? interruptionsMax : 0);
    if (paid + unknown > triesMax) problems.push(`${key}: ${paid + unknown} tries may have been charged`);
    if (tries > 2 * (chargedTriesMax + waitsMax)) problems.push(`${key}: ${tries} tries`);
    if ((provider.asked.get(key) ?? 0) > tries + reconcileRequests)
      problems.push(`${key}: asked more often than our books have purchases`);
    sometimes.count('unknown outcomes that were sold', Math.min(unknown, count - paid));
    sometimes.count('unknown outcomes that were free', unknown - Math.min(unknown, count - paid));
  }
  return [...problems, ...capProblems(process), ...auditProblems(process)];
}

/** After reconciliation nothing is unknown, and both books agree on every key. */
export function reconciledProblems(process: OperatorProcess, provider: Provider): string[] {
  const sold = Map.groupBy(provider.sales, (sale) => sale.key);
  const ours = oursByKey(process);
  const problems = [...ours].flatMap(([key, { paid, unknown }]) => {
    const count = sold.get(key)?.length ?? 0;
    return unknown === 0 && paid === count
      ? []
      : [`${key}: sold ${count} times, after reconciliation ${paid} paid and ${unknown} unknown`];
  });
  const credits = provider.sales.reduce((sum, sale) => sum + sale.serpCredits, 0);
  const { spent, unknown } = process.context.store.audit.totals('serp_credit');
  if (spent !== credits || unknown !== 0)
    problems.push(`after reconciliation ${spent} credits spent and ${unknown} unknown, ${credits} sold`);
  return [...problems, ...auditProblems(process)];
}

/** Our unknown purchases on the provider's bill: of each key the oldest, as many as were sold and are not paid yet. */
export function soldUnknowns(process: OperatorProcess, provider: Provider): ReadonlySet<number> {
  const left = new Map<string, number>();
  for (const { key } of provider.sales) left.set(key, (left.get(key) ?? 0) + 1);
  for (const [key, { paid }] of oursByKey(process)) left.set(key, (left.get(key) ?? 0) - paid);
  return new Set(
    process.context.store.reconciliations.unknown().flatMap(({ requestKey, purchaseId }) => {
      const count = left.get(requestKey) ?? 0;
      left.set(requestKey, count - 1);
      return count > 0 ? [purchaseId] : [];
    }),
  );
}

function oursByKey(process: OperatorProcess): Map<string, Ours> {
  const rows = process.rows(
    `SELECT request_key, count(*) AS tries, sum(charged) AS charged, sum(state = 'open') AS open,
            sum(state = 'paid' OR reconciled IS 'charged') AS paid, sum(state = 'unknown' AND reconciled IS NULL) AS unknown
     FROM purchases GROUP BY request_key`,
  );
  return new Map(
    rows.map((row) => [
      String(row['request_key']),
      {
        paid: Number(row['paid']),
        unknown: Number(row['unknown']),
        open: Number(row['open']),
        tries: Number(row['tries']),
        charged: Number(row['charged']),
      },
    ]),
  );
}

/** Every window of the budget, summed from the purchases instead of the product's own windows. */
function capProblems(process: OperatorProcess): string[] {
  const { serp_credit: serp, micro_usd: usd } = process.world.options.caps;
  const { faultsEndAt } = process.world;
  const windows = [
    ['run_id', serp.perRun, 'serp_credit'],
    ['day_key', serp.perDay, 'serp_credit'],
    ['month_key', serp.perMonth, 'serp_credit'],
    ['month_key', usd.perMonth, 'micro_usd'],
  ] as const;
  return windows.flatMap(([column, cap, currency]) => {
    if (cap === undefined) return [];
    const rows = process.rows(
      `SELECT v.${column} AS name, sum(p.charged) AS spent FROM purchases p JOIN reservations v ON v.id = p.reservation_id JOIN runs r ON r.id = v.run_id
       WHERE v.currency = '${currency}' AND p.opened_at < ${faultsEndAt()} GROUP BY v.${column} HAVING sum(p.charged) > ${cap}`,
    );
    return rows.map(({ name, spent }) => `${column} ${name}: spent ${spent} of ${cap}`);
  });
}

function auditProblems(process: OperatorProcess): string[] {
  return process.context.store.audit
    .checks()
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `audit: ${name}: ${detail}`);
}
