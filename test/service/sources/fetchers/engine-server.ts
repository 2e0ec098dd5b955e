// A scripted engine on loopback that records its requests, and a proxy in front of it that counts them.
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { listenOnLoopback } from '../../../helpers/loopback.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly form: URLSearchParams;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

export interface EngineServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  answer: (asked: Asked) => Answer;
  close(): Promise<void>;
}

export async function startEngineServer(): Promise<EngineServer> {
  const asked: Asked[] = [];
  const { url, close } = await listenOnLoopback(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://engine');
    const { method = '', headers } = request;
    const seen = { method, path, query, headers, form: new URLSearchParams(text) };
    asked.push(seen);
    const { status = 200, headers: more, body = '' } = engine.answer(seen);
    response.writeHead(status, { 'content-type': 'text/html', ...more }).end(body);
  });
  const engine: EngineServer = {
    url,
    asked,
    answer: () => ({ status: 500 }),
    close,
  };
  return engine;
}

export interface TestProxy {
  readonly url: string;
  /** `proxy-authorization` of each connection or request. */
  readonly logins: readonly (string | undefined)[];
  close(): Promise<void>;
}

/** Forwards tunnels and plain requests, and names itself to the engine in the latter. */
export async function startProxy(name: string): Promise<TestProxy> {
  const logins: (string | undefined)[] = [];
  const { server, url, close } = await listenOnLoopback(async (request, response) => {
    logins.push(request.headers['proxy-authorization']);
    const { 'proxy-authorization': _, host, ...headers } = request.headers;
    const answer = await fetch(request.url ?? '', { headers: { ...(headers as Record<string, string>), via: name } });
    response.writeHead(answer.status, { 'content-type': 'text/html' }).end(await answer.text());
  });
  server.on('connect', (request, socket, head) => {
    logins.push(request.headers['proxy-authorization']);
    const { hostname, port } = new URL(`http://${request.url}`);
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return {
    url,
    logins,
    close,
  };
}

/** A proxy that answers everything itself. */
export async function startRefusingProxy(status: number): Promise<TestProxy> {
  const logins: (string | undefined)[] = [];
  const { server, url, close } = await listenOnLoopback((request, response) => {
    logins.push(request.headers['proxy-authorization']);
    response.writeHead(status).end('not through me');
  });
  server.on('connect', (request, socket) => {
    logins.push(request.headers['proxy-authorization']);
    socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
  });
  return {
    url,
    logins,
    close,
  };
}
