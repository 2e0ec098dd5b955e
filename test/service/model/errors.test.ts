import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, errorTable, ServiceError } from '../../../src/service/index.ts';

/** The error table of the specification: status, code, and whether SERP and keyword data have it. */
const specification: [number, ErrorCode][] = [
  [400, 'INVALID_REQUEST'],
  [400, 'KEYWORD_REQUIRED'],
  [400, 'INVALID_FORMAT'],
  [401, 'INVALID_API_KEY'],
  [401, 'INVALID_CREDENTIALS'],
  [401, 'CREDENTIALS_EXPIRED'],
  [402, 'INSUFFICIENT_CREDITS'],
  [403, 'IP_NOT_WHITELISTED'],
  [429, 'RATE_LIMIT_EXCEEDED'],
  [500, 'INTERNAL_ERROR'],
  [502, 'SERP_FAILED'],
  [502, 'WORKER_FAILED'],
  [504, 'TIMEOUT'],
];

describe('a service error', () => {
  it.each(specification)('has status %i for %s', (status, code) => {
    expect(new ServiceError(code, 'Failed.').status).toBe(status);
  });

  it('is free for certain below status 500 and unknown otherwise, unless a better value is known', () => {
    const free = Object.entries(errorTable).filter(([, { charged }]) => charged === 'no');
    expect(free.map(([, { status }]) => status).filter((status) => status > 0)).toEqual(
      specification.map(([status]) => status).filter((status) => status < 500),
    );
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
