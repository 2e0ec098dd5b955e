// The read API over HTTP: formats, pages, ETags, and who may read.
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { strFromU8, unzipSync } from 'fflate';
import { afterEach, describe, expect, it } from 'vitest';
import { type HistoryReader, InvalidQuery, NotFound } from '../../../src/read/contract.ts';
import { endpoints } from '../../../src/read/endpoints.ts';
import { filterShape } from '../../../src/read/queries.ts';
import { buckets } from '../../../src/tracker/changes/visibility.ts';
import type { HistoryServer } from '../../../src/workspace/listen.ts';
import { type EditServer, startWorkspace, type WorkspaceOptions } from '../../../src/workspace/server/server.ts';
import { doorOptions, tokenDoor } from '../../helpers/door.ts';

const notes = [
  { date: '2026-01-12', text: '=1+1', project: null },
  { date: '2026-01-13', text: 'relaunch', project: 'acme' },
  { date: '2026-01-14', text: 'update', project: null },
];

let version = 'v1';
const errors: unknown[] = [];
const reader = {
  version: () => version,
  notes: ({ project }: { project?: string }) => {
    if (project === 'none') throw new NotFound('no project "none"');
    if (project === 'broken') throw new Error('broken inside');
    if (project === 'wrong') throw new InvalidQuery('project: wrong');
    return notes;
  },
} as unknown as HistoryReader;

const running: HistoryServer[] = [];
afterEach(async () => {
  version = 'v1';
  errors.length = 0;
  for (const workspace of running.splice(0)) await workspace.close();
});

async function start({
  reader: read = reader,
  ...options
}: Partial<WorkspaceOptions> & { readonly reader?: HistoryReader } = {}): Promise<string> {
  const workspace = await startWorkspace({
    ...doorOptions,
    readerFor: () => read,
    host: '127.0.0.1',
    port: 0,
    onError: (error) => errors.push(error),
    ...options,
  });
  running.push(workspace);
  return workspace.url;
}

/** The status for a path and headers that `fetch` would change. */
function statusOf(url: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    request({ port, host: '127.0.0.1', path, headers }, (response) => resolve(response.resume().statusCode)).end();
  });
}

describe('/docs', () => {
  it('documents every path and filter for people, also without a token', async () => {
    const url = await start({ door: tokenDoor });
    const answer = await fetch(`${url}/docs`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const text = await answer.text();
    for (const { path, about } of endpoints) expect(text).toContain(`<code>${path}</code></h3><p>${about}.</p>`);
    expect(text).toContain('<code>/v1/access</code></h3>');
    for (const name of [...Object.keys(filterShape), 'limit', 'cursor']) expect(text).toContain(`<code>${name}</code>`);
    expect(text).toContain('Authorization: Bearer TOKEN');
    const style = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(answer.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
  });

  it('is where / of the API without a page leads', async () => {
    const answer = await fetch(`${await start()}/`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs']);
  });
});

describe('the read API', () => {
  it('pages a list with a cursor until it is through', async () => {
    const url = await start();
    const dates: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const answer = await fetch(`${url}/v1/notes?limit=2&cursor=${next}`);
      const page = (await answer.json()) as { data: { date: string }[]; total: number; next: string | null };
      expect(page.total).toBe(3);
      dates.push(...page.data.map(({ date }) => date));
      next = page.next;
    }
    expect(dates).toEqual(['2026-01-12', '2026-01-13', '2026-01-14']);
  });

  it('refuses a cursor of an older history, so that no row is skipped', async () => {
    const url = await start();
    const { next } = (await (await fetch(`${url}/v1/notes?limit=1`)).json()) as { next: string };
    version = 'v2';
    const answer = await fetch(`${url}/v1/notes?limit=1&cursor=${next}`);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('history has changed');
  });

  it('gives all rows as CSV with formulas neutralised, or as NDJSON', async () => {
    const url = await start();
    const csv = await (await fetch(`${url}/v1/notes`, { headers: { accept: 'text/csv' } })).text();
    expect(csv.replace(/^\uFEFF/, '')).toBe(
      "date,text,project\r\n2026-01-12,'=1+1,\r\n2026-01-13,relaunch,acme\r\n2026-01-14,update,\r\n",
    );
    const lines = await (await fetch(`${url}/v1/notes?format=ndjson`)).text();
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(notes);
  });

  it('gives a CSV without rows its header, and a column that only a later row has', async () => {
    const csvOf = async (rows: readonly object[], path = 'notes') => {
      const url = await start({
        reader: { ...reader, notes: () => rows, of: () => ({ keywords: () => rows }) } as unknown as HistoryReader,
      });
      return await (await fetch(`${url}/v1/${path}`, { headers: { accept: 'text/csv' } })).text();
    };
    expect(await csvOf([])).toBe('date,text,project\r\n');
    expect(await csvOf([], 'notes?fields=text')).toBe('text\r\n');
    const rows = await csvOf(
      [{ id: 'a' }, { id: 'b', location: 'Austin' }],
      'projects/acme/keywords?fields=id,location',
    );
    expect(rows).toBe('id,location\r\na,\r\nb,Austin\r\n');
    expect(await csvOf([notes[0] ?? {}, { ...notes[1], extra: 1 }])).toMatch(/^date,text,project,extra\r\n/);
  });

  it('gives a series as JSON, and as rows by Accept or format', async () => {
    const series = {
      dates: ['2026-01-12', '2026-01-13'],
      ...{ averageRank: [4.5, null], visibility: [10, 12], estimatedClicks: [7, 8], checked: [2, 0] },
      buckets: Object.fromEntries(buckets.map((bucket) => [bucket, [1, 0]])),
      notes: [],
    };
    const url = await start({
      reader: { ...reader, of: () => ({ series: () => series }) } as unknown as HistoryReader,
    });
    const path = `${url}/v1/projects/acme/series`;
    expect(await (await fetch(path)).json()).toEqual(series);
    const csv = await (await fetch(path, { headers: { accept: 'text/csv' } })).text();
    expect(csv).toBe(
      `date,average_rank,visibility,estimated_clicks,checked,rows_1,rows_2_3,rows_4_10,rows_11_20,rows_21_50,rows_51_100,rows_not_found,rows_unknown
2026-01-12,4.5,10,7,2,1,1,1,1,1,1,1,1
2026-01-13,,12,8,0,0,0,0,0,0,0,0,0
`.replaceAll('\n', '\r\n'),
    );
    const lines = await (await fetch(`${path}?format=ndjson&fields=date,checked`)).text();
    expect(lines).toBe('{"date":"2026-01-12","checked":2}\n{"date":"2026-01-13","checked":0}\n');
    expect((await fetch(`${url}/v1/projects/acme/summary?format=csv`)).status).toBe(400);
  });

  it('gives all rows as one JSON document where the limit is all', async () => {
    const url = await start();
    const text = await (await fetch(`${url}/v1/notes?format=json&limit=all`)).text();
    expect(JSON.parse(text)).toEqual({ data: notes, total: 3, next: null });
    const chosen = await (await fetch(`${url}/v1/notes?limit=all&fields=date`)).json();
    expect(chosen).toEqual({ data: notes.map(({ date }) => ({ date })), total: 3, next: null });
    const none = { ...reader, notes: () => [] } as unknown as HistoryReader;
    const empty = await (await fetch(`${await start({ reader: none })}/v1/notes?limit=all`)).json();
    expect(empty).toEqual({ data: [], total: 0, next: null });
  });

  it('gives the chosen fields only, from the chosen row on', async () => {
    const url = await start();
    const page = (await (await fetch(`${url}/v1/notes?fields=text,date&offset=1&limit=1`)).json()) as object;
    expect(page).toMatchObject({ data: [{ text: 'relaunch', date: '2026-01-13' }], total: 3 });
    const csv = await (await fetch(`${url}/v1/notes?fields=project,date&format=csv`)).text();
    expect(csv.split('\r\n')[2]).toBe('acme,2026-01-13');
  });

  it('gives all rows as a workbook, in which text is never a formula', async () => {
    const answer = await fetch(`${await start()}/v1/notes?format=xlsx`);
    expect(answer.headers.get('content-type')).toContain('spreadsheetml');
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    const textOf = (name: string): string => strFromU8(files[name] ?? new Uint8Array());
    expect(textOf('xl/worksheets/sheet1.xml').match(/<row /g)).toHaveLength(4);
    expect(textOf('xl/worksheets/sheet1.xml')).not.toContain('<f>');
    expect(textOf('xl/sharedStrings.xml')).toContain('<t>=1+1</t>');
  });

  it('gives a workbook without rows where nothing matches', async () => {
    const none = { ...reader, notes: () => [] } as unknown as HistoryReader;
    const answer = await fetch(`${await start({ reader: none })}/v1/notes?format=xlsx`);
    const files = unzipSync(new Uint8Array(await answer.arrayBuffer()));
    expect(strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array())).toContain('<t>project</t>');
  });

  it('refuses a period of too many ranks before it reads one of them', async () => {
    const dates = Array.from({ length: 300 }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
    const read: string[] = [];
    const acme = {
      facts: () => ({ dates, targets: ['acme.com'] }),
      series: () => ({ checked: dates.map(() => 1_000) }),
      keywords: ({ date = '' }) => {
        read.push(date);
        return [];
      },
    };
    const many = { ...reader, of: () => acme } as unknown as HistoryReader;
    const answer = await fetch(`${await start({ reader: many })}/v1/projects/acme/rankings?from=1970-01-01`);
    expect([answer.status, read]).toEqual([400, []]);
    expect(await answer.text()).toContain('more than 200000 ranks');
  });

  it('answers 304 to a known ETag until a run ends', async () => {
    const url = await start();
    const tag = (await fetch(`${url}/v1/notes`)).headers.get('etag') ?? '';
    const again = () => fetch(`${url}/v1/notes`, { headers: { 'if-none-match': tag } });
    expect((await again()).status).toBe(304);
    version = 'v2';
    expect((await again()).status).toBe(200);
  });

  it.each([
    ['/v1/notes?project=none', 404, 'no project'],
    ['/v1/notes?project=wrong', 400, 'project: wrong'],
    ['/v1/notes?projct=acme', 400, 'projct: no such parameter'],
    ['/v1/notes?limit=0', 400, 'limit:'],
    ['/v1/notes?limit=every', 400, 'limit:'],
    ['/v1/notes?cursor=abc', 400, 'cursor:'],
    ['/v1/notes?format=xml', 400, 'format:'],
    ['/v1/notes?offset=-1', 400, 'offset:'],
    ['/v1/notes?fields=date,nothing', 400, 'fields: "nothing" is not date, text'],
    ['/v1/nothing', 404, '/openapi.json'],
    ['/v1/projects/%ff', 404, '/openapi.json'],
  ])('answers %s with %i', async (path, status, message) => {
    const answer = await fetch(`${await start()}${path}`);
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as { error: { message: string } }).error.message).toContain(message);
  });

  it('answers 500 without the words of an unexpected error', async () => {
    const answer = await fetch(`${await start()}/v1/notes?project=broken`);
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('broken inside');
    expect(errors).toHaveLength(1);
  });

  it('changes nothing: other methods are refused', async () => {
    const url = await start();
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await fetch(`${url}/v1/notes`, { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('refuses a browser that was led here by the name of another site', async () => {
    expect(await statusOf(await start(), '/v1/notes', { host: 'evil.example' })).toBe(403);
  });

  it.each(['//', 'http://[', 'http://a:b/'])(
    'refuses %s, which cannot be read as a URL, and logs no error',
    async (path) => {
      expect(await statusOf(await start(), path, { host: '127.0.0.1' })).toBe(400);
      expect(errors).toEqual([]);
    },
  );

  it('asks for a token where tokens are checked, and makes an address wait that sends wrong ones', async () => {
    let wrong = 0;
    const check: WorkspaceOptions['door']['check'] = (token, address) => {
      expect(address).toContain('127.0.0.1');
      if (token === 'good') return { isReader: true, scope: null, reader: 'good' };
      wrong += 1;
      return { isReader: false, retryAfterMs: wrong > 1 ? 5_001 : null };
    };
    const url = await start({ door: { ...tokenDoor, check } });
    const ask = (authorization?: string) =>
      fetch(`${url}/v1/notes`, authorization === undefined ? {} : { headers: { authorization } });
    const anonymous = await ask();
    expect(anonymous.status).toBe(401);
    expect(anonymous.headers.get('www-authenticate')).toBe('Bearer realm="rankledger"');
    expect((await ask('Bearer bad')).status).toBe(401);
    const waiting = await ask('Bearer bad');
    expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([429, '6']);
    expect((await ask('Bearer good')).status).toBe(200);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(401);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it('documents every path of the table, and each scheme of tokens that they name', async () => {
    const document = (await (await fetch(`${await start()}/openapi.json`)).json()) as {
      paths: Record<string, { get: { security: object[] } }>;
      components: { securitySchemes: object };
    };
    expect(Object.keys(document.paths)).toEqual([...endpoints.map(({ path }) => path), '/v1/access']);
    const schemes = Object.values(document.paths).flatMap(({ get }) => get.security.flatMap(Object.keys));
    expect([...new Set(schemes)]).toEqual(Object.keys(document.components.securitySchemes));
  });

  it('says at /v1/access whether the reader may edit, to readers only', async () => {
    const ask = async (url: string, token: string) => {
      const answer = await fetch(`${url}/v1/access`, { headers: { authorization: `Bearer ${token}` } });
      return [answer.status, await answer.json()];
    };
    const mayEdit: EditServer['mayEdit'] = ({ headers }) => headers.authorization === 'Bearer good';
    const edits: EditServer = {
      ...{ endpoints: [], takes: () => false, answer: async () => undefined },
      ...{ mayEdit, settled: async () => undefined },
    };
    const editing = await start({
      door: { ...tokenDoor, check: () => ({ isReader: true, scope: null, reader: 'good' }) },
      edits,
    });
    expect(await ask(editing, 'good')).toEqual([200, { mayEdit: true, scope: null }]);
    expect(await ask(editing, 'other')).toEqual([200, { mayEdit: false, scope: null }]);
    const reading = await start({ door: tokenDoor });
    expect(await ask(reading, 'good')).toEqual([200, { mayEdit: false, scope: null }]);
    expect(await ask(reading, 'bad')).toEqual([401, expect.anything()]);
  });
});
