// The MCP server over streamable HTTP, without sessions: each request is answered alone, as JSON.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isLoopbackName, type ReaderCheck, readerRefusal } from '../readers.ts';
import { createMcpServer, type McpOptions } from './server.ts';

export interface McpHttpOptions extends McpOptions {
  readonly host: string;
  /** 0: a free port. */
  readonly port: number;
  /** Judges tokens. Absent: everybody on this machine may read, which only a loopback address allows. */
  readonly checkReader?: ReaderCheck;
}

export interface RunningMcp {
  readonly url: string;
  close(): Promise<void>;
}

const headersTimeoutMs = 10_000;
const bodyBytesMax = 262_144;

/** Rejects with the system's error if it cannot listen. */
export async function startMcpHttp(options: McpHttpOptions): Promise<RunningMcp> {
  const server = createServer({ headersTimeout: headersTimeoutMs }, (request, response) => {
    answer(options, request, response).catch((error: unknown) => {
      options.onError(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'An unexpected error; the log says more.');
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { address, family, port } = server.address() as AddressInfo;
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/mcp`, close: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

async function answer(options: McpHttpOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers, url } = request;
  if (options.checkReader === undefined && !isLoopbackName(headers.host))
    return refuse(response, 403, 'Call it by a name of this machine, such as localhost or 127.0.0.1.');
  // a page of another site must not talk to it through a browser
  if (headers.origin !== undefined) return refuse(response, 403, 'Browsers are not served.');
  if (url?.split('?')[0] !== '/mcp') return refuse(response, 404, 'The MCP server is at /mcp.');
  if (method !== 'POST') {
    response.setHeader('allow', 'POST');
    return refuse(response, 405, 'Only POST: there are no sessions.');
  }
  const refusal = readerRefusal(options.checkReader, request);
  if (refusal !== null) return refuse(response, refusal.status, refusal.message, refusal.headers);
  return reply(options, request, response);
}

async function reply(options: McpHttpOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: bodyBytesMax,
  });
  const server = createMcpServer(options);
  try {
    await server.connect(transport);
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: { accept: request.headers.accept ?? '', 'content-type': request.headers['content-type'] ?? '' },
      body: Readable.toWeb(request) as ReadableStream, // Node's type of the same stream
      duplex: 'half',
    };
    // an assistant that hangs up cancels its call: closing the server stops a purchase
    const isGone = once(response, 'close').then(() => null);
    const answered = await Promise.race([transport.handleRequest(new Request('http://localhost/mcp', init)), isGone]);
    if (answered === null) return;
    const body = await answered.text();
    response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'cache-control': 'no-store' });
    response.end(body);
  } finally {
    await server.close();
  }
}

function refuse(
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
