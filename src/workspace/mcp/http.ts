// The MCP server over streamable HTTP, without sessions: each request is answered alone, as JSON.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type HistoryReader, NotFound } from '../contract.ts';
import { type HistoryServer, type ListenOptions, listen, refuse } from '../listen.ts';
import { admit, clientOf, type Door, type Editors, editorOf, originRefusal } from '../readers.ts';
import type { ReaderScope } from '../scoped-reader.ts';
import { createMcpServer, type McpOptions } from './server.ts';
import type { TrackKeywords } from './track-keywords.ts';

export interface McpHttpOptions extends Omit<McpOptions, 'reader' | 'client' | 'trackKeywords'>, ListenOptions {
  readonly door: Door;
  readonly readerFor: (scope: ReaderScope | null) => HistoryReader;
  /** Absent: no tool writes anything. */
  readonly edits?: McpEdits | undefined;
}

export interface McpEdits extends Editors {
  readonly trackKeywords: TrackKeywords;
}

const bodyBytesMax = 262_144;

/** Rejects with the system's error if it cannot listen. */
export async function startMcpHttp(options: McpHttpOptions): Promise<HistoryServer> {
  const { url, close } = await listen(options, (request, response) => answer(options, request, response));
  return { url: `${url}/mcp`, close };
}

async function answer(options: McpHttpOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers, url } = request;
  const foreign = originRefusal(options.door, request);
  if (foreign !== null) return refuse(response, foreign.status, foreign.message);
  if (headers.origin !== undefined) return refuse(response, 403, 'Browsers are not served.');
  if (url?.split('?')[0] !== '/mcp') return refuse(response, 404, 'The MCP server is at /mcp.');
  if (method !== 'POST') {
    response.setHeader('allow', 'POST');
    return refuse(response, 405, 'Only POST: there are no sessions.');
  }
  const entry = admit(options.door, request);
  const { refusal } = entry;
  if (refusal !== null) return refuse(response, refusal.status, refusal.message, refusal.headers);
  try {
    return await reply(options, options.readerFor(entry.scope), entry.scope === null, request, response);
  } catch (error) {
    if (error instanceof NotFound) return refuse(response, 404, error.message);
    throw error;
  }
}

async function reply(
  { readerFor: _, ...options }: McpHttpOptions,
  reader: HistoryReader,
  seesAll: boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const client = clientOf(request);
  const { edits } = options;
  const checkNow = seesAll ? options.checkNow : undefined;
  const by = edits === undefined || !seesAll ? null : editorOf({ ...edits, door: options.door }, request);
  const trackKeywords: McpOptions['trackKeywords'] =
    edits === undefined || by === null ? undefined : (asked) => edits.trackKeywords(asked, by);
  const changes = { checkNow, trackKeywords };
  const handler = createMcpHandler(() => createMcpServer({ ...options, ...changes, reader, client }), {
    maxRequestBodySize: bodyBytesMax,
  });
  // an assistant that hangs up cancels its call, which stops a purchase
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      body: Readable.toWeb(request) as ReadableStream, // Node's type of the same stream
      duplex: 'half',
      signal: gone.signal,
    };
    const answered = await handler.fetch(new Request('http://localhost/mcp', init));
    const body = await answered.text();
    if (gone.signal.aborted) return;
    response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'cache-control': 'no-store' });
    response.end(body);
  } finally {
    await handler.close();
  }
}
