// Accounts in memory that record every charge and its settlement, and that fail on request.
import type { Balance, ChargeResult, ChargeSettlement, NewCharge, Price } from '../../src/service/index.ts';
import { MemoryAccounts } from './memory-accounts.ts';

interface BookedCharge {
  readonly account: string;
  readonly price: Price;
  readonly settled: Price[];
}

/** Holds one account, `acme`, with 1,000 credits of each kind of work. */
export class BookedAccounts extends MemoryAccounts {
  readonly charges: BookedCharge[] = [];
  /** Thrown instead of settling. */
  refuseToSettle: Error | undefined;
  readonly #byId = new Map<number, BookedCharge>();

  constructor() {
    super();
    void this.createAccount({ name: 'acme', serpCredits: 1000, microUsd: 30_000_000, whitelist: [], createdAt: 0 });
  }

  override async charge(charge: NewCharge): Promise<ChargeResult> {
    const result = await super.charge(charge);
    if (result.status === 'charged') {
      const booked = { account: charge.account, price: charge.price, settled: [] };
      this.charges.push(booked);
      this.#byId.set(result.chargeId, booked);
    }
    return result;
  }

  override async settle(settlement: ChargeSettlement): Promise<Balance> {
    if (this.refuseToSettle !== undefined) throw this.refuseToSettle;
    const balance = await super.settle(settlement);
    this.#byId.get(settlement.chargeId)?.settled.push(settlement.used);
    return balance;
  }
}
