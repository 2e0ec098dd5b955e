// The MCP server over streamable HTTP, without sessions: each request is answered alone, as JSON.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { type HistoryReader, NotFound } from '../../read/contract.ts';
import { type AnswerAside, FairAnswers, isHeavyTool } from '../heavy.ts';
import {
  BodyTooLarge,
  type HistoryServer,
  type ListenOptions,
  listen,
  readBody,
  refuse,
  refuseWith,
} from '../listen.ts';
import { admit, type Door, type Editors, type Entry, editorOf, originRefusal, type Refusal } from '../readers.ts';
import type { ReaderScope } from '../scoped-reader.ts';
import type { OAuthDoor } from './oauth.ts';
import { createMcpServer, type McpOptions } from './server.ts';
import type { TrackKeywords } from './track-keywords.ts';

export interface McpHttpOptions
  extends Omit<McpOptions, 'reader' | 'client' | 'trackKeywords' | 'inTurn'>,
    ListenOptions {
  readonly door: Door;
  readonly readerFor: (scope: ReaderScope | null) => HistoryReader;
  /** Absent: no tool writes anything. */
  readonly edits?: McpEdits;
  /** Absent: only tokens of readers are taken. */
  readonly oauth?: OAuthDoor;
  /** Absent: all answers are made in this thread. */
  readonly aside?: AnswerAside<ScopedCall, string>;
}

/** For another thread. */
interface ScopedCall {
  readonly scope: ReaderScope | null;
  readonly client: string;
  readonly tool: string;
  readonly input: unknown;
}

interface Prepared extends McpHttpOptions {
  readonly answers: FairAnswers<ScopedCall, string>;
}

export interface McpEdits extends Editors {
  readonly trackKeywords: TrackKeywords;
}

const bodyBytesMax = 262_144;
/** Messages in one request. Each call of a batch takes its turn with other clients. */
const batchMax = 100;
/** Any: a request names its path only. */
const origin = 'http://localhost';

/** Programs describe the authorization server to themselves with these. A `Request` refuses some other methods. */
function isRead(method: string | undefined): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Rejects with the system's error if it cannot listen. */
export async function startMcpHttp(options: McpHttpOptions): Promise<HistoryServer> {
  const prepared: Prepared = { ...options, answers: new FairAnswers(options.aside) };
  const { url, close } = await listen(options, (request, response) => answer(prepared, request, response));
  return { url: `${url}/mcp`, close };
}

async function answer(options: Prepared, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
  { readerFor, edits, checkNow, answers, ...options }: Prepared,
  { scope, client, by }: EditorEntry,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reader = readerFor(scope);
  const trackKeywords: McpOptions['trackKeywords'] =
    edits === undefined || by === null ? undefined : (asked) => edits.trackKeywords(asked, by);
  const changes = { checkNow: scope === null ? checkNow : undefined, trackKeywords };
  const inTurn: McpOptions['inTurn'] = ({ tool, input }, signal, make) => {
    const isHeavy = isHeavyTool(tool);
    const name = isHeavy ? `${reader.version()} ${JSON.stringify([scope, tool, input])}` : '';
    return answers.answer(client, { name, isHeavy, question: { scope, client, tool, input }, signal }, make);
  };
  const handler = createMcpHandler(() => createMcpServer({ ...options, ...changes, inTurn, reader, client }), {
    maxRequestBodySize: bodyBytesMax,
  });
  // an assistant that hangs up cancels its call, which stops a purchase
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const init = {
      method: 'POST',
      headers: new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
      signal: gone.signal,
    };
    const body = (await readBody(request, bodyBytesMax)).toString('utf8');
    const messages = body.trimStart().startsWith('[') ? countOf(body) : 1;
    if (messages > batchMax)
      return refuse(response, 413, `A request has at most ${batchMax} messages; this one has ${messages}.`);
    const answered = await handler.fetch(new Request('http://localhost/mcp', { ...init, body }));
    await send(response, answered, gone.signal);
  } catch (error) {
    if (error instanceof BodyTooLarge) refuse(response, 413, error.message, { connection: 'close' });
    else if (!gone.signal.aborted) throw error;
  } finally {
    await handler.close();
  }
}

/** Of a batch; 0: it is no JSON, which the handler says. */
function countOf(body: string): number {
  try {
    const batch: unknown = JSON.parse(body);
    return Array.isArray(batch) ? batch.length : 1;
  } catch {
    return 0;
  }
}

/** Nothing where `gone` is aborted by then. */
async function send(response: ServerResponse, answered: Response, gone?: AbortSignal): Promise<void> {
  const body = await answered.text();
  if (gone?.aborted) return;
  response.writeHead(answered.status, { ...Object.fromEntries(answered.headers), 'cache-control': 'no-store' });
  response.end(body);
}
