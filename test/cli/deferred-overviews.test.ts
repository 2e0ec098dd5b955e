// AI overviews that the engine loads later: their sources are unknown in every table.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { App } from '../../src/app/app.ts';
import { historyReader } from '../../src/app/workspace/view.ts';
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
  folder = projectFolder(`timezone: UTC
services:
  default: { mode: embedded, source: serpapi, apiKey: "\${KEY}", baseUrl: "${vendor.url}", allowLoopback: true }
budget: { serpCredits: { perRun: 50 } }
alerts:
  channels: { f: { type: file, path: alerts.jsonl } }
  rules: [{ when: feature-lost }]
projects:
  - { id: p, targets: [example.com], keywords: [coffee], depth: 1 }
`);
});
afterEach(async () => {
  await vendor.close();
  folder.remove();
});

/** One run each, whose page has this overview. */
async function runs(overviews: readonly object[]): Promise<void> {
  for (const overview of overviews) {
    vendor.script = (request) => {
      const page = serpApi.page(serpApi.asked(request), ['https://a.example/', own, 'https://b.example/']);
      return { body: { ...page, ai_overview: overview } };
    };
    const openApp = async (...[config, options]: ConstructorParameters<typeof App>) => new App(config, options);
    const { err, exitCode } = await invoke(['run', '--project', 'p'], { cwd: folder.path, env, openApp });
    if (exitCode !== 0) throw new Error(err);
  }
}

it.each([
  ['a token', deferred],
  ['an error', failed],
])('an overview with %s is shown, and neither ours nor lost in alerts, tables and the workspace', async (_, later) => {
  await runs([cited, cited, later]);
  for (const from of ['columns', 'rankings']) {
    const config = await loadConfig({ file: join(folder.path, 'rankledger.yaml'), env, cwd: folder.path });
    const app = new App(config, { isReading: true });
    const [row] = historyReader(app).keywords({ project: 'p', filter: {}, sort: [] });
    expect([from, row?.serpFeatures, row?.lostFeatures]).toEqual([from, ['ai_overview'], []]);
    await app.close();
    new Database(join(folder.path, 'data/rankledger.sqlite')).exec('DELETE FROM run_columns').close();
  }
  await runs([later, later]);
  const alerts = readFileSync(join(folder.path, 'alerts.jsonl'), { encoding: 'utf8', flag: 'a+' });
  expect(alerts).toBe('');
  const table = readFileSync(join(folder.path, 'reports/p/latest/serp-features.csv'), 'utf8');
  const known = { feature: 'ai_overview', present: 'true', change: 'kept', links: '', owned: '', own_change: '' };
  expect(csvRows(table)).toMatchObject([known]);
});
