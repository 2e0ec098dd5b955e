// A temporary folder with the files of one config test, deleted after the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ConfigError, type ConfigProblem } from '../../config/document/problems.ts';
import { loadConfig } from '../../config/load.ts';
import type { ResolvedConfig } from '../../config/resolve.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** Writes files, by path relative to a new folder. Returns the folder. */
export function folderOf(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

/** Loads `rankledger.yaml` of a new folder. */
export async function load(files: Files, env: Readonly<Record<string, string>> = {}): Promise<ResolvedConfig> {
  return await loadConfig({ cwd: folderOf(files), env });
}

/** The error of loading those files. */
export async function failure(files: Files, env: Readonly<Record<string, string>> = {}): Promise<ConfigError> {
  try {
    await load(files, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the config was loaded without a problem');
}

export async function problemsOf(
  files: Files,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly ConfigProblem[]> {
  return (await failure(files, env)).problems;
}

/** A valid config, with more lines in its only project. The project begins on line 2, `more` on line 5. */
export function projectWith(...more: string[]): string {
  const lines = ['projects:', '  - id: acme', '    targets: [acme.com]', '    keywords: [running shoes]'];
  return [...lines, ...more.map((line) => `    ${line}`), ''].join('\n');
}
