// Memory and time that hostile answers take in a separate process, beyond twenty ordinary answers.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

const run = promisify(execFile);
const child = join(import.meta.dirname, 'hungry-child.ts');

/**
 * The most memory that an answer from outside may take, beyond what the process had before: its tree and its texts, and
 * the garbage that V8 has not collected yet. A page of 5 MB takes 250 MiB.
 */
const moreMiBMax = 320;

/**
 * Requests `warm` twenty times, then `hostile 0`, `hostile 1` and so on, once each. Prints what each took; fails on an
 * unexpected outcome or too much memory.
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
  const { warm, measured } = JSON.parse(stdout) as Measured;
  const lines = measured.map(({ ms, moreMiB }, nth) => `  ${expected[nth]?.[0]}: ${moreMiB} MiB, ${ms} ms`);
  console.info(`${source}, over the baseline:\n${lines.join('\n')}`);
  expect(warm).toBe('sold');
  expect(measured.map(({ outcome }, nth) => [expected[nth]?.[0], outcome])).toEqual(expected);
  expect(measured.flatMap(({ moreMiB }, nth) => (moreMiB > moreMiBMax ? [expected[nth]?.[0], moreMiB] : []))).toEqual(
    [],
  );
}

interface Measured {
  readonly warm: string;
  readonly measured: readonly { readonly outcome: string; readonly ms: number; readonly moreMiB: number }[];
}

/** The number of the requested hostile answer; undefined for an ordinary one. */
export function hostileNumber(keyword: string): number | undefined {
  const [, nth] = /^hostile (\d+)$/.exec(keyword) ?? [];
  return nth === undefined ? undefined : Number(nth);
}
