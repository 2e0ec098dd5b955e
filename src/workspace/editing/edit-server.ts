// Takes the requests of editors over HTTP: none that a page of another site or a form could send, none without limits.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { ExpressionsUsedUp, type HistoryReader, InvalidQuery, NotFound } from '../../read/contract.ts';
import type { LimitExpressions } from '../../read/expression.ts';
import { matchPath } from '../../read/route.ts';
import { BodyTooLarge, readBody, refuse, refuseWith, strayParameter } from '../listen.ts';
import { admit, type Door, type Editors, editorOf, hostOf, type Refusal, tooMany } from '../readers.ts';
import type { EditServer } from '../server/server.ts';
import { type EditEndpoint, editEndpoints } from './edit-endpoints.ts';
import { type Editor, EditRefused } from './editor.ts';

export interface EditServerOptions extends Editors {
  readonly editor: Editor;
  readonly reader: HistoryReader;
  readonly door: Door;
  readonly limitExpressions: LimitExpressions;
}

/** A form cannot send it, and a page of another site only after a question that is not answered. */
const editHeader = 'x-rankledger-edit';

export function editServer(options: EditServerOptions): EditServer {
  return {
    endpoints: editEndpoints.map(({ method, path, about, body, answer: record }) => ({
      ...{ method, path, about },
      parameters: Object.fromEntries(Object.entries(body.shape).map(([name, field]) => [name, aboutField(field)])),
      schema: z.toJSONSchema(body, { io: 'input' }),
      answer: { name: record.meta()?.title ?? '', schema: z.toJSONSchema(record) },
    })),
    takes: (method, pathname) => find(method, pathname) !== null,
    answer: (request, response, url) => answer(options, request, response, url),
    mayEdit: (request) => editorOf(options, request) !== null,
    settled: () => options.editor.settled(),
  };
}

function aboutField(field: z.core.$ZodType): string {
  return z.globalRegistry.get(field)?.description ?? '';
}

function find(method: string | undefined, pathname: string) {
  for (const endpoint of editEndpoints) {
    const path = endpoint.method === method ? matchPath(endpoint.path.split('/'), pathname.split('/')) : null;
    if (path !== null) return { endpoint, path };
  }
  return null;
}

async function answer(
  options: EditServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const found = find(request.method, url.pathname);
  if (found === null) return refuse(response, 404, `There is no ${request.method} ${url.pathname}. See /openapi.json.`);
  const entry = admit(options.door, request);
  if (entry.refusal !== null) return refuseWith(response, entry.refusal);
  const refusal = editRefusal(request) ?? strayParameter(url);
  if (refusal !== null) return refuseWith(response, refusal);
  const by = editorOf(options, request);
  if (by === null)
    return refuse(response, 403, 'This token may read only. `rankledger reader add NAME --role editor` makes another.');
  try {
    const { project } = found.path;
    const { reader, limitExpressions, editor } = options;
    const limited = <Result>(work: () => Result) => limitExpressions(entry.client, work);
    const body = await readJson(request, found.endpoint);
    const edited = await found.endpoint.edit(editor, { project, body, by, reader, limited });
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
    response.end(JSON.stringify(edited));
  } catch (error) {
    const { status, message, headers } = refusalOf(error);
    const preview = error instanceof EditRefused ? error.preview : null;
    refuse(response, status, message, headers, preview === null ? {} : { preview });
  }
}

/** What a page of another site cannot send. The origin is checked even where the browser says that it is the same. */
function editRefusal({ method, headers }: IncomingMessage): Refusal | null {
  if (method === 'GET') return null;
  const refused = (status: number, message: string): Refusal => ({ status, message, headers: {} });
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (
    site !== 'same-origin' ||
    (headers.origin !== undefined && hostOf(headers.origin) !== headers.host?.toLowerCase())
  )
    return refused(403, 'Only pages of this server may edit.');
  if (headers[editHeader] !== '1') return refused(403, `Send the header ${editHeader}: 1.`);
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? ''))
    return refused(415, 'Send the body as content-type: application/json.');
  return null;
}

/** Throws BodyTooLarge and SyntaxError. */
async function readJson(request: IncomingMessage, { method, bytesMax }: EditEndpoint): Promise<unknown> {
  return method === 'GET' ? {} : JSON.parse((await readBody(request, bytesMax)).toString('utf8'));
}

/** Throws an unexpected error. */
function refusalOf(error: unknown): Refusal {
  const refused = (status: number, message: string, headers = {}): Refusal => ({ status, message, headers });
  if (error instanceof EditRefused) return refused(error.status, error.message);
  if (error instanceof NotFound) return refused(404, error.message);
  if (error instanceof ExpressionsUsedUp) return tooMany(error.message, error.retryAfterMs);
  if (error instanceof InvalidQuery) return refused(400, error.message);
  if (error instanceof BodyTooLarge) return refused(413, error.message, { connection: 'close' });
  if (error instanceof SyntaxError) return refused(400, 'The body is not JSON.');
  if (error instanceof z.ZodError) return refused(400, z.prettifyError(error).replaceAll(/\s+/g, ' '));
  throw error;
}
