// HTTP servers that show history: they listen, refuse in one form, and end at once.
import { once } from 'node:events';
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Refusal } from './readers.ts';

/** A connection that is closed, and why. */
interface Refused {
  readonly reason: keyof typeof connectionRefusals;
  readonly address: string;
}

export interface ListenOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Of `loadGuardedServer` of the service, which this folder may not import. */
  readonly createServer: (
    options: {
      readonly headersTimeout: number;
      readonly refuse: (refused: Refused) => {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: string;
      };
    },
    answer: RequestListener,
  ) => Server;
  /** Called for an unexpected error, before 500 is answered. */
  readonly onError: (error: unknown) => void;
  /** Called for a connection that sent no HTTP request, or too many. */
  readonly onRefused: (facts: Refused & { readonly status: number }) => void;
}

const connectionRefusals = {
  malformed: [400, 'This is not an HTTP request.'],
  'large-headers': [431, 'The headers of the request are too large.'],
  slow: [408, 'The request came too slowly.'],
  flood: [429, 'Too many requests at once on one connection.'],
} as const;

export interface HistoryServer {
  /** Without a path and a slash at its end. */
  readonly url: string;
  /** Ends open connections. */
  close(): Promise<void>;
}

const headersTimeoutMs = 10_000;

/** Calls `answer` for each request. Rejects with the system's error if it cannot listen. */
export async function listen(
  { host, port, createServer, onError, onRefused }: ListenOptions,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<HistoryServer> {
  const refuseConnection = (refused: Refused) => {
    const [status, message] = connectionRefusals[refused.reason];
    onRefused({ ...refused, status });
    return { status, headers: refusalHeaders, body: refusalBody(message) };
  };
  const server = createServer({ headersTimeout: headersTimeoutMs, refuse: refuseConnection }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'An unexpected error; the log says more.');
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  return { url: urlOf(server), close: () => stop(server) };
}

export function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  more: object = {},
): void {
  response.writeHead(status, { ...headers, ...refusalHeaders });
  response.end(refusalBody(message, more));
}

/** Of a path that takes no parameters. */
export function strayParameter({ searchParams }: URL): Refusal | null {
  const [name] = searchParams.keys();
  return name === undefined ? null : { status: 400, message: `${name}: no such parameter`, headers: {} };
}

export function refuseWith(response: ServerResponse, { status, message, headers }: Refusal): void {
  refuse(response, status, message, headers);
}

const refusalHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

function refusalBody(message: string, more: object = {}): string {
  return JSON.stringify({ error: { message }, ...more });
}

export class BodyTooLarge extends Error {}

/** Throws BodyTooLarge: the connection is to be closed then. */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= bytesMax) chunks.push(chunk);
      else {
        request.pause();
        reject(new BodyTooLarge(`The body has more than ${bytesMax} bytes.`));
      }
    });
    request.once('end', resolve);
    request.once('error', reject);
  });
  return Buffer.concat(chunks);
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
