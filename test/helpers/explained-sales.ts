// Compares a provider's sales with our ledger: each sale is paid or unknown there, and no page is paid twice.
import type { World } from './jobs.ts';

/** Sales missing in our ledger, and pages paid twice, as text; empty is right. `sales`: their idempotency keys. */
export function unexplainedSales(world: World, sales: readonly string[]): string[] {
  const wrong: string[] = [];
  const counted = new Map<string, number>();
  const purchases = world.rows(
    "SELECT request_key, sum(state = 'paid') AS paid, sum(state = 'unknown') AS unknown, sum(state = 'open') AS open FROM purchases GROUP BY 1",
  );
  for (const row of purchases) {
    const [key, paid, unknown] = [String(row['request_key']), Number(row['paid']), Number(row['unknown'])];
    counted.set(key, paid + unknown);
    if (paid > 1) wrong.push(`${key} was paid ${paid} times`);
    if (Number(row['open']) > 0) wrong.push(`${key} has no outcome`);
  }
  for (const [key, sold] of Map.groupBy(sales, (sale) => sale)) {
    const known = counted.get(key) ?? 0;
    if (sold.length > known) wrong.push(`${key} was sold ${sold.length} times, and explained ${known} times`);
  }
  return wrong;
}
