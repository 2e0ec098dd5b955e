// Generated requests against the server: valid, wrong and mutated ones. No answer may leave the specification's tables.
import fc from 'fast-check';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { startServer, systemClock } from '../../../src/service/index.ts';
import { serpPageSchema } from '../../../src/service/model/results/serp.ts';
import { errorBodySchema, keywordDataResponseSchema } from '../../../src/service/server/openapi.ts';
import { setUpCustomers } from '../../helpers/customers.ts';
import { metricsOf } from '../../helpers/memory-source.ts';

const count = 500;
const seed = 42;
const connections = 40;

interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

it('generated requests get no answer outside the tables, and change no prototype', async () => {
  const { service, store, accounts, ann } = await setUpCustomers(
    { metrics: ({ keyword, limit }) => (limit % 7 === 0 ? [] : [metricsOf(keyword, limit)]) },
    { clock: systemClock, requestRate: { count: 1e9, windowMs: 60_000 } },
  );
  await accounts.credit('acme', { serpCredits: 1e9, microUsd: 1e12 });
  const server = await startServer({
    service,
    accounts: store,
    clock: systemClock,
    pageRate: { count: 1e9, windowMs: 60_000 },
  });
  const pool = new Pool(server.url, { connections, pipelining: 1 });
  const requests = fc.sample(requestArbitrary(ann), { numRuns: count, seed });
  const prototypes = [Object.prototype, Array.prototype, String.prototype];
  const keysBefore = prototypes.map((each) => Reflect.ownKeys(each).length);
  const statuses: Record<string, number> = {};
  const broken: string[] = [];
  const worker = async () => {
    for (let request = requests.pop(); request !== undefined; request = requests.pop()) {
      const { statusCode, headers, body } = await pool.request({ ...request, method: request.method as 'POST' });
      const problem = problemOf(request, statusCode, String(headers['content-type']), await body.text());
      statuses[statusCode] = (statuses[statusCode] ?? 0) + 1;
      if (problem !== undefined) broken.push(problem);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  await pool.close();
  await server.close();
  await service.close();
  expect(broken).toEqual([]);
  expect(prototypes.map((each) => Reflect.ownKeys(each).length)).toEqual(keysBefore);
  expect('polluted' in {}).toBe(false);
  for (const status of [200, 400, 401, 404, 405, 413]) expect(statuses[status]).toBeGreaterThan(0);
  expect(statuses[200]).toBeGreaterThan(count / 6);
});

const statusesOf: Readonly<Record<string, readonly number[]>> = {
  '/v1/serp': [200, 400, 401, 402, 405, 413, 429, 500, 502, 504],
  '/v1/keyword-data': [200, 400, 401, 402, 403, 405, 413, 429, 500, 502, 504],
  '/healthz': [200, 405],
};

/** What is wrong with an answer; undefined if nothing is. */
function problemOf({ method, path }: FuzzRequest, status: number, type: string, text: string): string | undefined {
  const allowed = statusesOf[path] ?? [404];
  if (!allowed.includes(status)) return `${method} ${path} answered ${status}: ${text.slice(0, 200)}`;
  if (status >= 500) return `${method} ${path} failed: ${text.slice(0, 200)}`;
  if (method === 'HEAD') return undefined;
  if (status === 200 && type.startsWith('text/html')) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `${path} ${status} is not JSON: ${text.slice(0, 200)}`;
  }
  const schema =
    status !== 200 ? errorBodySchema : path === '/v1/keyword-data' ? keywordDataResponseSchema : serpPageSchema;
  if (status === 200 && path === '/healthz') return undefined;
  for (const part of status === 200 && Array.isArray(body) ? body : [body]) {
    if (typeof part === 'string') continue;
    const checked = schema.safeParse(part);
    if (!checked.success) return `${path} ${status} breaks its schema: ${checked.error.issues[0]?.message}`;
  }
  return undefined;
}

function requestArbitrary(user: { username: string; password: string }): fc.Arbitrary<FuzzRequest> {
  const good = { 'service-api-user': user.username, 'service-api-password': user.password };
  const credentials = fc.oneof(
    { weight: 30, arbitrary: fc.constant<Record<string, string>>(good) },
    { weight: 1, arbitrary: fc.constant<Record<string, string>>({}) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(token, token)
        .map(
          ([name, secret]): Record<string, string> => ({ 'service-api-user': name, 'service-api-password': secret }),
        ),
    },
  );
  const contentType = fc.oneof(
    { weight: 20, arbitrary: fc.constant('application/json') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'a', '/', 'multipart/form-data'),
    },
  );
  const key = fc.option(fc.oneof(fc.constantFrom('k1', 'k2', 'k'.repeat(300)), token), { freq: 4, nil: undefined });
  const forwarded = fc.option(fc.constantFrom('10.0.0.1', '::1', 'unknown', ',,,'), { freq: 8, nil: undefined });
  const path = fc.oneof(
    { weight: 12, arbitrary: fc.constant('/v1/serp') },
    { weight: 12, arbitrary: fc.constant('/v1/keyword-data') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('/healthz', '/v1', '/v1/serp/', '/__proto__', '/%', '/v1/serp%00', '/..//etc'),
    },
  );
  const method = fc.oneof(
    { weight: 30, arbitrary: fc.constant('POST') },
    { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'HEAD') },
  );
  return fc
    .tuple(method, path, credentials, contentType, key, forwarded, bodyArbitrary)
    .map(([verb, path, login, type, idempotencyKey, hops, body]) => ({
      method: verb,
      path,
      headers: {
        ...login,
        'content-type': type,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(hops !== undefined && { 'x-forwarded-for': hops }),
      },
      body: verb === 'GET' || verb === 'HEAD' ? new Uint8Array() : body,
    }));
}

const token = fc.string({ minLength: 1, maxLength: 40 }).map((text) => text.replace(/[^\x21-\x7e]/g, '_'));
const junk = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e308, '', ' ', '__proto__', 'constructor', [], {}, [[]]),
  fc.jsonValue({ maxDepth: 3 }),
);
const mostly = (valid: fc.Arbitrary<unknown>) =>
  fc.option(fc.oneof({ weight: 24, arbitrary: valid }, { weight: 1, arbitrary: junk }), { freq: 3, nil: undefined });

const fields = fc.record({
  keyword: fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom('shoes', ' boots ', 'größe', '靴', '__proto__', 'toString', '"><script>'),
    },
    { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 500 }) },
    { weight: 1, arbitrary: junk },
  ),
  language: mostly(fc.constantFrom('en', 'pt-BR', 'DE', 'es-419', 'fr', 'xx-YY-zz')),
  country: mostly(fc.constantFrom('US', 'gb', 'de', 'BR', 'in', 'XX')),
  format: mostly(fc.constantFrom('json', 'json', 'raw', 'raw', 'xml')),
  mobile: mostly(fc.boolean()),
  start_page: mostly(fc.constantFrom(1, 1, 1, 2, 3, 0)),
  end_page: mostly(fc.constantFrom(3, 3, 3, 4, 10, 11, 2, 0)),
  limit: mostly(fc.integer({ min: 0, max: 1001 })),
  colour: mostly(junk),
});

/** JSON of the fields, intact or damaged: bytes changed, cut, doubled, nested, a hostile prototype, or too large. */
const bodyArbitrary = fc
  .tuple(fields, fc.nat(29), fc.nat(), fc.nat(255))
  .map(([value, damage, offset, byte]): Uint8Array => {
    const text = JSON.stringify(value);
    const bytes = Buffer.from(text);
    const at = offset % bytes.length;
    switch (damage) {
      case 0:
        bytes[at] = byte;
        return bytes;
      case 1:
        return bytes.subarray(0, at);
      case 2:
        return Buffer.concat([bytes, bytes]);
      case 3:
        return Buffer.from(`${'['.repeat(offset % 30_000)}${text}`);
      case 4:
        return Buffer.from(text.replace('{', '{"__proto__":{"polluted":1},'));
      case 5:
        return Buffer.from(text.replace('{', '{"constructor":{"prototype":{"polluted":1}},'));
      case 6:
        return offset % 3 === 0 ? Buffer.alloc(70_000, 0x20) : bytes;
      case 7:
        return Buffer.from(`\uFEFF${text}`);
      default:
        return bytes;
    }
  });
