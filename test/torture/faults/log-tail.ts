// A power cut that loses the end of Redis's log during sales: every lost sale is counted.
import { retryLimits } from '../../../jobs/retry.ts';
import { dieAt } from '../../helpers/death.ts';
import { MachineClock } from '../../helpers/job-clock.ts';
import { clientOf, deadOwner, service, type World } from '../../helpers/jobs.ts';
import { hasRedis, RedisServer } from '../../helpers/redis.ts';
import { Fleet } from '../../helpers/redis-queue.ts';
import type { Random } from '../../simulation/random.ts';
import type { Fault, Injection } from './fault.ts';
import { inScene, type Scene } from './scene.ts';

const inFlight = 3;

export const logTail: Fault = {
  name: 'AOF tail loss',
  plant: 'only a Redis that syncs each write proves that a request was never sent',
  rounds: { quick: 0, plant: 3, full: 8 },
  missing: () => (hasRedis ? null : 'there is no redis-server'),
  async inject(random, round) {
    const redis = await RedisServer.start('everysec');
    const fleet = new Fleet(redis);
    try {
      return await inScene({}, (scene) => aroundPowerCut(random, round, scene, redis, fleet));
    } finally {
      await fleet.close();
      await redis.remove();
    }
  },
};

/** In odd rounds Redis has synced once more during sales. In round 0 the log still has each sold page as waiting. */
async function aroundPowerCut(
  random: Random,
  round: number,
  scene: Scene,
  redis: RedisServer,
  fleet: Fleet,
): Promise<Injection> {
  const at = Date.UTC(2026, 0, 15, 6);
  const clock = new MachineClock();
  const open = async (owner?: string): Promise<World> => {
    let world: World | undefined;
    const queue = await fleet.coordinator(() => world?.store.ledger.identity() ?? '', inFlight);
    world = scene.world({ clock, wrapQueue: () => queue, ...(owner !== undefined && { owner }) });
    return world;
  };
  const startWorker = () => fleet.worker(new Map([[service, clientOf(scene.provider, clock)]]), inFlight);

  const dying = await open(deadOwner);
  const running = dying.runSlot(at).catch(() => undefined);
  await redis.ask(async (client) => {
    const waiting = `rankledger:${fleet.queued.queue}:prioritized`;
    while ((await client.zcard(waiting)) < inFlight) await new Promise((next) => setImmediate(next));
  });
  let synced = redis.logBytes;
  const answered = round === 0 ? 0 : random.whole(0, 6);
  scene.provider.next(
    ...Array.from({ length: answered }, () => 'ok' as const),
    ...Array.from({ length: inFlight }, () => 'hang-after-sale' as const),
  );
  await startWorker();
  if (round % 2 === 1) {
    await scene.provider.untilRequests(answered);
    synced = redis.logBytes;
  }
  await scene.provider.untilRequests(answered + inFlight);
  dieAt(dying, 1, 'before');
  await redis.cutPower(synced);
  await fleet.close();
  await running;
  await scene.leave(dying);

  await redis.start();
  const world = await open();
  await startWorker();
  await world.runSlot(at);
  const violations = scene.violations(world, []);
  // a page is given up after the maximum of unknown outcomes
  const givenUp = new Set(
    world
      .rows(
        `SELECT DISTINCT search_id FROM purchases WHERE state = 'unknown' GROUP BY request_key HAVING count(*) >= ${retryLimits.attemptsMax}`,
      )
      .map((row) => row['search_id']),
  );
  for (const { search_id: search, state } of world.rows("SELECT search_id, state FROM checks WHERE state <> 'ok'"))
    if (state !== 'unknown_paid' || !givenUp.has(search)) violations.push(`a check is ${state}`);
  return { injected: 1, violations };
}
