// Serves the read API and its page over HTTP. Only GET and HEAD, unless it is given what takes the requests of editors.

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HistoryReader } from '../../read/contract.ts';
import type { EditPath, Endpoint } from '../../read/endpoint.ts';
import { endpoints } from '../../read/endpoints.ts';
import type { LimitExpressions } from '../../read/expression.ts';
import { fileShape, filterShape, meanings, pagingShape } from '../../read/queries.ts';
import { findEndpoint } from '../../read/route.ts';
import { type AnswerAside, FairAnswers, isHeavyRead } from '../heavy.ts';
import { type HistoryServer, type ListenOptions, listen, refuse, refuseWith, strayParameter } from '../listen.ts';
import { admit, type Door, type Entry, originRefusal } from '../readers.ts';
import type { ReaderScope } from '../scoped-reader.ts';
import { type Asset, documentAsset, documentBody, type SentBody, toAsset, toTag } from './answers.ts';
import { access, openApiDocument } from './openapi.ts';
import type { WorkspacePage } from './page.ts';
import { type ReadQuestion, readBody, refusalOf } from './read.ts';

export interface WorkspaceOptions extends ListenOptions {
  /** Null: everything. Throws NotFound: what the scope names is gone. */
  readonly readerFor: (scope: ReaderScope | null) => HistoryReader;
  readonly door: Door;
  readonly limitExpressions: LimitExpressions;
  /** Absent: all answers are made in this thread. */
  readonly aside?: AnswerAside<ScopedRead, SentBody>;
  /** Absent: the API alone. */
  readonly page?: WorkspacePage;
  /** Absent: nothing can be changed. */
  readonly edits?: EditServer;
}

/** For another thread. */
interface ScopedRead {
  readonly scope: ReaderScope | null;
  readonly asked: ReadQuestion;
}

/** Takes requests of editors. */
export interface EditServer {
  readonly endpoints: readonly EditPath[];
  readonly takes: (method: string | undefined, pathname: string) => boolean;
  /** Refuses a request that it does not take. */
  readonly answer: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void>;
  /** Whether the token of a request, or the lack of one, is of an editor. */
  readonly mayEdit: (request: IncomingMessage) => boolean;
  /** Resolves when nothing is being written or bought. */
  readonly settled: () => Promise<void>;
}

/** What a server answers with, prepared when it starts. */
interface Prepared extends WorkspaceOptions {
  readonly answers: FairAnswers<ScopedRead, SentBody>;
  readonly openApiAsset: Asset;
  /** By whether requests need a token. */
  readonly docs: { readonly open: Asset; readonly guarded: Asset };
}

const urlCharactersMax = 8_192;
/** Headers that answers depend on: a shared cache must not give the answer of one reader to another. */
const varies = 'accept, authorization';
/** Any: a request names its path only. */
const origin = 'http://workspace';
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const always = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Rejects with the system's error if it cannot listen. */
export function startWorkspace(options: WorkspaceOptions): Promise<HistoryServer> {
  const { page, edits } = options;
  const docs = (needsToken: boolean): Asset =>
    toAsset('text/html; charset=utf-8', docsPage({ needsToken, hasPage: page !== undefined, edits: edits?.endpoints }));
  const prepared: Prepared = {
    ...options,
    answers: new FairAnswers(options.aside),
    openApiAsset: documentAsset(openApiDocument(edits?.endpoints)),
    docs: { open: docs(false), guarded: docs(true) },
  };
  return listen(options, (request, response) => answer(prepared, request, response));
}

/** Before the token, only files that all readers share: a browser loads the page that asks for the token. */
async function answer(options: Prepared, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { door, page, docs, openApiAsset, edits } = options;
  for (const [name, value] of Object.entries(always)) response.setHeader(name, value);
  response.setHeader('content-security-policy', policy);
  if (request.method !== 'GET' && request.method !== 'HEAD' && (request.method !== 'POST' || edits === undefined)) {
    response.setHeader('allow', edits === undefined ? 'GET, HEAD' : 'GET, HEAD, POST');
    return refuse(response, 405, 'Only GET and HEAD: the workspace is read-only.');
  }
  const written = request.url ?? '/';
  if (written.length > urlCharactersMax)
    return refuse(response, 414, `A URL has at most ${urlCharactersMax} characters.`);
  const foreign = originRefusal(door, request);
  if (foreign !== null) return refuseWith(response, foreign);
  if (!URL.canParse(written, origin)) return refuse(response, 400, 'This URL cannot be read.');
  const url = new URL(written, origin);
  if (edits !== undefined && (request.method === 'POST' || edits.takes(request.method, url.pathname)))
    return edits.answer(request, response, url);
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
  const entry = admit(door, request);
  if (entry.refusal !== null) return refuseWith(response, entry.refusal);
  if (url.pathname === '/openapi.json') return sendAsset(request, response, openApiAsset);
  if (url.pathname === access.path) {
    const stray = strayParameter(url);
    if (stray !== null) return refuseWith(response, stray);
    const body = documentBody({ mayEdit: edits?.mayEdit(request) ?? false, scope: entry.scope });
    return send(request, response, body, null);
  }
  return answerApi(options, entry, url, request, response);
}

/** A browser at an address that neither the page nor the API has: the page says so. */
function isLostVisitor({ headers }: IncomingMessage, { pathname }: URL): boolean {
  return (headers.accept ?? '').includes('text/html') && !/^\/(v1\/|openapi\.json$)/.test(pathname);
}

async function answerApi(
  { readerFor, limitExpressions, answers }: Prepared,
  { scope, client }: Entry,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const found = findEndpoint(url.pathname);
  if (found === null) return refuse(response, 404, `There is no ${url.pathname}. See /openapi.json.`);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const version = readerFor(scope).version();
    const accept = request.headers.accept ?? '';
    const name = `${version} ${url.pathname}${url.search} ${accept}`;
    const tag = toTag(name);
    if (isKnown(request, tag)) return notModified(response, tag);
    const asked: ReadQuestion = { pathname: url.pathname, query: url.searchParams, accept, client };
    const question = { scope, asked };
    const isHeavy = isHeavyRead(found.endpoint, asked);
    const body = await answers.answer(client, { name, isHeavy, question, signal: gone.signal }, () =>
      readBody(readerFor(scope), asked, limitExpressions),
    );
    response.setHeader('vary', varies);
    return await send(request, response, body, tag);
  } catch (error) {
    if (gone.signal.aborted) return;
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    refuseWith(response, refusal);
  }
}

function isKnown({ headers }: IncomingMessage, tag: string): boolean {
  return (headers['if-none-match'] ?? '').split(',').some((known) => known.trim().replace(/^W\//, '') === tag);
}

function notModified(response: ServerResponse, tag: string): void {
  response.writeHead(304, { etag: tag, vary: varies });
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
  { type, chunks }: SentBody,
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

// /docs of the workspace: the read API for people, one HTML page without scripts, from the table of endpoints.

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.9rem}h2{margin-top:3rem;border-bottom:1px solid var(--line)}h3{margin:2rem 0 0;overflow-wrap:anywhere}
code,pre{font:0.875rem/1.5 ui-monospace,monospace}
pre{padding:1rem;overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{width:8rem;font-weight:400}
nav a{margin-right:1.2rem}`;

/** Nothing may be loaded and nothing may run: only this one style applies. */
const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface DocsFacts {
  /** Requests carry the token of a reader. */
  readonly needsToken: boolean;
  /** The server has the page of the workspace. */
  readonly hasPage: boolean;
  readonly edits: readonly EditPath[] | undefined;
}

function docsPage({ needsToken, hasPage, edits }: DocsFacts): string {
  const header = needsToken ? ` -H 'Authorization: Bearer TOKEN'` : '';
  const example = (path: string, more = ''): string =>
    `<pre>curl '{base_url}${escaped(path)}'${escaped(header)}${escaped(more)}</pre>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>rankledger read API</title><style>${style}</style></head><body><main>
<h1>rankledger read API</h1>
<nav>${hasPage ? '<a href="/">Workspace</a>' : ''}<a href="#filters">Filters</a><a href="#answers">Answers</a><a href="#paths">Paths</a><a href="/openapi.json">OpenAPI 3.1</a></nav>
<p>It answers GET requests from recorded history. ${edits === undefined ? 'It can change and buy nothing.' : 'Editors may change and buy what <a href="#edits">Edits</a> lists.'}${needsToken ? ' Requests carry the token of a reader, which an operator makes with <code>rankledger reader add NAME</code>.' : ' From this machine no token is needed.'}</p>
${example('/v1/projects')}
${example('/v1/projects/PROJECT/keywords?tag=shoes&device=mobile&rank=1..10&sort=-searchVolume')}
${example('/v1/projects/PROJECT/changes?compare=7d', ` -H 'Accept: text/csv'`)}
<h2 id="filters">Filters</h2><p>Paths with tables and charts take these. All conditions must hold. <code>a|b</code> means either, <code>!a</code> means not.</p>
${parameterTable(meanings(filterShape))}
<h2 id="answers">Answers</h2><p>A list is <code>{"data", "total", "next"}</code>. Each answer has an <code>ETag</code>. An error is <code>{"error": {"message"}}</code>: 400 for a wrong parameter, 401 without a valid token, 403 for what is not shared with a reader, 404 for an unknown name.</p>
${parameterTable(meanings({ ...pagingShape, ...fileShape([]) }))}
<h2 id="paths">Paths</h2>
${[...endpoints, { ...access, kind: 'document', parameters: {} } as const].map(endpointPart).join('\n')}${edits === undefined ? '' : editsPart(edits)}
</main></body></html>`;
}

function editsPart(edits: readonly EditPath[]): string {
  const parts = edits.map(({ method, path, ...edit }) =>
    describedPart({ ...edit, path: `${method} ${path}`, kind: 'document' }),
  );
  return `
<h2 id="edits">Edits</h2><p>The body of a POST is JSON, with the headers <code>content-type: application/json</code> and <code>x-rankledger-edit: 1</code>. A change of a file answers with a preview and its <code>hash</code>; the same request with this <code>hash</code> writes it.</p>
${parts.join('\n')}`;
}

function endpointPart(entry: Pick<Endpoint, 'path' | 'kind' | 'about' | 'parameters'>): string {
  return describedPart({ ...entry, parameters: meanings(entry.parameters) });
}

function describedPart({
  path,
  kind,
  about,
  parameters,
}: Pick<EditPath, 'path' | 'about' | 'parameters'> & Pick<Endpoint, 'kind'>): string {
  const own = Object.entries(parameters).filter(([name]) => !Object.hasOwn(filterShape, name) || !('q' in parameters));
  const others = [
    'q' in parameters ? 'the <a href="#filters">filters</a>' : '',
    kind === 'list' ? 'those of <a href="#answers">lists</a>' : '',
  ].filter(Boolean);
  const takes =
    others.length === 0 ? '' : `<p>Parameters: ${own.length > 0 ? 'those below, ' : ''}${others.join(', ')}.</p>`;
  return `<h3><code>${escaped(path)}</code></h3><p>${escaped(about)}.</p>${takes}${own.length === 0 ? '' : parameterTable(Object.fromEntries(own))}`;
}

function parameterTable(parameters: Readonly<Record<string, string>>): string {
  const rows = Object.entries(parameters).map(
    ([name, meaning]) => `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${escaped(meaning)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
