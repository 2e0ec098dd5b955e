import { describe, expect, it } from 'vitest';
import { failureOf } from '../../helpers/memory-source.ts';
import { type Fault, startProvider } from '../../helpers/provider.ts';
import { bareServer, clientOf, setUpRemote } from '../../helpers/remote.ts';

const shoes = { keyword: 'shoes' };

describe('the charge of a failure', () => {
  const cells: [Fault, string, string, string, number][] = [
    [{ status: 400 }, 'INVALID_REQUEST', 'no', 'abandon', 0],
    [{ status: 400, code: 'KEYWORD_REQUIRED' }, 'KEYWORD_REQUIRED', 'no', 'abandon', 0],
    [{ status: 400, code: 'INVALID_FORMAT' }, 'INVALID_FORMAT', 'no', 'abandon', 0],
    [{ status: 401 }, 'INVALID_API_KEY', 'no', 'halt', 0],
    [{ status: 401, code: 'CREDENTIALS_EXPIRED' }, 'CREDENTIALS_EXPIRED', 'no', 'halt', 0],
    [{ status: 401, code: 'INSUFFICIENT_CREDITS' }, 'INVALID_API_KEY', 'no', 'halt', 0],
    [{ status: 402 }, 'INSUFFICIENT_CREDITS', 'no', 'halt', 0],
    [{ status: 403 }, 'IP_NOT_WHITELISTED', 'no', 'halt', 0],
    [{ status: 404 }, 'NOT_FOUND', 'unknown', 'halt', 0],
    [{ status: 405 }, 'METHOD_NOT_ALLOWED', 'unknown', 'halt', 0],
    [{ status: 408 }, 'TIMEOUT', 'unknown', 'retry', 0],
    [{ status: 418, code: 'TEAPOT' }, 'INVALID_REQUEST', 'unknown', 'abandon', 0],
    [{ status: 429, retryAfter: '2' }, 'RATE_LIMIT_EXCEEDED', 'no', 'wait', 0],
    [{ status: 500, sold: true }, 'INTERNAL_ERROR', 'unknown', 'retry', 1],
    [{ status: 500, body: '<html>' }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 500, body: '[null]' }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 500, code: '__proto__' }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 502 }, 'SERP_FAILED', 'unknown', 'retry', 0],
    [{ status: 503 }, 'INTERNAL_ERROR', 'unknown', 'retry', 0],
    [{ status: 504 }, 'TIMEOUT', 'unknown', 'retry', 0],
    [{ status: 301, location: '/elsewhere' }, 'NOT_FOUND', 'unknown', 'halt', 0],
    [{ status: 307, location: '/v1/serp' }, 'NOT_FOUND', 'unknown', 'halt', 0],
    [{ status: 202, sold: true }, 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['reset-before-sale', 'CONNECTION_LOST', 'unknown', 'retry', 0],
    ['reset-after-sale', 'CONNECTION_LOST', 'unknown', 'retry', 1],
    ['cut', 'CONNECTION_LOST', 'unknown', 'retry', 1],
    ['truncated', 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['html', 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['huge', 'UNREADABLE_RESPONSE', 'unknown', 'abandon', 1],
    ['empty', 'SERP_FAILED', 'yes', 'abandon', 1],
  ];

  it.each(cells)('%j is %s, charged %s, %s', async (fault, code, charged, disposition, sold) => {
    const { client, provider } = await setUpRemote();
    provider.next(fault);
    const failure = await failureOf(client.serp(shoes));
    expect(failure).toMatchObject({ code, charged, disposition });
    expect(provider.requests).toHaveLength(1);
    // The counts agree: `no` was never sold, `yes` always was.
    expect(provider.sold.serpCredits).toBe(sold);
    if (charged === 'no') expect(sold).toBe(0);
    if (charged === 'yes') expect(sold).toBe(1);
  });

  it.each([
    ['502', { status: 502, code: 'WORKER_FAILED' }, 'WORKER_FAILED', 'unknown'],
    ['502 without a code', { status: 502, body: '' }, 'WORKER_FAILED', 'unknown'],
    [
      'success: false',
      { answer: { success: false, result_count: 0, cost: 0, data: [] } },
      'UNREADABLE_RESPONSE',
      'unknown',
    ],
    [
      'a wrong count',
      { answer: { success: true, result_count: 2, cost: 0.01, data: [] } },
      'UNREADABLE_RESPONSE',
      'unknown',
    ],
    ['an array', { answer: [] }, 'UNREADABLE_RESPONSE', 'unknown'],
  ] as [string, Fault, string, string][])('of keyword data: %s', async (_, fault, code, charged) => {
    const { client, provider } = await setUpRemote();
    provider.next(fault);
    expect(await failureOf(client.keywordData(shoes))).toMatchObject({ code, charged });
  });

  it('is "no" if no server listens, the name is unknown, or TLS fails', async () => {
    const address = await bareServer('HTTP/1.1 200 OK\r\n\r\n');
    const gone = await startProvider();
    await gone.close();
    const addresses = [gone.url, 'http://no-such-host.invalid', address.replace('http:', 'https:')];
    for (const baseUrl of addresses) {
      const client = clientOf(baseUrl);
      const failure = await failureOf(client.serp(shoes));
      expect(failure, baseUrl).toMatchObject({ code: 'CONNECTION_FAILED', charged: 'no', disposition: 'retry' });
    }
  });

  it('is unknown if the other side does not speak HTTP or disconnects at once', async () => {
    for (const answer of ['SSH-2.0-OpenSSH_9.9\r\n', undefined]) {
      const client = clientOf(await bareServer(answer));
      expect(await failureOf(client.serp(shoes))).toMatchObject({ code: 'CONNECTION_LOST', charged: 'unknown' });
    }
  });
});
