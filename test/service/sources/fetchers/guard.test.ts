// The guard between a browser window and the network, without a browser: access, destinations, upstream proxies.
import { request } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Guard, type GuardOptions, openGuard } from '../../../../src/service/sources/fetchers/guard.ts';
import { type EngineServer, startEngineServer, startProxy, startRefusingProxy } from './engine-server.ts';

let engine: EngineServer;
const opened: { close(): Promise<void> }[] = [];
beforeEach(async () => {
  engine = await startEngineServer();
  engine.answer = () => ({ body: 'page' });
});
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
  await engine.close();
});

async function open(options: Partial<GuardOptions> = {}): Promise<Guard> {
  const network = { allowLoopback: true };
  const guard = await openGuard({ network, proxy: undefined, bytesMax: 1000, onTooLarge: () => undefined, ...options });
  opened.push(guard);
  return guard;
}

/** The status of a tunnel or page through the guard; `lost` if the connection ends without one. */
function ask(guard: Guard, method: 'CONNECT' | 'GET', path: string, password?: string): Promise<number | 'lost'> {
  const { server, username, password: own } = guard.settings;
  const login = Buffer.from(`${username}:${password ?? own}`).toString('base64');
  return new Promise((resolve) => {
    const asked = request(server, { method, path, headers: { 'proxy-authorization': `Basic ${login}` }, agent: false });
    asked.once('connect', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.once('response', (response) => {
      response.resume().once('error', () => resolve('lost'));
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', () => resolve('lost')).end();
  });
}

const placeOf = (url: string): string => new URL(url).host;

it('the guard admits only the window that has its password', async () => {
  const guard = await open();
  expect(await ask(guard, 'GET', `${engine.url}/`, 'another')).toBe(407);
  expect(await ask(guard, 'CONNECT', placeOf(engine.url), 'another')).toBe(407);
  expect(engine.asked).toEqual([]);
  expect(await ask(guard, 'GET', `${engine.url}/`)).toBe(200);
  expect(await ask(guard, 'CONNECT', placeOf(engine.url))).toBe(200);
});

it('the guard opens tunnels to public addresses only, and only encrypted ones', async () => {
  const guard = await open({ network: {} });
  for (const place of [
    '127.0.0.1:443',
    '[::1]:443',
    '10.0.0.1:443',
    '169.254.169.254:80',
    'a.example:80',
    '0x7f.1:443',
  ]) {
    expect(await ask(guard, 'CONNECT', place), place).toBe(403);
    expect(guard.refusalOf(new URL(`${place.endsWith(':80') ? 'http' : 'https'}://${place}`)), place).toBeDefined();
  }
  expect(await ask(guard, 'GET', `${engine.url}/`)).toBe('lost');
  expect(engine.asked).toEqual([]);
});

it('the guard resolves a name once per connection, and checks the result', async () => {
  const looked: string[] = [];
  const resolve = ((name: string, _: object, done: (error: null, found: object[]) => void) => {
    looked.push(name);
    done(null, [{ address: looked.length === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }]);
  }) as unknown as NonNullable<GuardOptions['resolve']>;
  const guard = await open({ resolve });
  const place = placeOf(engine.url).replace('127.0.0.1', 'turns.example');
  expect([await ask(guard, 'CONNECT', place), await ask(guard, 'CONNECT', place)]).toEqual([200, 502]);
  expect(guard.refusalOf(new URL(`https://${place}`))?.message).toContain('not on the public network');
  expect(looked).toEqual(['turns.example', 'turns.example']);
});

it.each([407, 502])(
  'the guard distinguishes an answer of the upstream proxy (%i) from an answer of the engine',
  async (status) => {
    const proxy = await startRefusingProxy(status);
    opened.push(proxy);
    const guard = await open({ proxy: proxy.url.replace('//', '//user:secret@') });
    expect(await ask(guard, 'CONNECT', 'a.example:443')).toBe(502);
    expect(guard.proxyFailure).toMatchObject({ code: 'CONNECTION_FAILED', charged: 'no' });
    expect(guard.proxyFailure?.message).toBe(`The proxy ${placeOf(proxy.url)} answered ${status} itself.`);
  },
);

it('the guard uses a proxy if there is one', async () => {
  const proxy = await startProxy('one');
  opened.push(proxy);
  const guard = await open({ proxy: proxy.url });
  expect(await ask(guard, 'CONNECT', placeOf(engine.url))).toBe(200);
  expect(await ask(guard, 'CONNECT', '10.0.0.1:443')).toBe(403);
  expect(proxy.logins.length).toBe(1);
  expect(guard.proxyFailure).toBeUndefined();
});

it('the guard closes all connections if more is received than allowed', async () => {
  let calls = 0;
  const guard = await open({ onTooLarge: () => calls++ });
  engine.answer = () => ({ body: 'x'.repeat(100_000) });
  expect(await ask(guard, 'GET', `${engine.url}/`)).toBe('lost');
  expect([guard.isTooLarge, calls]).toEqual([true, 1]);
  expect(await ask(guard, 'GET', `${engine.url}/`)).toBe('lost');
  expect(engine.asked.length).toBe(1);
});
