// Runs long tests (`*.long.test.ts`). It installs their browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const browser = fileURLToPath(new URL('../browser', import.meta.url));
const runner = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

/** Returns 1 if a test failed. */
export async function longTests(report: (line: string) => void): Promise<number> {
  if (!existsSync(join(browser, 'node_modules')) && (await codeOf('npm', 'ci', '--prefix', browser)) !== 0) {
    report('tests: VIOLATION: the browser cannot be installed');
    return 1;
  }
  const code = await codeOf(process.execPath, runner, 'run', '--mode', 'long');
  if (code !== 0) report('tests: VIOLATION: see above');
  return code === 0 ? 0 : 1;
}

async function codeOf(program: string, ...args: string[]): Promise<number | null> {
  const [code] = await once(spawn(program, args, { stdio: 'inherit' }), 'close');
  return code;
}
