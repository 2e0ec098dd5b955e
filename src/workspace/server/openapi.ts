// The paths of the read API in OpenAPI 3.1, from the table of endpoints.
import type { EditPath } from '../endpoint.ts';
import { endpoints } from '../endpoints.ts';

/** Parameters of lists. */
export const pagingParameters = {
  limit: 'rows of a page, 1 to 10000; default: 100. all: every row',
  cursor: '`next` of the previous page',
  offset: 'rows to skip, without a cursor',
  fields: 'only these fields, in this order: keyword,rank,url',
  format: 'json, csv, ndjson or xlsx; default: by Accept. All but JSON hold all rows; JSON does with limit=all',
};

/** Not of history: it depends on the reader who asks. */
export const access = {
  path: '/v1/access',
  about: 'Whether this reader may edit, and the scope of a reader who may not see everything',
};

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Also with the paths of editors. */
export function openApiDocument(edits: readonly EditPath[] = []) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'rankledger read API',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: 'The recorded history of ranks, as JSON, CSV, NDJSON or Excel workbooks.',
    },
    servers: [{ url: '/', description: 'The server of this document' }],
    security: [{}, { reader: [] }],
    paths: pathObjects(edits),
    components: {
      securitySchemes: {
        reader: { type: 'http', scheme: 'bearer', description: 'A token of `rankledger reader add`' },
      },
    },
  };
}

function pathObjects(edits: readonly EditPath[]): Readonly<Record<string, unknown>> {
  const paths = new Map<string, object>(endpoints.map((endpoint) => [endpoint.path, { get: operation(endpoint) }]));
  paths.set(access.path, { get: accessOperation });
  for (const edit of edits)
    paths.set(edit.path, { ...paths.get(edit.path), [edit.method.toLowerCase()]: editOperation(edit) });
  return Object.fromEntries(paths);
}

const accessOperation = {
  tags: ['History'],
  summary: access.about,
  operationId: operationId('read', access.path),
  security: [{}, { reader: [] }],
  responses: {
    200: {
      description: access.about,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: { mayEdit: { type: 'boolean' }, scope: { type: ['object', 'null'] } },
            required: ['mayEdit', 'scope'],
          },
        },
      },
    },
    401: { description: 'A token is needed' },
  },
};

function editOperation({ method, path, about, schema }: EditPath): object {
  return {
    tags: ['Edits'],
    summary: about,
    operationId: operationId('edit', path),
    security: [{}, { reader: [] }],
    parameters: pathParameters(path),
    ...(method === 'POST' && { requestBody: { required: true, content: { 'application/json': { schema } } } }),
    responses: {
      200: { description: about, content: { 'application/json': { schema: { type: 'object' } } } },
      400: { description: 'A field has a value that it cannot have' },
      401: { description: 'A token is needed' },
      403: { description: 'The token is not of an editor, or a page of another site sent the request' },
      404: { description: 'No project or path of that name' },
      409: { description: 'The file, the change or the price is another one than that of the preview' },
      413: { description: 'The body is too large' },
      415: { description: 'The body is not JSON' },
    },
  };
}

function pathParameters(path: string): object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function operationId(verb: string, path: string): string {
  return `${verb}${path.replaceAll(/[^a-z]+(\w?)/g, (_, letter: string) => letter.toUpperCase())}`;
}

function operation({ path, kind, about, parameters, fields = [], rows }: (typeof endpoints)[number]): unknown {
  const { fields: fieldsAbout, format } = pagingParameters;
  const ofTables = rows === undefined ? {} : { fields: fieldsAbout, format };
  const inQuery = Object.entries({ ...parameters, ...(kind === 'list' ? pagingParameters : ofTables) }).map(
    ([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: name === 'tag' ? { type: 'array', items: { type: 'string' } } : { type: 'string' },
    }),
  );
  const json = { 'application/json': { schema: kind === 'list' ? listSchema(fields) : { type: 'object' } } };
  const tables = { 'text/csv': {}, 'application/x-ndjson': {}, [workbookType]: {} };
  return {
    tags: ['History'],
    summary: about,
    operationId: operationId('read', path),
    security: [{}, { reader: [] }],
    parameters: [...pathParameters(path), ...inQuery],
    responses: {
      200: { description: about, content: { ...json, ...(kind === 'list' || rows !== undefined ? tables : {}) } },
      304: { description: 'Unchanged since the ETag of If-None-Match' },
      400: { description: 'A parameter has a value that it cannot have' },
      401: { description: 'A token is needed' },
      403: { description: 'It is not shared with this reader' },
      404: { description: 'No project, keyword or path of that name' },
    },
  };
}

/** Rows by their fields. */
function listSchema(fields: readonly string[]): object {
  const row = { type: 'object', properties: Object.fromEntries(fields.map((field) => [field, {}])) };
  return {
    type: 'object',
    properties: { data: { type: 'array', items: row }, total: { type: 'integer' }, next: { type: ['string', 'null'] } },
  };
}
