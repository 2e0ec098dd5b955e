// A process in a PID namespace that its parent made: node namespace-child.ts DATABASE OWNER. Prints what it makes of OWNER, and how many charges it refunds.
import { openStore } from '../../db/store.ts';
import { isAlive } from '../../jobs/ownership.ts';
import { processName, processStateOf, refundAbandoned } from '../../src/service/index.ts';

const [file = '', owner = ''] = process.argv.slice(2);
const now = Date.now();
const store = openStore(file);
const refunded = await refundAbandoned(store.accounts, now);
const isAtWork = [isAlive(owner, now - 1000, now), isAlive(owner, now - 61_000, now)];
store.close();
process.stdout.write(
  `${JSON.stringify({ pid: process.pid, name: processName(), own: processStateOf(processName()), state: processStateOf(owner), isAtWork, refunded })}\n`,
);
