// Another program holds the write lock beyond the request timeout: every paid answer is recorded once.
import { unexplainedSales } from '../../helpers/explained-sales.ts';
import { runThroughLockStalls } from '../../helpers/lock-stalls.ts';
import type { Fault } from './fault.ts';

export const lockStalls: Fault = {
  name: 'lock stalls',
  plant: 'a received answer waits for the lock of another program and is then recorded',
  rounds: { quick: 0, plant: 1, full: 6 },
  async inject(random, round) {
    // long enough for an answer on a busy machine
    const timeoutMs = random.whole(2000, 2500);
    const heldMs = timeoutMs + random.whole(600, 1200);
    // locks on which SQLite gives up, so that the process retries; and locks on which it waits and blocks the process
    const busyTimeoutMs = round % 2 === 0 ? 100 : 5000;
    const size = { keywords: 120, locks: 2, heldMs, timeoutMs, busyTimeoutMs };
    const violations: string[] = [];
    let injected = 0;
    await runThroughLockStalls(size, (world, provider, held) => {
      injected = held;
      const keys = provider.sales.map(({ idempotencyKey }) => idempotencyKey ?? '');
      violations.push(...world.broken(), ...unexplainedSales(world, keys));
      for (const row of world.rows("SELECT error_code, count(*) AS n FROM purchases WHERE state <> 'paid' GROUP BY 1"))
        violations.push(`${row['n']} purchases ended with ${row['error_code']}`);
      if (provider.sold.serpCredits !== size.keywords)
        violations.push(`${provider.sold.serpCredits} pages sold for ${size.keywords} keywords`);
      const ok = world.value("SELECT count(*) FROM checks WHERE state = 'ok'");
      if (ok !== size.keywords) violations.push(`${String(ok)} of ${size.keywords} checks are ok`);
    });
    return { injected, violations };
  },
};
