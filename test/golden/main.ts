// Records what commands print and write: `node test/golden/main.ts FOLDER`, before and after a change; then `diff -r`.
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { strFromU8, unzipSync, zipSync } from 'fflate';
import { startMailServer } from '../helpers/mail-server.ts';

const root = resolve(import.meta.dirname, '../..');
const launcher = join(root, 'src/cli/rankledger.mjs');
const target = process.argv[2];
if (target === undefined) throw new Error('name the folder to record into');
const output = resolve(target);
rmSync(output, { recursive: true, force: true });
const work = mkdtempSync(join(tmpdir(), 'golden-'));

/** Runs before the program: its clock starts at the moment in GOLDEN_NOW. */
const clock = join(work, 'clock.mjs');
writeFileSync(
  clock,
  `const Real = Date, began = Real.now(), start = Number(process.env.GOLDEN_NOW);
const now = () => start + (Real.now() - began);
globalThis.Date = class Date extends Real {
  constructor(...parts) { if (parts.length === 0) super(now()); else super(...parts); }
  static now() { return now(); }
};
`,
);

const firstDay = Date.UTC(2026, 8, 1, 12);
const dayMs = 86_400_000;
const seen = new Map<string, number>();

/** What differs from run to run. */
function masked(text: string): string {
  return (
    text
      .replaceAll(work, 'WORK')
      .replaceAll(root, 'ROOT')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
      .replace(/\b[0-9a-f]{64}\b/g, 'SHA256')
      .replace(/(\d{4}-\d{2}-\d{2})T12:0\d:\d{2}(\.\d+)?/g, '$1T12:00')
      // on-demand slots are kept to the millisecond
      .replace(/(T\d{2}:0\d):\d{2}\.\d{3}/g, '$1')
      // spreadsheets count days
      .replace(/<v>(46\d{3}\.5)\d*<\/v>/g, '<v>$1</v>')
      .replace(/\b17\d{8}\d{3}\b/g, 'MS')
      .replace(/("(pid|bytes|fileBytes|sizeBytes)": ?)\d+/g, '$1N')
      .replace(/127\.0\.0\.1:\d+/g, 'LOOPBACK')
      .replace(/^Date: .*|_NmP-[^"\s]*|rl-[0-9a-f]{40}/gm, 'MASKED')
      .replace(/^\w+ \d+ of \d+.*\n/gm, '')
      .replace(/\b\d+(\.\d+)? (ms|s)\b/g, 'TIME')
  );
}

function keep(name: string, text: string): void {
  const file = join(output, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${masked(text)}\n`);
}

interface Program {
  readonly day: number;
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

function start({ day, cwd, env = {} }: Program, argv: readonly string[]) {
  const given = {
    PATH: process.env['PATH'],
    HOME: work,
    NODE_OPTIONS: `--import ${clock}`,
    GOLDEN_NOW: `${firstDay + day * dayMs}`,
    ...env,
  };
  const child = spawn(process.execPath, [launcher, ...argv], { cwd, env: given });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.err += chunk.toString();
  });
  const ended = new Promise<number | null>((done) => child.on('close', done));
  return { child, texts, ended };
}

/** Runs a command to its end, and keeps what it prints under its words. */
async function command(program: Program, ...argv: string[]): Promise<string> {
  const { child, texts, ended } = start(program, argv);
  child.stdin.end();
  const code = await ended;
  const name = argv
    .map((word) => (word.includes('/') ? basename(word) : word))
    .join('_')
    .replace(/[^\w.-]+/g, '_')
    .slice(0, 120);
  const times = (seen.get(name) ?? 0) + 1;
  seen.set(name, times);
  const prefix = join('commands', basename(program.cwd), `${name}${times > 1 ? `.${times}` : ''}`);
  // pages that were blocked are bought again when their pause is over: ids and order differ from run to run
  const isUnordered = argv.includes('ledger') || argv.includes('serps');
  const out = isUnordered
    ? masked(texts.out)
        .replace(/\b\d+\b/g, 'N')
        .split('\n')
        .sort()
        .join('\n')
    : texts.out;
  keep(`${prefix}.txt`, `${out}\n--- stderr\n${texts.err}\n--- exit ${code}`);
  return texts.out;
}

/** Keeps every file of a folder: archives by their parts, pages with the data they embed. */
function keepFolder(folder: string, name: string): void {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(folder, entry);
    if (!statSync(file).isFile() || relative(folder, file).startsWith('..')) continue;
    if (file.endsWith('.xlsx'))
      for (const [part, bytes] of Object.entries(unzipSync(readFileSync(file))))
        keep(join(name, entry, part), strFromU8(bytes).replaceAll('><', '>\n<'));
    else if (file.endsWith('.html')) keep(join(name, entry), readFileSync(file, 'utf8').replaceAll('><', '>\n<'));
    else if (/\.(csv|json|jsonl|yaml|txt|md)$/.test(file)) keep(join(name, entry), readFileSync(file, 'utf8'));
  }
}

/** Waits until the program prints its address. */
async function listening(program: Program, ...argv: string[]) {
  const running = start(program, argv);
  let address: string | undefined;
  for (let tries = 0; address === undefined && tries < 400; tries += 1) {
    await new Promise((done) => setTimeout(done, 50));
    address = /http:\/\/127\.0\.0\.1:\d+/.exec(running.texts.out + running.texts.err)?.[0];
  }
  if (address === undefined) throw new Error(`${argv.join(' ')} does not listen: ${running.texts.err}`);
  const close = async () => {
    running.child.kill('SIGTERM');
    await running.ended;
  };
  return { address, close };
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Every path of the read API that takes only a project, and its document. */
async function keepReadApi(program: Program, projects: readonly string[]): Promise<void> {
  const { address, close } = await listening(program, 'view', '--port', '0');
  const read = async (path: string, name: string): Promise<string> => {
    const answer = await fetch(`${address}${path}`);
    const text = await answer.text();
    keep(join('view', basename(program.cwd), `${name}.json`), `${answer.status}\n${text.replaceAll(',"', ',\n"')}`);
    return text;
  };
  const api = JSON.parse(await read('/openapi.json', 'openapi')) as OpenApi;
  for (const path of Object.keys(api.paths).sort()) {
    for (const project of path.includes('{project}') ? projects : ['']) {
      const asked = path.replace('{project}', project);
      if (asked.includes('{')) continue;
      await read(asked, asked.replaceAll('/', '_'));
    }
  }
  await close();
}

/** The lists of the MCP server, and an answer of each tool that needs only a project. */
async function keepMcp(program: Program, project: string): Promise<void> {
  const { child, texts, ended } = start(program, ['mcp']);
  const ask = (id: number, method: string, params: object = {}) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const answered = async (count: number) => {
    for (let tries = 0; texts.out.split('\n').length <= count && tries < 200; tries += 1)
      await new Promise((done) => setTimeout(done, 50));
  };
  const clientInfo = { name: 'golden', version: '1' };
  ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  for (const [index, list] of ['tools', 'resources', 'resources/templates', 'prompts'].entries())
    ask(index + 2, `${list}/list`);
  await answered(5);
  const lines = texts.out.trim().split('\n');
  const tools = lines
    .map((line) => JSON.parse(line) as { id: number; result?: { tools?: { name: string; inputSchema: object }[] } })
    .flatMap(({ result }) => result?.tools ?? []);
  let id = 10;
  for (const { name, inputSchema } of tools) {
    const { required = [] } = inputSchema as { required?: string[] };
    if (required.some((key) => key !== 'project' && key !== 'keyword')) continue;
    const given = {
      ...(required.includes('project') && { project }),
      ...(required.includes('keyword') && { keyword: 'running shoes' }),
    };
    ask(id, 'tools/call', { name, arguments: given });
    id += 1;
  }
  await answered(5 + id - 10);
  child.stdin.end();
  await ended;
  const answers = texts.out
    .trim()
    .split('\n')
    .sort((a, b) => JSON.parse(a).id - JSON.parse(b).id);
  keep(join('mcp', `${basename(program.cwd)}.jsonl`), answers.join('\n').replaceAll(',"', ',\n"'));
}

/** Keywords with places, blocked pages, AI answers, a second project that shares searches, and mail for alerts. */
const mixedConfig = `timezone: Europe/Berlin
database: r.sqlite
services:
  default: { mode: embedded, source: sandbox, seed: 7, blockedShare: 0.05, sites: [shop.example] }
# one at a time: rows come in the same order in each recording
queue: { driver: embedded, concurrency: 1 }
budget:
  serpCredits: { perRun: 400, perDay: 220, perMonth: 9000 }
  keywordDataUsd: { perRun: 1.00, perMonth: 20.00 }
reports: { dir: reports, xlsx: true, agency: true }
alerts:
  channels:
    mail: { type: email, smtp: "\${SMTP_URL}", from: rank@shop.example, to: [seo@shop.example] }
    log: { type: file, path: alerts.jsonl }
  rules:
    - { when: moved, by: 3, direction: down }
    - { when: url-changed }
    - { when: feature-lost }
    - { when: competitor-overtook }
    - { when: run-failed }
    - { when: run-suspect }
    - { when: budget-share, percent: 80 }
projects:
  - id: shop
    timezone: Europe/Berlin
    schedule: "0 6 * * *"
    targets: [shop.example, { match: prefix, value: "https://www.shop.example/shop/" }]
    competitors: [globex.com, acme.com]
    market: { country: US, language: en, devices: [desktop, mobile] }
    depth: 3
    tags: [all]
    volumes: { schedule: "0 4 2 * *", limit: 33 }
    keywords:
      - { keyword: running shoes, tags: [core], priority: high, preferredUrl: "https://www.shop.example/shop/running" }
      - { keyword: trail running shoes, tags: [core, trail] }
      - { keyword: hiking boots, depth: 5 }
      - { keyword: dentist, location: "Austin, Texas" }
      - { keyword: laufschuhe, country: DE, language: de }
      - =cmd
      - "кроссовки"
    keywordsFile: keywords.csv
    prompts:
      engines: [chatgpt, perplexity]
      samples: 3
      every: week
      texts: [best running shoes for flat feet]
    views: [{ name: On phones, query: "?device=mobile&sort=-rank" }]
  - id: blog
    schedule: "30 6 * * 1"
    targets: [blog.example]
    competitors: [shop.example]
    market: { country: US, language: en, grid: { center: "30.2672,-97.7431", size: 3, spacing: 1km } }
    depth: 1
    keywords: [dentist, hydration vest]
`;

const clicksOf = (day: number): string => {
  const date = new Date(firstDay + day * dayMs).toISOString().slice(0, 10);
  return `${date},${20 + (day % 7)},${400 + 3 * day},5%,${(4 + (day % 3) / 10).toFixed(1)}`;
};

async function recordMixed(): Promise<void> {
  const cwd = join(work, 'mixed');
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'rankledger.yaml'), mixedConfig);
  writeFileSync(join(cwd, 'keywords.csv'), 'keyword,tags\ngreen boots,trail\n');
  const page = readFileSync(join(root, 'test/corpus/fixtures/bing-2020-desktop-en-445ada.html.gz'));
  writeFileSync(join(cwd, 'page.html'), gunzipSync(page));
  const mails = await startMailServer();
  const env = { SMTP_URL: `smtp://127.0.0.1:${mails.port}` };
  const on = (day: number): Program => ({ day, cwd, env });
  for (const args of [['check'], ['check', '--json'], ['plan'], ['plan', '--json']]) await command(on(0), ...args);
  for (let day = 0; day < 16; day += 1) await command(on(day), 'run', ...(day % 5 === 0 ? ['--json'] : []));
  await command(on(16), 'backfill', 'ranks', '--dry-run');
  await command(on(16), 'backfill', 'ranks');
  const queries =
    'Top queries,Clicks,Impressions,CTR,Position\nrunning shoes,60,900,6.67%,4.2\nhiking boots,12,380,3.16%,9.1\nred shoes,9,300,3%,8\n';
  const dates = `Date,Clicks,Impressions,CTR,Position\n${Array.from({ length: 14 }, (_, day) => clicksOf(day)).join('\n')}\n`;
  const archive = zipSync({ 'Queries.csv': Buffer.from(queries), 'Dates.csv': Buffer.from(dates) }, { level: 0 });
  writeFileSync(join(cwd, 'clicks.zip'), archive);
  await command(on(16), 'backfill', 'clicks', '--project', 'shop', '--file', 'clicks.zip');
  writeFileSync(
    join(cwd, 'older.csv'),
    'date,keyword,country,language,device,rank,url\n2026-08-01,running shoes,US,en,desktop,9,https://www.shop.example/\n2026-08-08,running shoes,US,en,desktop,7,https://www.shop.example/\n',
  );
  await command(on(16), 'backfill', 'import', 'older.csv', '--project', 'shop', '--target', 'shop.example');
  writeFileSync(join(cwd, 'list.csv'), 'Keyword,Volume\nred shoes,100\nrunning shoes,90\nblue boots,10\n');
  await command(on(16), 'keywords', 'add', 'list.csv', '--project', 'shop');
  await command(on(16), 'note', 'add', 'relaunch', '--date', '2026-09-10', '--project', 'shop');
  const reading: string[][] = [
    ['status'],
    ['status', '--check'],
    ['history', 'running shoes'],
    ['history', 'running shoes', '--csv'],
    ['history', 'dentist', '--location', 'Austin, Texas'],
    ['audit'],
    ['verify'],
    ['alerts', 'list'],
    ['clicks', 'curve'],
    ['clicks', 'changes'],
    ['clicks', 'suggest'],
    ['note', 'list'],
    ['prune'],
    ['simulate', '--days', '5'],
    ['intent', 'best running shoes'],
    ['locations', 'find', 'Springfield'],
    ['account', 'create', 'acme', '--serp-credits', '10'],
    ['account', 'list'],
    ['account', 'statement', 'acme'],
    ['api-user', 'list'],
    ['reader', 'list'],
    ['parse', 'page.html'],
    ...['rankings', 'checks', 'volumes', 'serps', 'ledger'].map((what) => ['export', '--what', what]),
  ];
  for (const argv of reading) {
    await command(on(17), ...argv);
    if (!argv.includes('--csv') && argv[0] !== 'account') await command(on(17), ...argv, '--json');
  }
  await command(on(17), 'report', '--from', '2026-09-02', '--to', '2026-09-15', '--out', 'period');
  await command(on(17), 'report', '--as-of', '2026-09-08', '--agency', '--xlsx', '--out', 'as-of');
  for (const folder of ['reports', 'period', 'as-of']) keepFolder(join(cwd, folder), join('reports', 'mixed', folder));
  keep(
    'mails/mixed.txt',
    mails.received.map(({ to, text }) => `${to.join(' ')}\n${text.replaceAll('=\r\n', '')}`).join('\n=====\n'),
  );
  if (existsSync(join(cwd, 'alerts.jsonl')))
    keep('alerts/mixed.jsonl', readFileSync(join(cwd, 'alerts.jsonl'), 'utf8'));
  await keepReadApi(on(17), ['shop', 'blog']);
  await keepMcp(on(17), 'shop');
  await command(on(17), 'run', 'discard', '5', '--reason', 'test');
  await mails.close();
}

async function recordDemo(): Promise<void> {
  const cwd = join(work, 'demo');
  mkdirSync(cwd);
  const on: Program = { day: 80, cwd };
  await command(on, 'demo');
  const config = ['--config', 'demo/rankledger.yaml'];
  for (const argv of [['check'], ['status'], ['audit'], ['history', 'running shoes'], ['plan']]) {
    await command(on, ...argv, ...config);
    await command(on, ...argv, ...config, '--json');
  }
  keepFolder(join(cwd, 'demo/reports'), join('reports', 'demo'));
  cpSync(join(cwd, 'demo'), join(work, 'read'), { recursive: true });
  await keepReadApi({ day: 80, cwd: join(work, 'read') }, ['acme', 'trailblog']);
  await keepMcp({ day: 80, cwd: join(work, 'read') }, 'acme');
}

/** The help of every command, and what the server of the service says of itself. */
async function recordHelp(): Promise<void> {
  const cwd = join(work, 'help');
  mkdirSync(cwd);
  const on: Program = { day: 0, cwd };
  const help = await command(on, '--help');
  for (const [, name] of help.matchAll(/^ {2}([a-z-]+) {2,}/gm)) await command(on, name ?? '', '--help');
  await command(on, 'init', 'site');
  keepFolder(join(cwd, 'site'), 'init');
  const { address, close } = await listening({ day: 0, cwd: join(cwd, 'site') }, 'serve', '--port', '0');
  for (const path of ['/openapi.json', '/health', '/v1/serp']) {
    const answer = await fetch(`${address}${path}`);
    keep(
      join('serve', `${path.replaceAll('/', '_')}.json`),
      `${answer.status}\n${(await answer.text()).replaceAll(',"', ',\n"')}`,
    );
  }
  await close();
}

await recordHelp();
await recordDemo();
await recordMixed();
rmSync(work, { recursive: true, force: true });
