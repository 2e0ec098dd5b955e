// Grants: the coordinator confirms to a worker that a purchase is open, so that a copy of a signed job buys nothing.
import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { Clock } from '../../../src/service/index.ts';
import { keyPrefix } from './redis.ts';
import type { HeldAttempt } from './redis-attempts.ts';
import { type MessageSigner, SignatureError } from './signature.ts';

/** Workers ask here. Their messages name an attempt and, sealed, its payer and the token of its beginning. */
export const askChannel = `${keyPrefix}:ask`;

const messageSchema = z.object({ key: z.string().max(4_000), sealed: z.base64().max(4_000) });

/** The name of a worker is the part of its tokens before the slash. */
function grantChannel(token: string): string {
  return `${keyPrefix}:grant:${token.split('/', 1)[0]}`;
}

/** A question of a worker; null for a message that no worker with our key has written. */
export function readAsk(message: string, seal: MessageSigner): HeldAttempt | null {
  const read = readMessage(message, 'ask', seal);
  const [payer, token] = read?.text.split('\n') ?? [];
  return read === null || payer === undefined || token === undefined ? null : { key: read.key, payer, token };
}

export async function sendGrant(redis: Redis, seal: MessageSigner, { key, token }: HeldAttempt): Promise<void> {
  await redis.publish(grantChannel(token), toMessage('grant', key, token, seal));
}

/** The worker's side. A token is used for one beginning only, so no old grant fits. */
export class Grants {
  readonly #redis: Redis;
  readonly #seal: MessageSigner;
  readonly #waiting = new Map<string, () => void>();

  /** `subscriber` is subscribed to the grants of this worker, and used for nothing else. */
  constructor(redis: Redis, subscriber: Redis, seal: MessageSigner, worker: string) {
    this.#redis = redis;
    this.#seal = seal;
    subscriber.on('message', (_channel: string, message: string) => {
      const read = readMessage(message, 'grant', seal);
      if (read !== null) this.#waiting.get(`${read.key} ${read.text}`)?.();
    });
    subscriber.subscribe(grantChannel(worker)).catch(() => undefined); // it is repeated when Redis is back
  }

  /** Asks until the coordinator answers. False: it has not, so it has this purchase open no longer. */
  async ask({ key, token, payer }: HeldAttempt, clock: Clock, everyMs: number, times: number): Promise<boolean> {
    const name = `${key} ${token}`;
    const granted = new AbortController();
    this.#waiting.set(name, () => granted.abort());
    try {
      for (let asked = 0; asked < times && !granted.signal.aborted; asked += 1) {
        const message = toMessage('ask', key, `${payer}\n${token}`, this.#seal);
        await Promise.all([
          this.#redis.publish(askChannel, message).catch(() => undefined),
          clock.sleep(everyMs, granted.signal).catch(() => undefined),
        ]);
      }
      return granted.signal.aborted;
    } finally {
      this.#waiting.delete(name);
    }
  }
}

function toMessage(kind: 'ask' | 'grant', key: string, text: string, seal: MessageSigner): string {
  return JSON.stringify({ key, sealed: seal.seal(`${kind} ${key}`, Buffer.from(text)).toString('base64') });
}

function readMessage(message: string, kind: 'ask' | 'grant', seal: MessageSigner) {
  try {
    const { key, sealed } = messageSchema.parse(JSON.parse(message));
    return { key, text: seal.open(`${kind} ${key}`, Buffer.from(sealed, 'base64')).toString('utf8') };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || error instanceof SignatureError) return null;
    throw error;
  }
}
