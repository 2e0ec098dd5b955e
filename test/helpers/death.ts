// Lets the process of a world die at a chosen moment: durable changes remain, and nothing more is done.
import type { World } from './jobs.ts';

export interface Death {
  /** Transactions that were begun. */
  readonly count: number;
  readonly died: boolean;
}

/** The world dies at its `n`th transaction, before it is durable or right after. */
export function dieAt(world: World, n: number, moment: 'before' | 'after'): Death {
  const facts = { count: 0, died: false };
  const { store } = world;
  const transaction = store.transaction.bind(store);
  const grouped = store.grouped.bind(store);
  const step = (): 'live' | 'last' => {
    if (facts.died) throw new Error('a dead process does nothing');
    facts.count += 1;
    if (facts.count < n) return 'live';
    facts.died = true;
    if (moment === 'before') throw new Error('died');
    return 'last';
  };
  store.transaction = (work) => {
    const now = step();
    const result = transaction(work);
    if (now === 'last') throw new Error('died');
    return result;
  };
  store.grouped = async (work) => {
    const now = step();
    const result = await grouped(work);
    if (now === 'last') throw new Error('died');
    return result;
  };
  return facts;
}
