// The latency of one API user during another one's legal burst, compared with its latency alone.

import { Pool } from 'undici';
import {
  Accounts,
  createSearchDataService,
  createSource,
  type NewCredentials,
  type Source,
  startServer,
  systemClock,
} from '../../src/service/index.ts';
import { MemoryAccounts } from '../helpers/memory-accounts.ts';
import { memorySource, pageOf } from '../helpers/memory-source.ts';
import { median } from './figures.ts';
import type { BenchRow } from './row.ts';
import { headersOf } from './served.ts';

const ratioMax = 2;
/** Pages of the sandbox take turns on one processor, and alone they take a few milliseconds. */
const sandboxMsMax = 100;
const pageMs = 100;
const burst = 600;
const pagesEach = 10;

/** Two lines: a live source that waits for each page, and the sandbox, which uses the processor. */
export async function benchServiceFairness(quick: boolean): Promise<BenchRow[]> {
  const slow = memorySource({
    kind: 'live',
    page: async (request) => {
      await new Promise((done) => setTimeout(done, pageMs));
      return pageOf(request);
    },
  });
  const sandbox = await createSource('sandbox', {}, { clock: systemClock });
  return [
    await measure(`a live source of ${pageMs} ms a page`, slow, quick),
    await measure('the sandbox', sandbox, quick, sandboxMsMax),
  ];
}

/** Passes within `ratioMax` of alone, or below `msMax`. */
async function measure(name: string, source: Source, quick: boolean, msMax = 0): Promise<BenchRow> {
  const store = new MemoryAccounts();
  const accounts = new Accounts(store, systemClock);
  await accounts.create('bench', { serpCredits: 1_000_000, microUsd: 0 });
  const [a, b] = [await accounts.addUser('bench'), await accounts.addUser('bench')];
  const service = createSearchDataService({ source, clock: systemClock, accounts: store });
  const server = await startServer({ service, accounts: store, clock: systemClock });
  const pool = new Pool(server.url, { connections: burst + 1 });
  let asked = 0;
  const ask = async (user: NewCredentials, pages: number) => {
    const body = JSON.stringify({ keyword: `keyword ${asked++}`, end_page: pages });
    const start = performance.now();
    const answer = await pool.request({ path: '/v1/serp', method: 'POST', headers: headersOf(user), body });
    await answer.body.text();
    return { ms: performance.now() - start, status: answer.statusCode };
  };
  const rounds = quick ? 5 : 15;
  const alone: number[] = [];
  const contended: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) alone.push((await ask(b, pagesEach)).ms);
    const bursting = Promise.allSettled(Array.from({ length: burst }, () => ask(a, pagesEach)));
    for (let round = 0; round < rounds; round++) contended.push((await ask(b, pagesEach)).ms);
    await pool.destroy();
    await bursting;
  } finally {
    await server.close();
    await service.close();
  }
  const ratio = median(contended) / median(alone);
  return {
    name: `service: a request for ${pagesEach} pages during another user's ${burst}, ${name}`,
    target: `within ${ratioMax}x of alone${msMax > 0 ? `, or below ${msMax} ms` : ''}`,
    ratio,
    detail: `${median(contended).toFixed(0)} ms, alone ${median(alone).toFixed(0)} ms, the longest ${Math.max(...contended).toFixed(0)} ms`,
    ok: ratio <= ratioMax || median(contended) < msMax,
  };
}
