// Whether an expression takes linear time, by recheck. Verdicts are recorded, so that only new expressions are checked.
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Expression } from './expressions.ts';

const recordedAt = new URL('linear.txt', import.meta.url);
/** The verdict must not depend on the load of the machine. */
const timeoutMs = 60_000;

type CheckSync = typeof import('recheck').checkSync;
let check: CheckSync | undefined;

/** Loaded for the first new expression: the checker is 3 MB of plain JavaScript. Its other form starts a JVM. */
function checker(): CheckSync {
  check ??= (createRequire(import.meta.url)('recheck/lib/browser.js') as { readonly checkSync: CheckSync }).checkSync;
  return check;
}

/** `safe`, `vulnerable` or `unknown`. */
export function verdictOf({ pattern, flags }: Expression): string {
  return checker()(pattern, flags, { timeout: timeoutMs, randomSeed: 1 }).status;
}

export function nameOf({ text }: Expression): string {
  return hash('sha256', text).slice(0, 16);
}

/** Names of the expressions that were found to be linear. */
export function recorded(): ReadonlySet<string> {
  return new Set(readFileSync(recordedAt, 'utf8').trim().split('\n'));
}

export function record(linear: readonly Expression[]): void {
  writeFileSync(recordedAt, `${linear.map(nameOf).sort().join('\n')}\n`);
}
