// Adds, compares and splits amounts in both currencies.

import type { Price } from '../../model/ports.ts';
import type { Balance } from '../account-store.ts';

export const nothing: Price = { serpCredits: 0, microUsd: 0 };

export function toBalance({ serpCredits, microUsd }: Price): Balance {
  return { serpCredits, microUsd };
}

export function sum(a: Price, b: Price, sign: 1 | -1 = 1): Price {
  return { serpCredits: a.serpCredits + sign * b.serpCredits, microUsd: a.microUsd + sign * b.microUsd };
}

export function isNegative({ serpCredits, microUsd }: Price): boolean {
  return serpCredits < 0 || microUsd < 0;
}

export function isNothing({ serpCredits, microUsd }: Price): boolean {
  return serpCredits === 0 && microUsd === 0;
}
