// `schedule`: its output, its exit codes, and what a reload does.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../../src/app/app.ts';
import type { ScheduleEvent, ScheduleOptions } from '../../../src/app/runs/schedule.ts';
import { folderOf } from '../child.ts';
import { type Fakes, type Invocation, invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';
import { nothing, runResult } from '../samples.ts';

const at = '2026-01-15T05:00:00.000Z';

const events: ScheduleEvent[] = [
  { event: 'started', at, projects: 1, database: '/data/rankledger.sqlite' },
  {
    event: 'missed',
    at,
    project: 'acme',
    kind: 'ranks',
    slot: '2026-01-12T06:00',
    lastSlot: '2026-01-14T06:00',
    count: 3,
    timezone: 'UTC',
    reason: 'no scheduler ran',
  },
  {
    event: 'claimed',
    at,
    runId: 7,
    kind: 'ranks',
    slots: [{ project: 'acme', slot: '2026-01-15T06:00' }],
    resumed: true,
  },
  { event: 'ended', at, run: runResult({ state: 'halted', haltReason: 'no credits' }) },
  { event: 'ended', at, run: runResult({ runId: 8, kind: 'volumes', microUsd: { ...nothing, spent: 10_000 } }) },
  { event: 'error', at, runId: null, code: 'DISK_FULL', message: 'the disk is full', hint: 'Free some space.' },
  { event: 'stopped', at },
];

describe('a scheduler that reports every event', () => {
  let folder: ProjectFolder;
  beforeAll(() => {
    folder = projectFolder();
  });
  afterAll(() => folder.remove());

  const fakes: Fakes = {
    async runSchedule({ onEvent }: ScheduleOptions) {
      for (const event of events) onEvent?.(event);
    },
  };
  const inFolder = (argv: readonly string[], invocation: Invocation = {}) =>
    invoke(argv, { cwd: folder.path, fakes, ...invocation });

  it('prints it in words, with the clock of the config', async () => {
    const { exitCode, out, closed } = await inFolder(['schedule']);
    expect([exitCode, closed]).toEqual([0, 1]);
    expect(out.split('\n')).toEqual([
      '2026-01-15 06:00:00  Scheduling 1 project of /data/rankledger.sqlite; press Ctrl-C to stop.',
      '2026-01-15 06:00:00  3 slots missed, 12 to 14 Jan: ranks of acme (no scheduler ran)',
      '2026-01-15 06:00:00  Run 7 of ranks goes on: acme 2026-01-15T06:00',
      '2026-01-15 06:00:00  Run 7 halted: 1,234 ok, 2,345 credits spent, HALTED: no credits',
      '2026-01-15 06:00:00  Run 8 complete: $0.01 spent',
      '2026-01-15 06:00:00  Error: the disk is full. Free some space.',
      '2026-01-15 06:00:00  Stopped.',
      '',
    ]);
  });

  it('prints it as one line of JSON each, runs without their movers', async () => {
    const { out } = await inFolder(['schedule', '--json']);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line['event'])).toEqual(events.map(({ event }) => event));
    expect(lines[3]).toMatchObject({ at, runId: 7, state: 'halted', checks: { ok: 1234 }, problems: 0, reports: [] });
  });

  it('keeps the old config if a reload finds a broken one, and closes the old app after a good one', async () => {
    const signals: AbortSignal[] = [];
    let reload = (): void => {};
    const good = readFileSync(join(folder.path, 'rankledger.yaml'), 'utf8');
    const turn = () => new Promise((resolve) => setTimeout(resolve));
    const waiting: Fakes = {
      async runSchedule({ retired, onEvent }: ScheduleOptions) {
        if (retired === undefined) throw new Error('it cannot be retired');
        signals.push(retired);
        if (signals.length === 2) return;
        folder.write('rankledger.yaml', 'projects: nonsense');
        reload();
        while (!JSON.stringify(written).includes('CONFIG_INVALID')) await turn();
        expect(retired.aborted).toBe(false);
        folder.write('rankledger.yaml', good);
        reload();
        while (!retired.aborted) await turn();
        onEvent?.({ event: 'stopped', at });
      },
    };
    const written: string[] = [];
    const { TextStream } = await import('../fake-host.ts');
    const stdout = new TextStream();
    const write = stdout._write.bind(stdout);
    stdout._write = (chunk: string, encoding: string, done: () => void) => {
      written.push(chunk);
      write(chunk, encoding, done);
    };
    const { exitCode, closed, opened } = await inFolder(['schedule', '--json'], {
      fakes: waiting,
      stdout,
      withReload: (send) => {
        reload = send;
      },
    });
    expect([exitCode, opened.length, closed, signals.length]).toEqual([0, 2, 2, 2]);
  });
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
    folder.remove();
  },
);
