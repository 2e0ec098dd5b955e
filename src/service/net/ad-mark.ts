// Detects ads among the results of a list, by marks that providers give them.
import type { Fields } from './fields.ts';

const marks = ['sponsored', 'is_sponsored', 'paid', 'is_paid', 'ad', 'is_ad', 'isAd', 'isSponsored'];
const types: ReadonlySet<unknown> = new Set(['ad', 'ads', 'paid', 'sponsored']);

export function isMarkedAd(item: Fields): boolean {
  if (marks.some((name) => isTrue(item.raw(name)))) return true;
  return ['type', 'result_type'].some((name) => types.has(String(item.raw(name)).trim().toLowerCase()));
}

/** Providers write truth in several ways. */
function isTrue(value: unknown): boolean {
  return value === true || value === 1 || value === 'true';
}
