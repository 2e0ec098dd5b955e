// Validates periods of local dates in the read API.
import { addDays, isDate, startOfDay } from '../../src/tracker/schedule/local-time.ts';
import { InvalidQuery } from '../../src/workspace/contract.ts';

interface Period {
  readonly from?: string;
  readonly to?: string;
}

/** Returns the period. Throws InvalidQuery for an invalid date. */
export function checkedPeriod<Given extends Period>(period: Given): Given {
  for (const name of ['from', 'to'] as const) {
    const date = period[name];
    if (date !== undefined && !isDate(date))
      throw new InvalidQuery(`${name}: "${date}" is not a date such as 2026-11-20`);
  }
  return period;
}

/** UTC milliseconds of local dates, both inclusive. Throws InvalidQuery. */
export function moments(timezone: string, period: Period): { readonly from: number; readonly until: number } {
  const { from, to } = checkedPeriod(period);
  return {
    from: from === undefined ? 0 : startOfDay(from, timezone),
    until: to === undefined ? Number.MAX_SAFE_INTEGER : startOfDay(addDays(to, 1), timezone) - 1,
  };
}
