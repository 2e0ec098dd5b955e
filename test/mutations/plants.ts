// The planted bugs: for each invariant, a small change of the product and the tests that must fail with it.
import { money } from './money.ts';
import { trust } from './trust.ts';
import { truth } from './truth.ts';

export interface Plant {
  /** The invariant that the bug breaks, as a promise. */
  readonly invariant: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly tests: readonly string[];
}

export const plants: readonly Plant[] = [...money, ...truth, ...trust];
