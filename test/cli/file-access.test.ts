// Who may read the files of a run: the user that ran it, unless the config opens them.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type Folder, folderOf } from './child.ts';

const folders: Folder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function modesOf(folder: Folder): Map<string, string> {
  const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
  const made = names.filter(
    (name) => name.startsWith('data') || name.startsWith('reports') || name.startsWith('copy.sqlite'),
  );
  return new Map(made.map((name) => [name, (statSync(join(folder.path, name)).mode & 0o777).toString(8)]));
}

const accesses = [
  ['owner', '', '600', '700'],
  ['everyone', 'fileAccess: everyone\n', '644', '755'],
] as const;

it.each(accesses)('the files of a run may be readable by %s', async (_access, line, file, directory) => {
  const folder = folderOf({
    'rankledger.yaml': `${line}projects: [{ id: acme, targets: [acme.example], keywords: [shoes] }]\n`,
  });
  folders.push(folder);
  expect((await folder.run('run', '--all')).exitCode).toBe(0);
  expect((await folder.run('backup', 'copy.sqlite')).exitCode).toBe(0);
  const modes = modesOf(folder);
  expect(modes.get('data/rankledger.sqlite')).toBe(file);
  expect(modes.get('copy.sqlite')).toBe(file);
  expect(modes.get('copy.sqlite.witness')).toBe(file);
  expect(modes.get('reports/acme/latest/rank-changes.csv')).toBe(file);
  expect(modes.get('reports')).toBe(directory);
  expect(new Set(modes.values())).toEqual(new Set([file, directory]));
});
