// Who a caller with credentials is, or why not: the codes of decisions.md, in a time and with a body that give no user away. Charging is left to others.
import { hash, randomBytes } from 'node:crypto';
import type { AccountStore, Login } from './account-store.ts';
import { isAllowed, subscriberOf } from './addresses.ts';
import { ServiceError } from './errors.ts';
import { PasswordHasher, type ScryptCost } from './passwords.ts';
import type { Clock, CredentialsCaller, OperationName } from './ports.ts';
import { type RatePolicy, type RateState, TokenBuckets } from './rate-limit.ts';

/** How many failed logins one username and one subscriber's addresses may have. */
export interface LoginLimits {
  readonly perUsername: RatePolicy;
  readonly perAddress: RatePolicy;
}

const loginLimitsDefault: LoginLimits = {
  perUsername: { count: 10, windowMs: 60_000 },
  perAddress: { count: 30, windowMs: 60_000 },
};

/** How long a password counts as verified without being hashed again. */
const verifiedMsMax = 60_000;
const verifiedCountMax = 10_000;

/** What a caller says of himself. */
interface Claim {
  readonly username: string;
  readonly password: string;
  readonly address: string;
  /** Of username and password, as only this process can make it. */
  readonly key: string;
}

interface Verified {
  readonly version: number;
  readonly until: number;
}

export interface AuthenticatorOptions {
  readonly accounts: AccountStore;
  readonly clock: Clock;
  readonly scryptCost?: ScryptCost;
  readonly logins?: LoginLimits;
}

/**
 * Remembers for a minute that a password was right, under a key that only this process can make; user, expiry, revocation and whitelist are
 * asked for at every request.
 */
export class Authenticator {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #byUsername: TokenBuckets;
  readonly #byAddress: TokenBuckets;
  readonly #secret = randomBytes(32).toString('base64');
  readonly #verified = new Map<string, Verified>();
  readonly #verifying = new Map<string, Promise<boolean>>();

  constructor({ accounts, clock, scryptCost, logins = loginLimitsDefault }: AuthenticatorOptions) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#hasher = new PasswordHasher(scryptCost);
    this.#byUsername = new TokenBuckets(clock, 'logins', logins.perUsername);
    this.#byAddress = new TokenBuckets(clock, 'logins', logins.perAddress);
  }

  /**
   * The caller's user and whitelist as they are now. Throws ServiceError: INVALID_API_KEY, for keyword data also INVALID_CREDENTIALS,
   * CREDENTIALS_EXPIRED and IP_NOT_WHITELISTED; RATE_LIMIT_EXCEEDED after too many failed logins. Expiry and address are told only to
   * those who have proven the password.
   */
  async authenticate(caller: CredentialsCaller, operation: OperationName): Promise<Login> {
    const { username, password, address } = caller;
    if (!username || !password) {
      throw new ServiceError('INVALID_API_KEY', 'The headers SERVICE-API-USER and SERVICE-API-PASSWORD are required.');
    }
    const login = await this.#accounts.findLogin(username);
    const isExpired = (login?.user.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#clock.now();
    const isUsable = login !== undefined && login.user.revokedAt === undefined && !isExpired;
    const claim = { username, password, address, key: this.#keyOf(username, password) };
    // A login that cannot succeed is hashed every time: a cache would tell by its speed that the password was right.
    const isKnown = isUsable && this.#isVerified(claim.key, login);
    const isProven = isKnown || (await this.#prove(claim, login, isUsable));
    if (!isProven || login === undefined || login.user.revokedAt !== undefined) throw refusal(operation);
    if (isExpired) throw refusal(operation, 'CREDENTIALS_EXPIRED', 'The credentials have expired.');
    if (!isAllowed(login.whitelist, address)) {
      throw refusal(operation, 'IP_NOT_WHITELISTED', "The address is not on the account's whitelist.");
    }
    return login;
  }

  /** How many more failed logins this address may have. */
  state(address: string): RateState {
    return this.#byAddress.state(subscriberOf(address));
  }

  /** Verifies by hashing. The attempt is paid for before, and given back where it succeeds: guesses at once are counted, too. */
  async #prove(
    { username, password, address, key }: Claim,
    login: Login | undefined,
    isUsable: boolean,
  ): Promise<boolean> {
    const attempt = `${key}/${login?.user.version}`;
    const running = this.#verifying.get(attempt);
    if (running !== undefined) return await running;
    const subscriber = subscriberOf(address);
    this.#pay(subscriber, username);
    const proof = this.#hasher.verify(password, login?.user.passwordHash);
    this.#verifying.set(attempt, proof);
    try {
      const isProven = await proof;
      if (isProven && isUsable) {
        this.#byAddress.giveBack(subscriber);
        this.#byUsername.giveBack(username);
        this.#remember(key, login?.user.version ?? 0);
      }
      return isProven;
    } finally {
      this.#verifying.delete(attempt);
    }
  }

  #pay(subscriber: string, username: string): void {
    const refused = (buckets: TokenBuckets, key: string) =>
      new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many failed logins.', { retryAfterMs: buckets.state(key).resetMs });
    if (!this.#byAddress.take(subscriber)) throw refused(this.#byAddress, subscriber);
    if (this.#byUsername.take(username)) return;
    this.#byAddress.giveBack(subscriber);
    throw refused(this.#byUsername, username);
  }

  #keyOf(username: string, password: string): string {
    // The digest never leaves the process, and nobody else can make it: one pass over secret and credentials is enough.
    return hash('sha256', `${this.#secret}\0${username}\0${password}`, 'base64');
  }

  #isVerified(key: string, login: Login): boolean {
    const verified = this.#verified.get(key);
    if (verified === undefined) return false;
    if (verified.version === login.user.version && verified.until > this.#clock.now()) return true;
    this.#verified.delete(key);
    return false;
  }

  #remember(key: string, version: number): void {
    this.#verified.set(key, { version, until: this.#clock.now() + verifiedMsMax });
    if (this.#verified.size <= verifiedCountMax) return;
    for (const oldest of this.#verified.keys()) {
      this.#verified.delete(oldest);
      break;
    }
  }
}

/** One refusal for whoever did not prove to be someone; SERP has no other (the specification's table). */
function refusal(
  operation: OperationName,
  code: 'INVALID_CREDENTIALS' | 'CREDENTIALS_EXPIRED' | 'IP_NOT_WHITELISTED' = 'INVALID_CREDENTIALS',
  message = 'The credentials are not valid.',
): ServiceError {
  if (operation === 'serp') return new ServiceError('INVALID_API_KEY', 'The credentials are not valid.');
  return new ServiceError(code, message);
}
