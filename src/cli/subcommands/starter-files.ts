// What `init` and `start` share: the files of a starter, which replace no other file.
import { existsSync, realpathSync } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StarterFile } from '../../../config/starter.ts';
import type { Context } from '../command.ts';
import { packageRoot } from '../package-root.ts';
import { CommandError } from '../text/failure.ts';
import { shellQuoted } from '../text/table.ts';

export function rejectExisting({ host, shown }: Context, directory: string, files: readonly StarterFile[]): void {
  const existing = files.map(({ path }) => join(directory, path)).filter((file) => existsSync(file));
  if (existing.length === 0) return;
  const verb = existing.length === 1 ? 'exists' : 'exist';
  const other = directory === host.cwd ? 'mysite' : `${shown(directory)}-2`;
  throw new CommandError(
    'FILE_EXISTS',
    `${existing.map((file) => shown(file)).join(', ')} already ${verb}. Nothing was written.`,
    `Name another folder: rankledger init ${shellQuoted(other)}`,
  );
}

/** Writes all files or none: files that are left would stop the next attempt. */
export async function writeStarter(directory: string, files: readonly StarterFile[]): Promise<void> {
  const made: string[] = [];
  try {
    for (const { path, content } of files) {
      const file = join(directory, path);
      await mkdir(dirname(file), { recursive: true });
      const handle = await open(file, 'wx');
      made.push(file);
      try {
        await handle.writeFile(content);
      } finally {
        await handle.close();
      }
    }
  } catch (error) {
    for (const file of made) await rm(file, { force: true });
    // a disk that is full does not say of which file
    if (error instanceof Error && !('path' in error)) Object.assign(error, { path: directory });
    throw error;
  }
  await ignoreInGit(directory);
}

/**
 * In a git checkout: keeps the database and the reports, which runs write, out of git. In a checkout of rankledger
 * itself, whose .gitignore names them for its root, the config too.
 */
async function ignoreInGit(directory: string): Promise<void> {
  const root = gitRoot(directory);
  if (root === null) return;
  const isOurs = realpathSync(root) === realpathSync(packageRoot().directory);
  if (isOurs && root === directory) return;
  const folders = isOurs ? [directory] : ['data', 'reports'].map((name) => join(directory, name));
  for (const folder of folders) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, '.gitignore');
    if (!existsSync(file)) await writeFile(file, '*\n', { flag: 'wx' });
  }
}

function gitRoot(directory: string): string | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}
