// Serves the read API and its page over HTTP. Only GET and HEAD: nothing can be changed through it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExpressionsUsedUp, type HistoryReader, InvalidQuery, NotFound } from '../contract.ts';
import type { LimitExpressions } from '../expression.ts';
import { type HistoryServer, type ListenOptions, listen, refuse } from '../listen.ts';
import { clientOf, type Door, originRefusal, type Refusal, tokenRefusal, tooMany } from '../readers.ts';
import type { KeywordRow } from '../records.ts';
import { findEndpoint, refuseUnknown } from '../route.ts';
import { type Asset, type Body, documentAsset, documentBody, listBody, toAsset, toTag, wantsJson } from './answers.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { historyPaths } from './openapi.ts';
import type { WorkspacePage } from './page.ts';

export interface WorkspaceOptions extends ListenOptions {
  readonly reader: HistoryReader;
  readonly door: Door;
  readonly limitExpressions: LimitExpressions;
  /** Absent: the API alone. */
  readonly page?: WorkspacePage;
  /** The OpenAPI document of the service, to which the paths of history are added. */
  readonly openApi: { readonly paths: object; readonly components?: unknown };
}

/** What a server answers with, prepared when it starts. */
interface Prepared extends WorkspaceOptions {
  readonly openApiAsset: Asset;
  /** By whether requests need a token. */
  readonly docs: { readonly open: Asset; readonly guarded: Asset };
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
  const { openApi, page } = options;
  const docs = (needsToken: boolean): Asset =>
    toAsset('text/html; charset=utf-8', docsPage({ needsToken, hasPage: page !== undefined }));
  const prepared: Prepared = {
    ...options,
    openApiAsset: documentAsset({ ...openApi, paths: { ...openApi.paths, ...historyPaths() } }),
    docs: { open: docs(false), guarded: docs(true) },
  };
  return listen(options, (request, response) => answer(prepared, request, response));
}

/** Before the token, only files that all readers share: a browser loads the page that asks for the token. */
async function answer(options: Prepared, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { door, page, docs, openApiAsset } = options;
  for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
  response.setHeader('content-security-policy', policyOf(page?.inlineScriptHash ?? ''));
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return refuse(response, 405, 'Only GET and HEAD: the workspace is read-only.');
  }
  const written = request.url ?? '/';
  if (written.length > urlCharactersMax)
    return refuse(response, 414, `A URL has at most ${urlCharactersMax} characters.`);
  const foreign = originRefusal(door, request);
  if (foreign !== null) return refuseWith(response, foreign);
  if (!URL.canParse(written, origin)) return refuse(response, 400, 'This URL cannot be read.');
  const url = new URL(written, origin);
  const asset = page?.asset(url.pathname) ?? null;
  if (asset !== null) return sendAsset(request, response, asset);
  if (url.pathname === '/' && page === undefined) {
    response.writeHead(302, { location: '/docs' });
    response.end();
    return;
  }
  if (url.pathname === '/docs') {
    response.setHeader('content-security-policy', docsPolicy);
    return sendAsset(request, response, door.needsToken() ? docs.guarded : docs.open);
  }
  if (url.pathname === '/healthz') return send(request, response, documentBody({ status: 'ok' }), null);
  const shell = page?.asset('/') ?? null;
  if (shell !== null && isLostVisitor(request, url)) {
    response.writeHead(404, { 'content-type': shell.type, 'cache-control': 'no-store' });
    response.end(shell.bytes);
    return;
  }
  const refusal = tokenRefusal(door, request);
  if (refusal !== null) return refuseWith(response, refusal);
  if (url.pathname === '/openapi.json') return sendAsset(request, response, openApiAsset);
  return answerApi(options, url, request, response);
}

function refuseWith(response: ServerResponse, { status, message, headers }: Refusal): void {
  refuse(response, status, message, headers);
}

/** A browser at an address that neither the page nor the API has: the page says so. */
function isLostVisitor({ headers }: IncomingMessage, { pathname }: URL): boolean {
  return (headers.accept ?? '').includes('text/html') && !/^\/(v1\/|openapi\.json$)/.test(pathname);
}

async function answerApi(
  { reader, limitExpressions }: Prepared,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const found = findEndpoint(url.pathname);
  if (found === null) return refuse(response, 404, `There is no ${url.pathname}. See /openapi.json.`);
  const { endpoint, path } = found;
  try {
    const version = reader.version();
    const accept = request.headers.accept ?? '';
    const tag = toTag(`${version} ${url.pathname}${url.search} ${accept}`);
    if (isKnown(request, tag)) return notModified(response, tag);
    refuseUnknown(endpoint, url.searchParams);
    const asked = { ...path, query: url.searchParams };
    const { withPage, fields = [] } = endpoint;
    const list = { accept, query: url.searchParams, version, fields };
    const isTable = endpoint.rows !== undefined && !wantsJson(accept, url.searchParams);
    const body = limitExpressions(clientOf(request), () => {
      const value = endpoint.read(reader, asked);
      if (endpoint.kind === 'list')
        return listBody(value as object[], {
          ...list,
          withPage: withPage && ((rows) => withPage(reader, asked, rows as KeywordRow[])), // of `read`
        });
      return isTable && endpoint.rows !== undefined
        ? listBody(endpoint.rows(value as never), list) // of `read`
        : documentBody(value);
    });
    response.setHeader('vary', 'accept');
    return await send(request, response, body, tag);
  } catch (error) {
    if (error instanceof NotFound) return refuse(response, 404, error.message);
    if (error instanceof ExpressionsUsedUp) return refuseWith(response, tooMany(error.message, error.retryAfterMs));
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

function sendAsset(request: IncomingMessage, response: ServerResponse, { type, bytes, tag }: Asset): void {
  if (isKnown(request, tag)) {
    notModified(response, tag);
    return;
  }
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-cache', etag: tag });
  response.end(request.method === 'HEAD' ? undefined : bytes);
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
