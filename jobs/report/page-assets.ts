// Reads the chart library and the page script that report.html embeds.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageAssets } from '../../src/report/html/page-facts.ts';
import { bundleScript } from '../../src/report/html/script.ts';

const modules = fileURLToPath(new URL('../../src/report/html/client/', import.meta.url));
const require = createRequire(import.meta.url);

/** Found from the sources and from the compiled package alike. */
export function readPageAssets(): PageAssets {
  const library = join(dirname(require.resolve('chart.js')), 'chart.umd.min.js');
  return {
    // a browser would try to load the source map from a file beside the report
    chartLibrary: readFileSync(library, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'),
    script: bundleScript('main.js', (module) => readFileSync(join(modules, module), 'utf8')),
  };
}
