// Serves the read API and its page over HTTP. Only GET and HEAD: nothing can be changed through it.
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type HistoryReader, InvalidQuery, NotFound } from '../contract.ts';
import { type HistoryServer, type ListenOptions, listen, refuse } from '../listen.ts';
import { isLoopbackName, type ReaderCheck, readerRefusal } from '../readers.ts';
import type { KeywordRow } from '../records.ts';
import { findEndpoint, refuseUnknown } from '../route.ts';
import { type Body, documentBody, listBody, wantsJson } from './answers.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { historyPaths } from './openapi.ts';

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface WorkspaceOptions extends ListenOptions {
  readonly reader: HistoryReader;
  /** Judges tokens. Absent: everybody on this machine may read, which only a loopback address allows. */
  readonly checkReader?: ReaderCheck;
  /** The files of the page by path, `/` included, and the hash of its inline script. Absent: the API alone. */
  readonly page?: { readonly asset: (path: string) => Asset | null; readonly inlineScriptHash: string };
  /** The OpenAPI document of the service, to which the paths of history are added. */
  readonly openApi: { readonly paths: object; readonly components?: unknown };
}

const urlCharactersMax = 8_192;
/** Any: a request names its path only. */
const origin = 'http://workspace';
/** The page has one inline script: `inlineScriptHash`. */
const policyOf = (inlineScriptHash: string): string =>
  `default-src 'none'; script-src 'self' ${inlineScriptHash}; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const always = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Rejects with the system's error if it cannot listen. */
export function startWorkspace(options: WorkspaceOptions): Promise<HistoryServer> {
  return listen(options, (request, response) => answer(options, request, response));
}

async function answer(options: WorkspaceOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
  response.setHeader('content-security-policy', policyOf(options.page?.inlineScriptHash ?? ''));
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405, 'Only GET and HEAD: the workspace is read-only.');
  }
  const written = request.url ?? '/';
  if (written.length > urlCharactersMax)
    return refuse(response, 414, `A URL has at most ${urlCharactersMax} characters.`);
  if (options.checkReader === undefined && !isLoopbackName(request.headers.host)) {
    return refuse(response, 403, 'Open it by a name of this machine, such as localhost or 127.0.0.1.');
  }
  if (!URL.canParse(written, origin)) return refuse(response, 400, 'This URL cannot be read.');
  const url = new URL(written, origin);
  const asset = options.page?.asset(url.pathname) ?? null;
  if (asset !== null)
    return send(request, response, { type: asset.type, chunks: [asset.bytes] }, hashBytes(asset.bytes));
  if (url.pathname === '/' && options.page === undefined) {
    response.writeHead(302, { location: '/docs' });
    response.end();
    return;
  }
  if (url.pathname === '/docs') {
    response.setHeader('content-security-policy', docsPolicy);
    const text = docsPage({ needsToken: options.checkReader !== undefined, hasPage: options.page !== undefined });
    return send(request, response, { type: 'text/html; charset=utf-8', chunks: [text] }, hashBytes(Buffer.from(text)));
  }
  if (url.pathname === '/healthz') return send(request, response, documentBody({ status: 'ok' }), null);
  const shell = options.page?.asset('/') ?? null;
  if (shell !== null && isLostVisitor(request, url)) {
    response.writeHead(404, { 'content-type': shell.type, 'cache-control': 'no-store' });
    response.end(shell.bytes);
    return;
  }
  const refusal = readerRefusal(options.checkReader, request);
  if (refusal !== null) {
    for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
    return refuse(response, refusal.status, refusal.message);
  }
  return answerApi(options, url, request, response);
}

/** A browser at an address that neither the page nor the API has: the page says so. */
function isLostVisitor({ headers }: IncomingMessage, { pathname }: URL): boolean {
  return (headers.accept ?? '').includes('text/html') && !/^\/(v1\/|openapi\.json$)/.test(pathname);
}

async function answerApi(
  { reader, openApi }: WorkspaceOptions,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (url.pathname === '/openapi.json') {
    const document = { ...openApi, paths: { ...openApi.paths, ...historyPaths() } };
    return send(request, response, documentBody(document), null);
  }
  const found = findEndpoint(url.pathname);
  if (found === null) return refuse(response, 404, `There is no ${url.pathname}. See /openapi.json.`);
  const { endpoint, path } = found;
  try {
    const version = reader.version();
    const accept = request.headers.accept ?? '';
    const tag = `"${createHash('sha256').update(`${version} ${url.pathname}${url.search} ${accept}`).digest('base64url').slice(0, 22)}"`;
    if (isKnown(request, tag)) return notModified(response, tag);
    refuseUnknown(endpoint, url.searchParams);
    const asked = { ...path, query: url.searchParams };
    const value = endpoint.read(reader, asked);
    const { withPage, fields = [] } = endpoint;
    const list = { accept, query: url.searchParams, version, fields };
    const isTable = endpoint.rows !== undefined && !wantsJson(accept, url.searchParams);
    const body =
      endpoint.kind === 'list'
        ? listBody(value as object[], {
            ...list,
            withPage: withPage && ((rows) => withPage(reader, asked, rows as KeywordRow[])), // of `read`
          })
        : isTable
          ? listBody(endpoint.rows(value as never), list) // of `read`
          : documentBody(value);
    response.setHeader('vary', 'accept');
    return await send(request, response, body, tag);
  } catch (error) {
    if (error instanceof NotFound) return refuse(response, 404, error.message);
    if (error instanceof InvalidQuery) return refuse(response, 400, error.message);
    throw error;
  }
}

function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  return (headers['if-none-match'] ?? '').split(',').some((known) => known.trim().replace(/^W\//, '') === tag);
}

function notModified(response: ServerResponse, tag: string): void {
  response.writeHead(304, { etag: tag, vary: 'accept' });
  response.end();
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { type, chunks }: Body,
  tag: string | null,
): Promise<void> {
  if (tag !== null && isKnown(request, tag)) return notModified(response, tag);
  response.writeHead(200, {
    'content-type': type,
    'cache-control': 'no-cache',
    ...(tag === null ? {} : { etag: tag }),
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  await pipeline(Readable.from(chunks), response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error; // the client has gone
  });
}

function hashBytes(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}
