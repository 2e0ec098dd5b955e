// A provider that states higher prices than agreed: all of it is booked, and buying stops once the budget is exceeded.
import type { Fault } from './fault.ts';
import { daily, dayMs, firstSlot, inScene } from './scene.ts';

const days = 3;

export const priceMismatch: Fault = {
  name: 'price mismatch',
  plant: 'a price that a provider states above the agreed one is booked',
  rounds: { quick: 1, plant: 2, full: 20 },
  async inject(random) {
    const charges: number[] = [];
    const charged = (): string => {
      charges.push(random.chance(0.4) ? random.whole(2, 9) : 1);
      return String(charges.at(-1));
    };
    const perDay = random.whole(6, 40);
    return await inScene({ provider: { charged }, caps: { serp_credit: { perDay }, micro_usd: {} } }, async (scene) => {
      const violations: string[] = [];
      const world = scene.world({ concurrency: 1 });
      for (let day = 0; day < days; day += 1) {
        const before = charges.length;
        await scene.due(world, firstSlot + day * dayMs);
        const prices = charges.slice(before);
        if (prices.length === 0) violations.push(`nothing was bought on day ${day + 1}`);
        const beforeLast = sum(prices.slice(0, -1));
        if (beforeLast >= perDay) violations.push(`day ${day + 1}: bought on at ${beforeLast} of ${perDay} credits`);
      }
      const { spent } = world.credits;
      if (spent !== sum(charges)) violations.push(`${spent} credits booked, ${sum(charges)} stated`);
      const disputed = sum(world.store.disputes.totals().map(({ purchases }) => purchases));
      const higher = charges.filter((price) => price > 1).length;
      if (disputed !== higher) violations.push(`${disputed} prices in dispute, ${higher} were higher than agreed`);
      for (const { id } of daily) {
        const runs = world.value(
          `SELECT count(*) FROM slots s JOIN projects p ON p.id = s.project_id WHERE p.name = '${id}' AND s.state = 'claimed'`,
        );
        if (runs !== days) violations.push(`${id}: ${String(runs)} runs in ${days} days`);
      }
      return { injected: higher, violations: [...violations, ...scene.violations(world, [])] };
    });
  },
};

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
