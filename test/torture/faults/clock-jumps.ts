// A clock that jumps ahead or back during runs, and is corrected: each slot is run on its day.
import type { Fault } from './fault.ts';
import { daily, dayMs, firstSlot, inScene, keywordsEach } from './scene.ts';

const pagesEach = daily.length * keywordsEach;

export const clockJumps: Fault = {
  name: 'jumps of the clock',
  plant: 'a run by a clock that is a month ahead suppresses no slot',
  rounds: { quick: 0, plant: 1, full: 10 },
  async inject(random, round) {
    // a run on the day of a slot counts as the run of that slot, at any hour
    const daysAway = random.whole(50, 30 * 24) / 24;
    const jumpOnDay = random.whole(0, 3);
    const isAhead = round % 2 === 0;
    // back before the first run: among days with runs it would look like the return of a clock that ran ahead
    const jumpMs = Math.round((isAhead ? daysAway : -daysAway - jumpOnDay) * dayMs);
    const days = jumpOnDay + Math.ceil(isAhead ? daysAway : 0) + 3;
    return await inScene({}, async (scene) => {
      const world = scene.world();
      const violations: string[] = [];
      const slots: number[] = [];
      for (let day = 0; day < days; day += 1) {
        const at = firstSlot + day * dayMs;
        slots.push(at);
        const pagesBefore = scene.provider.sales.length;
        await scene.due(world, at + 60_000);
        // a slot that the clock ran ahead to has a run of its day, which does not count
        const pages = scene.provider.sales.length - pagesBefore;
        if (pages !== pagesEach) violations.push(`day ${day + 1} bought ${pages} of ${pagesEach} pages`);
        if (day !== jumpOnDay) continue;
        const away = random.whole(1, 3);
        for (let run = 0; run < away; run += 1) await scene.due(world, at + jumpMs + run * 3_600_000);
      }
      return { injected: 1, violations: [...violations, ...scene.violations(world, slots)] };
    });
  },
};
