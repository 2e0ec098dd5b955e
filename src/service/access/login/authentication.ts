// Authenticates callers. Response codes, times and bodies do not reveal which users exist.
import { hash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../model/errors.ts';
import type { Clock, CredentialsCaller, OperationName } from '../../model/ports.ts';
import { abortedBy } from '../../model/time/deadline.ts';
import type { LoginFailureReason } from '../account-log.ts';
import type { AccountStore, Login } from '../account-store.ts';
import { isAllowed, networkPrefix, subscriberPrefix } from './addresses.ts';
import { LoginFailureLog } from './login-failures.ts';
import { LoginKeys } from './login-keys.ts';
import { isMade, PasswordHasher, type ScryptCost } from './passwords.ts';
import { type RatePolicy, type RateState, TokenBuckets } from './rate-limit.ts';

/** Limit of failed logins per username and subscriber network, and per network. */
export interface LoginLimits {
  readonly perUsername: RatePolicy;
  readonly perAddress: RatePolicy;
}

export const loginLimitsDefault: LoginLimits = {
  perUsername: { count: 10, windowMs: 60_000 },
  perAddress: { count: 30, windowMs: 60_000 },
};

/** How long after its last use a chosen password counts as verified without being hashed again. */
const verifiedMsMax = 60_000;
const verifiedCountMax = 10_000;
/** Maximum length of a username (accounts.ts): a longer one is not looked up. */
const usernameCharsMax = 64;

/** The claims of a caller. */
interface Claim {
  readonly username: string;
  readonly password: string;
  readonly address: string;
  /** A digest of username and password that only this process can compute. */
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
 * Verifies passwords. A generated password is verified at once, by HMAC: other people's guesses never block it. Any
 * other takes a slow hash, and counts as a failed login until it succeeds. A chosen password is remembered under a
 * digest that only this process can compute. User, expiry, revocation and whitelist are read at every request.
 */
export class Authenticator {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #keys: LoginKeys;
  readonly #failures: LoginFailureLog;
  readonly #byUsername: TokenBuckets;
  readonly #byAddress: TokenBuckets;
  readonly #secret = randomBytes(32).toString('base64');
  readonly #verified = new Map<string, Verified>();
  readonly #verifying = new Map<string, Promise<boolean>>();

  constructor({ accounts, clock, scryptCost, logins = loginLimitsDefault }: AuthenticatorOptions) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#hasher = new PasswordHasher(scryptCost);
    this.#keys = new LoginKeys(accounts, clock);
    this.#failures = new LoginFailureLog(accounts, clock);
    this.#byUsername = new TokenBuckets(clock, 'logins', logins.perUsername);
    this.#byAddress = new TokenBuckets(clock, 'logins', logins.perAddress);
  }

  /**
   * The caller's current user and whitelist. Throws ServiceError: INVALID_API_KEY, for keyword data also
   * INVALID_CREDENTIALS, CREDENTIALS_EXPIRED and IP_NOT_WHITELISTED; RATE_LIMIT_EXCEEDED after too many failed logins.
   * Expiry and address are revealed only to callers with the right password.
   */
  async authenticate(caller: CredentialsCaller, operation: OperationName, signal?: AbortSignal): Promise<Login> {
    const { username, password, address } = caller;
    const isPassword = (reason: LoginFailureReason) => reason === 'unknown-user' && username === password;
    const failed = (reason: LoginFailureReason, account?: string) =>
      // a password sent as the name of an unknown user must not be stored
      this.#failures.note({ username: isPassword(reason) ? '(password)' : username, account, address, reason });
    if (!username || !password) {
      failed('no-credentials');
      throw new ServiceError('INVALID_API_KEY', 'The headers SERVICE-API-USER and SERVICE-API-PASSWORD are required.');
    }
    const login = username.length > usernameCharsMax ? undefined : await this.#accounts.findLogin(username);
    const isExpired = (login?.user.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#clock.now();
    const isRevoked = login?.user.revokedAt !== undefined;
    const isHere = login !== undefined && isAllowed(login.whitelist, address);
    const isUsable = isHere && !isRevoked && !isExpired;
    const isMadeByUs = await this.#keys.verify(password, login?.user.passwordHash);
    if (!(isMadeByUs && isUsable)) {
      const claim = { username, password, address, key: this.#keyOf(username, password) };
      // A login that cannot succeed is hashed every time: its speed must not reveal that the password was right.
      const isKnown = isUsable && this.#isVerified(claim.key, login);
      const prove = () =>
        this.#prove(claim, login, isUsable, signal).catch((error: unknown) => {
          if (signal?.aborted !== true) failed('too-many-failures', login?.user.account);
          throw error;
        });
      const isProven = isKnown || (await prove()) || isMadeByUs;
      const reason = findReason(login, { isProven, isRevoked, isExpired, isHere });
      if (reason !== undefined) failed(reason, login?.user.account);
      if (!isProven || login === undefined || isRevoked) throw refusal(operation);
      if (isExpired) throw refusal(operation, 'CREDENTIALS_EXPIRED', 'The credentials have expired.');
      if (!isHere) throw refusal(operation, 'IP_NOT_WHITELISTED', "The address is not on the account's whitelist.");
    }
    await this.#renewHash(login, password);
    return login;
  }

  /** Writes what the audit trail still lacks. */
  async close(): Promise<void> {
    await this.#failures.close();
  }

  /** The remaining failed logins of this address. */
  state(address: string): RateState {
    return this.#byAddress.state(subscriberPrefix(address));
  }

  /** Verifies by hashing. Takes a token first and returns it on success, so that simultaneous guesses count too. */
  async #prove(
    claim: Claim,
    login: Login | undefined,
    isUsable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { username, password, address, key } = claim;
    const attempt = `${key}/${login?.user.version}`;
    const running = this.#verifying.get(attempt);
    if (running !== undefined) {
      const shared = await running.catch((error: unknown) => {
        // another caller with these credentials hung up
        if (error instanceof ServiceError && error.code === 'ABORTED' && signal?.aborted !== true) return null;
        throw error;
      });
      return shared ?? (await this.#prove(claim, login, isUsable, signal));
    }
    const subscriber = subscriberPrefix(address);
    const ofUser = `${subscriber}\n${username.slice(0, usernameCharsMax + 1)}`;
    this.#pay(subscriber, ofUser);
    const proof = this.#hasher
      .verify(password, login?.user.passwordHash, { network: networkPrefix(address), signal })
      .catch((error: unknown) => {
        throw signal?.aborted === true ? abortedBy(signal) : error;
      });
    this.#verifying.set(attempt, proof);
    try {
      const isProven = await proof;
      if (isProven && isUsable) {
        this.#byAddress.giveBack(subscriber);
        this.#byUsername.giveBack(ofUser);
        this.#remember(key, login?.user.version ?? 0);
      }
      return isProven;
    } finally {
      this.#verifying.delete(attempt);
    }
  }

  #pay(subscriber: string, ofUser: string): void {
    const refused = (buckets: TokenBuckets, key: string) =>
      new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many failed logins.', { retryAfterMs: buckets.state(key).resetMs });
    if (!this.#byAddress.take(subscriber)) throw refused(this.#byAddress, subscriber);
    if (this.#byUsername.take(ofUser)) return;
    this.#byAddress.giveBack(subscriber);
    throw refused(this.#byUsername, ofUser);
  }

  /**
   * Rehashes generated passwords with a slow hash or an older key. A store that cannot be written now rejects no login.
   */
  async #renewHash({ user }: Login, password: string): Promise<void> {
    if (!isMade(password) || (await this.#keys.isCurrent(user.passwordHash))) return;
    try {
      await this.#accounts.replaceHash(user.username, user.passwordHash, await this.#keys.hash(password));
    } catch {
      // the next login tries again
    }
  }

  #keyOf(username: string, password: string): string {
    // The digest never leaves the process, and only it can compute it: one pass over secret and credentials is enough.
    return hash('sha256', `${this.#secret}\0${username}\0${password}`, 'base64');
  }

  #isVerified(key: string, login: Login): boolean {
    const verified = this.#verified.get(key);
    if (verified === undefined) return false;
    this.#verified.delete(key);
    if (verified.version !== login.user.version || verified.until <= this.#clock.now()) return false;
    this.#remember(key, verified.version);
    return true;
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

/** Why a login is refused, for the operator; undefined where it is not. */
function findReason(
  login: Login | undefined,
  is: Readonly<Record<'isProven' | 'isRevoked' | 'isExpired' | 'isHere', boolean>>,
): LoginFailureReason | undefined {
  if (login === undefined) return 'unknown-user';
  if (!is.isProven) return 'wrong-password';
  if (is.isRevoked) return 'revoked';
  if (is.isExpired) return 'expired';
  return is.isHere ? undefined : 'address-refused';
}

/** The same error for all failed logins; SERP has no other (the specification's table). */
function refusal(
  operation: OperationName,
  code: 'INVALID_CREDENTIALS' | 'CREDENTIALS_EXPIRED' | 'IP_NOT_WHITELISTED' = 'INVALID_CREDENTIALS',
  message = 'The credentials are not valid.',
): ServiceError {
  if (operation === 'serp') return new ServiceError('INVALID_API_KEY', 'The credentials are not valid.');
  return new ServiceError(code, message);
}
