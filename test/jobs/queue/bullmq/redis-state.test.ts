// The state that Redis reports: persistence, eviction and workers.
import { Worker } from 'bullmq';
import { afterEach, describe, expect, it } from 'vitest';
import { type RedisState, redisState } from '../../../../jobs/queue/bullmq/redis.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';

const open: RedisServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.remove();
});

async function start(...settings: Parameters<typeof RedisServer.start>): Promise<RedisServer> {
  const server = await RedisServer.start(...settings);
  open.push(server);
  return server;
}

const patient = () => new AbortController().signal;

describeWithRedis('a Redis', () => {
  it('reports how it persists and evicts data, and its workers', async () => {
    const server = await start('aof');
    await server.ask(async (redis) => {
      await redis.set('rankledger:worker:one', '1', 'PX', 60_000);
      await redis.set('another:program', '1');
    });
    expect(await redisState(server.url, patient())).toMatchObject({
      address: `127.0.0.1:${server.port}/0`,
      version: expect.stringMatching(/^\d+\./),
      maxmemoryPolicy: 'noeviction',
      maxmemoryBytes: 0,
      persistence: 'log',
      workers: 1,
    } satisfies Partial<Record<keyof RedisState, unknown>>);
  });

  it('names the queues that no worker serves', async () => {
    const server = await start('aof');
    const connection = { host: '127.0.0.1', port: server.port, maxRetriesPerRequest: null };
    const worker = new Worker('vendor-1', async () => null, { connection, prefix: 'rankledger' });
    await worker.waitUntilReady();
    const { unserved } = await redisState(server.url, patient(), ['vendor-1', 'vendor-2']);
    await worker.close();
    expect(unserved).toEqual(['vendor-2']);
  });

  it.each([
    ['none', [], 'none', 'noeviction'],
    ['everysec', [], 'unsynced', 'noeviction'],
    ['aof', ['--no-appendfsync-on-rewrite', 'yes'], 'unsynced', 'noeviction'],
    [
      'none',
      ['--save', '60 1', '--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'],
      'snapshots',
      'allkeys-lru',
    ],
  ] as const)('%s %j keeps %s and is %s', async (kind, settings, persistence, maxmemoryPolicy) => {
    const server = await start(kind, ...settings);
    expect(await redisState(server.url, patient())).toMatchObject({ persistence, maxmemoryPolicy, workers: 0 });
  });

  it('that wants another password says so without the password', async () => {
    const server = await start('aof', '--requirepass', 'right-password');
    for (const url of [server.url, server.url.replace('://', '://:wrong-password@')]) {
      const error = await redisState(url, patient()).catch((reason: unknown) => reason);
      expect(String(error)).toContain('rejects the login');
      expect(JSON.stringify(error) + String(error)).not.toContain('wrong-password');
    }
  });
});

describe('an unreachable Redis', () => {
  it('is reported at once, with what to do', async () => {
    const error = await redisState('redis://:secret-word@127.0.0.1:1/3', patient()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'REDIS_UNREACHABLE', hint: expect.stringContaining('queue.redisUrl') });
    expect(String(error)).toContain('127.0.0.1:1/3');
    expect(String(error)).not.toContain('secret-word');
  });

  it('is abandoned on abort', async () => {
    const giveUp = new AbortController();
    giveUp.abort(new Error('too long'));
    await expect(redisState('redis://127.0.0.1:1', giveUp.signal)).rejects.toThrow('too long');
  });
});
