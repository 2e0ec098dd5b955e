import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/**
 * Builds the pages of `view` into dist/web, and with `--mode report` the script and style of report.html beside them.
 * `npm run prepare` does both after an installation.
 */
export default defineConfig(({ mode }) => {
  const isReport = mode === 'report';
  // a file has no Node.js, and no server that takes edits
  const inFile: Record<string, string> = {
    './expression.ts': join(import.meta.dirname, 'src/workspace/embedded/expression.ts'),
    '../editing/row-actions.tsx': join(import.meta.dirname, 'src/workspace/web/report/no-editing.ts'),
  };
  return {
    root: 'src/workspace/web',
    plugins: [react()],
    define: { 'process.env.NODE_ENV': '"production"' },
    resolve: { alias: isReport ? inFile : {} },
    build: {
      outDir: `../../../dist/${isReport ? 'report' : 'web'}`,
      emptyOutDir: true,
      assetsInlineLimit: isReport ? Number.POSITIVE_INFINITY : 0,
      modulePreload: { polyfill: false },
      license: { fileName: 'licences.json' },
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
