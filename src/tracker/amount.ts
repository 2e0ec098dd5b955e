// Amounts as text: SERP credits and US dollars.

/** `5 SERP credits`, `0.0102 USD` */
export function formatAmount(currency: 'serp_credit' | 'micro_usd', amount: number): string {
  if (currency === 'micro_usd') return `${formatDollars(amount)} USD`;
  return amount === 1 ? '1 SERP credit' : `${amount} SERP credits`;
}

/** Micro-USD as dollars, with at least two decimals: `0.0102`, `1.50`. */
export function formatDollars(microUsd: number): string {
  return (microUsd / 1_000_000).toFixed(6).replace(/0{1,4}$/, '');
}
