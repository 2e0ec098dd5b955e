// A server on loopback that keeps objects, and speaks what exports use of S3 and Google Cloud Storage.
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { CRC32C } from '@google-cloud/storage';
import { listenOnLoopback } from './loopback.ts';

export interface ObjectServer {
  readonly url: string;
  /** By `bucket/key`. */
  readonly objects: Map<string, Buffer>;
  /** What was written and removed, in this order: `PUT bucket/key`. */
  readonly changes: string[];
  /** Called before an object is written; true: the request is forbidden. */
  refuses: (object: string) => boolean;
  /** Uploads that were begun and neither completed nor aborted. */
  readonly open: Map<string, Buffer[]>;
  close(): Promise<void>;
}

/** So few that lists have several pages. */
const listMax = 3;

export async function startObjectServer(): Promise<ObjectServer> {
  const { url, close } = await listenOnLoopback((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = new URL(request.url ?? '/', url);
      const body = bodyOf(request, Buffer.concat(chunks));
      const answer = /^\/(upload\/|resumable\/)?(storage\/v1\/)?b\//.test(asked.pathname) ? google : s3;
      answer(server, request.method ?? '', asked, body, response);
    });
  });
  const server: ObjectServer = {
    url,
    objects: new Map(),
    changes: [],
    open: new Map(),
    refuses: () => false,
    close,
  };
  return server;
}

/** A client that signs its body in pieces sends each with its length: `aws-chunked`. */
function bodyOf({ headers }: IncomingMessage, bytes: Buffer): Buffer {
  if (!String(headers['content-encoding'] ?? '').includes('aws-chunked')) return bytes;
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const length = Number.parseInt(bytes.subarray(at, end).toString(), 16);
    if (!(length > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}

function put(server: ObjectServer, object: string, bytes: Buffer): boolean {
  if (server.refuses(object)) return false;
  server.objects.set(object, bytes);
  server.changes.push(`PUT ${object}`);
  return true;
}

function remove(server: ObjectServer, object: string): void {
  server.objects.delete(object);
  server.changes.push(`DELETE ${object}`);
}

/** A page of the objects of a bucket, and the first one of the next. */
function pageOf(server: ObjectServer, bucket: string, prefix: string, from: string | null) {
  const keys = [...server.objects.keys()]
    .filter((object) => object.startsWith(`${bucket}/${prefix}`))
    .map((object) => object.slice(bucket.length + 1))
    .sort()
    .filter((key) => from === null || key >= from);
  const listed = keys.slice(0, listMax).map((key) => ({ key, bytes: server.objects.get(`${bucket}/${key}`)?.length }));
  return { listed, next: keys[listMax] };
}

type Answer = (server: ObjectServer, method: string, asked: URL, body: Buffer, response: ServerResponse) => void;

const etag = (bytes: Buffer): string => `"${createHash('md5').update(bytes).digest('hex')}"`;

const s3: Answer = (server, method, { pathname, searchParams: query }, body, response) => {
  const [, bucket = '', key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(pathname)) ?? [];
  const object = `${bucket}/${key}`;
  const upload = query.get('uploadId');
  const xml = (text: string) => response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
  const forbidden = () =>
    response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>the test says no</Message></Error>');
  if (method === 'GET' && query.get('list-type') === '2') {
    const { listed, next } = pageOf(server, bucket, query.get('prefix') ?? '', query.get('continuation-token'));
    const contents = listed.map((of) => `<Contents><Key>${of.key}</Key><Size>${of.bytes}</Size></Contents>`).join('');
    const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`;
    xml(`<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${more}${contents}</ListBucketResult>`);
  } else if (method === 'GET') response.writeHead(200).end(server.objects.get(object));
  else if (method === 'POST' && query.has('uploads')) {
    const id = randomUUID();
    server.open.set(id, []);
    xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  } else if (method === 'PUT' && upload !== null) {
    const parts = server.open.get(upload);
    if (parts !== undefined) parts[Number(query.get('partNumber')) - 1] = body;
    response.writeHead(200, { etag: etag(body) }).end();
  } else if (method === 'POST' && upload !== null) {
    const isPut = put(server, object, Buffer.concat(server.open.get(upload) ?? []));
    if (!isPut) forbidden();
    else server.open.delete(upload);
    if (isPut) xml(`<CompleteMultipartUploadResult><ETag>"of-${upload}"</ETag></CompleteMultipartUploadResult>`);
  } else if (method === 'DELETE' && upload !== null) {
    server.open.delete(upload);
    response.writeHead(204).end();
  } else if (method === 'DELETE') {
    remove(server, object);
    response.writeHead(204).end();
  } else if (put(server, object, body)) response.writeHead(200, { etag: etag(body) }).end();
  else forbidden();
};

function crc32c(bytes: Buffer): string {
  const sum = new CRC32C();
  sum.update(bytes);
  return sum.toString();
}

const google: Answer = (server, method, { pathname, searchParams: query, origin }, body, response) => {
  const [, session, bucket = '', key = ''] =
    /^\/(?:upload\/|(resumable)\/)?(?:storage\/v1\/)?b\/([^/]+)\/o\/?(.*)$/.exec(pathname) ?? [];
  const object = `${bucket}/${decodeURIComponent(key) || query.get('name')}`;
  const json = (value: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (session !== undefined) {
    server.open.delete(query.get('upload_id') ?? '');
    if (put(server, object, body)) json({ name: query.get('name'), size: `${body.length}`, crc32c: crc32c(body) });
    else response.writeHead(403).end();
  } else if (method === 'POST') {
    const id = randomUUID();
    server.open.set(id, []);
    const to = `${origin}/resumable/b/${bucket}/o?name=${encodeURIComponent(query.get('name') ?? '')}&upload_id=${id}`;
    response.writeHead(200, { location: to }).end();
  } else if (method === 'DELETE') {
    remove(server, object);
    response.writeHead(204).end();
  } else if (query.get('alt') === 'media') {
    const bytes = server.objects.get(object) ?? Buffer.alloc(0);
    response.writeHead(200, { 'x-goog-hash': `crc32c=${crc32c(bytes)}` }).end(bytes);
  } else {
    const { listed, next } = pageOf(server, bucket, query.get('prefix') ?? '', query.get('pageToken'));
    json({ items: listed.map((of) => ({ name: of.key, size: `${of.bytes}` })), ...(next && { nextPageToken: next }) });
  }
};
