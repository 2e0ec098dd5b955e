// The package as published, installed next to its dependencies, as seen by a program that depends on it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build as bundle } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeBlocks } from './helpers/documents.ts';
import { build } from './release/build.ts';
import { builtIn, dependencies, writeThirdParty } from './release/third-party.ts';

const program = `
import * as all from 'rankledger';

const { accounts, close } = all.openAccountStore('accounts.sqlite');
const shop = new all.Accounts(accounts, all.systemClock);
await shop.create('acme', { serpCredits: 3, microUsd: 0 });
close();
const again = all.openAccountStore('accounts.sqlite');
const { serpCredits } = await again.accounts.findAccount('acme');
again.close();
const source = await all.createSource('sandbox', {}, { clock: all.systemClock });
const { accounts: sellers } = all.openAccountStore(':memory:');
const desk = new all.Accounts(sellers, all.systemClock);
await desk.create('acme', { serpCredits: 0, microUsd: 0 });
const { token } = await desk.invite('acme', 60_000);
const shown = all.createSearchDataService({ source, clock: all.systemClock, accounts: sellers });
const server = await all.startServer({ service: shown, clock: all.systemClock, accounts: sellers, dashboard: {} });
const page = await fetch(server.url + '/account/invitation?token=' + token);
const [cookie] = page.headers.get('set-cookie').split(';');
const [, form_token] = /name="form_token" value="([^"]+)"/.exec(await page.text());
const accept = (text) => fetch(server.url + '/account/invitation', { method: 'POST', redirect: 'manual', headers: { cookie },
  body: new URLSearchParams({ form_token, token, new_password: text, repeated: text }) });
const breached = (await (await accept('password12345!!')).text()).includes('breached');
const accepted = await accept('copper violin sandwich orbit');
const session = { cookie: accepted.headers.get('set-cookie').split(';')[0] };
const examples = (await (await fetch(server.url + '/account/examples', { headers: session })).text()).includes('/v1/keyword-data');
await server.close();
const sold = await all.createSearchDataService({ source, clock: all.systemClock }).serp({ keyword: 'shoes' });
console.log(JSON.stringify({ serpCredits, breached, examples, results: sold.pages[0].serp.organic.length }));
`;
/** The compiler refuses the next line of a program. */
const mustFail = ['// @ts', 'expect', 'error'].join('-');
/** A program in TypeScript with the types of the package. */
const typed = `
import {
  type CallReport, createMetricsSource, createSearchDataService, createSource, type FetchedPage, openAccountStore, type PageRequest, type ReadPage,
  type SearchDataService, type SerpRequestInput, type Source, type SourceContext, type SourceOptions, StoreError, systemClock,
} from 'rankledger';
export type Service = SearchDataService;
export const uses = [openAccountStore, createSearchDataService, StoreError];
const fetchPage = async (request: PageRequest, context: SourceContext): Promise<FetchedPage> =>
  ({ body: { contentType: 'application/json', text: request.keyword }, observedAt: context.at });
const readPage = (): ReadPage => ({ serp: {}, features: [] });
const source: Source = { serp: { name: 'own', kind: 'live', fetchPage, readPage } };
const reports: CallReport[] = [];
const request: SerpRequestInput = { keyword: 'shoes' };
void createSearchDataService({ source, clock: systemClock }).serp(request, { onReport: (report) => reports.push(report) });
const made = { clock: systemClock };
export const serper: SourceOptions['serper'] = { apiKey: ['one', 'two'], wholeDepth: true };
export const fallbacks: SourceOptions['chain'] = { sources: [{ source: 'serper', ...serper }, { source: 'brave', apiKey: 'three' }] };
export const sources = [
  createSource('serper', serper, made), createSource('chain', fallbacks, made), createSource('sandbox', {}, made),
  createSource('dataforseo', { login: 'me', password: 'mine', method: 'queued' }, made),
  createSource(String(process.argv[2]), JSON.parse('{}'), made),
  createMetricsSource('dataset', { file: 'keywords.dataset' }, made),
  ${mustFail} it has no such option
  createSource('serper', { apiKey: 'one', wholedepth: true }, made),
  ${mustFail} it needs a key
  createSource('serpapi', {}, made),
  ${mustFail} it has another form
  createSource('google', { fetcher: 'curl' }, made),
  ${mustFail} there is no such source
  createSource('sreper', { apiKey: 'one' }, made),
  ${mustFail} it has metrics only
  createSource('semrush', { apiKey: 'one' }, made),
  ${mustFail} it needs a file
  createMetricsSource('dataset', {}, made),
];
`;

/** The programs of the page on embedding. */
const page = codeBlocks('docs/embedding.md');
const manual = page
  .filter(({ language }) => language === 'ts')
  .map(({ text }, at) => [`manual-${at}.ts`, text] as const);

interface Named {
  readonly name?: string;
  readonly version: string;
}

interface Bill {
  readonly components: readonly Named[];
  readonly compositions: readonly { readonly aggregate: string }[];
}

interface Manifest {
  readonly version: string;
  readonly dependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
  readonly files: readonly string[];
}

let folder: string;
let installed: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-package-'));
  installed = join(folder, 'node_modules', 'rankledger');
  mkdirSync(installed, { recursive: true });
  build(join(installed, 'dist'));
  cpSync('package.json', join(installed, 'package.json'));
  const { files } = manifest();
  const others = files.filter((file) => !file.includes('dist'));
  for (const file of others) cpSync(file, join(installed, file), { recursive: true });
  // a consumer has only declared packages
  const { dependencies: needed, optionalDependencies: optional } = manifest();
  link(folder, Object.keys({ ...needed, ...optional }));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  writeFileSync(join(folder, 'program.js'), program);
  writeFileSync(join(folder, 'typed.ts'), typed);
  for (const [name, text] of manual) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function manifest(): Manifest {
  return JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
}

function link(home: string, packages: readonly string[]): void {
  for (const name of packages) {
    const path = join(home, 'node_modules', name);
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(resolve('node_modules', name), path);
  }
}

describe('the package', () => {
  it('can be imported by its name, and includes the accounts in SQLite', () => {
    const out = execFileSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' });
    const { results, ...facts } = JSON.parse(out) as { results: number };
    expect(facts).toEqual({ serpCredits: 3, breached: true, examples: true });
    expect(results).toBeGreaterThanOrEqual(4);
  });

  it('brings no Node.js: scripts of its consumers run on theirs', () => {
    const { dependencies: needed, optionalDependencies: optional } = manifest();
    expect(Object.keys({ ...needed, ...optional })).not.toContain('node');
    expect(existsSync(join(folder, 'node_modules', 'node'))).toBe(false);
  });

  it('has a bill of materials that names the packages that npm installs with it', async ({ skip }) => {
    const dist = join(installed, 'dist');
    await writeThirdParty(dist);
    const bill = JSON.parse(readFileSync(join(dist, 'sbom.cdx.json'), 'utf8')) as Bill;
    skip(bill.compositions[0]?.aggregate !== 'complete', 'no registry of packages');
    const home = join(folder, 'consumer');
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{}');
    const npm = (...words: readonly string[]) => execFileSync('npm', words, { cwd: home, encoding: 'utf8' });
    const [tarball] = JSON.parse(npm('pack', installed, '--ignore-scripts', '--json')) as { filename: string }[];
    npm('install', `./${tarball?.filename}`, '--ignore-scripts', '--no-audit', '--no-fund');
    const there = (JSON.parse(npm('query', '*')) as Named[]).filter(({ name }) => name !== undefined);
    // packages of other platforms are only in the lock file
    const elsewhere = dependencies(home).filter((each) => !existsSync(each.folder));
    expect(elsewhere.every((each) => each.isOptional)).toBe(true);
    const named = (list: readonly Named[]) => new Set(list.map(({ name, version }) => `${name} ${version}`));
    const ours = { name: 'rankledger', version: manifest().version };
    const inPages = builtIn(dist);
    expect(inPages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['react-dom', '@fontsource-variable/inter']),
    );
    expect(named([...bill.components, ours])).toEqual(named([...there, ...elsewhere, ...inPages]));
    const licences = readFileSync(join(dist, 'THIRD_PARTY_LICENCES.txt'), 'utf8').split('\n');
    expect([...named(bill.components)].filter((each) => !licences.includes(each))).toEqual([]);
  });

  it('lets a program that needs the client alone bundle nothing else', async () => {
    writeFileSync(join(folder, 'client.js'), "export { SearchDataClient } from 'rankledger';");
    const bundled = await bundle({
      configFile: false,
      root: folder,
      logLevel: 'silent',
      ssr: { noExternal: true },
      build: { ssr: 'client.js', write: false },
    });
    const outputs = [bundled].flat().flatMap((each) => ('output' in each ? each.output : []));
    const modules = outputs.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
    expect(modules.some((each) => each.endsWith('service/client/client.js'))).toBe(true);
    expect(
      modules.filter((each) => /playwright-core|better-sqlite3|drizzle-orm|fastify|\/sources\//.test(each)),
    ).toEqual([]);
  });

  it('has types that compile under strict settings, with only declared packages', () => {
    const compiler = resolve('node_modules/typescript/bin/tsc');
    const [settings] = page.filter(({ language }) => language === 'json');
    const files = ['typed.ts', ...manual.map(([name]) => name)];
    const project = { ...JSON.parse(settings?.text ?? ''), files };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    execFileSync(process.execPath, [compiler, '--noEmit'], { cwd: folder, stdio: 'pipe' });
  });

  it('has no types that no program can import', () => {
    const names = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const types = names.filter((name) => name.endsWith('.d.ts'));
    expect(types).toContain('src/service/index.d.ts');
    expect(types.filter((name) => /^(config|jobs|src\/(app|cli|report))\//.test(name))).toEqual([]);
  });

  it('runs the programs of docs/embedding.md, which print what the page shows', () => {
    const shown = page
      .filter(({ language }) => language === 'text')
      .map(({ text }) => text.replaceAll(/https:.*/g, '...'));
    const printed = manual.map(([name]) => execFileSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' }));
    expect(printed.length).toBe(2);
    expect(printed.map((text) => text.replaceAll(/https:.*/g, '...'))).toEqual(shown);
  });

  it('leads from an empty folder to the workspace', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    const launcher = join(installed, 'src/cli/rankledger.mjs');
    const child = spawn(process.execPath, [launcher, 'example.com', '--no-open', '--json'], { cwd: empty });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { url, report, isSimulated } = JSON.parse(String(line));
    const page = await fetch(url);
    expect([page.status, isSimulated, existsSync(report)]).toEqual([200, true, true]);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('has the files for a deployment', () => {
    expect(readdirSync(join(installed, 'config/deploy'))).toContain('rankledger.service');
  });
});
