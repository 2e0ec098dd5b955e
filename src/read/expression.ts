// Tests a regular expression against many texts within a deadline. report.html replaces it: a browser has no contexts.
import { createContext, Script } from 'node:vm';
import { ExpressionsUsedUp } from './contract.ts';

/** An ordinary expression takes a microsecond per text; one that backtracks without end stops here. */
const millisecondsMax = 500;

const program = 'const compiled = new RegExp(source, "iu"); texts.map((text) => compiled.test(text))';

let testAll: Script | undefined;

/** What the work that runs now may still spend on expressions. */
let leftMs = Number.POSITIVE_INFINITY;

/** Does the work of a client, whose expressions share a budget over many requests. */
export type LimitExpressions = <T>(client: string, work: () => T) => T;

/** Does work whose expressions may take `allowedMs` in all; `spend` gets what they took. */
export function limitedExpressions<T>(allowedMs: number, work: () => T, spend: (ms: number) => void): T {
  leftMs = allowedMs;
  try {
    return work();
  } finally {
    spend(allowedMs - leftMs);
    leftMs = Number.POSITIVE_INFINITY;
  }
}

/**
 * One answer per text. Throws Error past the deadline, and ExpressionsUsedUp. The texts run in one context with one
 * deadline: a deadline per text would cost a hundred times as much.
 */
export function testExpression(source: string, texts: readonly string[]): readonly boolean[] {
  if (leftMs < 1) throw new ExpressionsUsedUp();
  testAll ??= new Script(program);
  const begunAt = performance.now();
  try {
    const timeout = Math.floor(Math.min(millisecondsMax, leftMs));
    return testAll.runInContext(createContext({ source, texts }), { timeout }) as boolean[];
  } finally {
    leftMs -= performance.now() - begunAt;
  }
}
