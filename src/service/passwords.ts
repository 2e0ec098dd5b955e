// Passwords of API users: made, hashed with scrypt, and verified in a time that tells nothing. Who the users are is left to others.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { ServiceError } from './errors.ts';

/** Cost of a hash: N = 2^logN, 128 N r bytes of memory. */
export interface ScryptCost {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/** About 40 ms and 16 MiB. Passwords are made by us with 192 bits, so that the hash protects no weak ones. */
const scryptCostDefault: ScryptCost = { logN: 14, r: 8, p: 1 };

const saltBytes = 16;
const hashBytes = 32;
/** 192 bits. */
const passwordBytes = 24;
const usernameBytes = 10;
/** What a hash from a store may cost at most: a broken line must not stop the machine. */
const logNMax = 17;
const blocksMax = 32;
/** Hashes at once: the threads that make them also serve files and name look-ups. */
const inFlightMax = 2;
const waitingMax = 64;
const busyRetryMs = 1000;

/** A password of 32 characters, fit for an HTTP header. */
export function newPassword(): string {
  return randomBytes(passwordBytes).toString('base64url');
}

export function newUsername(): string {
  return `api-${randomBytes(usernameBytes).toString('hex')}`;
}

/** Hashes and verifies, few at once: the rest waits, and beyond that is refused with RATE_LIMIT_EXCEEDED. */
export class PasswordHasher {
  readonly #cost: ScryptCost;
  readonly #dummySalt = randomBytes(saltBytes);
  readonly #dummyHash = randomBytes(hashBytes);
  #inFlight = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(cost: ScryptCost = scryptCostDefault) {
    this.#cost = cost;
  }

  /** `$scrypt$ln=14,r=8,p=1$salt$hash`, the last two in base64url. */
  async hash(password: string): Promise<string> {
    const { logN, r, p } = this.#cost;
    const salt = randomBytes(saltBytes);
    const hash = await this.#derive(password, salt, this.#cost);
    return `$scrypt$ln=${logN},r=${r},p=${p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
  }

  /** Whether the password has this hash. Without one (no such user) the same work is done for nothing. A hash that cannot be read fits none. */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const known = stored === undefined ? undefined : parseHash(stored);
    const { cost, salt, hash } = known ?? { cost: this.#cost, salt: this.#dummySalt, hash: this.#dummyHash };
    const derived = await this.#derive(password, salt, cost);
    return timingSafeEqual(derived, hash) && known !== undefined;
  }

  async #derive(password: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> {
    await this.#enter();
    try {
      const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
      return await deriveKey(password, salt, options);
    } finally {
      this.#inFlight--;
      this.#waiting.shift()?.();
    }
  }

  async #enter(): Promise<void> {
    if (this.#inFlight >= inFlightMax) {
      if (this.#waiting.length >= waitingMax) {
        throw new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many logins at once.', { retryAfterMs: busyRetryMs });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#inFlight++;
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
