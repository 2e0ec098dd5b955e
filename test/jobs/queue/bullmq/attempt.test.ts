// What Redis records about an attempt: one begin and one outcome, after any loss of data and any death.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  type AttemptEvent,
  AttemptRecords,
  type AttemptState,
  type Following,
  followAttempt,
  type HeldAttempt,
} from '../../../../jobs/queue/bullmq/attempt.ts';
import { describeWithRedis, RedisServer } from '../../../helpers/redis.ts';

const followed: Following = { isEnqueued: true, isUnwanted: false, granted: null, doubt: null };
const seen = (state: AttemptState, at = 0, isDurable = true): AttemptEvent => ({
  ...{ kind: 'seen', state, at, settleMs: 10, isDurable },
});
const doubting = (state: AttemptState, more: Partial<Following> = {}): Following => ({
  ...{ ...followed, doubt: { state, since: 0 }, ...more },
});
const unwanted: Following = { ...followed, isUnwanted: true };

it.each<[string, Following, AttemptEvent, ReturnType<typeof followAttempt>[1]]>([
  ['is read once it has ended', followed, seen('ended'), 'read'],
  ['is left to the worker that has begun it, wanted or not', unwanted, seen('begun'), null],
  ['is queued again if its job is gone', followed, seen('absent'), 'enqueue'],
  ['is withdrawn while it waits if it is unwanted', unwanted, seen('waiting'), 'withdraw'],
  ['is withdrawn if its job is gone and it is unwanted', unwanted, seen('absent'), 'withdraw'],
  ['is not lost at first sight', followed, seen('missing'), null],
  ['is not lost before others could report it', doubting('orphaned'), seen('orphaned', 9), null],
  ['is not lost where another doubt begins', doubting('orphaned'), seen('missing', 10), null],
  ['is lost with its worker', doubting('orphaned'), seen('orphaned', 10), 'lose'],
  ['is lost if Redis lost it after it was queued', doubting('missing'), seen('missing', 10), 'lose'],
  ['is queued if Redis lost it before', doubting('missing', { isEnqueued: false }), seen('missing', 10), 'enqueue'],
  ['is confirmed after a restart that lost nothing', doubting('stale'), seen('stale', 10), 'confirm'],
  ['is lost after a restart that may have lost something', doubting('stale'), seen('stale', 10, false), 'lose'],
  ['is granted to the first that asks', followed, { kind: 'asked', token: 'w/1' }, 'grant'],
  ['is granted to it again', { ...followed, granted: 'w/1' }, { kind: 'asked', token: 'w/1' }, 'grant'],
  ['is granted to no other', { ...followed, granted: 'w/1' }, { kind: 'asked', token: 'w/2' }, null],
  ['is not granted once it is unwanted', unwanted, { kind: 'asked', token: 'w/1' }, null],
])('an attempt %s', (_, following, event, effect) => {
  expect(followAttempt(following, event)[1]).toBe(effect);
});

describeWithRedis('an attempt in Redis', () => {
  let server: RedisServer;
  let redis: Redis;
  let attempts: AttemptRecords;
  let key: string;
  let announcement: string;
  let count = 0;
  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url, { maxRetriesPerRequest: null });
    redis.on('error', () => undefined);
    attempts = new AttemptRecords(redis);
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
  const state = async () => (await attempts.states([{ key, jobKey: `job:${key}` }]))[0];
  const alive = (worker: string) => attempts.beat(worker, 60_000, []);

  it('is granted to one of fifty that begin it, and to that one again if the reply was lost', async () => {
    await attempts.open(key, announcement, 'me', 'first');
    const verdicts = await Promise.all(Array.from({ length: 50 }, (_, at) => attempts.begin(key, `w/${at}`)));
    expect(verdicts.filter((verdict) => verdict === 'begun')).toHaveLength(1);
    expect(new Set(verdicts)).toEqual(new Set(['begun', 'foreign']));
    expect(await attempts.begin(key, `w/${verdicts.indexOf('begun')}`)).toBe('begun');
  });

  it('never begins if it is unknown, recalled or ended', async () => {
    expect(await attempts.begin(key, 'w/1')).toBe('stale');
    await attempts.open(key, announcement, 'me', 'first');
    expect(await attempts.conclude(key, announcement, 'withdrawn', true)).toBe('ended');
    expect(await attempts.begin(key, 'w/1')).toBe('ended');
    expect(await attempts.open(key, announcement, 'you', 'first')).toBe('ended');
    expect(await attempts.read(key)).toEqual({ kind: 'withdrawn', payer: 'me', payload: null });
  });

  it('is neither recalled nor declared lost while a living worker holds it, and is declared lost once the worker is dead', async () => {
    await attempts.open(key, announcement, 'me', 'first');
    await alive('living');
    await attempts.begin(key, 'living/1');
    expect(await state()).toBe('begun');
    expect(await attempts.conclude(key, announcement, 'withdrawn', true)).toBe('begun');
    expect(await attempts.conclude(key, announcement, 'lost', true)).toBe('begun');
    await attempts.leave('living');
    expect(await state()).toBe('orphaned');
    expect(await attempts.conclude(key, announcement, 'withdrawn', true)).toBe('begun');
    expect(await attempts.conclude(key, announcement, 'lost', true)).toBe('ended');
    expect(await attempts.deliver(held('living/1'), Buffer.from('late'))).toBe('late');
    expect(await attempts.read(key)).toMatchObject({ kind: 'lost', payload: null });
  });

  it('keeps its first outcome and its payer, the first coordinator', async () => {
    await attempts.open(key, announcement, 'me', 'first');
    await attempts.open(key, announcement, 'you', 'first');
    await attempts.begin(key, 'w/1');
    expect(await attempts.deliver(held('w/1'), Buffer.from('one'))).toBe('kept');
    expect(await attempts.deliver(held('w/1'), Buffer.from('one'))).toBe('kept');
    expect(await attempts.deliver(held('w/2'), Buffer.from('two'))).toBe('late');
    expect(await attempts.read(key)).toEqual({ kind: 'outcome', payer: 'me', payload: Buffer.from('one') });
  });

  it('that Redis has lost is restored by the worker that holds it, and its answer is accepted', async () => {
    await attempts.open(key, announcement, 'me', 'first');
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
    expect(await attempts.conclude(key, announcement, 'withdrawn', true)).toBe('missing');
    await attempts.announce(announcement);
    expect(await attempts.conclude(key, announcement, 'withdrawn', true)).toBe('ended');
    expect(await attempts.begin(key, 'w/1')).toBe('ended');
  });

  it('loses its announcement once it is queued or retracted', async () => {
    await attempts.announce(announcement);
    await attempts.open(key, announcement, 'me', 'first');
    expect(await redis.exists(announcement)).toBe(0);
    await attempts.announce(announcement);
    await attempts.retract(announcement);
    expect(await redis.exists(announcement)).toBe(0);
  });

  it('from before a restart waits until it is confirmed, and cannot be recalled for certain without a log on disk', async () => {
    await attempts.open(key, announcement, 'me', 'first');
    await server.kill();
    await server.start();
    expect(await state()).toBe('stale');
    expect(await attempts.begin(key, 'w/1')).toBe('stale');
    expect(await attempts.conclude(key, announcement, 'withdrawn', false)).toBe('stale');
    await attempts.open(key, announcement, 'me', 'confirmed');
    expect(await state()).toBe('absent');
    expect(await attempts.begin(key, 'w/1')).toBe('begun');
  });

  it('expires', async () => {
    await attempts.open(key, announcement, 'me', 'first');
    expect(await redis.ttl(key)).toBeGreaterThan(0);
    await attempts.deliver(held('w/1'), Buffer.from('one'));
    const unread = await redis.ttl(key);
    await attempts.read(key);
    expect(await redis.ttl(key)).toBeLessThan(unread);
    expect(await redis.ttl(key)).toBeGreaterThan(0);
  });
});
