import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Builds the pages of `view` into dist/web, and with `--mode report` the script and style of report.html beside them.
 * `npm run prepare` does both after an installation.
 */
export default defineConfig(({ mode }) => {
  const isReport = mode === 'report';
  return {
    root: 'src/workspace/web',
    plugins: [react()],
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: {
      // what needs Node.js, for a file that has none
      alias: isReport
        ? [{ find: './expression.ts', replacement: join(import.meta.dirname, 'src/workspace/embedded/expression.ts') }]
        : [],
    },
    build: {
      outDir: `../../../dist/${isReport ? 'report' : 'web'}`,
      emptyOutDir: true,
      assetsInlineLimit: isReport ? Number.POSITIVE_INFINITY : 0,
      modulePreload: { polyfill: false },
      license: { fileName: 'licences.md' },
      ...(isReport && {
        cssCodeSplit: false,
        lib: {
          entry: 'report.tsx',
          formats: ['iife'],
          name: 'report',
          fileName: () => 'report.js',
          cssFileName: 'report',
        },
      }),
    },
    // `npx vite --port 5173` beside a running `view`: pages change while they are edited
    server: { proxy: { '/v1': 'http://127.0.0.1:8090' } },
  };
});
