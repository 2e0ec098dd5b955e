// Account holders: invitations, sign-in, sessions, password, second factor. Refusals reveal no account.
import type {
  AccountStore,
  AdminAction,
  AdminActionName,
  DashboardStore,
  Holder,
  HolderSession,
  Invitation,
  LoginFailureReason,
} from '../../access/account-store.ts';
import { networkPrefix, subscriberPrefix } from '../../access/login/addresses.ts';
import { FailedLogins, type LoginLimits } from '../../access/login/login-failures.ts';
import {
  isToken,
  LoginKeys,
  newToken,
  PasswordHasher,
  type ScryptCost,
  tokenChars,
  tokenHash,
} from '../../access/login/passwords.ts';
import { limits } from '../../model/limits.ts';
import type { Clock } from '../../model/ports.ts';
import { abortedBy } from '../../model/time/deadline.ts';
import { normalisedPassword, passwordRefusal } from './password-rules.ts';
import { findTotpStep } from './totp.ts';

/**
 * OWASP's smallest parameters for scrypt at 32 MiB: about a quarter of a second. People choose weaker passwords than we
 * generate.
 */
const scryptCostDefault: ScryptCost = { logN: 15, r: 8, p: 3 };

/** In addition to the two of API users: one of four threads stays free for files and DNS. */
const hashesAtOnce = 1;
/** Sign-ins of unknown browsers that may wait, 10 seconds in all; a later one is asked to try again. */
const waitingMax = 40;
/** Wrong codes in a row behind the right password. A known browser has as many more, to change the password. */
const wrongCodesMax = 100;

/** A rejected form, in words for its reader. */
export class HolderRefusal extends Error {
  override readonly name = 'HolderRefusal';
}

/** Options of the dashboard. */
export interface HoldersOptions {
  /** Cost of a holder's password hash. Default: N = 2^15, r = 8, p = 3. */
  readonly scryptCost?: ScryptCost;
  /** Limit of failed sign-ins per account and address, and per address. Default: 10 and 30 a minute. */
  readonly logins?: LoginLimits;
}

/** Who acts, and from which address. */
interface Actor {
  readonly account: string;
  readonly address: string;
}

export interface Proof extends Actor {
  /** Hung up: the attempt leaves the queue. */
  readonly signal?: AbortSignal;
  /** The cookie of a browser that has signed in before, or the session that it has. */
  readonly device?: string;
  readonly session?: HolderSession;
  readonly password: string;
  /** Of the authenticator app; empty where the holder has none. */
  readonly code: string;
}

/** A new session: its token goes into the cookie. */
export interface OpenedSession {
  readonly token: string;
  /** For the cookie that marks a browser of this account. */
  readonly device: string;
  /** Wrong codes since the last sign-in. */
  readonly wrongCodes: number;
}

/** The holder's name in the audit trail. */
export function holderName({ account, address }: Actor): string {
  return `holder of ${account} at ${address.slice(0, limits.failureAddressCharsMax)}`;
}

/** No password has a zero byte and this length: the keys of passwords may be used. */
function deviceText(account: string, nonce: string): string {
  return `device\0${account}\0${nonce}`;
}

export class Holders {
  readonly #store: DashboardStore;
  readonly #clock: Clock;
  readonly #hasher: PasswordHasher;
  readonly #keys: LoginKeys;
  readonly #failures: FailedLogins;

  constructor(accounts: AccountStore, dashboard: DashboardStore, clock: Clock, options: HoldersOptions) {
    const { scryptCost = scryptCostDefault, logins } = options;
    this.#store = dashboard;
    this.#clock = clock;
    this.#hasher = new PasswordHasher(scryptCost, hashesAtOnce, waitingMax);
    this.#keys = new LoginKeys(accounts, clock);
    this.#failures = new FailedLogins(accounts, clock, logins);
  }

  /** Undefined if the link is invalid or has expired. */
  async invitation(token: string): Promise<Invitation | undefined> {
    const found = isToken(token) ? await this.#store.findInvitation(tokenHash(token)) : undefined;
    return found === undefined || found.expiresAt <= this.#clock.now() ? undefined : found;
  }

  /** Uses up the invitation, and signs the holder in. Throws HolderRefusal for a password that breaks the rules. */
  async accept(token: string, password: string, address: string, signal?: AbortSignal): Promise<OpenedSession> {
    const invitation = await this.invitation(token);
    const over = () => new HolderRefusal('The invitation is used or has expired. Ask your provider for another one.');
    if (invitation === undefined) throw over();
    const { account } = invitation;
    const passwordHash = await this.#chosen(password, { account, signal });
    const at = this.#clock.now();
    const action = this.#action('dashboard-accept', { account, address });
    const acceptance = { tokenHash: invitation.tokenHash, passwordHash, at };
    if (!(await this.#store.acceptInvitation(acceptance, action))) throw over();
    const holder = await this.#store.findHolder(account);
    const opened = holder?.passwordHash === passwordHash ? await this.#open(holder, address) : undefined;
    if (opened === undefined) throw over();
    return opened;
  }

  /** Throws HolderRefusal for wrong credentials, and ServiceError RATE_LIMIT_EXCEEDED after too many of them. */
  async signIn(proof: Proof): Promise<OpenedSession> {
    const holder = await this.#prove(proof);
    const opened = holder === undefined ? undefined : await this.#open(holder, proof.address);
    if (opened === undefined) throw new HolderRefusal('Account, password or code is wrong.');
    return opened;
  }

  /** The session of a cookie; each use extends it. Undefined if it has ended. */
  async session(token: string | undefined): Promise<HolderSession | undefined> {
    if (token === undefined || !isToken(token)) return undefined;
    const now = this.#clock.now();
    const session = await this.#store.findSession(tokenHash(token), now);
    if (session === undefined) return undefined;
    const expiresAt = Math.min(now + limits.dashboardIdleMs, session.createdAt + limits.dashboardSessionMs);
    if (expiresAt - session.expiresAt >= limits.dashboardTouchMs)
      await this.#store.extendSession(session.tokenHash, expiresAt);
    return session;
  }

  async signOut({ tokenHash: hash, account }: HolderSession, address: string): Promise<void> {
    await this.#store.endSession(hash, this.#action('dashboard-sign-out', { account, address }));
  }

  /** Ends every session, and begins a new one for this browser. Throws like `signIn` and `accept`. */
  async changePassword(proof: Proof, password: string): Promise<OpenedSession> {
    const holder = await this.#proven(proof);
    const passwordHash = await this.#chosen(password, proof);
    return await this.#change(holder, { passwordHash }, 'dashboard-password', proof);
  }

  /** Needs a code of the new secret: a wrong setup would lock the holder out. Throws like `signIn`. */
  async turnTotpOn(proof: Proof, secret: string, newCode: string): Promise<OpenedSession> {
    const step = findTotpStep(secret, newCode, this.#clock.now());
    if (step === undefined) throw new HolderRefusal('The code does not fit the key. Check the clock of your device.');
    const holder = await this.#proven(proof);
    const opened = await this.#change(holder, { totpSecret: secret }, 'dashboard-totp-on', proof);
    await this.#store.takeTotpStep(proof.account, step);
    return opened;
  }

  async turnTotpOff(proof: Proof): Promise<OpenedSession> {
    const holder = await this.#proven(proof);
    return await this.#change(holder, { totpSecret: null }, 'dashboard-totp-off', proof);
  }

  /** Writes pending entries of the audit trail. */
  async close(): Promise<void> {
    await this.#failures.close();
  }

  async #change(
    { version, codesTried }: Holder,
    change: { readonly passwordHash?: string; readonly totpSecret?: string | null },
    name: AdminActionName,
    { account, address }: Actor,
  ): Promise<OpenedSession> {
    const at = this.#clock.now();
    const action = this.#action(name, { account, address });
    const isChanged = await this.#store.changeHolder({ account, version, at, ...change }, action);
    const holder = isChanged ? await this.#store.findHolder(account) : undefined;
    const opened = holder === undefined ? undefined : await this.#open({ ...holder, codesTried }, address);
    if (opened === undefined) throw new HolderRefusal('Something else has changed the account. Sign in again.');
    return opened;
  }

  async #open({ account, version, codesTried }: Holder, address: string): Promise<OpenedSession | undefined> {
    const [token, nonce] = [newToken(), newToken()];
    const createdAt = this.#clock.now();
    const expiresAt = createdAt + limits.dashboardIdleMs;
    const session = { tokenHash: tokenHash(token), account, createdAt, expiresAt };
    const facts = codesTried === 0 ? {} : { wrongCodes: codesTried };
    const action = { ...this.#action('dashboard-sign-in', { account, address }), facts };
    if (!(await this.#store.openSession(session, version, action))) return undefined;
    const device = nonce + (await this.#keys.hash(deviceText(account, nonce)));
    return { token, device, wrongCodes: codesTried };
  }

  async #proven(proof: Proof): Promise<Holder> {
    const holder = await this.#prove(proof);
    if (holder === undefined) throw new HolderRefusal('The password or the code is wrong.');
    return holder;
  }

  /** Takes a token before hashing and returns it on success, so that parallel guesses count too. */
  async #prove(proof: Proof): Promise<Holder | undefined> {
    const { account, password, code, address, signal } = proof;
    const holder = await this.#store.findHolder(account.slice(0, limits.accountNameCharsMax + 1));
    const known = await this.#knownAs(proof);
    const subscriber = known ?? subscriberPrefix(address);
    const ofAccount = `${subscriber}\n${account.slice(0, limits.accountNameCharsMax + 1)}`;
    const failed = (reason: LoginFailureReason) =>
      // an unknown name may be a password
      this.#failures.note({ username: '(dashboard)', account: holder?.account, address, reason });
    try {
      this.#failures.pay(subscriber, ofAccount, 'attempts');
      const text = normalisedPassword(password);
      const turn = { network: networkPrefix(address), known, signal };
      if (!(await this.#hasher.verify(text, holder?.passwordHash, turn)) || holder === undefined) {
        failed('dashboard-wrong-password');
        return undefined;
      }
    } catch (error) {
      if (signal?.aborted === true) throw abortedBy(signal);
      failed('dashboard-too-many-failures');
      throw error;
    }
    let codesTried = 0;
    if (holder.totpSecret !== undefined) {
      // counted before it is checked, so that parallel guesses count, too
      codesTried = await this.#store.countCode(holder.account, (tried) =>
        tried === wrongCodesMax + 1 ? this.#action('dashboard-codes-refused', proof) : undefined,
      );
      if (codesTried > wrongCodesMax * (known === undefined ? 1 : 2)) {
        failed('dashboard-too-many-failures');
        return undefined;
      }
      const step = findTotpStep(holder.totpSecret, code, this.#clock.now());
      if (step === undefined || !(await this.#store.takeTotpStep(holder.account, step))) {
        failed('dashboard-wrong-code');
        return undefined;
      }
      codesTried -= 1;
    }
    this.#failures.giveBack(subscriber, ofAccount);
    return { ...holder, codesTried }; // wrong ones
  }

  /** Names a browser that has signed in to this account before: queue and limits treat it separately. */
  async #knownAs({ account, device = '', session }: Proof): Promise<string | undefined> {
    if (session !== undefined) return `session ${session.tokenHash}`;
    const [nonce, mac] = [device.slice(0, tokenChars), device.slice(tokenChars)];
    return (await this.#keys.verify(deviceText(account, nonce), mac)) ? `device ${nonce}` : undefined;
  }

  /** An invitation or a session has proven who chooses. */
  async #chosen(password: string, { account, signal }: Pick<Proof, 'account' | 'signal'>): Promise<string> {
    const refusal = passwordRefusal(password, account);
    if (refusal !== undefined) throw new HolderRefusal(refusal);
    return await this.#hasher.hash(normalisedPassword(password), { known: `account ${account}`, signal });
  }

  #action(action: AdminActionName, actor: Actor): AdminAction {
    const { account } = actor;
    return { action, account, username: undefined, by: holderName(actor), facts: {}, at: this.#clock.now() };
  }
}
