// A private redis-server on a free port of loopback, in its own folder, that a test may kill, flush and pause.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { describe } from 'vitest';

/** `aof` keeps every write, `everysec` those synced before a power cut, `none` loses everything with its process. */
export type Persistence = 'aof' | 'everysec' | 'none';

/** Below the ports that systems assign, so that no other program gets the port of a server that is restarted. */
const ports = [20_000, 30_000] as const;

const hasServer = canRun('redis-server');
const mustRun = process.env['CI'] !== undefined;
if (!hasServer && !mustRun) {
  process.stderr.write(
    'Tests of the queue over Redis are skipped: there is no redis-server (apt-get install redis-server)\n',
  );
}

/** Without a redis-server its tests are skipped, but never on CI. */
export const hasRedis = hasServer || mustRun;
export const describeWithRedis = hasRedis ? describe : describe.skip;

export class RedisServer {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #persistence: Persistence;
  readonly #settings: readonly string[];
  #process: ChildProcess | null = null;

  /** `settings` as on the command line of redis-server. */
  static async start(persistence: Persistence = 'aof', ...settings: string[]): Promise<RedisServer> {
    for (;;) {
      const server = new RedisServer(randomInt(...ports), persistence, settings);
      if (await server.#isUp()) return server;
      await server.remove();
    }
  }

  constructor(port: number, persistence: Persistence, settings: readonly string[]) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), 'rankledger-redis-'));
    this.#persistence = persistence;
    this.#settings = settings;
  }

  /** Restarts it with what it has kept. Resolves when it accepts commands. */
  async start(): Promise<void> {
    if (!(await this.#isUp())) throw new Error(`redis-server could not be started again on port ${this.port}`);
  }

  /** Whether it accepts commands; false if another program has its port. */
  async #isUp(): Promise<boolean> {
    const appendOnly = this.#persistence === 'none' ? 'no' : 'yes';
    const sync = this.#persistence === 'everysec' ? 'everysec' : 'always';
    const where = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const child = spawn(
      'redis-server',
      [...where, '--save', '', '--appendonly', appendOnly, '--appendfsync', sync, ...this.#settings],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    this.#process = child;
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.includes('Ready to accept connections')) {
        child.stdout.resume();
        return true;
      }
      said.push(line);
    }
    if (!said.some((line) => line.includes('Address already in use'))) throw new Error(said.join('\n'));
    return false;
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  /** Bytes of its log, as if they were on disk by now: later ones are lost in a power cut. */
  get logBytes(): number {
    return statSync(this.#log).size;
  }

  /** As a power cut would: its log ends after that many bytes. */
  async cutPower(syncedBytes: number): Promise<void> {
    await this.kill();
    truncateSync(this.#log, syncedBytes);
  }

  get #log(): string {
    const folder = join(this.#folder, 'appendonlydir');
    const name = readdirSync(folder).find((file) => file.endsWith('.incr.aof'));
    if (name === undefined) throw new Error('Redis keeps no log');
    return join(folder, name);
  }

  /** Deletes everything, and continues. */
  async flush(): Promise<void> {
    await this.ask((redis) => redis.flushall());
  }

  /** One conversation over its own connection. */
  async ask<T>(talk: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { maxRetriesPerRequest: 1 });
    try {
      return await talk(redis);
    } finally {
      redis.disconnect();
    }
  }

  /** Kills it and removes its folder. */
  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function canRun(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
