import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // tests share nothing but what they open and close: a worker for each file would cost more than most files
    isolate: false,
    maxWorkers: '100%',
    // one limit, for what hangs: nothing that only takes its time on a busy machine may meet it
    testTimeout: 180_000,
    hookTimeout: 180_000,
    setupFiles: ['test/helpers/one-seed.ts'],
    reporters: ['default'],
    coverage: { include: ['src/**', 'jobs/**', 'db/**', 'config/**'] },
  },
});
