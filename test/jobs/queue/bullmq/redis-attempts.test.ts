// What Redis knows of a try: only one beginning is granted, only one end is kept, whatever Redis forgets and whoever dies.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type HeldAttempt, RedisAttempts } from '../../../../jobs/queue/bullmq/redis-attempts.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';

describeWithRedis('a try in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  let tries: RedisAttempts;
  let key: string;
  let announcement: string;
  let count = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    tries = new RedisAttempts(redis);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.remove();
  });
  beforeEach(() => {
    count += 1;
    key = `rankledger:try:test:${count}`;
    announcement = `rankledger:announced:test:${count}`;
  });

  const held = (token: string): HeldAttempt => ({ key, token, payer: 'me' });
  const look = async () => (await tries.readStates([{ key, jobKey: `job:${key}` }]))[0];
  const alive = (worker: string) => tries.beat(worker, 60_000, []);

  it('is begun by one of fifty that try, and by that one again where its answer was lost on the way', async () => {
    await tries.open(key, announcement, 'me');
    const verdicts = await Promise.all(Array.from({ length: 50 }, (_, at) => tries.begin(key, `w/${at}`)));
    expect(verdicts.filter((verdict) => verdict === 'begun')).toHaveLength(1);
    expect(new Set(verdicts)).toEqual(new Set(['begun', 'foreign']));
    expect(await tries.begin(key, `w/${verdicts.indexOf('begun')}`)).toBe('begun');
  });

  it('is never begun where it is unknown, called back or over', async () => {
    expect(await tries.begin(key, 'w/1')).toBe('stale');
    await tries.open(key, announcement, 'me');
    expect(await tries.conclude({ key, announcement }, 'withdrawn', true)).toBe('ended');
    expect(await tries.begin(key, 'w/1')).toBe('ended');
    expect(await tries.open(key, announcement, 'you')).toBe('ended');
    expect(await tries.read(key)).toEqual({ kind: 'withdrawn', payer: 'me', payload: null });
  });

  it('is not called back, nor given up, while a living worker is at it; and given up once the worker is dead', async () => {
    await tries.open(key, announcement, 'me');
    await alive('living');
    await tries.begin(key, 'living/1');
    expect(await look()).toBe('begun');
    expect(await tries.conclude({ key, announcement }, 'withdrawn', true)).toBe('begun');
    expect(await tries.conclude({ key, announcement }, 'lost', true)).toBe('begun');
    await tries.leave('living');
    expect(await look()).toBe('orphaned');
    expect(await tries.conclude({ key, announcement }, 'withdrawn', true)).toBe('begun');
    expect(await tries.conclude({ key, announcement }, 'lost', true)).toBe('ended');
    expect(await tries.deliver(held('living/1'), Buffer.from('late'))).toBe('late');
    expect(await tries.read(key)).toMatchObject({ kind: 'lost', payload: null });
  });

  it('keeps its first outcome, and who pays: the first coordinator', async () => {
    await tries.open(key, announcement, 'me');
    await tries.open(key, announcement, 'you');
    await tries.begin(key, 'w/1');
    expect(await tries.deliver(held('w/1'), Buffer.from('one'))).toBe('kept');
    expect(await tries.deliver(held('w/1'), Buffer.from('one'))).toBe('kept');
    expect(await tries.deliver(held('w/2'), Buffer.from('two'))).toBe('late');
    expect(await tries.read(key)).toEqual({ kind: 'outcome', payer: 'me', payload: Buffer.from('one') });
  });

  it('that Redis has forgotten is kept alive by the worker that holds it, and its answer is taken', async () => {
    await tries.open(key, announcement, 'me');
    await tries.begin(key, 'w/1');
    await server.flush();
    expect(await look()).toBe('missing');
    await tries.beat('w', 60_000, [held('w/1')]);
    expect(await look()).toBe('begun');
    expect(await tries.begin(key, 'v/1')).toBe('foreign');
    await server.flush();
    expect(await tries.deliver(held('w/1'), Buffer.from('answer'))).toBe('kept');
    expect(await tries.read(key)).toMatchObject({ kind: 'outcome', payer: 'me' });
  });

  it('without a trace was never handed out where it stands announced; else nobody knows', async () => {
    expect(await tries.conclude({ key, announcement }, 'withdrawn', true)).toBe('missing');
    await tries.announce(announcement);
    expect(await tries.conclude({ key, announcement }, 'withdrawn', true)).toBe('ended');
    expect(await tries.begin(key, 'w/1')).toBe('ended');
  });

  it('that was handed out is not announced any more, and one that was never written down is not either', async () => {
    await tries.announce(announcement);
    await tries.open(key, announcement, 'me');
    expect(await redis.exists(announcement)).toBe(0);
    await tries.announce(announcement);
    await tries.retract(announcement);
    expect(await redis.exists(announcement)).toBe(0);
  });

  it('from before a restart waits until it is confirmed; without a log on disk it cannot be called back for certain', async () => {
    await tries.open(key, announcement, 'me');
    await server.kill();
    await server.start();
    expect(await look()).toBe('stale');
    expect(await tries.begin(key, 'w/1')).toBe('stale');
    expect(await tries.conclude({ key, announcement }, 'withdrawn', false)).toBe('stale');
    await tries.confirm(key);
    expect(await look()).toBe('absent');
    expect(await tries.begin(key, 'w/1')).toBe('begun');
  });

  it('does not stay for ever', async () => {
    await tries.open(key, announcement, 'me');
    expect(await redis.ttl(key)).toBeGreaterThan(0);
    await tries.deliver(held('w/1'), Buffer.from('one'));
    const unread = await redis.ttl(key);
    await tries.read(key);
    expect(await redis.ttl(key)).toBeLessThan(unread);
    expect(await redis.ttl(key)).toBeGreaterThan(0);
  });
});
