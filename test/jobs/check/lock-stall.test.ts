// Another program holds the write lock beyond the request timeout: each paid answer is recorded once, no service fails.
import { afterAll, expect, it } from 'vitest';
import { removeTemporaryFolders } from '../../helpers/jobs.ts';
import { runThroughLockStalls } from '../../helpers/lock-stalls.ts';
import { quickOrFull } from '../../helpers/size.ts';
import { stallClock } from '../../helpers/stall-clock.ts';

afterAll(removeTemporaryFolders);

const size = {
  keywords: quickOrFull(60, 150),
  locks: quickOrFull(1, 3),
  heldMs: 900,
  timeoutMs: 400,
  busyTimeoutMs: 5000,
  clock: stallClock(300),
};

it('stalls of the write lock lose no answer, buy nothing twice and open no circuit breaker', async () => {
  await runThroughLockStalls(size, (world, provider, held) => {
    expect(held).toBe(size.locks);
    expect(world.rows("SELECT error_code FROM purchases WHERE state <> 'paid'")).toEqual([]);
    expect(provider.sold.serpCredits).toBe(size.keywords);
    expect(world.value("SELECT count(*) FROM checks WHERE state = 'ok'")).toBe(size.keywords);
    expect(world.broken()).toEqual([]);
  });
});
