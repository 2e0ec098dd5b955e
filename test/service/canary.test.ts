// Canary secrets: all failures are run with them, and all output is searched for them.
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { SearchDataClient } from '../../src/service/client/client.ts';
import { type NewCredentials, ServiceError, startServer } from '../../src/service/index.ts';
import { callerOf, setUpCustomers } from '../helpers/customers.ts';
import { hashesDuring } from '../helpers/hashes.ts';
import { failureOf, pageOf } from '../helpers/memory-source.ts';
import { exchangeBytes } from '../helpers/raw-http.ts';

const canary = 'canary-5f1e2d-never-shown';

it('credentials and upstream details appear in no answer, log line, error, stored record or example', async () => {
  const out: string[] = [];
  const see = (value: unknown) =>
    out.push(inspect(value, { depth: 12, showHidden: true, maxStringLength: null }), String(value));
  const often = { count: 1e6, windowMs: 60_000 };
  const customers = await setUpCustomers(
    {
      page: (request) => {
        if (request.keyword !== 'fails') return pageOf(request);
        throw new ServiceError('SERP_FAILED', `The supplier at https://${canary}@supplier.example refused.`);
      },
    },
    { logins: { perUsername: often, perAddress: often } },
  );
  const { service, clock, store, accounts, ann } = customers;
  const secrets = [canary, ann.password];
  const server = await startServer({
    service,
    clock,
    accounts: store,
    // The host's error causes are for its log only, which must hide them from others.
    onAnswer: ({ error: _, ...line }) => see(line),
  });
  const ask = async (path: string, init: RequestInit) => {
    const response = await fetch(server.url + path, init);
    see([...response.headers]);
    out.push(await response.text());
  };
  const login = (user: string, password: string) => ({
    'content-type': 'application/json',
    'service-api-user': user,
    'service-api-password': password,
  });
  const bodies = [
    '{',
    '{}',
    '{"keyword":"shoes"}',
    '{"keyword":"fails"}',
    `{"keyword":"a","format":"xml"}`,
    'x'.repeat(70_000),
  ];
  for (const path of ['/v1/serp', '/v1/keyword-data', '/v1/nothing']) {
    for (const headers of [login(ann.username, ann.password), login(ann.username, canary), login(canary, canary)]) {
      for (const body of bodies) await ask(path, { method: 'POST', headers, body });
      await ask(path, { method: 'GET', headers });
    }
  }
  for (const page of ['/openapi.json', '/docs', '/healthz'])
    await ask(page, { headers: login(ann.username, ann.password) });
  out.push(await exchangeBytes(server.url, `${canary} nonsense\r\nservice-api-password: ${canary}\r\n\r\n`));

  for (const password of [ann.password, canary]) {
    const client = new SearchDataClient({
      retries: { attemptsMax: 1 },
      baseUrl: server.url,
      user: ann.username,
      password,
      clock,
    });
    see(client);
    out.push(JSON.stringify(client));
    for (const keyword of ['shoes', 'fails', ''])
      await client.serp({ keyword }, { idempotencyKey: 'k' }).then(see, see);
    await client.close();
  }
  see(await accounts.statement('acme'));
  see(await store.listUsers());
  see(await store.findIdempotent({ account: 'acme', username: ann.username, key: 'k' }, clock.now()));
  see(await accounts.addUser('acme', { username: 'a b' }).catch((error: unknown) => error));
  see(service);
  await server.close();
  await service.close();
  expect(out.length).toBeGreaterThan(100);
  for (const secret of secrets) expect(out.filter((text) => text.includes(secret))).toEqual([]);
});

it('an unknown user, a wrong password, an expired and a revoked user get the same response after the same work', async () => {
  const { service, accounts, clock, ann, bob } = await setUpCustomers();
  const revoked = await accounts.addUser('acme', { username: 'revoked' });
  await accounts.revokeUser('revoked');
  await accounts.expireUser('bob', clock.now());
  const responses: string[] = [];
  const refuse = async (credentials: Partial<NewCredentials>) => {
    const { status, code, message } = await failureOf(service.serp({ keyword: 'shoes' }, callerOf(credentials)));
    responses.push(`${status} ${code} ${message}`);
  };
  const hashes: number[] = [];
  for (let time = 0; time < 2; time++) {
    for (const credentials of [{ ...ann, username: 'nobody' }, { ...ann, password: bob.password }, bob, revoked])
      hashes.push(await hashesDuring(() => refuse(credentials)));
  }
  expect(new Set(responses).size).toBe(1);
  // the bench keeps the time difference below 5%
  expect(hashes).toEqual(Array(8).fill(1));
});
