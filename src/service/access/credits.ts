// Charges accounts before the work starts, and settles the charge to what was used.

import { ServiceError } from '../model/errors.ts';
import type { Clock, Price } from '../model/ports.ts';
import type { AccountStore, Balance, IdempotencyCompletion, NewCharge } from './account-store.ts';
import { processOwner, refundAbandoned } from './owner.ts';

/** A charge until it is settled; a failed request settles it to nothing. */
export interface Charge {
  /** Of the account, right after the charge. */
  readonly balance: Balance;
  /**
   * Returns the unused part, and stores an outcome in the same step. A settled charge may be settled again for less.
   */
  settle(used: Price, complete?: IdempotencyCompletion): Promise<Balance>;
}

type ChargeFacts = Omit<NewCharge, 'owner' | 'at' | 'complete'>;

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
  async charge(facts: ChargeFacts): Promise<Charge> {
    return await this.#charge(facts, processOwner());
  }

  /** The same for a stored answer: charge and settlement are one step, and nothing stays open. */
  async chargeForGood(facts: ChargeFacts, complete: IdempotencyCompletion | undefined): Promise<Charge> {
    return await this.#charge({ ...facts, ...(complete !== undefined && { complete }) }, undefined);
  }

  async #charge(facts: Omit<NewCharge, 'owner' | 'at'>, owner: string | undefined): Promise<Charge> {
    await this.recover();
    const result = await this.#accounts.charge({ ...facts, owner, at: this.#clock.now() });
    switch (result.status) {
      case 'charged':
        return {
          balance: result.balance,
          settle: (used, complete) =>
            this.#accounts.settle({
              chargeId: result.chargeId,
              used,
              at: this.#clock.now(),
              ...(complete !== undefined && { complete }),
            }),
        };
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
  async recover(): Promise<void> {
    this.#recovered ??= refundAbandoned(this.#accounts, this.#clock.now());
    try {
      await this.#recovered;
    } catch (error) {
      this.#recovered = undefined;
      throw error;
    }
  }
}
