// `init`: starter files, which never overwrite others.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { invoke } from '../fake-host.ts';
import { projectFolder } from '../project-folder.ts';

describe('init', () => {
  test('writes the starter, names the next commands, and never overwrites a file', async () => {
    const empty = projectFolder(null);
    const first = await invoke(['init', 'my site'], { cwd: empty.path });
    expect(first.exitCode).toBe(0);
    expect(first.out).toContain('Wrote my site/rankledger.yaml');
    expect(first.out).toContain('npx rankledger check --config "my site/rankledger.yaml"');
    const checked = await invoke(['check', '--config', 'my site/rankledger.yaml', '--json'], { cwd: empty.path });
    expect(JSON.parse(checked.out)).toMatchObject({ ok: true, warnings: [] });
    writeFileSync(join(empty.path, 'my site/rankledger.yaml'), 'mine');
    const second = await invoke(['init', 'my site', '--json'], { cwd: empty.path });
    expect(second.exitCode).toBe(1);
    expect(JSON.parse(second.out)).toMatchObject({ error: { code: 'FILE_EXISTS' } });
    expect(readFileSync(join(empty.path, 'my site/rankledger.yaml'), 'utf8')).toBe('mine');
  });

  test('that cannot write a file leaves none, so that the next attempt succeeds', async () => {
    const folder = projectFolder(null);
    folder.write('keywords', 'in the way of the folder of that name');
    const failed = await invoke(['init'], { cwd: folder.path });
    expect([failed.exitCode, failed.err]).toEqual([1, expect.stringContaining('keywords: a file or folder of that')]);
    expect(readdirSync(folder.path)).toEqual(['keywords']);
    rmSync(join(folder.path, 'keywords'));
    expect((await invoke(['init'], { cwd: folder.path })).exitCode).toBe(0);
  });

  test('keeps what runs write out of git, and in a checkout of rankledger all that it writes', async () => {
    const status = (cwd: string) => spawnSync('git', ['status', '--short', '-uall'], { cwd, encoding: 'utf8' }).stdout;
    const repository = projectFolder(null);
    expect(spawnSync('git', ['init', '-q'], { cwd: repository.path }).status).toBe(0);
    expect((await invoke(['init', 'site'], { cwd: repository.path })).exitCode).toBe(0);
    for (const folder of ['data', 'reports']) repository.write(`site/${folder}/some.file`, 'x');
    expect(status(repository.path).split('\n')).toEqual([
      '?? site/keywords/example.csv',
      '?? site/rankledger.yaml',
      '',
    ]);
    const checkout = resolve(import.meta.dirname, '../../..');
    if (!existsSync(join(checkout, '.git'))) return;
    mkdirSync(join(checkout, 'node_modules/.cache'), { recursive: true });
    const site = mkdtempSync(join(checkout, 'node_modules/.cache/site-'));
    try {
      expect((await invoke(['init'], { cwd: site })).exitCode).toBe(0);
      expect(readdirSync(site).sort()).toEqual(['.gitignore', 'keywords', 'rankledger.yaml']);
      expect(readFileSync(join(site, '.gitignore'), 'utf8')).toBe('*\n');
    } finally {
      rmSync(site, { recursive: true });
    }
  });
});
