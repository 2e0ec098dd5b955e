// The MCP server with the SDK's client: what tools answer, how errors look, and over HTTP who may ask.
import { request as httpRequest } from 'node:http';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { type HistoryReader, NotFound } from '../../../src/workspace/contract.ts';
import type { HistoryServer } from '../../../src/workspace/listen.ts';
import { type McpHttpOptions, startMcpHttp } from '../../../src/workspace/mcp/http.ts';
import { createMcpServer } from '../../../src/workspace/mcp/server.ts';
import { doorOptions, tokenDoor } from '../../helpers/door.ts';

const row = (id: string, changes: object) => ({
  id,
  target: 'acme.com',
  changeClass: 'declined',
  previousRank: 3,
  rank: 7,
  change: -4,
  url: 'https://acme.com/b',
  previousUrl: 'https://acme.com/a',
  date: '2026-01-14',
  previousDate: '2026-01-12',
  estimatedClicksChange: -10,
  ...changes,
});
const rows = [
  row('1', {}),
  row('2', { changeClass: 'improved', estimatedClicksChange: 50 }),
  row('3', { changeClass: 'unchanged', estimatedClicksChange: 0 }),
  row('4', { changeClass: 'first_check', previousDate: null, estimatedClicksChange: null }),
];
const point = (date: string, rank: number | null, changes: object = {}) => ({
  date,
  status: rank === null ? 'not_found' : 'ranked',
  rank,
  serpFeatures: [],
  ownedFeatures: [],
  ...changes,
});

const errors: unknown[] = [];
const reader = {
  projects: () => [{ project: 'acme' }],
  project: (project: string) => {
    if (project !== 'acme') throw new NotFound(`no project "${project}"`);
    return { project, tags: ['shoes'] };
  },
  keywords: () => rows,
  summary: () => ({ changes: { declined: 1 } }),
  keyword: () => ({
    lines: [
      {
        target: 'acme.com',
        isOwn: true,
        points: [
          point('2026-01-12', 3, {
            serpFeatures: ['people_also_ask', 'images'],
            ownedFeatures: ['images', 'ai_overview'],
          }),
          point('2026-01-14', 7, { serpFeatures: ['people_also_ask', 'ai_overview'] }),
        ],
      },
      { target: 'rose.com', isOwn: false, points: [point('2026-01-12', 9), point('2026-01-14', 2)] },
      { target: 'same.com', isOwn: false, points: [point('2026-01-12', 5), point('2026-01-14', 5)] },
      {
        target: 'failed.com',
        isOwn: false,
        points: [point('2026-01-12', 5), { ...point('2026-01-14', null), status: 'failed' }],
      },
    ],
  }),
  checks: () => [
    { date: '2026-01-14', source: 'web/b' },
    { date: '2026-01-12', source: 'web/a' },
  ],
  notes: () => [
    { date: '2026-01-12', text: 'before', project: null },
    { date: '2026-01-13', text: 'relaunch', project: null },
  ],
  serp: ({ location }: { readonly location?: string }) => ({
    place: location ?? 'country',
    // the overview cites nothing that is known
    features: [{ type: 'ai_overview', urls: [] }],
    places: [],
  }),
  serpDates: (search: { readonly location?: string }) => [search.location ?? 'country'],
  runs: () => {
    throw new Error('secret inside');
  },
} as unknown as HistoryReader;
const options = { ...doorOptions, reader, onError: (error: unknown) => errors.push(error) };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  errors.length = 0;
  for (const each of opened.splice(0)) await each.close();
});

async function connect(): Promise<Client> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = createMcpServer(options);
  await server.connect(theirs);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(mine);
  opened.push(client, server);
  return client;
}

async function call(name: string, input: object = {}): Promise<{ text: string; isError: boolean }> {
  const client = await connect();
  const { content, isError } = await client.callTool({ name, arguments: { ...input } });
  const [first] = content as { text: string }[];
  return { text: first?.text ?? '', isError: isError === true };
}

const read = async (name: string, input: object = {}) => JSON.parse((await call(name, input)).text);

describe('the MCP server', () => {
  it('offers tools that only read', async () => {
    const { tools } = await (await connect()).listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_projects',
      'project_facts',
      'keyword_table',
      'top_movers',
      'keyword_history',
      'serp_on_date',
      'why_did_it_change',
      'grid_maps',
      'ai_answers',
      'ai_answer_texts',
      'spend',
      'runs',
      'alerts',
    ]);
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
  });

  it('cuts a table to its limit and says how many rows there are', async () => {
    const table = await read('keyword_table', { project: 'acme', limit: 2, offset: 1 });
    expect([table.total, table.rows.map(({ id }: { id: string }) => id)]).toEqual([4, ['2', '3']]);
  });

  it('orders movers by their change in clicks, and leaves out rows without a comparison', async () => {
    const ids = async (direction: string) =>
      (await read('top_movers', { project: 'acme', direction })).rows.map(({ id }: { id: string }) => id);
    expect(await ids('both')).toEqual(['2', '1']);
    expect(await ids('down')).toEqual(['1']);
  });

  it('puts the facts around a change side by side', async () => {
    const facts = await read('why_did_it_change', { project: 'acme', id: '1' });
    expect(facts).toMatchObject({
      isComparable: true,
      urlChange: { from: 'https://acme.com/a', to: 'https://acme.com/b' },
      features: { won: ['ai_overview'], lost: ['images'] },
      ownedFeatures: { won: [], lost: ['images'] },
      otherTargets: [{ target: 'rose.com', isOwn: false, previousRank: 9, rank: 2 }],
      notes: [{ date: '2026-01-13', text: 'relaunch', project: null }],
      sourceChange: { from: 'web/a', to: 'web/b' },
      projectChanges: { declined: 1 },
    });
  });

  it('reads stored results of a search from a place, or from the country as a whole', async () => {
    const search = { project: 'acme', keyword: 'dentist', country: 'US', language: 'en', device: 'desktop' };
    const inAustin = { ...search, location: 'Austin,Texas,United States' };
    expect(await read('serp_on_date', inAustin)).toEqual({
      stored: true,
      dates: ['Austin,Texas,United States'],
      serp: expect.objectContaining({ place: 'Austin,Texas,United States' }),
    });
    expect(await read('serp_on_date', search)).toMatchObject({ dates: ['country'] });
  });

  it('states no change for a row without an earlier check', async () => {
    expect(await read('why_did_it_change', { project: 'acme', id: '4' })).toMatchObject({
      isComparable: false,
      urlChange: null,
      features: null,
      otherTargets: [],
    });
  });

  it.each([
    ['project_facts', { project: 'none' }, 'no project "none"'],
    ['why_did_it_change', { project: 'acme', id: '9' }, 'no row "9"'],
    ['keyword_table', { project: 'acme', filter: 'tags=shoes' }, 'no parameter tags'],
    ['keyword_table', { project: 'acme', filter: 'rank=best' }, 'rank'],
    ['keyword_table', { project: 'acme', limit: 501 }, '500'],
    ['keyword_table', {}, 'project'],
  ])('%s refuses %j', async (name, input, said) => {
    const { text, isError } = await call(name, input);
    expect(isError).toBe(true);
    expect(text).toContain(said);
    expect(errors).toEqual([]);
  });

  it('keeps what an unexpected error says to the log', async () => {
    const { text, isError } = await call('runs');
    expect(isError).toBe(true);
    expect(text).not.toContain('secret');
    expect(errors).toHaveLength(1);
  });

  it('gives projects and the filter language as resources, and two prompts', async () => {
    const client = await connect();
    const uris = (await client.listResources()).resources.map(({ uri }) => uri);
    expect(uris.toSorted()).toEqual([
      'rankledger://docs/filters',
      'rankledger://projects',
      'rankledger://projects/acme',
    ]);
    const guide = await client.readResource({ uri: 'rankledger://docs/filters' });
    expect(JSON.stringify(guide)).toContain('otherUrl');
    const facts = await client.readResource({ uri: 'rankledger://projects/acme' });
    expect(JSON.stringify(facts)).toContain('shoes');
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(['weekly_summary', 'explain_drop']);
    const prompt = await client.getPrompt({ name: 'explain_drop', arguments: { project: 'acme', keyword: 'a&b' } });
    expect(JSON.stringify(prompt)).toContain('q=a%26b');
  });
});

describe('over HTTP', () => {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_projects', arguments: {} },
  });
  const start = async (more: Partial<McpHttpOptions> = {}): Promise<HistoryServer> => {
    const running = await startMcpHttp({ ...options, host: '127.0.0.1', port: 0, ...more });
    opened.push(running);
    return running;
  };
  const post = (url: string, headers: Record<string, string> = {}, sent = body) =>
    fetch(url, {
      method: 'POST',
      body: sent,
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    });

  it('answers each request alone', async () => {
    const { url } = await start();
    const answer = await post(url);
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('acme');
    expect((await fetch(url)).status).toBe(405);
    expect((await post(url.replace('/mcp', '/other'))).status).toBe(404);
    expect((await post(url, {}, '{')).status).toBe(400);
    expect((await post(url, {}, ' '.repeat(300_000))).status).toBe(413);
  });

  it('asks for a token where tokens are checked', async () => {
    const { url } = await start({ door: tokenDoor });
    expect((await post(url)).status).toBe(401);
    expect((await post(url, { authorization: 'Bearer bad' })).status).toBe(401);
    expect((await post(url, { authorization: 'Bearer good' })).status).toBe(200);
  });

  it('refuses pages of other sites, by their origin and by a name that leads here', async () => {
    const { url } = await start();
    expect((await post(url, { origin: 'https://evil.example' })).status).toBe(403);
    const status = await new Promise((resolve) => {
      const { port } = new URL(url);
      const asked = { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: { host: 'evil.example' } };
      httpRequest(asked, (response) => resolve(response.resume().statusCode)).end(body);
    });
    expect(status).toBe(403);
  });
});
