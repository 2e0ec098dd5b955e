// The commands of README.md and docs/getting-started.md as a newcomer types them in a checkout, without a registry.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { codeBlocks } from '../helpers/documents.ts';
import { projectFiles } from '../helpers/files.ts';

/** CI runs the suite and the installations of these; test/package.long.test.ts installs the package. */
const elsewhere = /^npm (ci && npm test|pack|install) ?/;
/** Printed by commands that serve until Ctrl-C. */
const serving = 'Ctrl-C ends it.';

it.each(['README.md', 'docs/getting-started.md'])('every command of %s works in a fresh checkout', async (page) => {
  const checkout = mkdtempSync(join(tmpdir(), 'rankledger-newcomer-'));
  try {
    for (const file of projectFiles().filter((each) => !each.startsWith('test/')))
      cpSync(file, join(checkout, file), { recursive: true });
    symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'));
    // npx prepares a checkout at its first call, which builds the pages
    cpSync('dist', join(checkout, 'dist'), { recursive: true });
    const session = { cwd: checkout, env: {} };
    let count = 0;
    for (const { language, text, name } of codeBlocks(page)) {
      if (name !== null) writeFileSync(join(session.cwd, name), text);
      for (const command of commandsOf(language, text)) {
        expect({ command, ...(await type(command, session)) }).toMatchObject({ command, code: 0 });
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(8);
  } finally {
    rmSync(checkout, { recursive: true, force: true });
  }
});

function commandsOf(language: string, text: string): string[] {
  const lines =
    language === 'sh' ? text.split('\n') : text.split('\n').flatMap((line) => line.match(/^\$ (.+)/)?.[1] ?? []);
  if (language !== 'sh' && language !== 'console') return [];
  return lines.map((line) => line.replace(/ +#.*/, '')).filter((line) => line !== '' && !elsewhere.test(line));
}

interface Session {
  cwd: string;
  env: Record<string, string>;
}

/** Runs one line of a shell session. What serves is ended by Ctrl-C, after which npx ends by that signal, too. */
async function type(
  command: string,
  session: Session,
): Promise<{ readonly code: number | null; readonly out: string }> {
  const [, folder] = /^cd (\S+)$/.exec(command) ?? [];
  if (folder !== undefined) {
    session.cwd = join(session.cwd, folder);
    return { code: existsSync(session.cwd) ? 0 : 1, out: '' };
  }
  const [, key, value] = /^export (\w+)=(\S+)$/.exec(command) ?? [];
  if (key !== undefined && value !== undefined) session.env[key] = value;
  const offline = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_fetch_retries: '0', npm_config_yes: 'true' };
  const child = spawn('bash', ['-c', command.replace('npm ci && ', '')], {
    cwd: session.cwd,
    // vitest's own NODE_ENV would build pages for React's development version
    env: { ...process.env, NODE_ENV: 'production', CI: 'true', ...offline, ...session.env },
    detached: true,
  });
  let out = '';
  const read = (chunk: Buffer) => {
    const isServing = out.includes(serving);
    out += chunk;
    if (!isServing && out.includes(serving) && child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  return await new Promise((done) =>
    child.on('close', (code, signal) => done({ code: signal === 'SIGINT' && out.includes(serving) ? 0 : code, out })),
  );
}
