// Unpacks an outcome that inflates to 16 GiB, and prints the memory it took and how it was refused.
import { setTimeout as pause } from 'node:timers/promises';
import { zstdCompressSync } from 'node:zlib';
import { droppedOutcome, ForgedMessage, MessageSigner, outcomeOfEnd } from '../../jobs/queue/bullmq/messages.ts';

const attempt = { key: 'try', payer: 'me', isUnwanted: false };
const signer = new MessageSigner(null);
const bomb = (frames: number): Buffer => {
  const frame = zstdCompressSync(Buffer.alloc(64 * 1024 * 1024));
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};

function refusal(payload: Buffer): string {
  try {
    outcomeOfEnd({ kind: 'outcome', payer: 'me', payload }, attempt, signer);
    return 'believed';
  } catch (error) {
    if (!(error instanceof ForgedMessage)) throw error;
    const outcome = droppedOutcome(error);
    return outcome.ok ? 'believed' : `${outcome.failure.code} ${outcome.failure.charged}`;
  }
}

const large = bomb(256);
globalThis.gc?.();
await pause(50);
const before = process.memoryUsage().rss;
const refused = refusal(large);
const moreMiB = Math.round((process.memoryUsage().rss - before) / 1024 / 1024);
console.log(JSON.stringify({ refused, moreMiB, bytes: large.length }));
