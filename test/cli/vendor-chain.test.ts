// From a config with vendors to the report: a chain of two, of which the first runs out of credits midway.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConnection } from '../../db/connection/client.ts';
import { serpApi } from '../contract/sources/subjects/serpapi.ts';
import { serper } from '../contract/sources/subjects/serper.ts';
import { startVendorServer, type VendorServer } from '../contract/sources/vendor-server.ts';
import { csvRows, type Folder, folderOf } from './child.ts';

let vendor: VendorServer;
let folder: Folder;

const links = (page: number) =>
  Array.from({ length: page === 1 ? 4 : 6 }, (_, index) =>
    page === 2 && index === 1 ? 'https://www.acme.com/shoes' : `https://site${page}${index}.example/`,
  );

beforeAll(async () => {
  vendor = await startVendorServer();
  let sold = 0;
  vendor.script = (request) => {
    const subject = request.path === '/one/search' ? serper : serpApi;
    if (subject === serper && ++sold > 1) return serper.outOfCredits ?? {};
    const asked = subject.asked(request);
    return { body: subject.page(asked, links(asked.page)) };
  };
  const options = 'allowLoopback: true, requestsPerSecond: 500';
  const yaml = `timezone: UTC
services:
  web:
    mode: embedded
    source: chain
    sources:
      - { source: serper, apiKey: "\${ONE_KEY}", baseUrl: "${vendor.url}/one", ${options} }
      - { source: serpapi, apiKey: ["\${TWO_KEY}", "\${THREE_KEY}"], baseUrl: "${vendor.url}/two", ${options} }
budget: { serpCredits: { perRun: 50 } }
projects:
  - id: acme
    service: web
    targets: [acme.com]
    market: { country: US, language: en }
    depth: 2
    keywords: [running shoes]
`;
  const env = { ONE_KEY: 'canary-one-key', TWO_KEY: 'canary-two-key', THREE_KEY: 'canary-three-key' };
  folder = folderOf({ 'rankledger.yaml': yaml }, env);
});

afterAll(async () => {
  folder.remove();
});

it('ranks count over the pages of both vendors, each page is paid once and names its seller, and no key is stored', async () => {
  const { exitCode, err, out, log } = await folder.run('run', '--all', '--verbose');
  expect([exitCode, err]).toEqual([0, expect.any(String)]);
  const note = /note {2}web: serper is skipped \(INSUFFICIENT_CREDITS: [^)]+\) Top up/;
  expect(out.match(new RegExp(note, 'g'))).toHaveLength(1);
  const warnings = log.filter(({ errorCode }) => errorCode === 'INSUFFICIENT_CREDITS');
  expect(warnings).toMatchObject([{ service: 'web', source: 'serper', level: 40 }]);
  const [run] = JSON.parse((await folder.run('status', '--json')).out).runs;
  expect(run).toMatchObject({
    state: 'complete',
    reason: null,
    remark: expect.stringContaining('serper is skipped'),
  });
  const csv = folder.read('reports/acme/latest/rank-changes.csv');
  const [row] = csvRows(csv);
  expect(['status', 'rank', 'page', 'url', 'source'].map((name) => row?.[name])).toEqual([
    'ranked',
    '6',
    '2',
    'https://www.acme.com/shoes',
    'web/chain',
  ]);
  const spend = csvRows(folder.read('reports/acme/latest/spend.csv')).filter((line) => line['scope'] === 'source');
  expect(spend.map((line) => [line['source'], line['spent'], line['planned']])).toEqual([
    ['web/chain:serpapi', '1', ''],
    ['web/chain:serper', '1', ''],
  ]);
  expect(folder.read('reports/acme/latest/report.html')).toContain('web/chain:serpapi');
  const database = openConnection(join(folder.path, 'data/rankledger.sqlite'));
  try {
    const pages = database.sql('SELECT page, source FROM pages ORDER BY page').all();
    expect(pages.map(({ page, source }) => [page, source])).toEqual([
      [1, 'web/chain:serper'],
      [2, 'web/chain:serpapi'],
    ]);
    const purchases = database.sql('SELECT state FROM purchases').all();
    expect(purchases.map(({ state }) => state)).toEqual(['paid', 'paid']);
  } finally {
    database.close();
  }
  expect(vendor.requests).toHaveLength(3);
  const kept = readFileSync(join(folder.path, 'data/rankledger.sqlite'), 'latin1');
  expect(`${out}${err}${csv}${kept}`).not.toContain('canary');
});
