// A scripted vendor on loopback that records its requests.
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { listenOnLoopback } from '../../helpers/loopback.ts';

/** An answer; a `body` of text or bytes is sent unchanged, any other as JSON. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The body. */
  readonly text: string;
  /** Undefined if there is none, or if it is not JSON. */
  readonly json: unknown;
}

/** `hang`: no answer, ever. `reset`: the connection breaks without an answer. */
export type Script = (request: SeenRequest) => Reply | 'hang' | 'reset';

export interface VendorServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Answers every later request. */
  script: Script;
  untilRequests(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startVendorServer(): Promise<VendorServer> {
  const requests: SeenRequest[] = [];
  const { url, close } = await listenOnLoopback(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://vendor');
    const { method = '', headers } = request;
    const seen = { method, path, query, headers, text, json: jsonOf(text) };
    requests.push(seen);
    const reply = vendor.script(seen);
    if (reply === 'hang') return;
    if (reply === 'reset') {
      response.destroy();
      return;
    }
    const { status = 200, body = '' } = reply;
    const isReady = typeof body === 'string' || body instanceof Uint8Array;
    response.writeHead(status, { 'content-type': 'application/json', ...reply.headers });
    response.end(isReady ? body : JSON.stringify(body));
  });
  const vendor: VendorServer = {
    url,
    requests,
    script: () => ({ status: 500 }),
    async untilRequests(count) {
      while (requests.length < count) await new Promise((resolve) => setImmediate(resolve));
    },
    close,
  };
  return vendor;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** 120 MiB when decompressed, more than any source reads; made of parts, which gzip allows. */
export const gzipBomb: Buffer = Buffer.concat(Array(30).fill(gzipSync(Buffer.alloc(4 * 1024 * 1024, 32))));
