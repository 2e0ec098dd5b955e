// What the build of the front end made: `web/` for `view`, `report/` for report.html.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** In a checkout beside the sources, in the package beside the compiled modules. */
const folder = new URL(import.meta.url.endsWith('.ts') ? '../../dist/' : '../../', import.meta.url);

/** Throws Error if the front end was not built. */
export function readBuilt(path: string): Buffer {
  const file = new URL(path, folder);
  if (!existsSync(file)) throw new Error('The pages were not built. `npm run prepare` builds them.');
  return readFileSync(file);
}

/** The names of the files in a folder that was built. */
export function builtNames(path: string): string[] {
  return readdirSync(new URL(path, folder));
}
