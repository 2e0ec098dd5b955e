// What Redis says of itself, asked by somebody who trusts it with nothing yet.
import { afterEach, describe, expect, it } from 'vitest';
import { type RedisState, redisState } from '../../../../jobs/queue/bullmq/state.ts';
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
  it('tells how it keeps and drops things, and who works for it', async () => {
    const server = await start('aof');
    await server.ask(async (redis) => {
      await redis.set('rankledger:worker:one', '1', 'PX', 60_000);
      await redis.set('somebody:else', '1');
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

  it('that wants another password says so, and the password is not told', async () => {
    const server = await start('aof', '--requirepass', 'right-password');
    for (const url of [server.url, server.url.replace('://', '://:wrong-password@')]) {
      const error = await redisState(url, patient()).catch((reason: unknown) => reason);
      expect(String(error)).toContain('rejects the login');
      expect(JSON.stringify(error) + String(error)).not.toContain('wrong-password');
    }
  });
});

describe('no Redis', () => {
  it('is told at once, with what to do', async () => {
    const error = await redisState('redis://:secret-word@127.0.0.1:1/3', patient()).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'REDIS_UNREACHABLE', hint: expect.stringContaining('queue.redisUrl') });
    expect(String(error)).toContain('127.0.0.1:1/3');
    expect(String(error)).not.toContain('secret-word');
  });

  it('is given up with the signal', async () => {
    const giveUp = new AbortController();
    giveUp.abort(new Error('too long'));
    await expect(redisState('redis://127.0.0.1:1', giveUp.signal)).rejects.toThrow('too long');
  });
});
