// The usage of an account per day and user, as the server returns it.
import { dayMs } from '../model/time/clock.ts';
import type { Account } from './account-store.ts';
import type { UsageDay } from './statement.ts';

/** The body of `GET /v1/usage`. */
export interface UsageResponse {
  readonly account: string;
  readonly balance: { readonly serp_credits: number; readonly usd: number };
  /** Newest first. A day without requests has no line. */
  readonly days: {
    /** UTC. */
    readonly date: string;
    readonly user: string | null;
    /** Requests that were charged and not refunded. */
    readonly requests: number;
    readonly serp_credits: number;
    readonly usd: number;
  }[];
}

export const usageDaysDefault = 31;
export const usageDaysMax = 366;

/** When the UTC day of a moment began. */
function startOfDay(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

/** When the first of so many days began, the one of `now` being the last. */
export function firstDay(now: number, days: number): number {
  return startOfDay(now) - (days - 1) * dayMs;
}

export function usageResponse({ name, serpCredits, microUsd }: Account, days: readonly UsageDay[]): UsageResponse {
  return {
    account: name,
    balance: { serp_credits: serpCredits, usd: microUsd / 1_000_000 },
    days: days.map((day) => ({
      date: day.date,
      user: day.username ?? null,
      requests: day.requests,
      serp_credits: day.serpCredits,
      usd: day.microUsd / 1_000_000,
    })),
  };
}
