// Days and months that end while pages are bought: each purchase counts in the window in which it was opened.
import { judgeWindows, type RequestEvent, runScenario, type Scenario } from '../../helpers/window-turns.ts';
import type { Random } from '../../simulation/random.ts';
import type { Fault } from './fault.ts';

export const windowTurns: Fault = {
  name: 'window turns',
  plant: 'a purchase counts in the window in which it is opened',
  rounds: { quick: 5, plant: 15, full: 200 },
  async inject(random) {
    const scenario = drawScenario(random);
    const world = await runScenario(scenario);
    try {
      const { turned, wrong } = judgeWindows(world, scenario.caps);
      return { injected: turned, violations: [...wrong, ...world.broken()] };
    } finally {
      await world.close();
    }
  },
};

function drawScenario(random: Random): Scenario {
  return {
    caps: {
      ...(random.chance(0.5) && { perRun: random.whole(1, 12) }),
      ...(random.chance(0.6) && { perDay: random.whole(1, 12) }),
      ...(random.chance(0.6) && { perMonth: random.whole(1, 12) }),
    },
    keywords: random.whole(1, 8),
    depth: random.whole(1, 3),
    concurrency: random.whole(1, 4),
    runs: Array.from({ length: random.whole(1, 3) }, () =>
      Array.from({ length: random.whole(0, 14) }, () => drawEvent(random)),
    ),
  };
}

function drawEvent(random: Random): RequestEvent {
  return {
    beforeMs: drawPause(random),
    duringMs: drawPause(random),
    outcome: random.pick(['ok', 'ok', 'ok', 'free', 'unknown', 'unreadable'] as const),
    stated: random.pick([0, 1, 1, 1, 1, 1, 2, 5]),
  };
}

function drawPause(random: Random): number {
  const kind = random.weighted({ none: 4, seconds: 2, days: 1 });
  if (kind === 'none') return 0;
  return random.whole(0, kind === 'seconds' ? 20_000 : 40 * 86_400_000);
}
