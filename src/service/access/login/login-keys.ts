// Hashes generated passwords: 192 random bits need no slow hash, so an HMAC under a key of the store verifies them.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../model/ports.ts';
import type { AccountStore, LoginKey } from '../account-store.ts';

const keyBytes = 32;
const idBytes = 6;
const form = /^\$hmac-sha256\$([\w-]{1,32})\$([\w-]{43})$/;

/** `$hmac-sha256$key id$mac`. The newest key hashes; older ones verify until their users have logged in again. */
export class LoginKeys {
  readonly #store: AccountStore;
  readonly #clock: Clock;
  readonly #dummy: LoginKey;
  #keys: Promise<readonly LoginKey[]> | undefined;

  constructor(store: AccountStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    this.#dummy = this.#newKey();
  }

  async hash(password: string): Promise<string> {
    const [newest] = await this.#all();
    return formatLoginKey(newest ?? this.#dummy, password);
  }

  /** False for a hash of another form, after the same work. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const [, id, mac = ''] = form.exec(stored ?? '') ?? [];
    const key = id === undefined ? undefined : await this.#find(id);
    const made = computeMac(key ?? this.#dummy, password);
    const known = key === undefined ? randomBytes(made.length) : Buffer.from(mac, 'base64url');
    return known.length === made.length && timingSafeEqual(made, known) && key !== undefined;
  }

  /** Whether the hash is one of the newest key. */
  async isCurrent(stored: string): Promise<boolean> {
    const [newest] = await this.#all();
    return form.exec(stored)?.[1] === newest?.id;
  }

  /** A key that another process has made since is looked for once more. */
  async #find(id: string): Promise<LoginKey | undefined> {
    const known = (await this.#all()).find((key) => key.id === id);
    if (known !== undefined) return known;
    this.#keys = undefined;
    return (await this.#all()).find((key) => key.id === id);
  }

  async #all(): Promise<readonly LoginKey[]> {
    this.#keys ??= this.#store.loginKeys(this.#newKey());
    try {
      return await this.#keys;
    } catch (error) {
      this.#keys = undefined;
      throw error;
    }
  }

  #newKey(): LoginKey {
    return {
      id: randomBytes(idBytes).toString('base64url'),
      secret: randomBytes(keyBytes),
      createdAt: this.#clock.now(),
    };
  }
}

function computeMac({ secret }: LoginKey, password: string): Buffer {
  return createHmac('sha256', secret).update(password).digest();
}

function formatLoginKey(key: LoginKey, password: string): string {
  return `$hmac-sha256$${key.id}$${computeMac(key, password).toString('base64url')}`;
}
