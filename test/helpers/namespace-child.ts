// Runs in a new PID namespace: node namespace-child.ts DATABASE OWNER. Prints whether OWNER lives, and its refunds.
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
