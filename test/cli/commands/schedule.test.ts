// `schedule`: its output, its exit codes, and what a reload does.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import { folderOf } from '../child.ts';
import { invoke, TextStream } from '../fake-host.ts';
import { projectFolder } from '../project-folder.ts';

it('a scheduler says in words what it does, with the clock of the config', async () => {
  const folder = projectFolder();
  let interrupt = (): void => {};
  const stdout = new TextStream();
  const write = stdout._write.bind(stdout);
  stdout._write = (chunk: string, encoding: string, done: () => void) => {
    if (/Run 2 complete/.test(chunk)) interrupt();
    write(chunk, encoding, done);
  };
  const withSignal = (send: () => void) => {
    interrupt = send;
  };
  const { exitCode, closed } = await invoke(['schedule'], { cwd: folder.path, stdout, withSignal });
  expect([exitCode, closed]).toEqual([0, 1]);
  const lines = stdout.text.trimEnd().split('\n');
  expect(lines.map((line) => line.replace(/^2026-01-15 13:\d\d:\d\d {2}/, ''))).toEqual([
    expect.stringMatching(/^Scheduling 1 project of \/.*\/data\/rankledger\.sqlite; press Ctrl-C to stop\.$/),
    'Run 1 of volumes: acme 2026-01-02T04:00',
    'Run 1 complete: $0.02 spent',
    'Run 2 of ranks: acme 2026-01-15T06:00',
    'Run 2 complete: 3 ok, 7 credits spent, 1 report',
    'Stopped.',
  ]);
});

describe('`schedule` as a process', () => {
  const config = (projects: readonly string[]) =>
    `heartbeat: { file: beat.json }\nprojects:\n${projects
      .map((id) => `  - { id: ${id}, targets: [${id}.com], schedule: "* * * * *", depth: 1, keywords: [shoes] }\n`)
      .join('')}`;

  it('runs what is due at once, reads its config again on SIGHUP, and exits with 0 on SIGTERM', async () => {
    const folder = folderOf({ 'rankledger.yaml': config(['acme']) });
    const { child, ended } = folder.start('schedule', '--json');
    try {
      const lines: Record<string, unknown>[] = [];
      const reader = createInterface({ input: child.stdout! });
      const until = async (found: (line: Record<string, unknown>) => boolean) => {
        while (!lines.some(found)) lines.push(JSON.parse(String((await once(reader, 'line'))[0])));
      };
      await until(({ event }) => event === 'ended');
      expect(lines[0]).toMatchObject({ event: 'started', projects: 1 });
      expect(lines.find(({ event }) => event === 'ended')).toMatchObject({ state: 'complete', checks: { ok: 1 } });
      expect(JSON.parse(folder.read('beat.json'))).toMatchObject({ state: 'complete', projects: ['acme'] });
      folder.write('rankledger.yaml', 'projects: nonsense');
      child.kill('SIGHUP');
      await until(({ event }) => event === 'error');
      folder.write('rankledger.yaml', config(['acme', 'globex']));
      child.kill('SIGHUP');
      await until(({ event, slots }) => event === 'ended' && JSON.stringify(slots).includes('globex'));
      child.kill('SIGTERM');
      expect((await ended).exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
      folder.remove();
    }
  });

  it('is not ended by SIGHUP while it loads', async () => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (url.endsWith('/src/cli/main.ts')) process.kill(process.pid, 'SIGHUP');
        return next(url, context);
      } });`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` };
    const folder = folderOf({ 'rankledger.yaml': config(['acme']) }, env);
    const { child, ended } = folder.start('schedule', '--json');
    try {
      const [line] = await Promise.race([
        once(createInterface({ input: child.stdout! }), 'line'),
        ended.then(() => []),
      ]);
      expect(JSON.parse(String(line))).toMatchObject({ event: 'started' });
      child.kill('SIGTERM');
      expect((await ended).exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
      folder.remove();
    }
  });
});

it.each([['status'], ['plan'], ['audit'], ['report'], ['export'], ['history', 'running shoes']])(
  '%s makes no database where there is none, and says that nothing is known',
  async (...args) => {
    const folder = projectFolder();
    const { exitCode, err } = await invoke(args, { cwd: folder.path, openApp });
    expect([exitCode, existsSync(join(folder.path, 'data'))]).toEqual([0, false]);
    expect(err).not.toContain('Error');
  },
);
