// Valid logins during guesses at the same user names from 150 connections of one /48 network.
import { Pool } from 'undici';
import { quantile } from './figures.ts';
import { inFolder } from './folder.ts';
import type { BenchRow } from './row.ts';
import { headersOf, serve } from './served.ts';

const attackers = 150;

/** One line. */
export async function benchServiceLoginAttack(quick: boolean): Promise<BenchRow[]> {
  return await inFolder(async (folder) => {
    const served = await serve(folder, quick ? 50 : 200, '--trusted-proxy', '127.0.0.1');
    const own = new Pool(served.url, { connections: 1 });
    const hostile = new Pool(served.url, { connections: attackers });
    const ask = async (pool: Pool, headers: Record<string, string>) => {
      const { statusCode, body } = await pool.request({ path: '/v1/serp', method: 'POST', headers, body: question });
      await body.text();
      return statusCode;
    };
    let isOver = false;
    let guesses = 0;
    const guess = async (attacker: number) => {
      for (; !isOver; guesses++) {
        const username = served.users[guesses % served.users.length]?.username ?? '';
        const address = `2001:db8:7:${attacker.toString(16)}::1`;
        await ask(hostile, { ...headersOf({ username, password: `wrong ${guesses}` }), 'x-forwarded-for': address });
      }
    };
    const attack = Promise.all(Array.from({ length: attackers }, (_, index) => guess(index)));
    const times: number[] = [];
    let refused = 0;
    try {
      for (const user of served.users) {
        const start = performance.now();
        if ((await ask(own, { ...headersOf(user), 'x-forwarded-for': '192.0.2.1' })) !== 200) refused++;
        times.push(performance.now() - start);
      }
    } finally {
      isOver = true;
      await attack;
      await Promise.all([own.close(), hostile.close()]);
      await served.stop();
    }
    return [
      {
        name: `service: first logins of ${served.users.length} users during guesses from ${attackers} connections of one /48`,
        target: 'none is refused',
        ratio: refused / served.users.length,
        detail: `${refused} refused, p99 ${quantile(times, 0.99).toFixed(1)} ms; ${guesses} guesses`,
        ok: refused === 0,
      },
    ];
  });
}

const question = '{"keyword":"running shoes"}';
