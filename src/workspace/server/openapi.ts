// The paths of the read API in OpenAPI 3.1, from the table of endpoints and the records that they answer with.
import * as z from 'zod/mini';
import type { EditPath, Endpoint } from '../../read/endpoint.ts';
import { endpoints } from '../../read/endpoints.ts';
import * as records from '../../read/records.ts';

/** Not of history: it depends on the reader who asks. */
export const access = {
  path: '/v1/access',
  about: 'Whether this reader may edit, and the scope of a reader who may not see everything',
};

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Each record by its name: a client has a type for each. */
const named = z.registry<{ readonly id: string }>();
for (const [name, record] of Object.entries(records))
  if (record instanceof z.ZodMiniType) named.add(record, { id: name.replace(/^./, (letter) => letter.toUpperCase()) });

const uri = (id: string): string => `#/components/schemas/${id}`;

/** Also with the paths of editors. */
export function openApiDocument(edits: readonly EditPath[] = []) {
  const { schemas } = z.toJSONSchema(named, { uri, override: tidy });
  const answers = edits.map(({ answer: { name, schema } }) => [name, schema] as const);
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
      schemas: Object.fromEntries(
        [...Object.entries(schemas), ...answers].map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
      ),
      securitySchemes: {
        reader: { type: 'http', scheme: 'bearer', description: 'A token of `rankledger reader add`' },
      },
    },
  };
}

/** Without what is true of every value: `format` says more than the pattern of a date or moment. */
function tidy({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.format?.startsWith('date')) delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  delete jsonSchema.readOnly;
}

/** A reference to a record. */
function refer(record: z.ZodMiniType): object {
  return { $ref: uri(named.get(record)?.id ?? '') };
}

function pathObjects(edits: readonly EditPath[]): Readonly<Record<string, unknown>> {
  const paths = new Map<string, object>(endpoints.map((endpoint) => [endpoint.path, { get: operation(endpoint) }]));
  paths.set(access.path, {
    get: reading({ path: access.path, about: access.about, content: json(refer(records.access)), parameters: [] }),
  });
  for (const edit of edits)
    paths.set(edit.path, { ...paths.get(edit.path), [edit.method.toLowerCase()]: editOperation(edit) });
  return Object.fromEntries(paths);
}

function json(schema: object): object {
  return { 'application/json': { schema } };
}

/** Answers without what was asked, by their status. */
function failures(texts: Readonly<Record<number, string>>): object {
  return Object.fromEntries(
    Object.entries(texts).map(([status, description]) => [
      status,
      { description, content: json(refer(records.failure)) },
    ]),
  );
}

function editOperation({ method, path, about, schema, answer }: EditPath): object {
  return {
    tags: ['Edits'],
    summary: about,
    operationId: operationId('edit', path),
    security: [{}, { reader: [] }],
    parameters: pathParameters(path),
    ...(method === 'POST' && { requestBody: { required: true, content: json(schema) } }),
    responses: {
      200: { description: about, content: json({ $ref: uri(answer.name) }) },
      ...failures({
        400: 'A field has a value that it cannot have',
        401: 'A token is needed',
        403: 'The token is not of an editor, or a page of another site sent the request',
        404: 'No project or path of that name',
        413: 'The body is too large',
        415: 'The body is not JSON',
        429: 'The regular expressions of this reader have used up their time',
        500: 'The file was not written',
        503: 'The database cannot be used now',
      }),
      409: {
        description: 'The file, the change or the price is another one than that of the preview',
        content: json(refer(records.conflict)),
      },
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

function operation({ path, kind, about, query, record, columns }: Endpoint): object {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input', override: tidy });
  const parameters = Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as z.core.JSONSchema.BaseSchema; // of a parameter
    return { name, in: 'query', description, ...(required.includes(name) && { required: true }), schema: rest };
  });
  const files = { 'text/csv': {}, 'application/x-ndjson': {}, [workbookType]: {} };
  const schema = kind === 'list' ? pageOf(refer(record)) : refer(record);
  return reading({ path, about, parameters, content: { ...json(schema), ...(columns !== undefined && files) } });
}

/** A GET of what is recorded. */
function reading({
  path,
  about,
  parameters,
  content,
}: {
  readonly path: string;
  readonly about: string;
  readonly parameters: readonly object[];
  readonly content: object;
}): object {
  return {
    tags: ['History'],
    summary: about,
    operationId: operationId('read', path),
    security: [{}, { reader: [] }],
    parameters: [...pathParameters(path), ...parameters],
    responses: {
      200: { description: about, content },
      304: { description: 'Unchanged since the ETag of If-None-Match' },
      ...failures({
        400: 'A parameter has a value that it cannot have',
        401: 'A token is needed',
        403: 'It is not shared with this reader',
        404: 'No project, keyword or path of that name',
        429: 'The regular expressions of this reader have used up their time',
      }),
    },
  };
}

function pageOf(row: object): object {
  return {
    type: 'object',
    properties: { data: { type: 'array', items: row }, total: { type: 'integer' }, next: { type: ['string', 'null'] } },
    required: ['data', 'total', 'next'],
    additionalProperties: false,
  };
}
