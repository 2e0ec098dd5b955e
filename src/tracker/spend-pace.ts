// Where spend is at the end of a month, at the pace of its days so far. Pure.

export interface Forecast {
  /** Days of the month that it is drawn through. */
  readonly days: number;
  readonly perDay: number;
  readonly monthEnd: string;
  /** At the end of the month. */
  readonly spent: number;
}

/**
 * A straight line through the days of the month so far. Today counts once something was spent on it. Null: on the first
 * of a month there are no days yet.
 */
export function forecastOf(spent: number, today: string, hasSpentToday: boolean): Forecast | null {
  const days = Number(today.slice(8)) - (hasSpentToday ? 0 : 1);
  if (days === 0) return null;
  const [year = 0, month = 0] = today.split('-').map(Number);
  const monthDays = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const perDay = spent / days;
  return { days, perDay, monthEnd: `${today.slice(0, 8)}${monthDays}`, spent: perDay * monthDays };
}

/** When the line of the forecast reaches the cap; null: not in this month, or it already has. */
export function dayOfCap(forecast: Forecast, cap: number): string | null {
  const day = Math.floor(cap / forecast.perDay) + 1;
  if (forecast.spent <= cap || day <= forecast.days) return null;
  return `${forecast.monthEnd.slice(0, 8)}${String(day).padStart(2, '0')}`;
}
