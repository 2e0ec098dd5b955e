// `init`: starter files, which never overwrite others.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
    empty.remove();
  });
});
