// Exact conversion of written dollars to micro-USD integers.

/** Most dollars a budget may name; its micro-USD stay far inside the safe integers. */
export const usdMax = 1_000_000;

/**
 * Micro-USD of a dollar amount such as 1, 0.5 or 12.345678, exactly; undefined where the amount is negative or has more than six
 * decimals. Works on the shortest decimal text of the number, which is what was written (up to 15 digits), so no rounding happens.
 */
export function microUsdOf(dollars: number): number | undefined {
  const match = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(dollars));
  if (match?.[1] === undefined) return undefined;
  return Number(match[1]) * 1_000_000 + Number((match[2] ?? '').padEnd(6, '0'));
}
