// Every row of the specification's error table and authentication rules, quoted, for each kind of access.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/service/index.ts';
import { settled } from '../../helpers/fake-clock.ts';
import { type Asked, type Subject, subjects } from './subjects.ts';

const shoes = { keyword: 'shoes' };
const hang = () => new Promise<never>(() => undefined);

describe.each(subjects)('the service %s', (_, open) => {
  let subject: Subject;
  beforeEach(async () => {
    subject = await open();
  });
  afterEach(() => subject.close());

  /** Calls both operations; no failure may be charged. */
  const both = async (body: unknown, asked?: Asked, on = subject) => {
    const before = await on.accounts.find('acme');
    const replies = [await on.ask('serp', body, asked), await on.ask('keyword-data', body, asked)];
    for (const reply of replies) {
      expect(reply.charged).toBeUndefined();
      expect(reply.error).not.toBe('');
    }
    const { serpCredits, microUsd } = await on.accounts.find('acme');
    expect([serpCredits, microUsd]).toEqual([before.serpCredits, before.microUsd]);
    return replies.map(({ status, code }) => [status, code]);
  };

  it('| 400 | INVALID_REQUEST | Invalid request format or malformed JSON | yes | yes |', async () => {
    const refused = [400, 'INVALID_REQUEST'];
    expect(await both([shoes])).toEqual([refused, refused]);
    expect(await both({ ...shoes, country: 'Narnia' })).toEqual([refused, refused]);
  });

  it('| 400 | KEYWORD_REQUIRED | keyword parameter missing | yes | yes |', async () => {
    const refused = [400, 'KEYWORD_REQUIRED'];
    expect(await both({})).toEqual([refused, refused]);
  });

  it('| 400 | INVALID_FORMAT | format is neither `json` nor `raw` | yes | no |', async () => {
    expect(await subject.ask('serp', { ...shoes, format: 'xml' })).toMatchObject({
      status: 400,
      code: 'INVALID_FORMAT',
    });
    expect(await subject.ask('keyword-data', { ...shoes, format: 'xml' })).toMatchObject({ status: 200 });
  });

  it('| 401 | INVALID_API_KEY | Authentication failed, invalid credentials | yes | yes |', async () => {
    const wrong = { credentials: { username: 'ann', password: 'wrong' } };
    expect(await subject.ask('serp', shoes, wrong)).toMatchObject({ status: 401, code: 'INVALID_API_KEY' });
    if (!subject.sendsAnything) return;
    for (const credentials of [{}, { username: 'ann' }, { password: 'x' }]) {
      const missing = [401, 'INVALID_API_KEY'];
      expect(await both(shoes, { credentials })).toEqual([missing, missing]);
    }
  });

  it('| 401 | INVALID_CREDENTIALS | Invalid username or password | no | yes |', async () => {
    for (const username of ['ann', 'nobody', '__proto__']) {
      expect(await both(shoes, { credentials: { username, password: 'wrong' } })).toEqual([
        [401, 'INVALID_API_KEY'],
        [401, 'INVALID_CREDENTIALS'],
      ]);
    }
    await subject.accounts.revokeUser('bob');
    expect((await both(shoes, { credentials: subject.bob }))[1]).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  it('| 401 | CREDENTIALS_EXPIRED | API credentials have expired | no | yes |', async () => {
    await subject.accounts.expireUser('ann', subject.clock.now());
    expect(await both(shoes)).toEqual([
      [401, 'INVALID_API_KEY'],
      [401, 'CREDENTIALS_EXPIRED'],
    ]);
  });

  it('| 402 | INSUFFICIENT_CREDITS | Account does not have enough credits | yes | yes |', async () => {
    await subject.accounts.credit('acme', { serpCredits: -100, microUsd: -970_001 });
    const refused = [402, 'INSUFFICIENT_CREDITS'];
    expect(await both(shoes)).toEqual([refused, refused]);
    expect(subject.source.asked).toEqual([]);
  });

  it('| 403 | IP_NOT_WHITELISTED | Request IP is not in the whitelist | no | yes |', async () => {
    await subject.accounts.setWhitelist('acme', ['10.0.0.0/8', '2001:db8::/32']);
    expect(await both(shoes)).toEqual([
      [401, 'INVALID_API_KEY'],
      [403, 'IP_NOT_WHITELISTED'],
    ]);
    await subject.accounts.setWhitelist('acme', ['127.0.0.0/8']);
    expect((await subject.ask('serp', shoes)).status).toBe(200);
  });

  it('| 429 | RATE_LIMIT_EXCEEDED | Too many requests | yes | yes |', async () => {
    const slow = await open({}, { requestRate: { count: 1, windowMs: 10_000 } });
    expect(await slow.ask('serp', shoes)).toMatchObject({ status: 200, rateLeft: 0 });
    const refused = [429, 'RATE_LIMIT_EXCEEDED'];
    if (slow.sendsAnything) {
      expect(await both(shoes, {}, slow)).toEqual([refused, refused]);
      expect(await both('not even a body', {}, slow)).toEqual([refused, refused]);
    }
    expect(await slow.ask('serp', shoes)).toMatchObject({ status: 429, retryAfterMs: 10_000, rateLeft: 0 });
    await slow.clock.advance(10_000);
    expect(await slow.ask('keyword-data', shoes)).toMatchObject({ status: 200 });
    await slow.close();
  });

  it('| 500 | INTERNAL_ERROR | Server-side error | yes | yes |', async () => {
    const broken = await open({
      read: () => {
        throw new Error('canary of the engine');
      },
    });
    const reply = await broken.ask('serp', shoes);
    expect(reply).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' });
    expect(reply.error).not.toContain('canary');
    broken.store.charge = () => Promise.reject(new Error('canary of the disk'));
    const lost = await broken.ask('keyword-data', shoes);
    expect(lost.status).toBeGreaterThanOrEqual(500);
    expect(lost.error).not.toContain('canary');
    await broken.close();
  });

  it('| 502 | SERP_FAILED | Failed to retrieve SERP data | yes | no |', async () => {
    for (const error of [
      new ServiceError('SERP_FAILED', 'Blocked.', { reason: 'blocked' }),
      new Error('canary'),
      new ServiceError('INSUFFICIENT_CREDITS', 'Our supplier wants money.'),
      new ServiceError('RATE_LIMIT_EXCEEDED', 'Our supplier is slow.'),
      new ServiceError('CONNECTION_LOST', 'Our supplier is gone.'),
    ]) {
      const failing = await open({ page: () => Promise.reject(error) });
      const reply = await failing.ask('serp', { ...shoes, end_page: 3 });
      expect(reply).toMatchObject({ status: 502, code: 'SERP_FAILED' });
      expect(reply.error).not.toMatch(/canary|supplier wants/);
      expect(reply.charged).toBeUndefined();
      expect((await failing.accounts.find('acme')).serpCredits).toBe(100);
      await failing.close();
    }
  });

  it('| 502 | WORKER_FAILED | Backend worker failed to process the request | no | yes |', async () => {
    const failing = await open({ metrics: () => Promise.reject(new Error('canary')) });
    const reply = await failing.ask('keyword-data', shoes);
    expect(reply).toMatchObject({ status: 502, code: 'WORKER_FAILED' });
    expect(reply.error).not.toContain('canary');
    await failing.close();
  });

  it('| 504 | TIMEOUT | Request timed out | yes | yes |', async () => {
    const slow = await open({ page: hang, metrics: hang }, { timeoutMs: 5000 });
    for (const operation of ['serp', 'keyword-data'] as const) {
      const asked = operation === 'serp' ? slow.source.asked : slow.source.askedMetrics;
      const reply = slow.ask(operation, shoes);
      while (asked.length === 0) await settled();
      await slow.clock.advance(5000);
      expect(await reply).toMatchObject({ status: 504, code: 'TIMEOUT' });
    }
    expect(await slow.accounts.find('acme')).toMatchObject({ serpCredits: 100, microUsd: 1_000_000 });
    await slow.close();
  });

  it('1. For Keyword Data, when any error is returned, the credits charged for the request are fully refunded.', async () => {
    const failing = await open({ metrics: () => Promise.reject(new Error('canary')) });
    await failing.ask('keyword-data', { ...shoes, limit: 1000 });
    const entries = await failing.accounts.statement('acme');
    expect(entries.slice(1).map(({ kind, microUsd }) => [kind, microUsd])).toEqual([
      ['charge', -300_000],
      ['refund', 300_000],
    ]);
    await failing.close();
  });

  it('| error | string | Human-readable message |, | code | string | Machine-readable error code (see Errors) |', async () => {
    const { error, code, requestId } = await subject.ask('serp', shoes, {
      credentials: { username: 'x', password: 'y' },
    });
    expect([typeof error, code]).toEqual(['string', 'INVALID_API_KEY']);
    expect(requestId).toMatch(/^[\w-]{36}$/);
  });

  it('3. An account can have several API users.', async () => {
    for (const credentials of [subject.ann, subject.bob]) {
      expect((await subject.ask('serp', shoes, { credentials })).status).toBe(200);
    }
    expect((await subject.accounts.find('acme')).serpCredits).toBe(98);
  });
});
