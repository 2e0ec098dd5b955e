// Clients as attackers: by every path they get the answers that they would get if nothing else was tracked.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { serveMcpHttp } from '../../../src/cli/commands/mcp.ts';
import { addReader, revokeReader } from '../../../src/cli/commands/reader.ts';
import { endpoints } from '../../../src/read/endpoints.ts';
import {
  acmeAlone,
  agency,
  askWorld,
  openSharedWorld,
  type SharedScope,
  type SharedWorld,
  sharedNow,
  sharedScopes,
  shoesAlone,
} from '../../helpers/shared-worlds.ts';

/** Who gets an answer: every reader, those of a whole project, or those who see everything. A new path needs a line. */
const shared: Readonly<Record<string, 'every' | 'project' | 'none'>> = {
  '/v1/projects': 'every',
  '/v1/projects/{project}': 'every',
  '/v1/projects/{project}/keywords': 'every',
  '/v1/projects/{project}/changes': 'every',
  '/v1/projects/{project}/rankings': 'every',
  '/v1/projects/{project}/summary': 'every',
  '/v1/projects/{project}/segments': 'every',
  '/v1/projects/{project}/series': 'every',
  '/v1/projects/{project}/competitors': 'every',
  '/v1/projects/{project}/discovered': 'every',
  '/v1/projects/{project}/landing-pages': 'every',
  '/v1/projects/{project}/cannibalization': 'every',
  '/v1/projects/{project}/cannibalization/pages': 'every',
  '/v1/projects/{project}/keywords/{id}': 'every',
  '/v1/projects/{project}/keywords/{id}/causes': 'every',
  '/v1/projects/{project}/causes': 'every',
  '/v1/projects/{project}/why': 'every',
  '/v1/projects/{project}/attribution': 'every',
  '/v1/projects/{project}/keywords/{id}/checks': 'none',
  '/v1/projects/{project}/serp': 'every',
  '/v1/projects/{project}/serp/dates': 'every',
  '/v1/projects/{project}/volumes': 'every',
  '/v1/projects/{project}/answers': 'project',
  '/v1/projects/{project}/answer-texts': 'project',
  '/v1/projects/{project}/click-changes': 'project',
  '/v1/projects/{project}/click-changes/rows': 'project',
  '/v1/projects/{project}/click-hours': 'project',
  '/v1/projects/{project}/untracked-queries': 'none',
  '/v1/projects/{project}/without-impressions': 'none',
  '/v1/projects/{project}/grids': 'every',
  '/v1/projects/{project}/grids/{id}': 'every',
  '/v1/projects/{project}/grid-points': 'every',
  '/v1/runs': 'none',
  '/v1/spend': 'none',
  '/v1/alerts': 'none',
  '/v1/notes': 'every',
};

/** The same of each tool of an assistant. */
const sharedTools: Readonly<Record<string, 'every' | 'project' | 'none'>> = {
  list_projects: 'every',
  project_facts: 'every',
  keyword_table: 'every',
  top_movers: 'every',
  visibility_series: 'every',
  competitors: 'every',
  other_domains: 'every',
  segments: 'every',
  landing_pages: 'every',
  cannibalization: 'every',
  keyword_history: 'every',
  serp_on_date: 'every',
  explain_change: 'every',
  grid_maps: 'every',
  ai_answers: 'project',
  ai_answer_texts: 'project',
  spend: 'none',
  runs: 'none',
  alerts: 'none',
};

let worlds: Readonly<Record<'agency' | 'acmeAlone' | 'shoesAlone', SharedWorld>>;
/** Rows of acme on desktop, by keyword. */
let ids: ReadonlyMap<string, string>;
let secretId: string;

beforeAll(async () => {
  worlds = {
    agency: await openSharedWorld(agency),
    acmeAlone: await openSharedWorld(acmeAlone),
    shoesAlone: await openSharedWorld(shoesAlone),
  };
  const everything = historyReader(worlds.agency.app);
  const rowsOf = (project: string) => everything.of(project).keywords({ filter: {}, sort: [] });
  ids = new Map(rowsOf('acme').flatMap(({ keyword, device, id }) => (device === 'mobile' ? [[keyword, id]] : [])));
  secretId = rowsOf('secret-project')[0]?.id ?? '';
});
afterAll(async () => {
  for (const world of Object.values(worlds)) await world.close();
});

const scopes = Object.keys(sharedScopes) as SharedScope[]; // of a literal
/** The world in which only that exists which the reader may see. */
const alone = (scope: SharedScope) => (scope === 'project' ? worlds.acmeAlone : worlds.shoesAlone);

function pathFor(path: string, { project = 'acme', id = ids.get('trail shoes') ?? '', keyword = 'trail shoes' } = {}) {
  const named = path.replace('{project}', encodeURIComponent(project)).replace('{id}', encodeURIComponent(id));
  const search = new URLSearchParams({ keyword, country: 'US', language: 'en', device: 'mobile' });
  return /\/serp/.test(path) ? `${named}?${search}` : named;
}

describe.each(scopes)('a reader of a %s', (scope) => {
  it('gets from each path what the world without the rest answers, or a refusal', async () => {
    expect(Object.keys(shared)).toEqual(endpoints.map(({ path }) => path));
    for (const { path } of endpoints) {
      const answer = await askWorld(worlds.agency, scope, pathFor(path));
      const isShared = shared[path] === 'every' || shared[path] === scope;
      expect(answer.slice(0, 3), path).toBe(path.includes('/grids/') ? '404' : isShared ? '200' : '403');
      expect(answer, path).toBe(await askWorld(alone(scope), scope, pathFor(path)));
      expect(answer).not.toContain('secret');
      if (scope !== 'project') expect(answer).not.toContain('hidden');
    }
  });

  it('cannot tell other projects, keywords, rows and pages from those that do not exist', async () => {
    const foreign = [
      ...['secret-project', 'secret-before', 'acme/../secret-project', '*', '%', 'ACME'].map((project) => ({
        project,
      })),
      ...[secretId, ids.get('hidden rake') ?? '', 'x'.repeat(16)].map((id) => ({ id })),
      ...['secret keyword', 'hidden rake', 'garden hose', 'running shoes'].map((keyword) => ({ keyword })),
    ];
    for (const { path } of endpoints)
      for (const names of foreign) {
        const asked = pathFor(path, names);
        if (asked === pathFor(path)) continue;
        const [answer, other] = [worlds.agency, alone(scope)].map((world) => askWorld(world, scope, asked));
        expect(await answer, asked).toBe(await other);
        if ('project' in names) expect(await answer, asked).toMatch(/^40[34]/);
      }
    for (const path of ['/v1/notes', '/v1/runs', '/v1/spend', '/v1/alerts']) {
      const asked = `${path}?project=secret-project`;
      expect(await askWorld(worlds.agency, scope, asked)).toBe(await askWorld(alone(scope), scope, asked));
    }
  });

  it('finds no more through an assistant', async () => {
    const signal = new AbortController().signal;
    const servers = await Promise.all(
      [worlds.agency, alone(scope)].map(async (world) => ({
        token: world.tokens[scope],
        ...(await serveMcpHttp(world.app, { port: 0, signal })),
      })),
    );
    const ask = async (method: string, params: object) => {
      const answers = servers.map(async ({ url, token }) => {
        const headers = {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        };
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const answer = await fetch(url, { method: 'POST', headers, body });
        return `${answer.status} ${await answer.text()}`;
      });
      const [answer = '', other] = await Promise.all(answers);
      expect(answer, `${method} ${JSON.stringify(params)}`).toBe(other);
      return answer;
    };
    try {
      const listed = await ask('tools/list', {});
      const { tools } = JSON.parse(/\{"tools".*\]\}|\{.*\}/s.exec(listed)?.[0] ?? '').result as {
        tools: { name: string; inputSchema: { properties: Record<string, object> } }[];
      };
      expect(tools.map(({ name }) => name)).toEqual(Object.keys(sharedTools));
      const given = { keyword: 'trail shoes', country: 'US', language: 'en', device: 'mobile' };
      for (const { name, inputSchema } of tools)
        for (const project of ['acme', 'acme-shop', 'secret-project', undefined])
          for (const id of [ids.get('trail shoes'), ids.get('hidden rake'), secretId, undefined]) {
            const all = Object.entries({ ...given, project, id });
            const args = all.filter(([parameter, value]) => parameter in inputSchema.properties && value !== undefined);
            if (id !== undefined && !('id' in inputSchema.properties)) continue;
            const answer = await ask('tools/call', { name, arguments: Object.fromEntries(args) });
            const isShared = sharedTools[name] === 'every' || sharedTools[name] === scope;
            if (project === 'acme') expect(answer.includes('not shared with this reader'), name).toBe(!isShared);
            if (project !== 'secret-project') expect(answer).not.toContain('secret');
          }
      for (const project of ['acme', 'secret-project'])
        await ask('resources/read', { uri: `rankledger://projects/${project}` });
      await ask('resources/list', {});
    } finally {
      await Promise.all(servers.map(({ close }) => close()));
    }
  });
});

it('a link is refused from the moment on which it is revoked or has ended, and stays refused', async () => {
  const { writing, server } = worlds.agency;
  const status = async (token?: string) =>
    (
      await fetch(
        `${server.url}/v1/projects`,
        token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
      )
    ).status;
  const { token } = addReader(writing, 'shortly', { project: 'acme', until: '2026-01-15' });
  expect(await status(token)).toBe(200);
  expect(writing.context.store.readers.find('', sharedNow)).toBeNull();
  revokeReader(writing, 'shortly');
  expect(await status(token)).toBe(401);
  for (const scope of scopes) revokeReader(writing, scope);
  // no reader is left, and clients who come through a proxy of this machine still need a token
  expect(await status()).toBe(401);
});
