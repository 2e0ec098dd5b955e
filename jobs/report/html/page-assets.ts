// The script and the style of report.html, as the build of the front end made them.
import type { PageAssets } from '../../../src/report/html/data/page-facts.ts';
import { readBuilt } from '../../../src/workspace/built-files.ts';

let known: PageAssets | undefined;

/** Read once: they are the same for all reports. Throws Error if the front end was not built. */
export function readPageAssets(): PageAssets {
  known ??= {
    script: readBuilt('report/report.js').toString('utf8'),
    style: readBuilt('report/report.css').toString('utf8'),
  };
  return known;
}
