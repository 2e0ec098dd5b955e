// Reads what the HTML report is made with: the library that draws its charts, and the page's own script, both written into the file.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageAssets } from '../src/report/html/page-facts.ts';
import { linkScript } from '../src/report/html/script.ts';

const modules = fileURLToPath(new URL('../src/report/html/client/', import.meta.url));
const require = createRequire(import.meta.url);

/** Found from the sources and from the compiled package alike. */
export function readPageAssets(): PageAssets {
  const library = join(dirname(require.resolve('chart.js')), 'chart.umd.min.js');
  return {
    // a browser that looks for its source map would reach for a file beside the report
    chartLibrary: readFileSync(library, 'utf8').replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'),
    script: linkScript('main.js', (module) => readFileSync(join(modules, module), 'utf8')),
  };
}
