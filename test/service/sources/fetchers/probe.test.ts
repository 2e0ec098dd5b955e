// Probes of direct fetching: proxies, unlocker APIs and browsers. No probe requests a page of the engine.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createPlainServer, type Server as PlainServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createSource, ServiceError, systemClock } from '../../../../src/service/index.ts';
import { type EngineServer, startEngineServer } from './engine-server.ts';

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

interface Handshake {
  readonly target: string;
  readonly login: string | undefined;
}

function listen(server: Server | PlainServer): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`127.0.0.1:${(server.address() as AddressInfo).port}`));
    open.push(() => new Promise((closed) => server.close(closed)));
  });
}

/** A proxy that requires this login, if any, and cannot connect to any host. */
async function proxy(login?: string): Promise<{ place: string; handshakes: Handshake[] }> {
  const handshakes: Handshake[] = [];
  const server = createServer();
  server.on('connect', (request, socket) => {
    const sent = request.headers['proxy-authorization'];
    handshakes.push({ target: request.url ?? '', login: sent });
    const wanted = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    socket.end(`HTTP/1.1 ${sent === wanted ? '502 Bad Gateway' : '407 Proxy Authentication Required'}\r\n\r\n`);
  });
  return { place: await listen(server), handshakes };
}

/** Sends this text to every connection, or nothing if undefined. */
function bare(words: string | undefined): Promise<string> {
  const server = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (words === undefined ? undefined : socket.end(words)));
    open.push(async () => socket.destroy());
  });
  return listen(server);
}

async function probe(options: object, signal = new AbortController().signal) {
  const { serp } = await createSource('google', options, { clock: systemClock });
  const probed = await serp?.probe?.({ signal, at: 0 });
  await serp?.close?.();
  return { ...probed, codes: probed?.problems?.map(({ code }) => code) ?? [] };
}

async function engineServer(): Promise<EngineServer> {
  const engine = await startEngineServer();
  open.push(() => engine.close());
  return engine;
}

it('without proxies the probe connects to the engine and requests no page', async () => {
  const engine = await engineServer();
  const probed = await probe({ baseUrl: engine.url, allowLoopback: true });
  expect([probed.answers, probed.codes]).toEqual([true, []]);
  expect(engine.asked).toEqual([]);
  const away = await probe({ baseUrl: 'http://127.0.0.1:1', allowLoopback: true });
  expect([away.answers, away.codes]).toEqual([false, ['CONNECTION_FAILED']]);
});

it('the probe logs in to a proxy and names a host that does not exist', async () => {
  const { place, handshakes } = await proxy('ann:s/cret word');
  const probed = await probe({ proxies: [`http://ann:s%2Fcret%20word@${place}`] });
  expect([probed.answers, probed.message, probed.codes]).toEqual([true, 'The proxy answers.', []]);
  expect(handshakes.map(({ target }) => target)).toEqual(['rankledger.invalid:443']);
});

it('proxies that refuse the login, speak another protocol or are missing are named, and do not hide a good one', async () => {
  const [good, strict] = [await proxy(), await proxy('ann:right-password')];
  const strange = await bare('SSH-2.0-OpenSSH_9.6\r\n');
  const proxies = [good.place, `ann:wrong-password@${strict.place}`, strange, '127.0.0.1:1'].map(
    (at) => `http://${at}`,
  );
  const probed = await probe({ proxies });
  expect(probed.answers).toBe(true);
  expect(probed.message).toContain('1 of 4 proxies answer.');
  expect(probed.message).toContain(`The proxy ${strict.place} refuses the login (407).`);
  expect([...probed.codes].sort()).toEqual(['CONNECTION_FAILED', 'CONNECTION_FAILED', 'INVALID_CREDENTIALS']);
  expect(JSON.stringify(probed)).not.toContain('wrong-password');
});

it('a proxy that never answers is cancelled by the signal', async () => {
  const place = await bare(undefined);
  const giveUp = new AbortController();
  setImmediate(() => giveUp.abort(new ServiceError('TIMEOUT', 'Too long.')));
  const probed = await probe({ proxies: [`http://${place}`] }, giveUp.signal);
  expect([probed.answers, probed.codes]).toEqual([false, ['TIMEOUT']]);
  expect(probed.message).toContain(`The proxy ${place} does not answer.`);
});

it('the probe of an unlocker tries only its host: its key costs a page', async () => {
  const engine = await engineServer();
  const template = `${engine.url}/get?token=canary-key-1&url={url}`;
  const probed = await probe({ fetcher: 'unlocker', template, allowLoopback: true });
  expect([probed.answers, probed.codes]).toEqual([null, []]);
  expect(probed.message).toContain('The first page will show');
  expect(JSON.stringify(probed)).not.toContain('canary');
  expect(engine.asked).toEqual([]);
  const away = await probe({
    fetcher: 'unlocker',
    template: 'http://127.0.0.1:1/get?token=canary-key-1&url={url}',
    allowLoopback: true,
  });
  expect([away.answers, away.codes]).toEqual([false, ['CONNECTION_FAILED']]);
  expect(JSON.stringify(away)).not.toContain('canary');
});

it('a missing browser is reported with a remedy', async () => {
  const probed = await probe({ fetcher: 'browser', executablePath: '/no/such/chrome' });
  expect(probed.answers).toBe(false);
  expect(probed.message).toContain('executablePath');
});
