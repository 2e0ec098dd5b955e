// Converts dollars to integer micro-USD, exactly.

/** The largest budget in dollars; its micro-USD are far below the largest safe integer. */
export const usdMax = 1_000_000;

/**
 * Micro-USD of a dollar amount such as 1, 0.5 or 12.345678; undefined if it is negative or has more than six decimals.
 * Works on the shortest decimal text of the number, which is the written one up to 15 digits, so that nothing is
 * rounded.
 */
export function toMicroUsd(dollars: number): number | undefined {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(dollars));
  if (match?.[1] === undefined) return undefined;
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'));
}
