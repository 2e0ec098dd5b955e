// Authenticates callers. Response codes, times and bodies do not reveal which users exist.
import { hash, randomBytes } from 'node:crypto';
import { ServiceError } from '../../model/errors.ts';
import type { Clock, CredentialsCaller, OperationName } from '../../model/ports.ts';
import { abortedBy } from '../../model/time/deadline.ts';
import type { AccountStore, Login, LoginFailureReason } from '../account-store.ts';
import { isAllowed, networkPrefix, subscriberPrefix } from './addresses.ts';
import { FailedLogins, type LoginLimits } from './login-failures.ts';
import { isMade, LoginKeys, PasswordHasher, type ScryptCost } from './passwords.ts';
import type { RateState } from './rate-limit.ts';

/** How long after its last use a chosen password counts as verified without being hashed again. */
const verifiedMsMax = 60_000;
const verifiedCountMax = 10_000;
/** Maximum length of a username (accounts.ts): a longer one is not looked up. */
const usernameCharsMax = 64;

/** The claims of a caller. */
type Claim = { readonly [K in 'username' | 'password' | 'address']: string };

interface Proof {
  readonly isProven: Promise<boolean>;
  /** Absent while it is in flight; only successful ones are kept. */
  validUntil?: number;
}

/**
 * Verifies passwords. A generated password is verified at once, by HMAC: other people's guesses never block it. Any
 * other takes a slow hash, and counts as a failed login until it succeeds. The proof of a chosen password is kept under
 * a digest that only this process can compute. User, expiry, revocation and whitelist are read at every request.
 */
export class Authenticator {
  readonly #accounts: AccountStore;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #keys: LoginKeys;
  readonly #failures: FailedLogins;
  readonly #secret = randomBytes(32).toString('base64');
  readonly #proofs = new Map<string, Proof>();

  constructor(
    accounts: AccountStore,
    { clock, scryptCost, logins }: { clock: Clock; scryptCost?: ScryptCost; logins?: LoginLimits },
  ) {
    this.#accounts = accounts;
    this.#clock = clock;
    this.#hasher = new PasswordHasher(scryptCost);
    this.#keys = new LoginKeys(accounts, clock);
    this.#failures = new FailedLogins(accounts, clock, logins);
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
      const proof = this.#prove({ username, password, address }, login, isUsable, signal);
      const isProven =
        (await proof.catch((error: unknown) => {
          if (signal?.aborted !== true) failed('too-many-failures', login?.user.account);
          throw error;
        })) || isMadeByUs;
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
    return this.#failures.state(subscriberPrefix(address));
  }

  /**
   * Verifies by hashing, once for all who claim the same at once. Takes a token first and returns it on success, so
   * that simultaneous guesses count too.
   */
  async #prove(
    claim: Claim,
    login: Login | undefined,
    isUsable: boolean,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { username, password, address } = claim;
    // The digest never leaves the process, and only it can compute it: one pass over secret and credentials is enough.
    const digest = hash('sha256', `${this.#secret}\0${username}\0${password}`, 'base64');
    const attempt = `${digest}/${login?.user.version}`;
    const known = this.#proofs.get(attempt);
    if (known !== undefined && known.validUntil === undefined) {
      const shared = await known.isProven.catch((error: unknown) => {
        // another caller with these credentials hung up
        if (error instanceof ServiceError && error.code === 'ABORTED' && signal?.aborted !== true) return null;
        throw error;
      });
      return shared ?? (await this.#prove(claim, login, isUsable, signal));
    }
    // A login that cannot succeed is hashed every time: its speed must not reveal that the password was right.
    if (known?.validUntil !== undefined && isUsable && known.validUntil > this.#clock.now()) {
      known.validUntil = this.#clock.now() + verifiedMsMax;
      return true;
    }
    const subscriber = subscriberPrefix(address);
    const ofUser = `${subscriber}\n${username.slice(0, usernameCharsMax + 1)}`;
    this.#failures.pay(subscriber, ofUser, 'logins');
    const proof: Proof = {
      isProven: this.#hasher
        .verify(password, login?.user.passwordHash, { network: networkPrefix(address), signal })
        .catch((error: unknown) => {
          throw signal?.aborted === true ? abortedBy(signal) : error;
        }),
    };
    this.#proofs.set(attempt, proof);
    try {
      const isProven = await proof.isProven;
      if (isProven && isUsable) {
        this.#failures.giveBack(subscriber, ofUser);
        proof.validUntil = this.#clock.now() + verifiedMsMax;
      }
      return isProven;
    } finally {
      if (proof.validUntil === undefined) this.#proofs.delete(attempt);
      const [oldest] = this.#proofs.keys();
      if (this.#proofs.size > verifiedCountMax && oldest !== undefined) this.#proofs.delete(oldest);
    }
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
