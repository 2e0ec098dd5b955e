// HTTP servers that show history: they listen, refuse in one form, and end at once.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListenOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Called for an unexpected error, before 500 is answered. */
  readonly onError: (error: unknown) => void;
}

export interface HistoryServer {
  /** Without a path and a slash at its end. */
  readonly url: string;
  /** Ends open connections. */
  close(): Promise<void>;
}

const headersTimeoutMs = 10_000;

/** Calls `answer` for each request. Rejects with the system's error if it cannot listen. */
export async function listen(
  { host, port, onError }: ListenOptions,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<HistoryServer> {
  const server = createServer({ headersTimeout: headersTimeoutMs }, (request, response) => {
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
): void {
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.end(JSON.stringify({ error: { message } }));
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
