import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { errorTable, ServiceError } from '../../../src/service/index.ts';

describe('a service error', () => {
  it('is free for certain below status 500 and unknown otherwise, unless a better value is known', () => {
    for (const [code, { status, charged }] of Object.entries(errorTable).filter(([, { status }]) => status > 0))
      expect(charged, code).toBe(status < 500 && status !== 404 && status !== 405 ? 'no' : 'unknown');
    expect(new ServiceError('TIMEOUT', 'Late.').charged).toBe('unknown');
    expect(new ServiceError('TIMEOUT', 'Late.', { charged: 'no' }).charged).toBe('no');
  });

  it('keeps every fact if one is updated, including its cause and its body', () => {
    const cause = new Error('socket');
    const body = { contentType: 'text/html', text: '<p>' } as const;
    const facts = { cause, body, reason: 'blocked', retryAfterMs: 5, requestId: 'r', hint: 'h', status: 503 } as const;
    const error = new ServiceError('SERP_FAILED', 'Failed.', { ...facts, disposition: 'wait', charged: 'yes' });
    expect(error.with({ charged: 'no' })).toMatchObject({
      ...facts,
      code: 'SERP_FAILED',
      message: 'Failed.',
      disposition: 'wait',
      charged: 'no',
    });
  });

  it('keeps its stack trace', () => {
    const error = new ServiceError('TIMEOUT', 'Late.');
    expect(error.with({ charged: 'no' }).stack).toBe(error.stack);
  });

  it('never prints its body', () => {
    const body = { contentType: 'text/html', text: 'a page of a megabyte' } as const;
    const error = new ServiceError('UNREADABLE_RESPONSE', 'Unreadable.', { body });
    expect(inspect(error) + JSON.stringify(error)).not.toContain('megabyte');
    expect(error.body).toEqual(body);
  });
});
