// API users and login keys of the account store in memory.
import type { ApiUser, LoginKey, SpendingCap } from '../account-store.ts';

export class MemoryLogins {
  readonly #users = new Map<string, ApiUser>();
  readonly #keys: LoginKey[] = [];

  find(username: string): ApiUser | undefined {
    return this.#users.get(username);
  }

  /** By username; of one account, or of all. */
  list(account: string | undefined): ApiUser[] {
    const users = [...this.#users.values()].filter((user) => account === undefined || user.account === account);
    return users.sort((a, b) => (a.username < b.username ? -1 : 1));
  }

  add(user: ApiUser): void {
    this.#users.set(user.username, { ...user });
  }

  /** Makes a new version of the user. False where there is none. */
  change(username: string, change: Partial<ApiUser>): boolean {
    const user = this.#users.get(username);
    if (user === undefined) return false;
    this.#users.set(username, { ...user, ...change, version: user.version + 1 });
    return true;
  }

  cap(username: string, cap: SpendingCap | undefined): boolean {
    const user = this.#users.get(username);
    if (user === undefined) return false;
    const { dailyCap: _, ...rest } = user;
    const version = user.version + 1;
    this.#users.set(username, { ...rest, ...(cap !== undefined && { dailyCap: cap }), version });
    return true;
  }

  replaceHash(username: string, from: string, to: string): boolean {
    const user = this.#users.get(username);
    if (user?.passwordHash !== from) return false;
    this.#users.set(username, { ...user, passwordHash: to });
    return true;
  }

  keys(first: LoginKey): LoginKey[] {
    if (this.#keys.length === 0) this.#keys.push(first);
    return [...this.#keys];
  }
}
