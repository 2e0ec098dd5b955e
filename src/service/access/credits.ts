// Charges accounts before the work starts, settles to what was used, and says what was used.

import { randomUUID } from 'node:crypto';
import { ServiceError } from '../model/errors.ts';
import type { Clock, Price } from '../model/ports.ts';
import { processName, processStateOf } from '../model/process-liveness.ts';
import { dayMs, hourMs } from '../model/time/clock.ts';
import type { Account, AccountStore, Balance, IdempotencyCompletion, NewCharge, UsageDay } from './account-store.ts';

/**
 * Ends a charge: returns the unused part, and stores an outcome in the same step. A failed request settles to nothing;
 * a settled charge may be settled again for less.
 */
export type Settle = (used: Price, complete?: IdempotencyCompletion) => Promise<Balance>;

/** Charges the accounts of one store. Before the first charge it refunds what dead processes left open. */
export class Meter {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  #recovered: Promise<unknown> | undefined;

  constructor(accounts: AccountStore, clock: Clock) {
    this.#accounts = accounts;
    this.#clock = clock;
  }

  /** Throws ServiceError INSUFFICIENT_CREDITS, before any work and without a charge, if the balance is too small. */
  async charge(facts: Omit<NewCharge, 'owner' | 'at'>): Promise<Settle> {
    await this.#recover();
    const result = await this.#accounts.charge({ ...facts, owner: processOwner(), at: this.#clock.now() });
    switch (result.status) {
      case 'charged':
        return (used, complete) =>
          this.#accounts.settle({ chargeId: result.chargeId, used, at: this.#clock.now(), complete });
      case 'capped':
        throw new ServiceError('INSUFFICIENT_CREDITS', "The API user's spending cap of the day is reached.", {
          hint: 'Wait for the next UTC day, or ask the operator to raise the cap.',
        });
      case 'insufficient':
        throw new ServiceError('INSUFFICIENT_CREDITS', 'The account does not have enough credits.');
      case 'unknown-account':
        throw new ServiceError('INTERNAL_ERROR', `There is no account "${facts.account}" to charge.`, {
          disposition: 'halt',
          hint: 'Create the account, or correct its name.',
        });
    }
  }

  /** Once: refunds what dead processes left. One that fails is tried again at the next call. */
  async #recover(): Promise<void> {
    this.#recovered ??= refundAbandoned(this.#accounts, this.#clock.now());
    try {
      await this.#recovered;
    } catch (error) {
      this.#recovered = undefined;
      throw error;
    }
  }
}

/** Unfinished work older than this counts as left behind: no request may take that long. */
const workMsMax = hourMs;

let own: string | undefined;

/** The name of this process and a random part: the same for the life of this process, and never again. */
export function processOwner(): string {
  own ??= `${processName()}|${randomUUID()}`;
  return own;
}

/** False if the process has certainly ended. A process of another container or machine may be alive. */
export function mayBeAlive(owner: string): boolean {
  if (owner === own) return true;
  const state = processStateOf(owner);
  return state !== 'ended' && state !== 'own'; // our number under another name: an earlier process had it
}

/**
 * Refunds charges of processes that died between charge and settlement, and frees their keys. Call it at every start,
 * before the first request. Returns the number of refunded charges.
 */
export async function refundAbandoned(store: AccountStore, now: number): Promise<number> {
  let refunded = 0;
  for (const { owner, since } of await store.listOpenOwners()) {
    const isDead = !mayBeAlive(owner);
    if (!isDead && now - since < workMsMax) continue;
    const madeBefore = isDead ? Number.MAX_SAFE_INTEGER : now - workMsMax;
    refunded += await store.abandon({ owner, madeBefore, note: 'left open by a process that ended', at: now });
  }
  return refunded;
}

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

/** When the first of so many UTC days began, the one of `now` being the last. */
export function firstDay(now: number, days: number): number {
  return (Math.floor(now / dayMs) - days + 1) * dayMs;
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
