// What Redis records about an attempt: one begin and one outcome, after any loss of data and any death.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type HeldAttempt, RedisAttempts } from '../../../../jobs/queue/bullmq/redis-attempts.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';

describeWithRedis('an attempt in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  let attempts: RedisAttempts;
  let key: string;
  let announcement: string;
  let count = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    attempts = new RedisAttempts(redis);
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
  const state = async () => (await attempts.readStates([{ key, jobKey: `job:${key}` }]))[0];
  const alive = (worker: string) => attempts.beat(worker, 60_000, []);

  it('is granted to one of fifty that begin it, and to that one again if the reply was lost', async () => {
    await attempts.open(key, announcement, 'me');
    const verdicts = await Promise.all(Array.from({ length: 50 }, (_, at) => attempts.begin(key, `w/${at}`)));
    expect(verdicts.filter((verdict) => verdict === 'begun')).toHaveLength(1);
    expect(new Set(verdicts)).toEqual(new Set(['begun', 'foreign']));
    expect(await attempts.begin(key, `w/${verdicts.indexOf('begun')}`)).toBe('begun');
  });

  it('never begins if it is unknown, recalled or ended', async () => {
    expect(await attempts.begin(key, 'w/1')).toBe('stale');
    await attempts.open(key, announcement, 'me');
    expect(await attempts.conclude({ key, announcement }, 'withdrawn', true)).toBe('ended');
    expect(await attempts.begin(key, 'w/1')).toBe('ended');
    expect(await attempts.open(key, announcement, 'you')).toBe('ended');
    expect(await attempts.read(key)).toEqual({ kind: 'withdrawn', payer: 'me', payload: null });
  });

  it('is neither recalled nor declared lost while a living worker holds it, and is declared lost once the worker is dead', async () => {
    await attempts.open(key, announcement, 'me');
    await alive('living');
    await attempts.begin(key, 'living/1');
    expect(await state()).toBe('begun');
    expect(await attempts.conclude({ key, announcement }, 'withdrawn', true)).toBe('begun');
    expect(await attempts.conclude({ key, announcement }, 'lost', true)).toBe('begun');
    await attempts.leave('living');
    expect(await state()).toBe('orphaned');
    expect(await attempts.conclude({ key, announcement }, 'withdrawn', true)).toBe('begun');
    expect(await attempts.conclude({ key, announcement }, 'lost', true)).toBe('ended');
    expect(await attempts.deliver(held('living/1'), Buffer.from('late'))).toBe('late');
    expect(await attempts.read(key)).toMatchObject({ kind: 'lost', payload: null });
  });

  it('keeps its first outcome and its payer, the first coordinator', async () => {
    await attempts.open(key, announcement, 'me');
    await attempts.open(key, announcement, 'you');
    await attempts.begin(key, 'w/1');
    expect(await attempts.deliver(held('w/1'), Buffer.from('one'))).toBe('kept');
    expect(await attempts.deliver(held('w/1'), Buffer.from('one'))).toBe('kept');
    expect(await attempts.deliver(held('w/2'), Buffer.from('two'))).toBe('late');
    expect(await attempts.read(key)).toEqual({ kind: 'outcome', payer: 'me', payload: Buffer.from('one') });
  });

  it('that Redis has lost is restored by the worker that holds it, and its answer is accepted', async () => {
    await attempts.open(key, announcement, 'me');
    await attempts.begin(key, 'w/1');
    await server.flush();
    expect(await state()).toBe('missing');
    await attempts.beat('w', 60_000, [held('w/1')]);
    expect(await state()).toBe('begun');
    expect(await attempts.begin(key, 'v/1')).toBe('foreign');
    await server.flush();
    expect(await attempts.deliver(held('w/1'), Buffer.from('answer'))).toBe('kept');
    expect(await attempts.read(key)).toMatchObject({ kind: 'outcome', payer: 'me' });
  });

  it('without a record was never queued if its announcement exists; otherwise its outcome is unknown', async () => {
    expect(await attempts.conclude({ key, announcement }, 'withdrawn', true)).toBe('missing');
    await attempts.announce(announcement);
    expect(await attempts.conclude({ key, announcement }, 'withdrawn', true)).toBe('ended');
    expect(await attempts.begin(key, 'w/1')).toBe('ended');
  });

  it('loses its announcement once it is queued or retracted', async () => {
    await attempts.announce(announcement);
    await attempts.open(key, announcement, 'me');
    expect(await redis.exists(announcement)).toBe(0);
    await attempts.announce(announcement);
    await attempts.retract(announcement);
    expect(await redis.exists(announcement)).toBe(0);
  });

  it('from before a restart waits until it is confirmed, and cannot be recalled for certain without a log on disk', async () => {
    await attempts.open(key, announcement, 'me');
    await server.kill();
    await server.start();
    expect(await state()).toBe('stale');
    expect(await attempts.begin(key, 'w/1')).toBe('stale');
    expect(await attempts.conclude({ key, announcement }, 'withdrawn', false)).toBe('stale');
    await attempts.confirm(key);
    expect(await state()).toBe('absent');
    expect(await attempts.begin(key, 'w/1')).toBe('begun');
  });

  it('expires', async () => {
    await attempts.open(key, announcement, 'me');
    expect(await redis.ttl(key)).toBeGreaterThan(0);
    await attempts.deliver(held('w/1'), Buffer.from('one'));
    const unread = await redis.ttl(key);
    await attempts.read(key);
    expect(await redis.ttl(key)).toBeLessThan(unread);
    expect(await redis.ttl(key)).toBeGreaterThan(0);
  });
});
