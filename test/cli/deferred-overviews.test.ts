// AI overviews that the engine loads later: their sources are unknown in every table, and an option buys them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { App } from '../../src/app/app.ts';
import { historyReader } from '../../src/app/workspace/workspace.ts';
import { serpApi } from '../contract/sources/subjects/serpapi.ts';
import { startVendorServer, type VendorServer } from '../contract/sources/vendor-server.ts';
import { csvRows } from './child.ts';
import { invoke } from './fake-host.ts';
import { type ProjectFolder, projectFolder } from './project-folder.ts';

const own = 'https://www.example.com/p';
const cited = { text_blocks: [{ type: 'paragraph', snippet: 'Coffee' }], references: [{ link: own, title: 'P' }] };
const deferred = { page_token: 'token-1', serpapi_link: 'https://serpapi.com/search?page_token=token-1' };
const failed = { error: "Can't generate an AI overview right now. Try again later." };
const env = { KEY: 'key-123' };

let vendor: VendorServer;
let folder: ProjectFolder;

beforeEach(async () => {
  vendor = await startVendorServer();
  folder = projectFolder(configWith());
});

const configWith = (more = '', credits = 50) => `timezone: UTC
services:
  default: { mode: embedded, source: serpapi, apiKey: "\${KEY}", baseUrl: "${vendor.url}", allowLoopback: true${more} }
budget: { serpCredits: { perRun: ${credits} } }
alerts:
  channels: { f: { type: file, path: alerts.jsonl } }
  rules: [{ when: feature-lost }]
reports: { tables: all }
projects:
  - { id: p, targets: [example.com], keywords: [coffee], depth: 1 }
`;

const openApp = async (...[config, options]: ConstructorParameters<typeof App>) => new App(config, options);
const command = (...argv: string[]) => invoke(argv, { cwd: folder.path, env, openApp });

/** One run each, whose page has this overview. */
async function runs(overviews: readonly object[]): Promise<void> {
  for (const overview of overviews) {
    vendor.script = (request) => {
      const page = serpApi.page(serpApi.asked(request), ['https://a.example/', own, 'https://b.example/']);
      return { body: { ...page, ai_overview: overview } };
    };
    const { err, exitCode } = await command('run', '--project', 'p');
    if (exitCode !== 0) throw new Error(err);
  }
}

it.each([
  ['a token', deferred],
  ['an error', failed],
])('an overview with %s is shown, and neither ours nor lost in alerts, tables and the workspace', async (_, later) => {
  await runs([cited, cited, later]);
  const config = await loadConfig({ file: join(folder.path, 'rankledger.yaml'), env, cwd: folder.path });
  const app = new App(config, { isReading: true });
  const [row] = historyReader(app).of('p').keywords({ filter: {}, sort: [] });
  expect([row?.serpFeatures, row?.lostFeatures]).toEqual([['ai_overview'], []]);
  await app.close();
  await runs([later, later]);
  const alerts = readFileSync(join(folder.path, 'alerts.jsonl'), { encoding: 'utf8', flag: 'a+' });
  expect(alerts).toBe('');
  const table = readFileSync(join(folder.path, 'reports/p/latest/serp-features.csv'), 'utf8');
  const known = { feature: 'ai_overview', present: 'true', change: 'kept', links: '', owned: '', own_change: '' };
  expect(csvRows(table)).toMatchObject([known]);
});

/** A page with a token, and the answer to the search with that token. */
function answerToken(reply: ReturnType<VendorServer['script']>): void {
  vendor.script = (request) => {
    if (request.query.get('engine') === 'google_ai_overview') return reply;
    const page = serpApi.page(serpApi.asked(request), ['https://a.example/', own]);
    return { body: { ...page, ai_overview: deferred } };
  };
}

function ledger(): unknown[] {
  const sqlite = new Database(join(folder.path, 'data/rankledger.sqlite'));
  const [sums] = sqlite.prepare('SELECT reserved, spent, unknown, released FROM reservations').all();
  const purchases = sqlite.prepare('SELECT price, charged, message FROM purchases').all();
  sqlite.close();
  return [sums, purchases];
}

const bought = (price: number, charged: number, message: string | null) => [{ price, charged, message }];
const twoRequests = 'it took 2 requests';
const loaded = { body: { search_metadata: { status: 'Success' }, ai_overview: cited } };
const cases: readonly (readonly [string, ReturnType<VendorServer['script']>, number, string[]])[] = [
  ['was answered', loaded, 2, ['ai_overview']],
  ['was refused at no cost', { status: 400, body: { error: 'The token has expired.' } }, 1, []],
  ['may have been charged', 'reset', 2, []],
];

it.each(cases)(
  'with loadAiOverview a second search %s, and page and search are one purchase',
  async (_, reply, spent, owned) => {
    folder.write('rankledger.yaml', configWith(', loadAiOverview: true'));
    answerToken(reply);
    const { exitCode, out } = await command('run', '--project', 'p', '--json');
    expect([exitCode, out]).toEqual([0, expect.any(String)]);
    expect(vendor.requests.map(({ query }) => [query.get('engine'), query.get('page_token')])).toEqual([
      ['google', null],
      ['google_ai_overview', 'token-1'],
    ]);
    expect(ledger()).toEqual([{ reserved: 2, spent, unknown: 0, released: 2 - spent }, bought(2, spent, twoRequests)]);
    const [row] = csvRows(readFileSync(join(folder.path, 'reports/p/latest/rank-changes.csv'), 'utf8'));
    expect([row?.['serp_features'], row?.['owned_features']]).toEqual(['ai_overview', owned.join('|')]);
    expect((await command('audit')).exitCode).toBe(0);
  },
);

it('with loadAiOverview a page whose overview is there costs one credit, and needs room for two', async () => {
  folder.write('rankledger.yaml', configWith(', loadAiOverview: true'));
  await runs([cited]);
  expect(ledger()).toEqual([{ reserved: 2, spent: 1, unknown: 0, released: 1 }, bought(2, 1, null)]);
  folder.write('rankledger.yaml', configWith(', loadAiOverview: true', 1));
  const count = vendor.requests.length;
  expect((await command('run', '--project', 'p')).out).toContain('deferred');
  expect(vendor.requests).toHaveLength(count);
});
