// Another program holds the write lock for longer than requests may take: every answer that was paid is recorded once, and no provider is blamed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { systemClock } from '../../src/service/index.ts';
import { JobClock } from '../helpers/job-clock.ts';
import { clientOf, keyword, project, removeTemporaryFolders, temporaryFolder, World } from '../helpers/jobs.ts';
import { startProvider } from '../helpers/provider.ts';

afterAll(removeTemporaryFolders);

const at = Date.UTC(2026, 0, 15, 6);
const locks = 5;
/** Longer than a request may take. */
const heldMs = 900;
const timeoutMs = 400;

it('stalls of the write lock lose no answer, buy nothing twice and break no service', async () => {
  const provider = await startProvider();
  const file = join(temporaryFolder(), 'db.sqlite');
  const keywords = Array.from({ length: 400 }, (_, index) => keyword(`k${index}`, { depth: 1 }));
  const client = clientOf(provider, new JobClock(at), { clock: systemClock, timeoutMs });
  const world = new World({
    services: new Map([['vendor', client]]),
    projects: [project({ keywords })],
    file,
    clock: new JobClock(at),
    busyTimeoutMs: 5000,
  });
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../helpers/locking-child.ts'), file, String(locks), String(heldMs)],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  let held = 0;
  await once(child.stdout, 'data');
  child.stdout.on('data', (text: Buffer) => {
    held += String(text).split('\n').length - 1;
  });
  const ended = once(child, 'close');
  const running = world.runSlot(at);
  await provider.untilRequests(2);
  child.stdin.write('go\n');
  await running;
  await ended;
  const bad = world.rows("SELECT error_code FROM purchases WHERE state <> 'paid'");
  console.log(
    `lock stalls: ${held} injected of ${heldMs} ms, ${bad.length + provider.sold.serpCredits - keywords.length} violations`,
  );
  expect(held).toBe(locks);
  expect(bad).toEqual([]);
  expect(provider.sold.serpCredits).toBe(keywords.length);
  expect(world.value("SELECT count(*) FROM checks WHERE state = 'ok'")).toBe(keywords.length);
  expect(world.broken()).toEqual([]);
  await world.close();
  await provider.close();
});
