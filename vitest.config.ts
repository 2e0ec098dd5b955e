import { globSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const tests = 'test/**/*.test.ts';
const longTests = 'test/**/*.long.test.ts';

/**
 * `--mode full` runs long tests and those that have two sizes, in full; `npm run torture` does so. CI runs both, and
 * with `SIZED_TESTS=later` the quick size of what follows in full is not run before.
 */
export default defineConfig(({ mode }) => {
  const isFull = mode === 'full';
  const isFullNext = process.env['SIZED_TESTS'] === 'later';
  const sized = (): string[] =>
    globSync(tests).filter((file) => /(helpers\/size|sized-folder)\.ts'/.test(readFileSync(file, 'utf8')));
  return {
    test: {
      include: isFull ? [longTests, ...sized()] : [tests],
      exclude: isFull ? [] : [longTests, ...(isFullNext ? sized() : [])],
      provide: { isFull },
      globalSetup: isFull ? [] : ['test/helpers/memory-disk.ts'],
      pool: 'threads',
      // tests share nothing but what they open and close: a worker for each file would cost more than most files
      isolate: false,
      // one more than cores: some tests wait for programs that they started
      maxWorkers: availableParallelism() + 1,
      // programs that tests start have the same modules to compile, again and again
      env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
      // one limit, for what hangs: nothing that only takes its time on a busy machine may meet it
      testTimeout: isFull ? 600_000 : 180_000,
      hookTimeout: 180_000,
      // CI's machines stall for seconds: there a failed test runs once more, and the reporter names it. A fault fails twice.
      retry: process.env['CI'] === undefined ? 0 : 1,
      setupFiles: ['test/helpers/one-seed.ts'],
      reporters: ['default'],
      coverage: { include: ['src/**', 'jobs/**', 'db/**', 'config/**'] },
    },
  };
});
