// The service core works alone: its folder in another location, in another process of the same runtime.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeBlocks } from './helpers/documents.ts';

/** A program of another author that embeds the core. */
const program = `
import { createSearchDataService, createSource, systemClock } from './service/index.ts';

const source = await createSource('sandbox', {}, { clock: systemClock });
const service = createSearchDataService({ source, clock: systemClock });
const at = Date.UTC(2026, 0, 15);
const serp = await service.serp({ keyword: 'running shoes', end_page: 2 }, { at });
const keywordData = await service.keywordData({ keyword: 'running shoes', limit: 5 }, { at });
const failure = await service.serp({ keyword: '' }).catch(({ code, status }) => ({ code, status }));
await service.close();
console.log(JSON.stringify({ source: service.source, serp, keywordData, failure }));
`;

/** A program that sells the service: accounts, the server, and a client of it. */
const shop = `
import { Accounts, createSearchDataService, createSource, eachPage, openAccountStore, SearchDataClient, startServer, systemClock } from '${resolve('src/index.ts')}';

const { accounts: store } = openAccountStore(':memory:');
const accounts = new Accounts(store, systemClock);
await accounts.create('acme', { serpCredits: 10, microUsd: 1_000_000 });
const { username: user, password } = await accounts.addUser('acme');
const source = await createSource('sandbox', {}, { clock: systemClock });
const service = createSearchDataService({ source, clock: systemClock, accounts: store });
const server = await startServer({ service, accounts: store, clock: systemClock });

const client = new SearchDataClient({ baseUrl: server.url, user, password });
const pages = [];
for await (const { page, serp } of eachPage(client, { keyword: 'running shoes' })) {
  pages.push([page, serp.organic.length > 0]);
  if (page === 3) break;
}
await client.keywordData({ keyword: 'running shoes', limit: 5 });
await client.close();
await server.close();
await service.close();
const { serpCredits, microUsd } = await accounts.find('acme');
const kinds = (await accounts.statement('acme')).map(({ kind }) => kind);
console.log(JSON.stringify({ pages, serpCredits, microUsd, kinds }));
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'embed-'));
  cpSync(resolve('src/service'), join(folder, 'service'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'program.ts'), program);
  writeFileSync(join(folder, 'shop.ts'), shop);
  const [manual] = codeBlocks('docs/embedding.md').filter(({ language }) => language === 'ts');
  writeFileSync(join(folder, 'manual.ts'), (manual?.text ?? '').replace("'rankledger'", "'./service/index.ts'"));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('the service core serves both operations from a folder without our other code', () => {
  const { source, serp, keywordData, failure } = run('program.ts');
  expect(source).toBe('sandbox');
  expect(serp.creditsCharged).toBe(2);
  expect(serp.pages.map(({ page }: { page: number }) => page)).toEqual([1, 2]);
  for (const { serp: page } of serp.pages) expect(page.organic.length).toBeGreaterThanOrEqual(4);
  expect(keywordData.response).toMatchObject({ success: true, cost: 0.01 });
  expect(keywordData.response.data.map(({ keyword }: { keyword: string }) => keyword)).toContain('running shoes');
  expect(failure).toEqual({ code: 'KEYWORD_REQUIRED', status: 400 });
});

it('the package also serves accounts, the server and a client, with every credit accounted for', () => {
  expect(run('shop.ts')).toEqual({
    pages: [
      [1, true],
      [2, true],
      [3, true],
    ],
    serpCredits: 7,
    microUsd: 990_000,
    kinds: ['top-up', 'charge', 'charge', 'charge', 'charge'],
  });
});

it('the program of docs/embedding.md prints the first result of each page', () => {
  expect(printed('manual.ts')).toMatch(/^1 https:\/\/\S+\n2 https:\/\/\S+\n$/);
});

function printed(program: string): string {
  const env = { PATH: process.env['PATH'] };
  return execFileSync(process.execPath, [program], { cwd: folder, env, encoding: 'utf8' });
}

function run(program: string) {
  return JSON.parse(printed(program));
}
