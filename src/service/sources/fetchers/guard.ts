// A loopback proxy for the browser: resolves and checks addresses, and connects only to checked ones.
import { randomUUID } from 'node:crypto';
import type { lookup } from 'node:dns';
import {
  request as askPlain,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
} from 'node:http';
import { request as askEncrypted } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';
import {
  effectivePort,
  guardedLookup,
  type NetworkPolicy,
  plainHost,
  privateAddressCode,
  privateAddressError,
  rejectPrivateUrl,
} from '../../net/public-network.ts';
import { proxyAddress, proxyFailure } from './proxies.ts';

export interface GuardOptions {
  readonly network: NetworkPolicy;
  /** A proxy for all connections; it resolves names itself. */
  readonly proxy: string | undefined;
  /** Limit of incoming bytes over all connections, and a callback for exceeding it. */
  readonly bytesMax: number;
  readonly onTooLarge: () => void;
  /** How names are looked up, where not as the system does. */
  readonly resolve?: typeof lookup;
}

/** Opens a guard for one window. All requests of the window, including redirects and sockets, pass through it. */
export async function openGuard(options: GuardOptions): Promise<Guard> {
  const guard = new Guard(options);
  await guard.listen();
  return guard;
}

export class Guard {
  readonly #options: GuardOptions;
  /** Keeps other programs on this machine out. */
  readonly #password = randomUUID();
  readonly #server = createServer((request, response) => this.#forward(request, response));
  readonly #sockets = new Set<Duplex>();
  readonly #refusals = new Map<string, ServiceError>();
  #proxyFailure: ServiceError | undefined;
  #bytes = 0;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#server.on('connect', (request, client, head) => this.#tunnel(request, client, head));
    this.#server.on('connection', (socket) => this.#keep(socket));
    this.#server.on('clientError', (_, socket) => socket.destroy());
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
  }

  /** The proxy settings of a browser window. By default browsers do not send loopback through proxies. */
  get settings(): { server: string; bypass: string; username: string; password: string } {
    const { port } = this.#server.address() as AddressInfo;
    return { server: `http://127.0.0.1:${port}`, bypass: '<-loopback>', username: 'window', password: this.#password };
  }

  /** Why this address was not requested; undefined if it was requested, or never needed. */
  refusalOf(url: URL): ServiceError | undefined {
    return this.#refusals.get(toOrigin(url));
  }

  /** The refusal of the proxy behind the guard, if it answered instead of the engine. */
  get proxyFailure(): ServiceError | undefined {
    return this.#proxyFailure;
  }

  get isTooLarge(): boolean {
    return this.#bytes > this.#options.bytesMax;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Connections that the browser encrypts itself: a tunnel to host and port. */
  #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): void {
    const end = (status: string) => client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
    client.on('error', () => undefined);
    if (!this.#isOurs(request))
      return void end('407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="guard"');
    // Port 80 is unencrypted: sockets of scripts.
    const isPlain = request.url?.endsWith(':80') === true;
    const url = URL.parse(`${isPlain ? 'http' : 'https'}://${request.url}`);
    if (url === null) return void end('400 Bad Request');
    if (!this.#mayAsk(url)) return void end('403 Forbidden');
    const joined = (onward: Duplex, first: Buffer) => {
      this.#keep(onward);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.write(first);
      onward.write(head);
      this.#count(onward).pipe(client).pipe(onward);
    };
    const lost = () => void end('502 Bad Gateway');
    if (this.#options.proxy === undefined) this.#connect(url, (socket) => joined(socket, Buffer.alloc(0)), lost);
    else this.#connectBy(this.#options.proxy, url, joined, lost);
  }

  #connect(url: URL, joined: (socket: Socket) => void, lost: () => void): void {
    const { network, resolve } = this.#options;
    const socket = connect({ host: plainHost(url), port: effectivePort(url), lookup: guardedLookup(network, resolve) });
    this.#keep(socket);
    socket.setTimeout(limits.connectTimeoutMs, () => socket.destroy(new Error('The connection takes too long.')));
    socket.once('connect', () => {
      socket.setTimeout(0);
      joined(socket);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (socket.bytesRead > 0 || socket.bytesWritten > 0) return;
      this.#noteRefusal(url, error);
      lost();
    });
  }

  /** Opens the tunnel at the proxy. Its own responses are kept apart from those of the target. */
  #connectBy(proxy: string, url: URL, joined: (socket: Duplex, first: Buffer) => void, lost: () => void): void {
    const place = `${url.hostname}:${effectivePort(url)}`;
    const request = this.#askProxy(proxy, { method: 'CONNECT', path: place, headers: { host: place } });
    request.once('connect', (response, socket, first) => {
      if (response.statusCode === 200) return joined(socket, first);
      socket.destroy();
      this.#proxyFailure ??= proxyFailure(proxy, response.statusCode ?? 'no answer');
      lost();
    });
    request.once('error', lost).end();
  }

  /** Unencrypted requests, sent on the browser's behalf. */
  #forward(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#isOurs(request))
      return void response.writeHead(407, { 'proxy-authenticate': 'Basic realm="guard"' }).end();
    const url = URL.parse(request.url ?? '');
    // No answer is better than one by the guard, which could be mistaken for the engine's.
    if (url === null || url.protocol !== 'http:' || !this.#mayAsk(url)) return void response.destroy();
    const { 'proxy-authorization': _, 'proxy-connection': __, ...headers } = request.headers;
    const { proxy, network, resolve } = this.#options;
    const asked = { method: request.method ?? 'GET', headers };
    const onward =
      proxy === undefined
        ? askPlain(url, { ...asked, agent: false, lookup: guardedLookup(network, resolve) })
        : this.#askProxy(proxy, { ...asked, path: url.href });
    onward.once('response', (answer) => {
      const status = answer.statusCode ?? 502;
      if (proxy !== undefined && status === 407) {
        this.#proxyFailure ??= proxyFailure(proxy, status);
        response.destroy();
        return;
      }
      response.writeHead(status, answer.headers);
      this.#count(answer).pipe(response);
    });
    onward.once('socket', (socket) => this.#keep(socket));
    onward.on('error', (error) => {
      this.#noteRefusal(url, error);
      response.destroy();
    });
    request.pipe(onward);
  }

  #askProxy(proxy: string, asked: { method: string; path: string; headers: OutgoingHttpHeaders }) {
    const { origin, authorization } = proxyAddress(proxy);
    const to = new URL(origin);
    const headers = { ...asked.headers, ...(authorization !== undefined && { 'proxy-authorization': authorization }) };
    const options = { ...asked, headers, host: plainHost(to), port: effectivePort(to), agent: false };
    const request = to.protocol === 'https:' ? askEncrypted(options) : askPlain(options);
    request.once('socket', (socket) => this.#keep(socket));
    request.once('error', (error: NodeJS.ErrnoException) => {
      this.#proxyFailure ??= proxyFailure(proxy, error.code ?? 'no answer', error);
    });
    return request;
  }

  #isOurs({ headers }: IncomingMessage): boolean {
    const login = Buffer.from(`window:${this.#password}`).toString('base64');
    return headers['proxy-authorization'] === `Basic ${login}`;
  }

  #mayAsk(url: URL): boolean {
    if (this.isTooLarge) return false;
    try {
      rejectPrivateUrl(url, this.#options.network);
      return true;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#refusals.set(toOrigin(url), error);
      return false;
    }
  }

  /** A name that resolves to a forbidden address. */
  #noteRefusal(url: URL, error: NodeJS.ErrnoException): void {
    if (error.code === privateAddressCode) this.#refusals.set(toOrigin(url), privateAddressError(error));
  }

  /** Counts incoming and decompressed bytes; beyond the limit, ends all connections. */
  take(bytes: number): void {
    const wasTooLarge = this.isTooLarge;
    this.#bytes += bytes;
    if (wasTooLarge || !this.isTooLarge) return;
    for (const socket of this.#sockets) socket.destroy();
    this.#options.onTooLarge();
  }

  #count<Stream extends Readable>(stream: Stream): Stream {
    stream.on('data', (chunk: Uint8Array) => this.take(chunk.length));
    return stream;
  }

  #keep(socket: Duplex): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function toOrigin(url: URL): string {
  return `${url.hostname}:${effectivePort(url)}`;
}
