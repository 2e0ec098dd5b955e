// Plans the keyword file of a project that has no config yet: `init --from`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../../config/load.ts';
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { type AddOptions, type PlannedAddition, planKeywordAddition } from './add-keywords.ts';

/**
 * `configText`: a config with one project and a keyword file. It is loaded from a temporary folder, so that an
 * unreadable list leaves no file behind; paths in the result are below that folder. Throws like planKeywordAddition.
 */
export async function planStarterAddition(
  configText: string,
  options: AddOptions,
): Promise<PlannedAddition & { readonly config: ResolvedConfig }> {
  const cwd = mkdtempSync(join(tmpdir(), 'rankledger-init-'));
  try {
    const file = join(cwd, 'rankledger.yaml');
    writeFileSync(file, configText);
    const config = await loadConfig({ file, cwd, env: {}, readsKeywordFiles: false });
    return { ...(await planKeywordAddition(config, options)), config };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
