// A thousand clients that send a byte now and then: all must be disconnected in time, and other clients unaffected.
import { connect } from 'node:net';
import { Pool } from 'undici';
import { startServer, systemClock } from '../../src/service/index.ts';
import { setUpCustomers } from '../helpers/customers.ts';
import type { BenchRow } from './row.ts';

const closedSecondsMax = 15;
const othersMsMax = 200;

/** One line. */
export async function benchServiceSlowClients(quick: boolean): Promise<BenchRow[]> {
  const count = quick ? 200 : 1000;
  const { service, store, accounts, ann } = await setUpCustomers({}, { requestRate: { count: 1e9, windowMs: 60_000 } });
  await accounts.credit('acme', { serpCredits: 1e6, microUsd: 0 });
  const server = await startServer({ service, accounts: store, clock: systemClock });
  const { hostname, port } = new URL(server.url);
  let open = 0;
  let lastClosed = 0;
  const start = performance.now();
  const sockets = Array.from({ length: count }, (_, index) => {
    const socket = connect(Number(port), hostname);
    open++;
    socket.on('error', () => undefined);
    socket.resume().once('close', () => {
      open--;
      lastClosed = performance.now() - start;
      clearInterval(drip);
    });
    // A third sends nothing, a third never ends its headers, a third never ends its body.
    if (index % 3 === 1) socket.write('POST /v1/serp HTTP/1.1\r\n');
    if (index % 3 === 2) socket.write('POST /v1/serp HTTP/1.1\r\nhost: x\r\ncontent-length: 60000\r\n\r\n');
    const drip = setInterval(() => {
      if (index % 3 > 0) socket.write(index % 3 === 1 ? 'x: y\r\n' : ' ');
    }, 500);
    return socket;
  });
  const pool = new Pool(server.url, { connections: 2 });
  const headers = {
    'content-type': 'application/json',
    'service-api-user': ann.username,
    'service-api-password': ann.password,
  };
  const times: number[] = [];
  const giveUpAt = start + 2 * closedSecondsMax * 1000;
  while (open > 0 && performance.now() < giveUpAt) {
    const sent = performance.now();
    const { body } = await pool.request({ path: '/v1/serp', method: 'POST', headers, body: '{"keyword":"shoes"}' });
    await body.text();
    times.push(performance.now() - sent);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const socket of sockets) socket.destroy();
  await pool.close();
  await server.close();
  await service.close();
  times.sort((a, b) => a - b);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  const seconds = open > 0 ? Number.POSITIVE_INFINITY : lastClosed / 1000;
  return [
    {
      name: `service: ${count} dripping connections are closed`,
      target: `within ${closedSecondsMax} s, others under ${othersMsMax} ms at p99`,
      ratio: seconds / closedSecondsMax,
      detail: `${seconds.toFixed(1)} s; ${times.length} others, p99 ${p99.toFixed(1)} ms`,
      ok: seconds <= closedSecondsMax && p99 < othersMsMax,
    },
  ];
}
