// What requests without a token cost: no bodies, no log lines, and no limits of their own.
import { once } from 'node:events';
import { METHODS } from 'node:http';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { serveMetrics } from '../../src/app/metrics.ts';
import type { HistoryReader } from '../../src/read/contract.ts';
import type { LimitExpressions } from '../../src/read/expression.ts';
import { startServer } from '../../src/service/index.ts';
import { editServer } from '../../src/workspace/editing/edit-server.ts';
import type { Editor } from '../../src/workspace/editing/editor.ts';
import { startMcpHttp } from '../../src/workspace/mcp/http.ts';
import { openOAuth } from '../../src/workspace/mcp/oauth.ts';
import { startWorkspace } from '../../src/workspace/server/server.ts';
import { authorizationServer } from '../helpers/authorization-server.ts';
import { closeLater } from '../helpers/closing.ts';
import { setUpCustomers } from '../helpers/customers.ts';
import { doorOptions, openDoor, tokenDoor } from '../helpers/door.ts';
import { exchangeBytes, openSocket, parseResponse } from '../helpers/raw-http.ts';

interface Running {
  readonly url: string;
  close(): Promise<void>;
}

const running: Running[] = [];
const errors: unknown[] = [];
afterEach(async () => {
  errors.length = 0;
  for (const server of running.splice(0)) await server.close();
});

async function opened(server: Promise<Running>): Promise<string> {
  running.push(await server);
  return new URL((await server).url).origin;
}

let issuer: string;
beforeAll(async () => {
  issuer = closeLater(await authorizationServer([])).url;
});

const reader = {
  ...{ version: () => 'v1', projects: () => [] },
  notes: () => [],
  of: () => ({ keywords: () => [] }),
} as unknown as HistoryReader;
const clients: string[] = [];
const limitExpressions: LimitExpressions = (client, work) => {
  clients.push(client);
  return work();
};
const common = {
  ...{ ...doorOptions, limitExpressions, readerFor: () => reader, host: '127.0.0.1', port: 0 },
  onError: (error: unknown) => void errors.push(error),
};
const edits = (door = tokenDoor) =>
  editServer({
    ...{ door, reader, limitExpressions, editorName: () => null, operator: 'me' },
    editor: {} as unknown as Editor,
  });
const view = (door = tokenDoor) => opened(startWorkspace({ ...common, door }));
const viewToEdit = (door = tokenDoor) => opened(startWorkspace({ ...common, door, edits: edits(door) }));
const mcp = (door = tokenDoor) => opened(startMcpHttp({ ...common, door }));
async function mcpForHosted(): Promise<string> {
  const oauth = await openOAuth({ issuer, resource: 'http://127.0.0.1:9/mcp', onError: common.onError });
  return await opened(startMcpHttp({ ...common, door: tokenDoor, oauth }));
}
async function serve(): Promise<string> {
  const { service, clock, store: accounts } = await setUpCustomers();
  const onAnswer = ({ error, status }: { readonly error?: unknown; readonly status: number }) =>
    void (status >= 500 && errors.push(error));
  return await opened(startServer({ service, clock, accounts, onAnswer }));
}
const silent = { debug() {}, info() {}, warn() {}, error: (facts: object) => void errors.push(facts) };
const metrics = () =>
  opened(serveMetrics({ host: '127.0.0.1', port: 0 }, silent, () => ({ refresh: async () => {} }), tokenDoor));

const servers = [
  ['view', view],
  ['view --edit', viewToEdit],
  ['mcp', mcp],
  ['mcp --oauth', mcpForHosted],
  ['serve', serve],
  ['metrics', metrics],
] as const;
const paths = ['/', '/mcp', '/v1/notes', '/v1/serp', '/metrics', '/none'];
const json = 'content-type: application/json\r\nx-rankledger-edit: 1\r\n';

const bodyBytes = 400_000_000;
const piece = Buffer.alloc(1_000_000, ' ');
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
/** What the kernel holds for both ends of a connection, and the server reads before it closes it. */
const takenMax = 40_000_000;

/** Sends the body until the connection closes: the status of the answer, and how much of the body was taken. */
async function sendBody(url: string, head: string, part: Buffer) {
  const { socket, closed } = openSocket(url);
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  socket.write(head);
  while (!isClosed && socket.bytesWritten < bodyBytes)
    if (!socket.write(part)) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  const taken = socket.bytesWritten - socket.writableLength;
  return { taken, status: parseResponse(await closed).status };
}

describe.each(servers)('%s', (name, start) => {
  it('takes no large body of a request that it refuses', async () => {
    const url = await start();
    for (const [length, part] of [
      [`content-length: ${bodyBytes}`, piece],
      ['transfer-encoding: chunked', chunk],
    ] as const)
      for (const method of ['POST', 'GET']) {
        const path = name === 'metrics' ? '/metrics' : name.startsWith('mcp') ? '/mcp' : '/v1/notes';
        const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${json}${length}\r\n\r\n`;
        const { taken, status } = await sendBody(url, head, part);
        expect([method, length, status]).toEqual([method, length, expect.toSatisfy((of) => of >= 400 && of < 500)]);
        expect(taken).toBeLessThan(takenMax);
      }
    expect(errors).toEqual([]);
  }, 30_000);

  it('reads a small body after its refusal, and goes on with the connection', async () => {
    const url = await start();
    const { socket, closed } = openSocket(url);
    socket.write(`POST /none HTTP/1.1\r\nhost: 127.0.0.1\r\n${json}content-length: 2\r\n\r\n`);
    await new Promise((resolve) => setImmediate(resolve));
    socket.write('{}GET /none HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n');
    expect((await closed).match(/HTTP\/1\.1 4\d\d/g)).toHaveLength(2);
  });

  it('answers malformed requests without a token with 4xx, and logs no error', async () => {
    const url = await start();
    const targets = [
      ...paths,
      '//',
      '///',
      '*',
      'http://[',
      'http://a:b/mcp',
      '/%',
      '/mcp?%',
      '/.well-known/%zz',
      '/\\',
    ];
    const tokens = [
      '',
      'Bearer',
      'Bearer a.b.c',
      'Bearer ..',
      'Bearer eyJhbGciOiJub25lIn0.e30.',
      'Basic YTpi',
      '\u00e4',
    ];
    const well = ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server'];
    const requests = [
      ...METHODS.filter((method) => method !== 'CONNECT').flatMap((method) =>
        [...targets, ...well].map((target) => [method, target, ''] as const),
      ),
      ...paths.flatMap((target) =>
        tokens.flatMap((token) => [
          ['POST', target, `authorization: ${token}\r\n`] as const,
          ['GET', target, `authorization: ${token}\r\naccept: \u00ff\r\nif-none-match: ,,"\r\nrange: x\r\n`] as const,
        ]),
      ),
    ];
    for (const [method, target, headers] of requests) {
      const body = method === 'POST' ? `${json}content-length: 1\r\n\r\n{` : '\r\n';
      const head = `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${headers}`;
      const { status } = parseResponse(await exchangeBytes(url, Buffer.from(`${head}${body}`, 'latin1')));
      expect([method, target, headers, status < 500]).toEqual([method, target, headers, true]);
    }
    expect(errors).toEqual([]);
  }, 60_000);
});

describe('the limit of regular expressions', () => {
  const asked = async (url: string, authorization?: string) => {
    clients.length = 0;
    const headers = authorization === undefined ? {} : { authorization };
    await fetch(`${url}/v1/projects/acme/keywords?q=x`, { headers });
    const call = { name: 'keyword_table', arguments: { project: 'acme' } };
    const more = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
    await fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, ...more }, body });
    return [...clients];
  };

  it.each([
    ['view', view],
    ['mcp', mcp],
  ] as const)('of %s is of the address where no token is checked, with any header', async (_, start) => {
    const url = await start(openDoor);
    const of = [
      await asked(url),
      await asked(url, 'Bearer one'),
      await asked(url, 'Bearer two'),
      await asked(url, 'x'),
    ];
    expect(of).toEqual(new Array(4).fill(['127.0.0.1']));
  });

  it.each([
    ['view', view],
    ['mcp', mcp],
  ] as const)('of %s is of the reader whose token was checked', async (_, start) => {
    const url = await start(tokenDoor);
    expect(await asked(url, 'Bearer good')).toEqual(['good']);
    expect(await asked(url, 'Bearer bad')).toEqual([]);
  });
});
