// Detects whether a named process still runs: reused numbers, zombies, other PID namespaces and older name formats.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../db/store.ts';
import { mayBeAlive, processOwner } from '../../../src/service/access/credits.ts';
import {
  isProcessAtWork,
  isProcessRunning,
  processName,
  processNameOf,
  processStateOf,
} from '../../../src/service/index.ts';
import { statFacts } from '../../../src/service/model/process-liveness.ts';
import { startUnreaped, type Unreaped } from '../../helpers/zombie.ts';

const isLinux = process.platform === 'linux';
const now = Date.UTC(2026, 0, 15, 6);
const folder = mkdtempSync(join(tmpdir(), 'rankledger-liveness-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const children: ChildProcess[] = [];
const unreaped: Unreaped[] = [];
afterEach(() => {
  for (const zombie of unreaped.splice(0)) zombie.remove();
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

describe.runIf(isLinux)('a process of this machine', () => {
  it('with the recorded name is running', () => {
    const child = spawn('sleep', ['60']);
    children.push(child);
    const name = processNameOf(child.pid ?? 0);
    expect(name.split('|')[1]?.split('~').length).toBe(3);
    expect(processStateOf(name)).toBe('running');
    expect(processStateOf(processName())).toBe('own');
  });

  it('whose number another process has taken has ended, even with a recent heartbeat', () => {
    const reused = processNameOf(process.ppid).replace(/~\d+\|/, '~17|');
    expect(processStateOf(reused)).toBe('ended');
    expect(isProcessAtWork(reused, now, now)).toBe(false);
    expect(mayBeAlive(`${reused}|1`)).toBe(false);
    expect(processStateOf(processName().replace(/~\d+\|/, '~17|'))).toBe('ended');
  });

  it('that is a zombie has ended, although it accepts signals', async () => {
    const zombie = await startUnreaped('sleep', '60');
    unreaped.push(zombie);
    await zombie.kill();
    const { pid } = zombie;
    expect(process.kill(pid, 0)).toBe(true);
    expect(isProcessRunning(pid)).toBe(false);
    const name = processNameOf(pid);
    expect(processStateOf(name)).toBe('ended');
    expect(isProcessAtWork(name, now, now)).toBe(false);
    expect(mayBeAlive(`${name}|1`)).toBe(false);
  });

  it('that runs without a heartbeat for a minute is not at work', () => {
    const name = processNameOf(process.ppid);
    expect(isProcessAtWork(name, null, now)).toBe(true);
    expect(isProcessAtWork(name, now - 59_999, now)).toBe(true);
    expect(isProcessAtWork(name, now - 60_000, now)).toBe(false);
    // the clock was set back since
    expect(isProcessAtWork(name, now + 60_000, now)).toBe(false);
  });
});

describe('the facts of /proc/PID/stat', () => {
  it('are found behind a program name with spaces and parentheses', () => {
    const fields = Array.from({ length: 50 }, (_, index) => `${index + 4}`).join(' ');
    expect(statFacts(`12 (a) R 99) (b) S ${fields}\n`)).toEqual({ state: 'S', start: '22' });
    expect(statFacts('12 (cut')).toBe(null);
  });
});

describe('a name of an earlier version', () => {
  const [boot = ''] = (processName().split('|')[1] ?? '').split('~');

  it('without a start time or a namespace is identified by its number', () => {
    for (const system of [boot, `${boot}~${(processName().split('~')[1] ?? '').split('|')[0]}`]) {
      expect(processStateOf(`${hostname()}|${system}|${process.ppid}|3`)).toBe('running');
      expect(processStateOf(`${hostname()}|${system}|${2 ** 22 + 1}|3`)).toBe('ended');
      expect(mayBeAlive(`${hostname()}|${system}|${process.pid}|some-uuid`)).toBe(false);
    }
  });

  it('from before a restart of this machine has ended, and one of another machine is elsewhere', () => {
    expect(processStateOf(`${hostname()}|an-earlier-boot|1|1`)).toBe('ended');
    expect(processStateOf(`not-${hostname()}|boot|1`)).toBe('elsewhere');
    expect(processStateOf('nonsense')).toBe('elsewhere');
  });
});

const unshared = spawnSync('unshare', ['--pid', '--fork', 'true']).status === 0;
if (!unshared) console.log('not tested: another PID namespace, because this user may not make one (unshare --pid)');

describe.runIf(unshared)('a process in another PID namespace under the same host name', () => {
  for (const more of [['--mount-proc'], []]) {
    it(`does not take our charge for that of a dead process (unshare --pid ${more.join(' ')})`, async () => {
      const file = join(folder, `accounts${more.length}.sqlite`);
      const store = openStore(file);
      await store.accounts.createAccount({ name: 'acme', serpCredits: 10, microUsd: 0, whitelist: [], createdAt: now });
      const facts = { account: 'acme', username: undefined, requestId: 'r', operation: 'serp' as const };
      const price = { serpCredits: 4, microUsd: 0 };
      await store.accounts.charge({ ...facts, price, owner: processOwner(), at: Date.now() });
      const child = join(import.meta.dirname, '../../helpers/namespace-child.ts');
      const args = ['--pid', '--fork', ...more, process.execPath, child, file, processOwner()];
      const seen = JSON.parse(execFileSync('unshare', args, { encoding: 'utf8' })) as Record<string, unknown>;
      expect(seen).toMatchObject({ pid: 1, own: 'own', state: 'unreachable', isAtWork: [true, false], refunded: 0 });
      expect(processStateOf(String(seen['name']))).toBe('unreachable');
      expect((await store.accounts.findAccount('acme'))?.serpCredits).toBe(6);
      store.close();
    });
  }
});
