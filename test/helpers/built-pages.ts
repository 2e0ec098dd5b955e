// Builds the pages before the tests where their sources are newer: a checkout is tested as it stands.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';

const sources = ['src/workspace', 'src/read', 'src/report', 'src/tracker'];

/** Called by vitest before the first test file. */
export function setup(): void {
  const files = sources.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const changedAt = Math.max(...files.map(modifiedAt));
  for (const [mode, built] of [
    ['production', 'dist/web/index.html'],
    ['report', 'dist/report/report.js'],
  ] as const) {
    if (existsSync(built) && modifiedAt(built) >= changedAt) continue;
    // vitest's own NODE_ENV would build pages for React's development version
    const env = { ...process.env, NODE_ENV: 'production' };
    execFileSync(execPath, ['node_modules/vite/bin/vite.js', 'build', '--mode', mode, '--logLevel', 'warn'], { env });
  }
}

function modifiedAt(file: string): number {
  return statSync(file).mtimeMs;
}
