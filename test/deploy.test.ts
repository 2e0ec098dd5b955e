// The files of config/deploy against facts: commands, flags, files and signals that they name exist, and their own tools accept them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scheduleProblem } from '../src/tracker/schedule.ts';
import { invoke } from './cli/fake-host.ts';

const read = (name: string): string => readFileSync(join('config/deploy', name), 'utf8');
/** Lines that do something. */
const lines = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));

/** Fails where the command, or one of its flags, does not exist. */
async function expectKnown(command: string, flags: readonly string[]): Promise<void> {
  const { exitCode, out } = await invoke([command, '--help']);
  expect([command, exitCode]).toEqual([command, 0]);
  for (const flag of flags) expect(out).toContain(flag);
}

describe('the systemd unit', () => {
  const unit = read('rankledger.service');
  const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('starts a command that exists, and is not restarted where that would not help', async () => {
    const [program, command = '', ...flags] = value('ExecStart').split(' ');
    expect(program).toBe('/usr/local/bin/rankledger');
    await expectKnown(
      command,
      flags.filter((flag) => flag.startsWith('--')),
    );
    expect(value('Restart')).toBe('always');
    expect(value('RestartPreventExitStatus')).toBe('2 78');
    expect(value('ExecReload')).toContain('-HUP');
  });

  it('leaves more time to stop than what is in flight is given', () => {
    const graceMs = Number(/graceMs = (\d+)/.exec(readFileSync('src/app/grace.ts', 'utf8'))?.[1]);
    expect(Number(value('TimeoutStopSec')) * 1000).toBeGreaterThan(2 * graceMs);
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).error !== undefined)('is accepted by systemd', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rankledger-unit-'));
    const file = join(folder, 'rankledger.service');
    writeFileSync(file, unit.replace('/usr/local/bin/rankledger', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    // a container without a running systemd still reads the unit; what it says of our file is what counts
    expect([`${stdout}${stderr}`.split('\n').filter((line) => line.includes('rankledger.service')), status]).toEqual([
      [],
      0,
    ]);
  });
});

describe('the crontab', () => {
  it('calls a command that exists, at times that cron knows', async () => {
    const jobs = lines(read('crontab')).filter((line) => !/^[A-Z_]+=/.test(line));
    expect(jobs).toHaveLength(1);
    const [, schedule = '', user, job = ''] = /^((?:\S+ ){5})(\S+) (.*)$/.exec(jobs[0] ?? '') ?? [];
    expect([scheduleProblem(schedule.trim(), 'UTC'), user]).toEqual([null, 'rankledger']);
    const commands = [...job.matchAll(/; rankledger ([a-z]+)/g)].map(([, command]) => command ?? '');
    expect(commands).toEqual(['run']);
    for (const command of commands) await expectKnown(command, []);
    expect(job).not.toContain('%'); // cron reads it as the end of the command
  });
});

describe('the Dockerfile', () => {
  const file = read('Dockerfile');

  it('is built on the runtime that the package needs, in two stages, and runs as nobody in particular', () => {
    const major = /"node": ">=(\d+)"/.exec(readFileSync('package.json', 'utf8'))?.[1];
    expect([...file.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)).toEqual([
      `node:${major}-slim`,
      `node:${major}-slim`,
    ]);
    expect(file).toMatch(/npm ci[\s\S]*FROM[\s\S]*^USER node$/m);
    expect(file).toContain('src/cli/rankledger.mjs');
  });

  it('starts a command that exists', async () => {
    const [command = '', ...flags] = JSON.parse(/^CMD (.*)$/m.exec(file)?.[1] ?? '[]') as string[];
    await expectKnown(command, flags);
    expect(file).toMatch(/^ENTRYPOINT \["rankledger"\]$/m);
  });

  it('is given every file that the package is made of', () => {
    const given = lines(read('Dockerfile.dockerignore'))
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(given.filter((name) => !existsSync(name))).toEqual([]);
    const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    const sources = files.filter((name) => name !== 'dist').map((name) => name.split('/')[0]);
    const { include } = JSON.parse(readFileSync('tsconfig.build.json', 'utf8')) as { include: string[] };
    expect(
      [...sources, ...include, 'package-lock.json', 'tsconfig.json'].filter((name) => !given.includes(name ?? '')),
    ).toEqual([]);
  });
});

interface ComposeService {
  readonly command: readonly string[];
  readonly image: string;
  readonly volumes: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
}

describe('the Compose file', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Readonly<Record<string, ComposeService>>;
  };

  it('has one scheduler, workers and a Redis that neither forgets nor evicts', async () => {
    expect(Object.keys(services)).toEqual(['scheduler', 'worker', 'redis']);
    for (const name of ['scheduler', 'worker']) {
      const [command = '', ...flags] = services[name]?.command ?? [];
      await expectKnown(command, flags);
    }
    expect(services['redis']?.command.join(' ')).toBe('redis-server --appendonly yes --maxmemory-policy noeviction');
    expect(services['scheduler']?.environment?.['REDIS_URL']).toBe('redis://redis:6379');
  });

  it('builds the image from the checkout, and lets workers only read', () => {
    const { context = '', dockerfile = '' } = services['scheduler']?.build ?? {};
    expect(existsSync(join('config/deploy', context, dockerfile))).toBe(true);
    expect(services['worker']?.volumes.every((volume) => volume.endsWith(':ro'))).toBe(true);
  });

  const compose = spawnSync('docker', ['compose', 'version']);
  it.skipIf(compose.error !== undefined || compose.status !== 0)('is accepted by docker compose', () => {
    const { status, stderr } = spawnSync(
      'docker',
      ['compose', '-f', 'config/deploy/compose.yaml', 'config', '--quiet'],
      { encoding: 'utf8', env: { ...process.env, RANKLEDGER_DIR: tmpdir() } },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});
