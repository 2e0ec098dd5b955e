import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    // tests share nothing but what they open and close: a worker for each file would cost more than most files
    isolate: false,
    maxWorkers: '100%',
    testTimeout: 20_000,
    reporters: ['default'],
    coverage: { include: ['src/**', 'jobs/**', 'db/**', 'config/**'] },
  },
});
