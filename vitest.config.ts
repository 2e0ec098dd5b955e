import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'threads',
    testTimeout: 20_000,
    reporters: ['default'],
    coverage: { include: ['src/**', 'jobs/**', 'db/**', 'config/**'] },
  },
});
