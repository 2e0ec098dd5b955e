import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const longTests = 'test/**/*.long.test.ts';

/** `--mode long` runs long tests only; `npm run torture` does so. */
export default defineConfig(({ mode }) => {
  const isLong = mode === 'long';
  return {
    test: {
      include: [isLong ? longTests : 'test/**/*.test.ts'],
      exclude: isLong ? [] : [longTests],
      globalSetup: ['test/helpers/built-pages.ts', ...(isLong ? [] : ['test/helpers/memory-disk.ts'])],
      pool: 'forks',
      // tests share nothing but what they open and close: a worker for each file would cost more than most files
      isolate: false,
      maxWorkers: availableParallelism(),
      // garbage is collected early: memory of one file must not wait for the end of the next; hostile pages of 4 MB need 400 MB
      execArgv: [`--max-old-space-size=${isLong ? 1024 : 512}`, '--max-semi-space-size=8'],
      // the worker and programs that tests start have the same modules to compile, again and again
      env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
      // Node.js runs TypeScript as it is
      experimental: { viteModuleRunner: false, nodeLoader: false },
      // one limit, for what hangs: nothing that only takes its time on a busy machine may meet it
      testTimeout: isLong ? 600_000 : 180_000,
      hookTimeout: 180_000,
      // a browser on a busy machine draws later than the usual second
      expect: { poll: { timeout: 20_000 } },
      setupFiles: ['test/helpers/each-file.ts'],
      reporters: ['default'],
      coverage: { include: ['src/**', 'jobs/**', 'db/**', 'config/**'] },
    },
  };
});
