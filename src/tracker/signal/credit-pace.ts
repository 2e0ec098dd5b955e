// How many of the credits of a month an adaptive plan may spend today.

export interface CreditPace {
  /** Credits left today and this month, less what is reserved; null: no such limit. */
  readonly leftToday: number | null;
  readonly leftThisMonth: number | null;
  /** Slots left in the month, today's included. */
  readonly slotsLeft: number;
  /** As in ValueSettings: an update may spend up to twice the pace. */
  readonly rateFactor: number;
}

const burstMax = 2;

/** Credits for today: an even share of the rest of the month, within the day. Null: no budget limits it. */
export function creditsForToday({ leftToday, leftThisMonth, slotsLeft, rateFactor }: CreditPace): number | null {
  const share =
    leftThisMonth === null ? null : (leftThisMonth / Math.max(1, slotsLeft)) * Math.min(burstMax, rateFactor);
  const limits = [share, leftToday, leftThisMonth].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.max(0, Math.min(...limits));
}
