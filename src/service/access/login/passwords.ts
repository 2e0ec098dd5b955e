// Secrets of callers: passwords, their hashes, and tokens.
import { createHmac, hash, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../model/ports.ts';
import { Semaphore } from '../../model/semaphore.ts';
import type { AccountStore, LoginKey } from '../account-store.ts';

/** Cost of a hash: N = 2^logN, 128 N r bytes of memory. */
export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** About 40 ms and 16 MiB. */
const scryptCostDefault: ScryptCost = { logN: 14, r: 8, p: 1 };

const saltBytes = 16;
const hashBytes = 32;
/** 192 bits. */
const passwordBytes = 24;
const usernameBytes = 10;
/** Maximum cost of a hash from a store: a corrupt line must not stop the machine. */
const logNMax = 17;
const blocksMax = 32;
/** Hashes at once: their threads also serve files and DNS. */
const inFlightDefault = 2;
const inFlightOfOneNetworkMax = 1;
const waitingMax = 1024;
/** The form of `newPassword`. */
const madeForm = /^[\w-]{32}$/;

/** A password of 32 characters, fit for an HTTP header. */
export function newPassword(): string {
  return randomBytes(passwordBytes).toString('base64url');
}

/** Whether we generated a password: for such a password, an HMAC is as safe as a slow hash. */
export function isMade(password: string): boolean {
  return madeForm.test(password);
}

export function newUsername(): string {
  return `api-${randomBytes(usernameBytes).toString('hex')}`;
}

/** Whose password is hashed. */
interface HashTurn {
  /** Those of one network take turns with other networks. */
  readonly network?: string;
  /** Names a browser or a session that has proven itself: however many networks guess, it waits for one hash only. */
  readonly known?: string;
  /** Leaves the queue. */
  readonly signal?: AbortSignal;
}

/**
 * Hashes and verifies a few at a time. Others wait, round robin by network, so that guesses from one network do not
 * delay another.
 */
export class PasswordHasher {
  readonly #cost: ScryptCost;
  readonly #dummySalt = randomBytes(saltBytes);
  readonly #dummyHash = randomBytes(hashBytes);
  /** Lets one of all unknown networks in at a time, beside those who are known. */
  readonly #networks: Semaphore;
  readonly #permits: Semaphore;

  /** `permits`: hashes at once. `waiting`: those of unknown networks that may wait. */
  constructor(cost: ScryptCost = scryptCostDefault, permits = inFlightDefault, waiting = waitingMax) {
    this.#cost = cost;
    this.#networks = new Semaphore({ permits, permitsPerKey: inFlightOfOneNetworkMax, waitingMax: waiting });
    this.#permits = new Semaphore({ permits });
  }

  /** `$scrypt$ln=14,r=8,p=1$salt$hash`, the last two in base64url. */
  async hash(password: string, turn: HashTurn = {}): Promise<string> {
    const { logN, r, p } = this.#cost;
    const salt = randomBytes(saltBytes);
    const hash = await this.#derive(password, salt, this.#cost, turn);
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  /**
   * Whether the password has this hash. Without a hash (no such user), does the same work. An unreadable hash matches
   * nothing. Throws ServiceError RATE_LIMIT_EXCEEDED if too many requests wait, and the reason of the signal.
   */
  async verify(password: string, stored: string | undefined, turn: HashTurn = {}): Promise<boolean> {
    const known = stored === undefined ? undefined : parseHash(stored);
    const { cost, salt, hash } = known ?? { cost: this.#cost, salt: this.#dummySalt, hash: this.#dummyHash };
    const derived = await this.#derive(password, salt, cost, turn);
    return timingSafeEqual(derived, hash) && known !== undefined;
  }

  async #derive(
    password: string,
    salt: Buffer,
    { logN, r, p }: ScryptCost,
    { network = '', known, signal }: HashTurn,
  ): Promise<Buffer> {
    const leave = known === undefined ? await this.#networks.acquire({ key: network, signal }) : undefined;
    try {
      const release = await this.#permits.acquire({ key: known ?? '', signal });
      try {
        const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
        return await deriveKey(password, salt, options);
      } finally {
        release();
      }
    } finally {
      leave?.();
    }
  }
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

interface StoredHash {
  readonly cost: ScryptCost;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

function parseHash(text: string): StoredHash | undefined {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(text);
  if (match === null) return undefined;
  const [logN = 0, r = 0, p = 0] = match.slice(1, 4).map(Number);
  const hash = Buffer.from(match[5] ?? '', 'base64url');
  if (logN < 1 || logN > logNMax || r < 1 || p < 1 || r * p > blocksMax || hash.length !== hashBytes) return undefined;
  return { cost: { logN, r, p }, salt: Buffer.from(match[4] ?? '', 'base64url'), hash };
}

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

const tokenBytes = 32;
export const tokenChars = 43;
const tokenForm = /^[\w-]{43}$/;

/** 43 characters, fit for a URL and a cookie. */
export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** Whether a text has the form of a token. */
export function isToken(text: string): boolean {
  return tokenForm.test(text);
}

/** What is kept of a token. It is random, so one pass without salt is enough. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}
