// Runs over Redis while it and its workers are killed, flushed and paused: pages are not lost, and work resumes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { queueTimings } from '../../jobs/queue/bullmq/redis.ts';
import { SearchDataClient } from '../../src/service/client/client.ts';
import { unexplainedSales } from '../helpers/explained-sales.ts';
import { MachineClock } from '../helpers/job-clock.ts';
import { keyword, project, service, World } from '../helpers/jobs.ts';
import { type Loopback, listenOnLoopback } from '../helpers/loopback.ts';
import { serpGoods } from '../helpers/provider-goods.ts';
import { RedisServer } from '../helpers/redis.ts';
import { Fleet } from '../helpers/redis-queue.ts';
import { Random } from '../simulation/random.ts';
import { inTemporaryFolder } from './folder.ts';

export interface RedisTortureOptions {
  /** Few faults, and no limit on how long work may stall: that depends on the machine. */
  readonly quick?: boolean;
  readonly counts?: Readonly<Record<Fault, number>>;
  readonly seed?: number;
}

const faults = ['Redis killed', 'Redis flushed', 'worker killed', 'worker paused', 'worker frozen'] as const;
type Fault = (typeof faults)[number];

const fullCounts: Record<Fault, number> = {
  'Redis killed': 20,
  'Redis flushed': 5,
  'worker killed': 8,
  'worker paused': 4,
  'worker frozen': 3,
};
const quickCounts: Record<Fault, number> = {
  'Redis killed': 1,
  'Redis flushed': 1,
  'worker killed': 1,
  'worker paused': 1,
  'worker frozen': 0,
};

const resumeMsMax = 10_000;
const workersAtOnce = 3;
const handsEach = 4;
const keywordsOfRun = 60;
const dayMs = 86_400_000;
const firstSlot = Date.UTC(2026, 0, 1, 6);
/** Pages that arrive between two faults, so that each meets work in progress. */
const pagesBetween = 15;

const child = join(import.meta.dirname, '../helpers/worker-child.ts');

/** Resolves with the number of violations. */
export async function redisTorture(
  report: (line: string) => void,
  { quick = false, counts = quick ? quickCounts : fullCounts, seed = 20_261_120 }: RedisTortureOptions = {},
): Promise<number> {
  const random = new Random(seed);
  return await inTemporaryFolder(async (folder) => {
    const redis = await RedisServer.start();
    const shop = await Shop.open(random);
    const fleet = new Fleet(redis, {}, queueTimings);
    const crew = new Crew(redis.url, fleet.queued.queue, shop.url);
    const client = new SearchDataClient({
      retries: { attemptsMax: 1 },
      baseUrl: shop.url,
      user: Shop.user,
      password: Shop.password,
    });
    let world: World | undefined;
    try {
      await Promise.all(Array.from({ length: workersAtOnce }, () => crew.hire()));
      const queue = await fleet.coordinator(() => world?.store.ledger.identity() ?? '', workersAtOnce * handsEach);
      const keywords = Array.from({ length: keywordsOfRun }, (_, index) => keyword(`k${index}`, { depth: 2 }));
      world = new World({
        services: new Map([[service, client]]),
        projects: [project({ keywords })],
        file: join(folder, 'db.sqlite'),
        reports: join(folder, 'reports'),
        clock: new MachineClock(),
        wrapQueue: () => queue,
      });
      const torment = new Torment({
        redis,
        crew,
        world,
        random,
        report,
        standMsMax: quick ? Number.POSITIVE_INFINITY : resumeMsMax,
      });
      const plan = shuffled(
        random,
        faults.flatMap((fault) => Array.from({ length: counts[fault] }, () => fault)),
      );
      const slots = await runThrough(world, torment, plan);
      const wrong = [...torment.violations, ...violationsOf(world, shop)];
      const { spent, unknown } = world.credits;
      report(
        `redis: ${plan.length} faults over ${slots} runs (seed ${seed}): ${faults.map((fault) => `${counts[fault]} x ${fault}`).join(', ')}`,
      );
      report(
        `redis: ${shop.sales.length} pages sold, ${spent} paid, ${unknown} unknown; resumed after ${torment.resumed()}; ${wrong.length} violations`,
      );
      for (const line of wrong) report(`VIOLATION redis: ${line}`);
      return wrong.length;
    } finally {
      await fleet.close();
      await crew.dismiss();
      await world?.close();
      await shop.close();
      await redis.remove();
    }
  });
}

function shuffled<T>(random: Random, list: readonly T[]): T[] {
  return random.some(list, list.length);
}

/** Slot after slot until the faults are over; the current run is then finished without faults. */
async function runThrough(world: World, torment: Torment, plan: readonly Fault[]): Promise<number> {
  let isOver = false;
  const failed = new AbortController();
  const over = torment.carryOut(plan, failed.signal).finally(() => {
    isOver = true;
  });
  let slots = 0;
  try {
    for (; !isOver; slots += 1) await world.runSlot(firstSlot + slots * dayMs);
  } catch (error) {
    failed.abort();
    await over.catch(() => undefined);
    throw error;
  }
  await over;
  return slots;
}

/** Violations, as text. */
function violationsOf(world: World, shop: Shop): string[] {
  const wrong = [...world.broken()];
  const unfinished = world.rows("SELECT state, reason, count(*) AS n FROM checks WHERE state <> 'ok' GROUP BY 1, 2");
  for (const row of unfinished) wrong.push(`${row['n']} checks are ${row['state']}: ${row['reason']}`);
  for (const row of world.rows("SELECT id, state FROM runs WHERE state <> 'complete'"))
    wrong.push(`run ${row['id']} is ${row['state']}`);
  return [...wrong, ...unpaidPages(world), ...unexplainedSales(world, shop.sales)];
}

/** Every page of a run ends as paid. */
function unpaidPages(world: World): string[] {
  return world
    .rows("SELECT request_key FROM purchases GROUP BY 1 HAVING sum(state = 'paid') = 0")
    .map((row) => `${row['request_key']} was paid 0 times`);
}

interface Scene {
  readonly redis: RedisServer;
  readonly crew: Crew;
  readonly world: World;
  readonly random: Random;
  readonly report: (line: string) => void;
  /** How long work may stall after a fault, in milliseconds. */
  readonly standMsMax: number;
}

/** Injects the faults one by one, each once work has resumed after the previous one. */
class Torment {
  readonly violations: string[] = [];
  readonly #resumeMs: number[] = [];
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async carryOut(plan: readonly Fault[], end: AbortSignal): Promise<void> {
    for (const fault of plan) {
      await this.#morePages(pagesBetween, end);
      if (end.aborted) return;
      await this.#do(fault);
      const from = performance.now();
      await this.#morePages(1, end);
      const resumeMs = performance.now() - from;
      this.#resumeMs.push(resumeMs);
      if (resumeMs > this.#scene.standMsMax)
        this.violations.push(`after ${fault} work stood still for ${Math.round(resumeMs)} ms`);
    }
  }

  resumed(): string {
    const sorted = this.#resumeMs.toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    return `${at(0.5)} ms (median), ${at(1)} ms (at most)`;
  }

  async #do(fault: Fault): Promise<void> {
    switch (fault) {
      case 'Redis killed':
        await this.#scene.redis.kill();
        await pause(this.#scene.random.whole(50, 1500));
        return await this.#scene.redis.start();
      case 'Redis flushed':
        return await this.#scene.redis.flush();
      case 'worker killed':
        return await this.#scene.crew.replaceOne();
      case 'worker paused':
        return await this.#scene.crew.pauseOne(1000);
      case 'worker frozen': // beyond its lease: it counts as dead, and wakes up
        return await this.#scene.crew.pauseOne(queueTimings.leaseMs + queueTimings.settleMs + 2000);
    }
  }

  async #morePages(count: number, end: AbortSignal): Promise<void> {
    const pages = (): number => Number(this.#scene.world.value('SELECT count(*) FROM pages'));
    const wanted = pages() + count;
    const from = performance.now();
    while (!end.aborted && pages() < wanted) {
      await pause(10);
      if (performance.now() - from < 6 * resumeMsMax) continue;
      this.#scene.report('redis: work does not go on');
      throw new Error('nothing moved for a minute');
    }
  }
}

/** Workers in their own processes. */
class Crew {
  readonly #arguments: readonly string[];
  readonly #workers: ChildProcess[] = [];

  constructor(redisUrl: string, queue: string, providerUrl: string) {
    this.#arguments = [child, redisUrl, queue, String(handsEach), providerUrl, Shop.user, Shop.password];
  }

  async hire(): Promise<void> {
    const worker = spawn(process.execPath, this.#arguments, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#workers.push(worker);
    await once(worker.stdout, 'data');
  }

  async replaceOne(): Promise<void> {
    const worker = this.#workers.shift();
    worker?.kill('SIGKILL');
    if (worker !== undefined) await once(worker, 'exit');
    await this.hire();
  }

  async pauseOne(ms: number): Promise<void> {
    const [worker] = this.#workers;
    worker?.kill('SIGSTOP');
    await pause(ms);
    worker?.kill('SIGCONT');
  }

  async dismiss(): Promise<void> {
    for (const worker of this.#workers.splice(0)) {
      worker.kill('SIGKILL');
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    }
  }
}

/** A slow provider that sells every request, also repeated ones, and keeps its books by idempotency key. */
class Shop {
  static readonly user = 'ada';
  static readonly password = 'sesame';
  readonly sales: string[] = [];
  readonly #random: Random;
  readonly #server: Loopback;

  static async open(random: Random): Promise<Shop> {
    const server = await listenOnLoopback((request, response) => void shop.#serve(request, response));
    const shop = new Shop(random, server);
    return shop;
  }

  private constructor(random: Random, server: Loopback) {
    this.#random = random;
    this.#server = server;
  }

  get url(): string {
    return this.#server.url;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    this.sales.push(String(request.headers['idempotency-key']));
    await pause(this.#random.whole(20, 120));
    response.setHeader('content-type', 'application/json');
    response.end(serpGoods({}, JSON.parse(text) as Record<string, unknown>).text);
  }
}
