// How long a quiet reader waits beside a noisy one: `view`, `mcp` and `serve` in processes of their own, like clients.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { answerAsChild, inChild } from './child.ts';
import { median, quantile } from './figures.ts';
import { inFolder, keywordAt, writeConfig } from './folder.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

const ratioMax = 2;
const rival = 'rival.example';
const starter = join(import.meta.dirname, '../../src/cli/rankledger.mjs');

interface Request {
  readonly method?: 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `{n}` is another number in each request. */
  readonly body?: string;
  /** A file with the body: it may be too long for a command line. */
  readonly bodyFile?: string;
}

/** Connections that ask in turns until the time is over. `pauseMs`: between an answer and the next question. */
interface Question {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** None: work that asks for nothing. It shows what another busy process costs on as many cores. */
  readonly requests: readonly Request[];
  readonly connections: number;
  readonly pauseMs: number;
  readonly seconds: number;
}

interface Answer {
  /** Milliseconds. */
  readonly times: readonly number[];
  readonly failures: number;
  /** Requests that were sent, answered or not. */
  readonly asked: number;
}

/** Kinds of noise, and the questions of a quiet reader of the same server. */
interface Scene {
  readonly name: string;
  readonly quiet: Omit<Question, 'seconds'>;
  readonly noise: Omit<Question, 'seconds'>;
}

export async function benchFair(quick: boolean): Promise<BenchRow[]> {
  const size = quick ? { keywords: 3_000, days: 30 } : { keywords: 10_000, days: 60 };
  return await inFolder(async (folder) => {
    const config = writeConfig(folder, size.keywords);
    const written = readFileSync(config, 'utf8');
    writeFileSync(config, written.replace('    schedule:', `    competitors: [${rival}]\n    schedule:`));
    buildHistory(join(folder, 'rankledger.sqlite'), { ...size, rival });
    const tokenOf = async (...argv: string[]) => {
      const { token } = JSON.parse(await printed(folder, 'reader', 'add', ...argv, '--json'));
      return { authorization: `Bearer ${token}` };
    };
    const [quiet, noisy, editor] = [
      await tokenOf('quiet'),
      await tokenOf('noisy', '--project', 'bench'),
      await tokenOf('editor', '--role', 'editor'),
    ];
    await printed(folder, 'account', 'create', 'bench', '--serp-credits', '1000000000');
    const users = [];
    for (const name of ['calm', 'loud']) {
      const user = JSON.parse(await printed(folder, 'api-user', 'add', name, '--account', 'bench', '--json'));
      users.push({ 'service-api-user': user.username, 'service-api-password': user.password });
    }
    const [view, mcp, serve] = [
      await served(folder, 'view', '--edit', '--api-only'),
      await served(folder, 'mcp', '--http'),
      await served(folder, 'serve', '--rate', '1000000'),
    ];
    try {
      const scenes = [
        ...viewScenes(view.url, { quiet, noisy, editor }, { ...size, listFile: join(folder, 'list.json') }),
        mcpScene(new URL(mcp.url).origin, { quiet, noisy }, size.days),
        serveScene(serve.url, users),
      ];
      const rows: BenchRow[] = [];
      for (const scene of scenes) {
        const row = await measured(scene, quick);
        process.stderr.write(`${row.name}: ${row.detail}, ${row.ratio.toFixed(2)}x\n`);
        rows.push(row);
      }
      return rows;
    } finally {
      for (const { child } of [view, mcp, serve]) {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
    }
  });
}

interface Readers {
  readonly quiet: Question['headers'];
  readonly noisy: Question['headers'];
}

function viewScenes(
  url: string,
  { quiet, noisy, editor }: Readers & { readonly editor: Question['headers'] },
  { keywords, days, listFile }: { readonly keywords: number; readonly days: number; readonly listFile: string },
): Scene[] {
  const project = '/v1/projects/bench';
  const dates = datesOf(days);
  const [first = ''] = dates;
  const common = { url, connections: 2, pauseMs: 0 };
  const reading = {
    ...{ url, headers: quiet, connections: 1, pauseMs: 10 },
    requests: [
      { path: '/v1/projects' },
      { path: `${project}/summary` },
      { path: `${project}/keywords?limit=100&tag=tag%203` },
      { path: `${project}/keywords?limit=100&sort=rank` },
      { path: `${project}/series?tag=tag%203` },
      { path: `${project}/why` },
    ],
  };
  const period = `from=${dates.at(-20)}`;
  const pairs = dates.slice(-12).flatMap((date) => [`date=${date}&compare=7d`, `date=${date}&compare=${first}`]);
  const list = Array.from({ length: 20_000 }, (_, at) => `${keywordAt(keywords + at)} of the list`).join('\n');
  const noises: Readonly<Record<string, readonly Request[]>> = {
    'rankings as xlsx': [{ path: `${project}/rankings?${period}&format=xlsx` }],
    'rankings as CSV': [{ path: `${project}/rankings?${period}&format=csv` }],
    why: pairs.map((pair) => ({ path: `${project}/why?${pair}` })),
    'competitors with share': pairs.map((pair) => ({ path: `${project}/competitors?share=true&${pair}` })),
  };
  const scenes = Object.entries(noises).map(([name, requests]) => ({
    name,
    quiet: reading,
    noise: { ...common, headers: noisy, requests },
  }));
  writeFileSync(listFile, JSON.stringify({ lists: [{ text: list }] }));
  const preview: Request = {
    method: 'POST',
    path: `${project}/keywords`,
    headers: { 'content-type': 'application/json', 'x-rankledger-edit': '1' },
    bodyFile: listFile,
  };
  const turns = [noises['why'], noises['competitors with share'], noises['rankings as CSV']].flatMap((of) => of ?? []);
  return [
    { name: 'a busy process that asks for nothing', quiet: reading, noise: { ...common, headers: {}, requests: [] } },
    ...scenes,
    {
      name: 'preview of a list',
      quiet: reading,
      noise: { ...common, connections: 1, headers: editor, requests: [preview] },
    },
    {
      name: 'two connections of one share link',
      quiet: reading,
      noise: { ...common, headers: noisy, requests: turns },
    },
  ];
}

function datesOf(days: number): string[] {
  return Array.from({ length: days }, (_, day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10));
}

function mcpScene(url: string, { quiet, noisy }: Readers, days: number): Scene {
  const dates = datesOf(days);
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const call = (id: number, name: string, more: object) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name, arguments: { project: 'bench', ...more } },
  });
  const one = (name: string, more: object): Request => ({
    ...{ method: 'POST', path: '/mcp' },
    body: JSON.stringify(call(1, name, more)),
  });
  const batch = Array.from({ length: 100 }, (_, id) => call(id, 'explain_change', { from: dates[id % 20] }));
  return {
    name: 'a batch of 100 calls to mcp',
    quiet: {
      ...{ url, headers: { ...headers, ...quiet }, connections: 1, pauseMs: 10 },
      requests: [
        one('keyword_table', { filter: 'tag=tag 3', limit: 5 }),
        one('project_facts', {}),
        one('list_projects', {}),
      ],
    },
    noise: {
      ...{ url, headers: { ...headers, ...noisy }, connections: 1, pauseMs: 0 },
      requests: [{ method: 'POST', path: '/mcp', body: JSON.stringify(batch) }],
    },
  };
}

function serveScene(url: string, [calm = {}, loud = {}]: readonly Question['headers'][]): Scene {
  const headers = { 'content-type': 'application/json' };
  const page = (keyword: string): Request => ({ method: 'POST', path: '/v1/serp', body: JSON.stringify({ keyword }) });
  return {
    name: 'ten new sandbox pages of `serve`',
    quiet: {
      ...{ url, headers: { ...headers, ...calm }, connections: 1, pauseMs: 10 },
      requests: ['running shoes', 'city hotels', 'yoga lessons'].map(page),
    },
    noise: {
      ...{ url, headers: { ...headers, ...loud }, connections: 10, pauseMs: 0 },
      requests: [{ method: 'POST', path: '/v1/serp', body: JSON.stringify({ keyword: 'new page {n}', end_page: 10 }) }],
    },
  };
}

/** Rounds alternate, alone and beside; the median of the rounds counts, because other load comes and goes. */
async function measured({ name, quiet, noise }: Scene, quick: boolean): Promise<BenchRow> {
  const seconds = quick ? 3 : 6;
  const rounds = 3;
  const ask = (of: Omit<Question, 'seconds'>, longer = 0) =>
    inChild<Answer>(import.meta.url, { ...of, seconds: seconds + longer } satisfies Question);
  const alone: Answer[] = [];
  const beside: Answer[] = [];
  const noises = { asked: 0, answered: 0 };
  for (let round = 0; round < rounds; round += 1) {
    alone.push(await ask(quiet));
    const noisy = ask(noise, 2);
    await sleep(1_000);
    beside.push(await ask(quiet));
    const { asked, times } = await noisy;
    noises.asked += asked;
    noises.answered += times.length;
  }
  const at = (answers: readonly Answer[], share: number) => median(answers.map(({ times }) => quantile(times, share)));
  const [p50, p50Beside, p99, p99Beside] = [at(alone, 0.5), at(beside, 0.5), at(alone, 0.99), at(beside, 0.99)];
  const isAsking = noise.requests.length > 0;
  const failures = [...alone, ...beside].reduce((sum, of) => sum + of.failures, 0);
  const ms = (value: number) => value.toFixed(1);
  return {
    name: `fair: a quiet reader beside ${name}`,
    target: isAsking ? `p99 at most ${ratioMax}x` : '-',
    ratio: p99Beside / p99,
    detail: `p50 ${ms(p50)} -> ${ms(p50Beside)} ms, p99 ${ms(p99)} -> ${ms(p99Beside)} ms; ${noises.answered} of ${noises.asked} noisy answers${failures > 0 ? `, ${failures} failures` : ''}`,
    ok: !isAsking || (p99Beside <= ratioMax * p99 && failures === 0 && noises.asked > 0),
  };
}

function command(cwd: string, argv: readonly string[]): ChildProcess {
  return spawn(process.execPath, [starter, ...argv], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function printed(cwd: string, ...argv: string[]): Promise<string> {
  const child = command(cwd, argv);
  let said = '';
  for await (const piece of child.stdout ?? []) said += String(piece);
  return said;
}

async function served(cwd: string, ...argv: string[]): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = command(cwd, [...argv, '--port', '0', '--json']);
  if (child.stdout === null) throw new Error('its output is a pipe');
  for await (const line of createInterface(child.stdout)) return { ...JSON.parse(line), child };
  throw new Error(`${argv[0]} ended`);
}

await answerAsChild(import.meta.url, async (question: Question): Promise<Answer> => {
  const { url, headers, requests, connections, pauseMs, seconds } = question;
  const pool = new Pool(url, { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  const endsAt = performance.now() + seconds * 1_000;
  const asks = requests.map(({ bodyFile, ...rest }) =>
    bodyFile === undefined ? rest : { ...rest, body: readFileSync(bodyFile, 'utf8') },
  );
  const times: number[] = [];
  let failures = 0;
  let asked = 0;
  const isOver = () => performance.now() >= endsAt;
  while (requests.length === 0 && !isOver()) JSON.parse(JSON.stringify(question));
  const run = async () => {
    while (!isOver()) {
      const { method = 'GET', path, headers: own, body } = asks[asked++ % asks.length] ?? { path: '/' };
      const sent = body?.replace('{n}', `${process.pid} ${asked}`) ?? null;
      const begunAt = performance.now();
      const response = await pool.request({ path, method, headers: { ...headers, ...own }, body: sent });
      await response.body.dump({ limit: Number.POSITIVE_INFINITY });
      if (response.statusCode !== 200) failures += 1;
      times.push(performance.now() - begunAt);
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: connections }, run)).catch(() => {
    failures += 1; // the noise is cut off
  });
  await Promise.race([all, sleep(seconds * 1_000 + 20_000, undefined, { ref: false })]);
  await pool.destroy();
  return { times, failures, asked };
});
