// --metrics of `schedule`, `serve` and `worker`: scraped over HTTP as Prometheus does.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../config/load.ts';
import { planRun } from '../../../jobs/run/plan-run.ts';
import { App, openApp } from '../../../src/app/app.ts';
import { scheduleMetrics, serveMetrics } from '../../../src/app/metrics.ts';
import { SimulatedClock } from '../../../src/app/runs/simulation.ts';
import { addDays } from '../../../src/tracker/schedule/local-time.ts';
import { startProvider } from '../../helpers/provider.ts';
import { describeWithRedis, RedisServer } from '../../helpers/redis.ts';
import { folderOf } from '../child.ts';
import { invoke, TextStream } from '../fake-host.ts';
import { projectFolder } from '../project-folder.ts';

/** The samples of a scrape by name and labels; fails for text that is not of the format. */
async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(url);
  const text = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const types = new Map<string, string>();
  const samples = new Map<string, number>();
  for (const line of text.trimEnd().split('\n')) {
    const [, named, type] = /^# TYPE (\S+) (counter|gauge|histogram|summary)$/.exec(line) ?? [];
    if (named !== undefined) types.set(named, type!);
    if (line.startsWith('#') || line === '') continue;
    const [, key, name, value] = /^(([a-z0-9_]+)(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? [];
    expect({ line, isKnown: types.has(name!.replace(/_(bucket|sum|count)$/, '')) || types.has(name!) }).toMatchObject({
      isKnown: true,
    });
    samples.set(key!, Number(value));
  }
  const ours = [...types].filter(([name]) => name.startsWith('rankledger_'));
  for (const [name, type] of ours) expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  return samples;
}

const only = (samples: ReadonlyMap<string, number>, prefix: string): Record<string, number> =>
  Object.fromEntries([...samples].filter(([key]) => key.startsWith(prefix)));

/** Starts a command with --json in this process; resolves with the first document that has `metrics`. */
async function started(path: string, ...argv: string[]) {
  const stdout = new TextStream();
  let interrupt = () => {};
  const withSignal = (send: () => void) => {
    interrupt = send;
  };
  const lines = () =>
    stdout.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const isServing = argv.includes('serve');
  const ended = invoke([...argv, '--metrics', '0', '--json'], {
    cwd: path,
    env: { PASSWORD: 'unused' },
    stdout,
    withSignal,
    ...(isServing ? { openApp, now: Date.now() } : {}),
  });
  const until = async (isFound: (line: Record<string, unknown>) => boolean, times = 1) => {
    for (;;) {
      const line = lines().filter(isFound)[times - 1];
      if (line !== undefined) return line;
      await setImmediate();
    }
  };
  const first = await until((line) => 'metrics' in line);
  return {
    ...(first as { metrics: string; url: string }),
    until,
    async stop() {
      interrupt();
      return await ended;
    },
  };
}

describe('--metrics', () => {
  test('of schedule counts what the database knows, after a restart as before', async () => {
    const folder = projectFolder(`services:
  default: { mode: embedded, source: sandbox }
  away: { mode: remote, baseUrl: "http://127.0.0.1:1", user: ann, password: "\${PASSWORD}" }
projects:
  - { id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 2, paging: full, keywords: [shoes], volumes: { schedule: "0 4 2 * *" } }
  - { id: globex, service: away, targets: [globex.com], schedule: "0 6 * * *", depth: 1, keywords: [a, b, c, d, e, f, g, h, i, j, k, l, m, n] }
`);
    const env = { PASSWORD: 'unused' };
    expect((await invoke(['schedule', '--metrics', 'nowhere'], { cwd: folder.path, env })).exitCode).toBe(2);
    const counters = ['rankledger_purchases', 'rankledger_purchase_f', 'rankledger_spent', 'rankledger_runs'];
    const facts = (samples: ReadonlyMap<string, number>) =>
      Object.assign({}, ...counters.map((name) => only(samples, name)));
    const first = await started(folder.path, 'schedule');
    await first.until(({ event }) => event === 'ended', 3);
    const samples = await scrape(first.metrics);
    await first.stop();
    expect(facts(samples)).toMatchObject({
      'rankledger_purchases_total{service="away",currency="serp_credit",outcome="free",simulated="no"}': 13,
      'rankledger_purchases_total{service="default",currency="micro_usd",outcome="paid",simulated="yes"}': 1,
      'rankledger_purchases_total{service="default",currency="serp_credit",outcome="paid",simulated="yes"}': 2,
      'rankledger_spent_credits_total{service="default",simulated="yes"}': 2,
      'rankledger_spent_dollars_total{service="default",simulated="yes"}': 0.01,
      'rankledger_runs_total{state="complete"}': 2,
      'rankledger_runs_total{state="partial"}': 1,
    });
    const failures = Object.entries(only(samples, 'rankledger_purchase_failures_total{service="away"'));
    expect(failures.reduce((sum, [, count]) => sum + count, 0)).toBe(13);
    expect(only(samples, 'rankledger_circuit_breaker_state')).toEqual({
      'rankledger_circuit_breaker_state{service="away",state="closed"}': 0,
      'rankledger_circuit_breaker_state{service="away",state="open"}': 0,
      'rankledger_circuit_breaker_state{service="away",state="half_open"}': 0,
      'rankledger_circuit_breaker_state{service="away",state="given_up"}': 1,
    });
    expect(only(samples, 'rankledger_queued')).toEqual({
      'rankledger_queued_checks{state="planned"}': 0,
      'rankledger_queued_checks{state="running"}': 0,
    });
    expect(samples.get('rankledger_oldest_due_slot_age_seconds')).toBe(0);
    expect(samples.get('process_start_time_seconds')).toBeGreaterThan(0);

    const again = await started(folder.path, 'schedule');
    expect(facts(await scrape(again.metrics))).toEqual(facts(samples));
    await again.stop();
  });

  test('of schedule has counters that never go down, also where another process opens an ended run again', async () => {
    const config = (perRun: number) => `services: { default: { mode: embedded, source: sandbox } }
budget: { serpCredits: { perRun: ${perRun}, perDay: 100, perMonth: 100 } }
projects: [{ id: acme, targets: [acme.com], schedule: "0 6 * * *", depth: 1, keywords: [shoes, boots] }]
`;
    const folder = projectFolder(config(1));
    const runs = async (url: string) => only(await scrape(url), 'rankledger_runs_total');
    const { metrics, until, stop } = await started(folder.path, 'schedule');
    const ended = await until(({ event }) => event === 'ended');
    expect(await runs(metrics)).toEqual({ 'rankledger_runs_total{state="partial"}': 1 });
    const [{ slot }] = ended['slots'] as [{ slot: string }];
    folder.write('rankledger.yaml', config(2));
    expect((await invoke(['run', '--project', 'acme', '--slot', slot], { cwd: folder.path, env: {} })).exitCode).toBe(
      0,
    );
    expect(await runs(metrics)).toEqual({
      'rankledger_runs_total{state="partial"}': 1,
      'rankledger_runs_total{state="complete"}': 1,
    });
    // one partial run again: it is not counted beside the one that was opened again
    folder.write('rankledger.yaml', config(1));
    const dayBefore = `${addDays(slot.slice(0, 10), -1)}${slot.slice(10)}`;
    expect(
      (await invoke(['run', '--project', 'acme', '--slot', dayBefore], { cwd: folder.path, env: {} })).exitCode,
    ).toBe(3);
    expect(await runs(metrics)).toMatchObject({ 'rankledger_runs_total{state="partial"}': 1 });
    await stop();
  });

  test('of schedule has the age of a slot that waits, and the checks of an open run', async () => {
    const folder = projectFolder(
      'projects: [{ id: acme, targets: [acme.com], schedule: "0 6 * * *", keywords: [shoes, boots] }]\n',
    );
    const config = await loadConfig({ cwd: folder.path, env: {} });
    const sevenOClock = Date.UTC(2026, 0, 16, 7);
    const clock = new SimulatedClock(sevenOClock);
    const app = new App(config, { clock });
    const { context } = app;
    const { store } = context;
    const server = await serveMetrics(
      { host: '127.0.0.1', port: 0 },
      context.log,
      scheduleMetrics(() => context),
    );
    try {
      expect((await scrape(server.url)).get('rankledger_oldest_due_slot_age_seconds')).toBe(3600);
      const [project] = config.projects;
      const slot = {
        project: 'acme',
        slot: '2026-01-16T06:00',
        at: sevenOClock,
        timezone: 'UTC',
        localDate: '2026-01-16',
      };
      const run = { kind: 'ranks', moment: sevenOClock, at: sevenOClock, owner: 'test' } as const;
      const opened = store.transaction(() => store.runs.open(run, [slot]));
      planRun(context, opened!.id, [project!], () => {});
      const samples = await scrape(server.url);
      expect(project!.keywords).toHaveLength(2);
      expect(samples.get('rankledger_queued_checks{state="planned"}')).toBe(2);
      expect(samples.get('rankledger_oldest_due_slot_age_seconds')).toBe(0);
      await clock.sleep(49 * 3_600_000);
      store.runs.close(opened!.id, { state: 'complete', reason: null, at: clock.now() });
      // the slots of two days have passed since, of which only the later one is due
      expect((await scrape(server.url)).get('rankledger_oldest_due_slot_age_seconds')).toBe(26 * 3600);
      const missing = await fetch(server.url.replace('/metrics', '/'));
      const posted = await fetch(server.url, { method: 'POST' });
      expect([missing.status, posted.status]).toEqual([404, 405]);
    } finally {
      await server.close();
      await app.close();
    }
  });

  test('of serve counts requests by operation and code, and what accounts were charged, and its own port has none', async () => {
    const folder = projectFolder('services: { default: { mode: embedded, source: sandbox } }\nprojects: []\n');
    const go = (...argv: string[]) => invoke(argv, { cwd: folder.path, env: {}, now: Date.now(), openApp });
    await go('account', 'create', 'acme', '--serp-credits', '2', '--usd', '1');
    const { username, password } = JSON.parse((await go('api-user', 'add', '--account', 'acme', '--json')).out);
    const { url, metrics, stop } = await started(folder.path, 'serve', '--port', '0');
    const post = (path: string, body: object) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'service-api-user': username,
          'service-api-password': password,
        },
        body: JSON.stringify(body),
      });
    expect((await post('/v1/serp', { keyword: 'shoes', end_page: 2 })).status).toBe(200);
    expect((await post('/v1/serp', { keyword: 'shoes' })).status).toBe(402);
    expect((await post('/v1/keyword-data', { keyword: 'shoes' })).status).toBe(200);
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const samples = await scrape(metrics);
    await stop();
    expect({
      ...only(samples, 'rankledger_requests'),
      ...only(samples, 'rankledger_charged'),
      ...only(samples, 'rankledger_request_duration_seconds_count'),
    }).toEqual({
      'rankledger_requests_total{operation="serp",status="200",code=""}': 1,
      'rankledger_requests_total{operation="serp",status="402",code="INSUFFICIENT_CREDITS"}': 1,
      'rankledger_requests_total{operation="keyword-data",status="200",code=""}': 1,
      'rankledger_requests_total{operation="other",status="404",code="NOT_FOUND"}': 1,
      rankledger_charged_credits_total: 2,
      rankledger_charged_dollars_total: expect.any(Number),
      'rankledger_request_duration_seconds_count{operation="serp"}': 2,
      'rankledger_request_duration_seconds_count{operation="keyword-data"}': 1,
      'rankledger_request_duration_seconds_count{operation="other"}': 1,
    });
    expect(samples.get('rankledger_charged_dollars_total')).toBeGreaterThanOrEqual(0.01);
  });
});

describeWithRedis('--metrics of a worker', () => {
  test('counts its pages, and has the depth of the queues in Redis', async () => {
    const redis = await RedisServer.start();
    const provider = await startProvider();
    const files = (projects: string) => ({
      'rankledger.yaml': `services:
  default: { mode: remote, baseUrl: "${provider.url}", user: "\${PROVIDER_USER}", password: "\${PROVIDER_PASSWORD}" }
queue: { driver: bullmq, redisUrl: "\${REDIS_URL}" }
projects: ${projects}
`,
    });
    const env = { PROVIDER_USER: provider.user, PROVIDER_PASSWORD: provider.password, REDIS_URL: redis.url };
    const home = folderOf(
      files('[{ id: acme, targets: [acme.example], depth: 2, paging: full, keywords: [shoes] }]'),
      env,
    );
    const away = folderOf(files('[]'), env);
    const { child, ended } = away.start('worker', '--json', '--metrics', '0');
    try {
      const [line] = await once(createInterface({ input: child.stdout! }), 'line');
      const { metrics } = JSON.parse(String(line)) as { metrics: string };
      expect((await home.run('run', '--all')).exitCode).toBe(0);
      const samples = await scrape(metrics);
      expect(samples.get('rankledger_worker_pages_total{service="default"}')).toBe(2);
      expect(only(samples, 'rankledger_queue_jobs')).toEqual({
        'rankledger_queue_jobs{service="default",state="waiting"}': 0,
        'rankledger_queue_jobs{service="default",state="prioritized"}': 0,
        'rankledger_queue_jobs{service="default",state="delayed"}': 0,
        'rankledger_queue_jobs{service="default",state="active"}': 0,
      });
      child.kill('SIGTERM');
      expect((await ended).exitCode).toBe(0);
    } finally {
      child.kill('SIGKILL');
      for (const folder of [home, away]) folder.remove();
      await provider.close();
      await redis.remove();
    }
  });
});
