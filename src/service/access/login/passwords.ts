// Generates passwords of API users, hashes chosen ones with scrypt, and verifies them in constant time.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { Semaphore } from '../../model/semaphore.ts';

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

/**
 * Hashes and verifies a few at a time. Others wait, round robin by network, so that guesses from one network do not
 * delay another.
 */
export class PasswordHasher {
  readonly #cost: ScryptCost;
  readonly #dummySalt = randomBytes(saltBytes);
  readonly #dummyHash = randomBytes(hashBytes);
  readonly #permits: Semaphore;

  /** `permits`: hashes at once. */
  constructor(cost: ScryptCost = scryptCostDefault, permits = inFlightDefault) {
    this.#cost = cost;
    this.#permits = new Semaphore({ permits, permitsPerKey: inFlightOfOneNetworkMax, waitingMax });
  }

  /** `$scrypt$ln=14,r=8,p=1$salt$hash`, the last two in base64url. */
  async hash(password: string, network = ''): Promise<string> {
    const { logN, r, p } = this.#cost;
    const salt = randomBytes(saltBytes);
    const hash = await this.#derive(password, salt, this.#cost, network);
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  /**
   * Whether the password has this hash. Without a hash (no such user), does the same work. An unreadable hash matches
   * nothing. Throws ServiceError RATE_LIMIT_EXCEEDED if too many requests of this network wait.
   */
  async verify(password: string, stored: string | undefined, network = ''): Promise<boolean> {
    const known = stored === undefined ? undefined : parseHash(stored);
    const { cost, salt, hash } = known ?? { cost: this.#cost, salt: this.#dummySalt, hash: this.#dummyHash };
    const derived = await this.#derive(password, salt, cost, network);
    return timingSafeEqual(derived, hash) && known !== undefined;
  }

  async #derive(password: string, salt: Buffer, { logN, r, p }: ScryptCost, network: string): Promise<Buffer> {
    const release = await this.#permits.acquire({ key: network });
    try {
      const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
      return await deriveKey(password, salt, options);
    } finally {
      release();
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
