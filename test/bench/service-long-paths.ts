// The effect of requests with long paths, which need no credentials, on other clients of a running server.
import { Pool } from 'undici';
import { quantile } from './figures.ts';
import { inFolder } from './folder.ts';
import type { BenchRow } from './row.ts';
import { headersOf, type Served, serve } from './served.ts';

const pathChars = 15_000;
const hostileRequests = 30;
const hostileConnections = 10;
const ratioMax = 2;
/** Below this a p99 is noise of the machine. */
const noiseMs = 5;

/** One line: rounds alternate, and the best of each counts. */
export async function benchServiceLongPaths(quick: boolean): Promise<BenchRow[]> {
  return await inFolder(async (folder) => {
    const served = await serve(folder, 1);
    try {
      await p99Of(served, false);
      const best = { quiet: Number.POSITIVE_INFINITY, attacked: Number.POSITIVE_INFINITY };
      for (let round = 0; round < (quick ? 2 : 5); round++) {
        best.quiet = Math.min(best.quiet, await p99Of(served, false));
        best.attacked = Math.min(best.attacked, await p99Of(served, true));
      }
      const ratio = best.attacked / Math.max(best.quiet, noiseMs);
      return [
        {
          name: `service: another client during ${hostileRequests} requests for paths of ${pathChars} characters`,
          target: `p99 within ${ratioMax}x of quiet`,
          ratio,
          detail: `${best.attacked.toFixed(1)} ms, quiet ${best.quiet.toFixed(1)} ms`,
          ok: ratio <= ratioMax,
        },
      ];
    } finally {
      await served.stop();
    }
  });
}

/** p99 of one client's requests, one after the other; the hostile ones begin with the tenth. */
async function p99Of({ url, users: [user] }: Served, isAttacked: boolean): Promise<number> {
  if (user === undefined) throw new Error('there is no user');
  const own = new Pool(url, { connections: 1 });
  const hostile = new Pool(url, { connections: hostileConnections });
  const headers = headersOf(user);
  const times: number[] = [];
  let attack: Promise<unknown> = Promise.resolve();
  for (let sent = 0; sent < 200; sent++) {
    if (isAttacked && sent === 10)
      attack = Promise.all(Array.from({ length: hostileRequests }, () => longPath(hostile)));
    const start = performance.now();
    const { body } = await own.request({ path: '/v1/serp', method: 'POST', headers, body: '{"keyword":"shoes"}' });
    await body.text();
    times.push(performance.now() - start);
  }
  await attack;
  await Promise.all([own.close(), hostile.close()]);
  return quantile(times, 0.99);
}

async function longPath(pool: Pool): Promise<void> {
  const { body } = await pool.request({ path: `/${'a'.repeat(pathChars)}`, method: 'GET' });
  await body.text();
}
