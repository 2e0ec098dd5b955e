// The read API asked over HTTP and by MCP: what it refuses, how it is described, and what it reads.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import Database from 'better-sqlite3';
import { generate } from 'openapi-typescript-codegen';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { historyReader } from '../../../src/app/workspace/workspace.ts';
import { serveMcpHttp } from '../../../src/cli/commands/mcp.ts';
import { InvalidQuery } from '../../../src/read/contract.ts';
import { endpoints } from '../../../src/read/endpoints.ts';
import { answerPath } from '../../../src/workspace/embedded/answer.ts';
import { tools } from '../../../src/workspace/mcp/tools.ts';
import { access } from '../../../src/workspace/server/openapi.ts';
import { copyOf } from '../../cli/project-folder.ts';
import { readingApp } from '../../cli/real-app.ts';
import { type AskedWorld, askedNow, openAskedWorld } from '../../helpers/asked-world.ts';
import { describedAnswers } from '../../helpers/described-answers.ts';

let world: AskedWorld;
beforeAll(async () => {
  world = await openAskedWorld();
}, 120_000);
afterAll(() => world.close());

interface Answered {
  readonly status: number;
  readonly body: {
    readonly error?: { readonly message: string };
    readonly data?: readonly Readonly<Record<string, unknown>>[];
    readonly total?: number;
  };
}

async function ask(path: string): Promise<Answered> {
  const answer = await fetch(`${world.url}/v1/${path}`);
  return { status: answer.status, body: (await answer.json()) as Answered['body'] };
}
/** What an assistant reads: the object, and about how many tokens it costs. */
async function call(name: string, input: object = {}): Promise<{ text: string; isError: boolean; tokens: number }> {
  const server = await serveMcpHttp(world.app, { port: 0, signal: new AbortController().signal });
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    const { content, isError } = await client.callTool({ name, arguments: { ...input } });
    const text = (content as { text: string }[])[0]?.text ?? '';
    return { text, isError: isError === true, tokens: Math.ceil(text.length / 4) };
  } finally {
    await client.close();
    await server.close();
  }
}

describe('a parameter', () => {
  const search = 'country=US&language=en&device=desktop';
  it.each([
    ['projects/acme/rankings?from=2026-1-5', 400, 'from: "2026-1-5" is not a date such as'],
    ['projects/acme/rankings?to=abc', 400, 'to: "abc" is not a date'],
    ['projects/acme/rankings?from=2026-02-30', 400, 'from: "2026-02-30" is not a date'],
    ['projects/acme/rankings?from=2026-01-09&to=2026-01-06', 400, 'from: 2026-01-09 is after 2026-01-06'],
    ['projects/acme/keywords?date=20260114', 400, 'date: "20260114" is not a date'],
    ['projects/acme/keywords?compare=yesterday', 400, 'compare: "yesterday" is not previous, last-month'],
    ['projects/acme/keywords?device=Mobile', 400, 'device: "Mobile" is not desktop, mobile'],
    ['projects/acme/keywords?device=!tablet', 400, 'device: "tablet" is not desktop, mobile'],
    ['projects/acme/summary?bucket=1-3', 400, 'bucket: "1-3" is not 1, 2-3, 4-10'],
    ['projects/acme/series?status=found', 400, 'status: "found" is not ranked, not_found'],
    ['projects/acme/causes?change=fell', 400, 'change: "fell" is not improved'],
    ['projects/acme/grids?significance=sure', 400, 'significance: "sure" is not noise, likely, certain'],
    ['projects/acme/discovered?intent=buy', 400, 'intent: "buy" is not commercial'],
    ['projects/acme/keywords?country=us', 400, 'country: "us" is not US'],
    ['projects/acme/why?market=US%20de', 400, 'market: "US de" is not US, US en, US en desktop'],
    ['projects/acme/segments?tag=shoe', 400, 'tag: "shoe" is not ball sports, boots, foot sports'],
    ['projects/acme/keywords?tag=!shoe', 400, 'tag: "shoe" is not ball sports'],
    ['projects/acme/landing-pages?target=acme', 400, 'target: "acme" is not acme.com, acme.com/shop, *'],
    ['projects/acme/keywords?above=rival.com', 400, 'above: "rival.com" is not globex.com, initech.com'],
    ['projects/acme/attribution?location=Austin', 400, 'location: "Austin" is not in this project'],
    ['projects/acme/keywords?feature=peple_also_ask', 400, 'feature: "peple_also_ask" is not '],
    ['projects/acme/keywords?rank=10..1', 400, 'rank: "10..1" is not a range'],
    ['projects/acme/keywords?otherUrl=maybe', 400, 'otherUrl: "maybe" is not true or false'],
    ['projects/acme/keywords?date=2026-01-12&date=2026-01-13', 400, 'date: is given several times'],
    ['projects/acme/keywords?mobile=true', 400, 'mobile: no such parameter; known: date, compare, q'],
    ['projects/acme/competitors?share=yes', 400, 'share: "yes" is not true or false'],
    ['projects/acme/series?granularity=year', 400, 'granularity: "year" is not day, week, month'],
    ['projects/acme/segments?by=colour', 400, 'by: "colour" is not tag, market'],
    ['projects/acme/click-changes?days=0', 400, 'days: "0" is not a number from 1 to 240'],
    ['projects/acme/click-changes?days=7.5', 400, 'days: "7.5" is not a number from 1 to 240'],
    ['projects/acme/untracked-queries?minImpressions=many', 400, 'minImpressions: "many" is not a number'],
    ['projects/acme/answer-texts?engine=bing', 400, 'engine: "bing" is not ai-mode'],
    ['projects/acme/answers?from=2026-13-01', 400, 'from: "2026-13-01" is not a date'],
    ['projects/acme/attribution?limit=0', 400, 'limit: "0" is not a number from 1 to 10000'],
    [`projects/acme/serp?${search}`, 400, 'keyword: missing'],
    [`projects/acme/serp?keyword=golf%20shoes&country=US&language=en&device=Desktop`, 400, 'device: "Desktop" is not'],
    [`projects/acme/serp?keyword=golf%20shoe&${search}`, 404, '"golf shoe" was never checked in this market'],
    [`projects/acme/serp/dates?keyword=golf%20shoe&${search}`, 404, '"golf shoe" was never checked in this market'],
    ['projects/acme/answer-texts?prompt=never', 404, 'prompt "never"'],
    ['projects/acme/keywords/none/checks', 404, 'no keyword "none"'],
    ['runs?project=none', 404, 'no project "none"'],
    ['runs?from=yesterday', 400, 'from: "yesterday" is not a date'],
    ['spend?to=2026-1-1', 400, 'to: "2026-1-1" is not a date'],
    ['alerts?limit=20000', 400, 'limit: "20000" is not a number from 1 to 10000, or all'],
    ['notes?tag=shoes', 400, 'tag: no such parameter; known: project, from, to'],
  ])('of %s is refused by %i with the right ones', async (path, status, message) => {
    const answered = await ask(path);
    expect([answered.status, answered.body.error?.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it.each([
    ['keyword_table', { project: 'acme', device: 'mobile' }, 'device: no such parameter; known: project, filter'],
    ['keyword_table', { project: 'acme', filter: 'device=Mobile' }, 'filter: device: "Mobile" is not desktop, mobile'],
    ['keyword_table', { project: 'acme', filter: 'tag=shoe' }, 'tag: "shoe" is not ball sports'],
    ['keyword_table', { project: 'acme', fields: 'rank,place' }, 'fields: "place" is not '],
    ['keyword_table', { project: 'acme', date: 'today' }, 'date: "today" is not a date'],
    ['top_movers', { project: 'acme', direction: 'left' }, 'direction: "left" is not up, down, both'],
    ['keyword_history', { project: 'acme', id: 'none' }, 'no keyword "none"'],
    ['runs', { state: 'complete' }, 'state: no such parameter; known: project, from, to, limit'],
    ['spend', { from: '2026-1-1' }, 'from: "2026-1-1" is not a date'],
    ['competitors', { project: 'acme', filter: 'above=rival.com' }, 'above: "rival.com" is not globex.com'],
    ['list_projects', { project: 'acme' }, 'project: no such parameter'],
  ])('of the tool %s is refused: %j', async (name, input, message) => {
    const { text, isError } = await call(name, input);
    expect([isError, text]).toEqual([true, expect.stringContaining(message)]);
  });

  it('that no path and no tool has is refused by each of them', async () => {
    for (const path of [...endpoints.map((endpoint) => endpoint.path), access.path]) {
      const { status, body } = await ask(`${path.slice('/v1/'.length).replace('{project}', 'acme')}?colour=red`);
      expect.soft([path, status, body.error?.message]).toEqual([path, 400, expect.stringMatching(/^colour: no such/)]);
    }
    for (const { name, schema, read } of tools) {
      const input = Object.keys(schema.shape).includes('project') ? { project: 'acme' } : {};
      const ask = () => read(historyReader(world.app), { ...input, colour: 'red' });
      expect.soft(ask, name).toThrow(InvalidQuery);
    }
  });

  it('that names what there is finds it', async () => {
    const total = async (path: string) => (await ask(`projects/acme/${path}`)).body.total;
    expect(await total('keywords?device=mobile')).toBe(36);
    expect(await total('keywords?tag=shoes|boots&tag=!ball%20sports')).toBe(20);
    expect(await total('keywords?tag=ball%20sports&target=*')).toBe(24);
  });
});

describe('a list', () => {
  it.each([
    ['runs?project=acme&from=2026-01-08&to=2026-01-10', 3],
    ['runs?project=other&to=2026-01-06', 2],
    ['alerts?project=acme', null],
    ['projects/acme/rankings?from=2026-01-06&to=2026-01-07', 144],
    ['projects/acme/volumes', 36],
    ['projects/acme/discovered', 325],
  ])('%s says how many match, at any limit, and pages add up to them', async (path, expected) => {
    const all = (await ask(`${path}${path.includes('?') ? '&' : '?'}limit=all`)).body;
    if (expected !== null) expect(all.total).toBe(expected);
    expect(all.data).toHaveLength(all.total ?? 0);
    const pages: unknown[] = [];
    for (let offset = 0; offset < (all.total ?? 0); offset += 50) {
      const { body } = await ask(`${path}${path.includes('?') ? '&' : '?'}limit=50&offset=${offset}`);
      expect(body.total).toBe(all.total);
      pages.push(...(body.data ?? []));
    }
    expect(pages).toEqual(all.data);
  });

  it('of an assistant is filtered before it is cut', async () => {
    const { runs, total } = JSON.parse((await call('runs', { project: 'other', to: '2026-01-06', limit: 1 })).text);
    expect([total, runs.map(({ slot }: { slot: string }) => slot)]).toEqual([2, ['2026-01-06T06:00']]);
    const others = JSON.parse((await call('other_domains', { project: 'acme', limit: 2 })).text);
    expect([others.total, others.domains.length]).toEqual([325, 2]);
  });
});

describe('the OpenAPI document', () => {
  it('describes each answer to the last property', async () => {
    const answers = await describedAnswers(world.url, 'acme');
    expect(answers.size).toBeGreaterThan(35);
    for (const [path, { status, complaint }] of answers)
      expect.soft([path, status, complaint]).toEqual([path, path.includes('/grids/') ? 404 : 200, null]);
  });

  it('types every property and parameter, and the bodies of errors', async () => {
    const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as object;
    const untyped: string[] = [];
    let properties = 0;
    const isTyped = (schema: object) => ['type', '$ref', 'anyOf', 'enum', 'const'].some((name) => name in schema);
    const visit = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, inside] of Object.entries(value)) {
        if (name === 'properties' || name === 'schema') {
          const schemas = name === 'schema' ? [['', inside]] : Object.entries(inside as object);
          for (const [property, schema] of schemas) {
            properties += 1;
            if (!isTyped(schema as object)) untyped.push(`${path}/${property}`);
          }
        }
        visit(inside, `${path}/${name}`);
      }
    };
    visit(document, '');
    expect(properties).toBeGreaterThan(1_000);
    expect(untyped).toEqual([]);
  });

  it('gives a client that compiles strictly and reads', async () => {
    const folder = join(world.folder.path, 'client');
    const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as Record<string, unknown>;
    await generate({ input: document, output: folder, useUnionTypes: true, useOptions: true });
    const strict = {
      ...{ target: 'es2024', lib: ['es2024', 'dom', 'dom.iterable'], module: 'preserve', moduleResolution: 'bundler' },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] },
      ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: strict, include: ['.'] }));
    writeFileSync(join(folder, 'calls.ts'), calls);
    const compiler = resolve('node_modules/typescript/bin/tsc');
    await promisify(execFile)(process.execPath, [compiler, '-p', folder]);
    await build({ configFile: false, logLevel: 'error', build: { ssr: join(folder, 'calls.ts'), outDir: folder } });
    const { readAll } = (await import(join(folder, 'calls.js'))) as { readAll: (url: string) => Promise<unknown[]> };
    const read = await readAll(world.url);
    expect(read).toEqual([2, 'Europe/Berlin', 36, 'acme.com', 10, 'number', 2, 3, 11, 400]);
  });
});

/** Ten calls of a generated client, with the types that it has. */
const calls = `import { ApiError, HistoryService as api, type KeywordRow, OpenAPI } from './index';

export async function readAll(url: string): Promise<readonly (string | number | null | undefined)[]> {
  OpenAPI.BASE = url;
  const project = 'acme';
  const projects = await api.readVProjects({});
  const facts = await api.readVProjectsProject({ project });
  const phones = await api.readVProjectsProjectKeywords({ project, device: 'mobile', sort: 'rank', limit: 'all' });
  const rows: KeywordRow[] = phones.data.filter((row) => row.device === 'mobile' && row.status !== 'failed');
  const id = rows[0]?.id ?? '';
  const summary = await api.readVProjectsProjectSummary({ project, compare: '7d' });
  const series = await api.readVProjectsProjectSeries({ project, granularity: 'day', from: '2026-01-05' });
  const rivals = await api.readVProjectsProjectCompetitors({ project, share: true });
  const history = await api.readVProjectsProjectKeywordsId({ project, id });
  const why = await api.readVProjectsProjectAttribution({ project, by: 'tag', limit: 3 });
  const runs = await api.readVRuns({ project, limit: 2 });
  const refused = await api.readVProjectsProjectKeywords({ project, tag: ['x'] }).catch((error: unknown) => error);
  const share: number | null | undefined = rivals.targets[0]?.shareOfVoice?.[0];
  return [
    projects.data.length,
    facts.timezone,
    rows.length,
    summary.targets[0],
    series.visibility.length,
    typeof share,
    history.lines.filter(({ isOwn }) => !isOwn).length,
    why.rows.length,
    runs.total,
    refused instanceof ApiError ? refused.status : null,
  ];
}
`;

describe('a question of an SEO', () => {
  const acme = { project: 'acme' };
  const golfShoes = { keyword: 'golf shoes', country: 'US', language: 'en', device: 'desktop' };
  const findGolfShoes = ['keyword_table', { ...acme, filter: 'q=golf shoes&device=desktop' }] as const;
  const idIn = (before: string) => ({ ...acme, id: JSON.parse(before).rows[0].id });
  it.each<[string, readonly (readonly [string, object | ((before: string) => object)])[], string]>([
    ['How did our visibility develop?', [['visibility_series', { ...acme, from: '2026-01-05' }]], 'visibility'],
    ['What is our share of voice against competitors?', [['competitors', acme]], 'shareOfVoice'],
    ['Which keywords do we track, and where do we rank?', [['keyword_table', { ...acme, limit: 72 }]], 'searchVolume'],
    ['What lost most against last week?', [['top_movers', { ...acme, compare: '7d', direction: 'down' }]], 'change'],
    ['Why did clicks change?', [['explain_change', { ...acme, from: '2026-01-06', to: '2026-01-14' }]], 'firstCause'],
    ['Which of our pages compete with each other?', [['cannibalization', acme]], 'flips'],
    [
      'What is within reach of page 1?',
      [['keyword_table', { ...acme, filter: 'rank=11..20', sort: '-searchVolume' }]],
      'rank',
    ],
    ['Which pages bring the clicks?', [['landing_pages', acme]], 'estimatedClicks'],
    ['How do tags compare?', [['segments', { ...acme, by: 'tag' }]], 'visibility'],
    ['Who else ranks for our keywords?', [['other_domains', acme]], 'domain'],
    [
      'Which SERP features do we own?',
      [['keyword_table', { ...acme, fields: 'keyword,device,rank,serpFeatures,ownedFeatures' }]],
      'ownedFeatures',
    ],
    ['What did this month cost?', [['spend', { from: '2026-01-01', to: '2026-01-31' }]], 'sums'],
    ['How did a keyword rank?', [findGolfShoes, ['keyword_history', idIn]], 'ranks'],
    ['Why did a keyword move?', [findGolfShoes, ['explain_change', idIn]], 'causes'],
    ['Who ranks for a keyword?', [['serp_on_date', { ...acme, ...golfShoes }]], 'results'],
    [
      'What happened?',
      [
        ['alerts', { ...acme, limit: 20 }],
        ['runs', { ...acme, limit: 5 }],
      ],
      'rule',
    ],
  ])('%s', async (_, tools, said) => {
    let all = '';
    for (const [name, input] of tools) {
      const { text, isError, tokens } = await call(name, input instanceof Function ? input(all) : input);
      expect(isError, text).toBe(false);
      expect(tokens).toBeLessThanOrEqual(3_000);
      all += text;
    }
    expect(all).toContain(`"${said}"`);
  });
});

interface Page {
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly total: number;
}

const page = (path: string) => answerPath(historyReader(world.app), path) as Page;

describe('a page of a list, however long history is', () => {
  it('reads the checks of the runs that it shows alone', () => {
    const counts = vi.spyOn(world.app.context.store.checks, 'counts');
    expect([page('/v1/runs?limit=1').total, counts.mock.calls]).toEqual([11, [[11]]]);
    expect(page('/v1/runs?project=acme&limit=2&offset=5').data.map(({ runId }) => runId)).toEqual([6, 5]);
    expect(counts.mock.calls).toEqual([[11], [6], [5]]);
  });

  it('reads the volumes of the keywords that it shows alone', () => {
    const history = vi.spyOn(world.app.context.store.volumeSeries, 'history');
    const [first, second] = page('/v1/projects/acme/volumes?limit=2').data.map(({ keyword }) => keyword);
    expect(history.mock.calls.map(([, keywords]) => keywords)).toEqual([[first, second]]);
  });

  it('reads the alerts and the checks of a row that it shows alone', () => {
    const { alertDeliveries, searchRecords } = world.app.context.store;
    const [alerts, checks] = [vi.spyOn(alertDeliveries, 'withIds'), vi.spyOn(searchRecords, 'checks')];
    expect(page('/v1/alerts?limit=3').total).toBeGreaterThan(10);
    const id = String(page('/v1/projects/acme/keywords?limit=1').data[0]?.['id']);
    expect(page(`/v1/projects/acme/keywords/${id}/checks?limit=2`).total).toBe(10);
    expect([alerts, checks].map(({ mock }) => mock.calls.map(([ids]) => ids.length))).toEqual([[3], [2]]);
  });

  it('finds the runs of a period behind more than ten thousand later ones', async () => {
    const folder = copyOf(world.folder);
    const database = new Database(join(folder.path, 'data/rankledger.sqlite'));
    const add = database.prepare(
      `INSERT INTO runs (kind, origin, moment, opened_at, closed_at, state, reported_at)
       SELECT 'ranks', 'schedule', @at, @at, @at, 'complete', @at FROM json_each(@each)`,
    );
    add.run({ at: askedNow, each: JSON.stringify(Array.from({ length: 10_050 }, () => 0)) });
    database.close();
    const app = await readingApp(folder.path, askedNow);
    try {
      const counts = vi.spyOn(app.context.store.checks, 'counts');
      const read = (path: string) => answerPath(historyReader(app), path) as Page;
      expect(read('/v1/runs?project=acme&to=2026-01-08&limit=2').total).toBe(5);
      expect(read('/v1/runs?limit=1').total).toBe(10_061);
      expect(counts).toHaveBeenCalledTimes(3);
    } finally {
      await app.close();
    }
  });
});
