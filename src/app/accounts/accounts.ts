// The accounts of the service, for the operator.
import { Accounts, refundAbandoned } from '../../service/index.ts';
import type { App } from '../app.ts';
import { operatorName } from '../opening/operator.ts';

/** Refunds first what dead processes reserved. */
export async function openAccounts({ context }: App): Promise<Accounts> {
  const { clock, store } = context;
  await refundAbandoned(store.accounts, clock.now());
  return new Accounts(store.accounts, clock, undefined, operatorName());
}
