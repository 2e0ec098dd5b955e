// What hostile answers take of memory and time in a process of its own, one after the other, over what it had after twenty ordinary ones.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const run = promisify(execFile);
const child = join(import.meta.dirname, 'hungry-child.ts');

/** Most memory that anything from outside may take, over what the process had before. */
const moreMiBMax = 64;

/**
 * Asks the source for `warm` twenty times, and then for `hostile 0`, `hostile 1` and so on, once each. Prints what each took; fails where an outcome is
 * another one than expected, or took more memory than it may.
 */
export async function expectOutcomes(
  source: string,
  options: object,
  expected: readonly (readonly [name: string, outcome: string])[],
): Promise<void> {
  const { stdout } = await run(process.execPath, [
    '--expose-gc',
    child,
    source,
    JSON.stringify(options),
    String(expected.length),
  ]);
  const { warm, told } = JSON.parse(stdout) as Told;
  const lines = told.map(({ ms, moreMiB }, nth) => `  ${expected[nth]?.[0]}: ${moreMiB} MiB, ${ms} ms`);
  console.info(`${source}, over the baseline:\n${lines.join('\n')}`);
  expect(warm).toBe('sold');
  expect(told.map(({ outcome }, nth) => [expected[nth]?.[0], outcome])).toEqual(expected);
  expect(told.flatMap(({ moreMiB }, nth) => (moreMiB > moreMiBMax ? [expected[nth]?.[0], moreMiB] : []))).toEqual([]);
}

interface Told {
  readonly warm: string;
  readonly told: readonly { readonly outcome: string; readonly ms: number; readonly moreMiB: number }[];
}

/** Which of the hostile answers is asked for; undefined for an ordinary one. */
export function hostileNumber(keyword: string): number | undefined {
  const [, nth] = /^hostile (\d+)$/.exec(keyword) ?? [];
  return nth === undefined ? undefined : Number(nth);
}
