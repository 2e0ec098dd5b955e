// The free probe of a provider: our own server in every state, and servers of other providers.
import { describe, expect, it } from 'vitest';
import { ServiceError, startServer } from '../../../src/service/index.ts';
import { closeLater } from '../../helpers/closing.ts';
import { callerOf, setUpCustomers } from '../../helpers/customers.ts';
import { listenOnLoopback } from '../../helpers/loopback.ts';
import { bareServer, clientOf } from '../../helpers/remote.ts';

const patient = () => new AbortController().signal;

async function ownServer() {
  const customers = await setUpCustomers();
  const { service, clock, store } = customers;
  const server = await startServer({ service, clock, accounts: store });
  closeLater(server);
  const asAnn = { user: customers.ann.username, password: customers.ann.password };
  return { ...customers, url: server.url, asAnn };
}

interface Seen {
  readonly path: string;
  readonly isSigned: boolean;
  readonly body: string;
}

/** A provider that answers every request with `answer`. */
async function otherServer(answer: (seen: Seen) => { status: number; body: string; headers?: Record<string, string> }) {
  const seen: Seen[] = [];
  const { url, close } = await listenOnLoopback(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ path: request.url ?? '', isSigned: request.headers['service-api-user'] !== undefined, body });
    const { status, body: text, headers = {} } = answer(seen.at(-1) as Seen);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
  });
  closeLater({ close });
  return { url, seen };
}

/** Accepts a request and never answers. */
async function silentServer(onRequest: () => void): Promise<string> {
  const { url, close } = await listenOnLoopback(onRequest);
  closeLater({ close });
  return url;
}

describe('our own server', () => {
  it('answers and accepts the credentials, and nothing is charged, bought or counted as a failed login', async () => {
    const { url, asAnn, source, store, accounts, ann, service } = await ownServer();
    for (let each = 0; each < 20; each++) {
      expect(await clientOf(url, asAnn).probe(patient())).toEqual({
        answers: true,
        creditsLeft: null,
        unit: 'credit',
        message: 'It answers, and accepts the credentials.',
      });
    }
    expect(source.asked).toEqual([]);
    expect(await store.findAccount('acme')).toMatchObject({ serpCredits: 100, microUsd: 1_000_000 });
    const { pages } = await service.serp({ keyword: 'shoes' }, callerOf(ann));
    expect(pages).toHaveLength(1);
    expect((await accounts.find('acme')).serpCredits).toBe(99);
  });

  it('distinguishes a wrong password, an expired user and a foreign address, each with its remedy', async () => {
    const { url, asAnn, accounts, clock } = await ownServer();
    const codes = async (changes = {}) => {
      const { answers, problems } = await clientOf(url, { ...asAnn, ...changes }).probe(patient());
      return [answers, problems?.map(({ code, disposition }) => [code, disposition])];
    };
    expect(await codes({ password: 'wrong-password' })).toEqual([false, [['INVALID_CREDENTIALS', 'halt']]]);
    await accounts.setWhitelist('acme', ['203.0.113.7']);
    expect(await codes()).toEqual([false, [['IP_NOT_WHITELISTED', 'halt']]]);
    await accounts.setWhitelist('acme', []);
    await accounts.expireUser('ann', clock.now());
    await clock.advance(1);
    expect(await codes()).toEqual([false, [['CREDENTIALS_EXPIRED', 'halt']]]);
  });
});

describe('a server of another provider', () => {
  const refusing = (status: number, code: string) => ({ status, body: JSON.stringify({ error: 'No.', code }) });

  it('receives only empty requests, which the specification requires it to refuse', async () => {
    const { url, seen } = await otherServer(({ isSigned }) =>
      isSigned ? refusing(400, 'KEYWORD_REQUIRED') : refusing(401, 'INVALID_API_KEY'),
    );
    expect((await clientOf(url).probe(patient())).message).toBe('It answers, and accepts the credentials.');
    expect(seen).toEqual([
      { path: '/v1/serp', isSigned: true, body: '{}' },
      { path: '/v1/serp', isSigned: false, body: '{}' },
    ]);
  });

  it('that reads a request before the credentials is not reported to accept them', async () => {
    const { url } = await otherServer(() => refusing(400, 'INVALID_REQUEST'));
    const probed = await clientOf(url).probe(patient());
    expect(probed).toMatchObject({ answers: true, creditsLeft: null });
    expect(probed.message).toContain('The first page will show');
  });

  it.each([
    ['a page of HTML', { status: 200, body: '<html>Welcome</html>' }, 'UNREADABLE_RESPONSE'],
    ['a 400 of something else', { status: 400, body: '<h1>Bad Request</h1>' }, 'UNREADABLE_RESPONSE'],
    ['no such path', { status: 404, body: '' }, 'NOT_FOUND'],
    ['a redirect', { status: 302, body: '', headers: { location: '/login' } }, 'NOT_FOUND'],
    ['no credits', refusing(402, 'INSUFFICIENT_CREDITS'), 'INSUFFICIENT_CREDITS'],
    ['haste', refusing(429, 'RATE_LIMIT_EXCEEDED'), 'RATE_LIMIT_EXCEEDED'],
    ['a failure', { status: 503, body: 'u:p is down' }, 'INTERNAL_ERROR'],
  ])('that answers with %s has a problem with a remedy', async (_name, answer, code) => {
    const { url } = await otherServer(() => answer);
    const probed = await clientOf(url).probe(patient());
    expect([probed.answers, probed.problems?.map((problem) => problem.code)]).toEqual([false, [code]]);
    expect(probed.message).toContain(probed.problems?.[0]?.hint);
  });

  it('that disconnects, is missing or never answers also has a problem', async () => {
    const codeAt = async (url: string, signal = patient()) =>
      (await clientOf(url).probe(signal)).problems?.map(({ code }) => code);
    expect(await codeAt(await bareServer(undefined))).toEqual(['CONNECTION_LOST']);
    expect(await codeAt('http://127.0.0.1:1')).toEqual(['CONNECTION_FAILED']);
    const giveUp = new AbortController();
    const silent = await silentServer(() => giveUp.abort(new ServiceError('TIMEOUT', 'Too long.')));
    expect(await codeAt(silent, giveUp.signal)).toEqual(['TIMEOUT']);
  });

  it('never reveals the credentials in a message, even if it quotes them', async () => {
    const { url } = await otherServer(() => ({
      status: 403,
      body: JSON.stringify({ error: 'sesame-street-7 of ernie-and-bert is not good', code: 'IP_NOT_WHITELISTED' }),
    }));
    const probed = await clientOf(url, { user: 'ernie-and-bert', password: 'sesame-street-7' }).probe(patient());
    expect(probed.message).toContain('is not good');
    expect(JSON.stringify([probed, probed.problems?.map(String)])).not.toMatch(/sesame|ernie/);
  });
});
