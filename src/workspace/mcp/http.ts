// The MCP server over streamable HTTP, without sessions: each request is answered alone, as JSON.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type HistoryReader, NotFound } from '../contract.ts';
import { type HistoryServer, type ListenOptions, listen, refuse, refuseWith } from '../listen.ts';
import { admit, type Door, type Editors, type Entry, editorOf, originRefusal, type Refusal } from '../readers.ts';
import type { ReaderScope } from '../scoped-reader.ts';
import type { OAuthDoor } from './oauth.ts';
import { createMcpServer, type McpOptions } from './server.ts';
import type { TrackKeywords } from './track-keywords.ts';

export interface McpHttpOptions extends Omit<McpOptions, 'reader' | 'client' | 'trackKeywords'>, ListenOptions {
  readonly door: Door;
  readonly readerFor: (scope: ReaderScope | null) => HistoryReader;
  /** Absent: no tool writes anything. */
  readonly edits?: McpEdits;
  /** Absent: only tokens of readers are taken. */
  readonly oauth?: OAuthDoor;
}

export interface McpEdits extends Editors {
  readonly trackKeywords: TrackKeywords;
}

const bodyBytesMax = 262_144;
/** Any: a request names its path only. */
const origin = 'http://localhost';

/** Programs describe the authorization server to themselves with these. A `Request` refuses some other methods. */
function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Rejects with the system's error if it cannot listen. */
export async function startMcpHttp(options: McpHttpOptions): Promise<HistoryServer> {
  const { url, close } = await listen(options, (request, response) => answer(options, request, response));
  return { url: `${url}/mcp`, close };
}

async function answer(options: McpHttpOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers, url } = request;
  const { oauth } = options;
  if (url === undefined || !URL.canParse(url, origin)) return refuse(response, 400, 'This URL cannot be read.');
  const document = isRead(method) ? oauth?.metadata(new Request(new URL(url, origin), { method })) : undefined;
  if (document !== undefined) return send(response, document);
  const foreign = originRefusal(options.door, request);
  if (foreign !== null) return refuseWith(response, foreign);
  if (headers.origin !== undefined) return refuse(response, 403, 'Browsers are not served.');
  if (url.split('?')[0] !== '/mcp') return refuse(response, 404, 'The MCP server is at /mcp.');
  if (method !== 'POST') {
    response.setHeader('allow', 'POST');
    return refuse(response, 405, 'Only POST: there are no sessions.');
  }
  const entry = await entryOf(options, request);
  if (entry instanceof Response) return send(response, entry);
  const { refusal } = entry;
  if (refusal !== null) return refuseWith(response, refusal);
  try {
    return await reply(options, entry, request, response);
  } catch (error) {
    if (error instanceof NotFound) return refuse(response, 404, error.message);
    throw error;
  }
}

interface EditorEntry extends Entry {
  /** The name of the editor; null: it may only read. */
  readonly by: string | null;
}

async function entryOf(
  { door, oauth, edits }: McpHttpOptions,
  request: IncomingMessage,
): Promise<Response | ({ readonly refusal: null } & EditorEntry) | { readonly refusal: Refusal }> {
  const { authorization } = request.headers;
  if (oauth?.judges(authorization)) {
    const admitted = await oauth.admit(authorization);
    return admitted instanceof Response ? admitted : { ...admitted, refusal: null, by: null };
  }
  const entry = admit(door, request);
  if (entry.refusal !== null) return entry;
  const by = edits === undefined || entry.scope !== null ? null : editorOf({ ...edits, door }, request);
  return { ...entry, by };
}

async function reply(
  { readerFor, edits, checkNow, ...options }: McpHttpOptions,
  { scope, client, by }: EditorEntry,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reader = readerFor(scope);
  const trackKeywords: McpOptions['trackKeywords'] =
    edits === undefined || by === null ? undefined : (asked) => edits.trackKeywords(asked, by);
  const changes = { checkNow: scope === null ? checkNow : undefined, trackKeywords };
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
    await send(response, answered, gone.signal);
  } finally {
    await handler.close();
  }
}

/** Nothing where `gone` is aborted by then. */
async function send(response: ServerResponse, answered: Response, gone?: AbortSignal): Promise<void> {
  const body = await answered.text();
  if (gone?.aborted) return;
  response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'cache-control': 'no-store' });
  response.end(body);
}
