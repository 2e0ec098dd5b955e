// Several coordinators with one Redis, its workers and one provider with one rate limit; and one `view` over them all.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import type { ProjectOverview, SpendDay } from '../../src/read/records.ts';
import { hasRedis, RedisServer } from '../helpers/redis.ts';
import { launcher } from './command-line.ts';
import { inFolder, keywordAt, ownHost, writeProjectsConfig } from './folder.ts';
import { startGoodsProvider } from './goods-provider.ts';
import { buildHistory } from './history.ts';
import type { BenchRow } from './row.ts';

const coordinators = 10;
const projectsEach = 20;
const workers = 2;
const perSecondMax = 50;
/** Requests arrive less evenly than they leave. */
const requestsPerSecond = 45;
const portfolioMsMax = 1_000;
const variables = { PROVIDER_USER: 'bench', PROVIDER_PASSWORD: 'bench' };

/** The run needs a redis-server. */
export async function benchCluster(quick: boolean): Promise<BenchRow[]> {
  const portfolio = await inFolder((folder) => portfolioOf(folder, quick ? 10 : 100, quick ? 30 : 90));
  return hasRedis ? [...(await inFolder((folder) => runTogether(folder, quick ? 1 : 4))), ...portfolio] : portfolio;
}

/** One keyword is that of all projects of all coordinators, beside those that only one project has. */
async function runTogether(folder: string, ownKeywords: number): Promise<BenchRow[]> {
  const provider = await startGoodsProvider({ latencyMs: 200, perSecondMax });
  const redis = await RedisServer.start('aof', '--maxmemory-policy', 'noeviction');
  const configs = Array.from({ length: coordinators }, (_, at) => {
    const home = join(folder, `coordinator-${at}`);
    mkdirSync(home);
    return writeCoordinator(home, at, { ownKeywords, url: provider.url, redisUrl: redis.url });
  });
  const away = Array.from({ length: workers }, () => startCommand(['worker', '--config', configs[0] ?? '', '--json']));
  try {
    for (const worker of away) await firstLine(worker);
    const start = performance.now();
    const ended = await Promise.all(
      configs.map((config) => output(startCommand(['run', '--config', config, '--json']))),
    );
    const seconds = (performance.now() - start) / 1000;
    const runs = ended.flatMap(({ code, out }) => {
      if (code !== 0) throw new Error(`a coordinator ended with ${code}: ${out.slice(0, 1000)}`);
      return (JSON.parse(out) as { runs: { state: string; checks: { ok: number } }[] }).runs;
    });
    const checks = runs.reduce((sum, { checks: { ok } }) => sum + ok, 0);
    const spent = await viewed(configs, async (url) => {
      const { data } = (await (await fetch(`${url}/v1/spend`)).json()) as { data: SpendDay[] };
      return data.reduce((sum, day) => sum + day.spent + day.unknown, 0);
    });
    const pages = coordinators * projectsEach * ownKeywords + 1;
    const { sold, soldAgain, refused, mostPerSecond } = await provider.close();
    const what = `cluster: ${coordinators} coordinators x ${projectsEach} projects, ${workers} workers, ${pages.toLocaleString('en')} pages`;
    return [
      {
        name: `${what}: requests over the limit of ${perSecondMax} a second`,
        target: '0',
        ratio: refused,
        detail: `${mostPerSecond} in the fullest second; ${Math.round(sold / seconds)} pages/s over ${seconds.toFixed(1)} s`,
        ok: refused === 0,
      },
      {
        name: `${what}: pages bought twice`,
        target: '0',
        ratio: soldAgain,
        detail: `${sold} sold, ${spent} credits in the ledgers, ${checks} checks complete`,
        ok:
          soldAgain === 0 &&
          sold === pages &&
          spent === sold &&
          checks === coordinators * (projectsEach * ownKeywords + 1),
      },
    ];
  } finally {
    for (const worker of away) await stopped(worker);
    await redis.remove();
  }
}

interface Terms {
  readonly ownKeywords: number;
  readonly url: string;
  readonly redisUrl: string;
}

function writeCoordinator(home: string, at: number, { ownKeywords, url, redisUrl }: Terms): string {
  const projects = Array.from({ length: projectsEach }, (_, index) => {
    const first = (at * projectsEach + index) * ownKeywords;
    const own = Array.from({ length: ownKeywords }, (__, keyword) => keywordAt(first + keyword));
    return `  - id: c${at}-project${index}
    targets: [${ownHost}]
    schedule: "0 0 * * *"
    market: { country: US, language: en, devices: [desktop] }
    depth: 1
    keywords: ${JSON.stringify([...own, 'shared by all 0'])}
`;
  });
  const file = join(home, 'rankledger.yaml');
  writeFileSync(
    file,
    `timezone: UTC
services:
  default: { mode: remote, baseUrl: "${url}", user: "\${PROVIDER_USER}", password: "\${PROVIDER_PASSWORD}", requestsPerSecond: ${requestsPerSecond} }
budget: { serpCredits: { perRun: 100000 } }
queue: { driver: bullmq, redisUrl: "${redisUrl}", concurrency: 50 }
projects:
${projects.join('')}`,
  );
  return file;
}

/** The time until all projects of all databases are answered. */
async function portfolioOf(folder: string, keywords: number, days: number): Promise<BenchRow[]> {
  const configs = Array.from({ length: coordinators }, (_, at) => {
    const home = join(folder, `coordinator-${at}`);
    mkdirSync(home);
    const config = writeProjectsConfig(home, projectsEach, keywords);
    writeFileSync(config, readFileSync(config, 'utf8').replaceAll('id: project', `id: c${at}-project`));
    const file = join(home, 'rankledger.sqlite');
    buildHistory(file, { keywords: keywords * projectsEach, days, projects: projectsEach, rival: 'rival.example' });
    const database = new Database(file);
    database.prepare("UPDATE projects SET name = ? || '-' || name").run(`c${at}`);
    database.close();
    return config;
  });
  const [first, read] = await viewed(configs, async (url) => [await timedList(url), await timedList(url)] as const);
  const name = `cluster: the portfolio of ${coordinators} databases x ${projectsEach} projects x ${keywords} keywords, ${days} days`;
  const row = (name: string, { ms, projects }: Awaited<ReturnType<typeof timedList>>): BenchRow => {
    const complete = projects.filter(({ checked, total }) => checked === keywords && total === keywords);
    return {
      name,
      target: `under ${portfolioMsMax} ms`,
      ratio: ms / portfolioMsMax,
      detail: `${Math.round(ms)} ms for ${complete.length} projects`,
      ok: ms < portfolioMsMax && complete.length === coordinators * projectsEach,
    };
  };
  return [row(name, read), row(`${name}: right after the start, before they are read ahead`, first)];
}

async function timedList(url: string): Promise<{ readonly ms: number; readonly projects: ProjectOverview[] }> {
  const start = performance.now();
  const { data } = (await (await fetch(`${url}/v1/projects?limit=all`)).json()) as { data: ProjectOverview[] };
  return { ms: performance.now() - start, projects: data };
}

async function viewed<T>(configs: readonly string[], work: (url: string) => Promise<T>): Promise<T> {
  const view = startCommand(['view', '--port', '0', '--json', '--config', ...configs]);
  try {
    return await work((JSON.parse(await firstLine(view)) as { url: string }).url);
  } finally {
    await stopped(view);
  }
}

function startCommand(argv: readonly string[]): ChildProcess {
  return spawn(process.execPath, [launcher, ...argv], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function output(child: ChildProcess): Promise<{ readonly code: number | null; readonly out: string }> {
  const closed = once(child, 'close');
  let out = '';
  for await (const piece of child.stdout?.setEncoding('utf8') ?? []) out += piece;
  const [code] = (await closed) as [number | null];
  return { code, out };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('its output is a pipe');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return line;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const closed = once(child, 'exit');
  child.kill('SIGTERM');
  await closed;
}
