// Planted bugs of the account dashboard: who gets in, and what a holder may see and change.
import type { Plant } from './plants.ts';

const access = ['test/service/server/dashboard/access.test.ts'];
const pages = ['test/service/server/dashboard/pages.test.ts'];
const store = ['test/db/accounts/dashboard.test.ts'];

export const dashboard: readonly Plant[] = [
  {
    invariant: 'a form without the token of its browser changes nothing',
    file: 'src/service/server/dashboard/visit.ts',
    find: 'return given.length === due.length && timingSafeEqual(given, due);',
    replace: 'return true;',
    tests: access,
  },
  {
    invariant: 'a form that the browser reports as coming from another site changes nothing',
    file: 'src/service/server/dashboard/visit.ts',
    find: "(fetchSite !== undefined && fetchSite !== 'same-origin')",
    replace: 'false',
    tests: access,
  },
  {
    invariant: 'scripts and plain HTTP never get the cookie of a session',
    file: 'src/service/server/dashboard/visit.ts',
    find: 'Path=/; HttpOnly; Secure; SameSite=Strict',
    replace: 'Path=/',
    tests: access,
  },
  {
    invariant: 'a session ends after half a day, used or not',
    file: 'src/service/server/dashboard/holders.ts',
    find: 'Math.min(now + limits.dashboardIdleMs, session.createdAt + limits.dashboardSessionMs)',
    replace: 'now + limits.dashboardIdleMs',
    tests: access,
  },
  {
    invariant: 'a code of the second factor counts once',
    file: 'src/service/server/dashboard/holders.ts',
    find: 'if (step === undefined || !(await this.#store.takeTotpStep(holder.account, step))) {',
    replace: 'if (step === undefined) {',
    tests: access,
  },
  {
    invariant: 'failed sign-ins of an account from an address are limited',
    file: 'src/service/server/dashboard/holders.ts',
    find: 'if (this.#byAccount.take(ofAccount)) return;',
    replace: 'if (ofAccount) return;',
    tests: access,
  },
  {
    invariant: 'a holder cannot see names of the operator',
    file: 'src/service/server/dashboard/pages/security.ts',
    find: "by?.startsWith('holder of ') === true ? by : 'operator'",
    replace: "by ?? 'operator of ours'",
    tests: access,
  },
  {
    invariant: 'a listed password is refused even if digits replace letters',
    file: 'src/service/server/dashboard/password-rules.ts',
    find: 'return [text, toLetters(text)].some((written) => restBesideListed',
    replace: 'return [text].some((written) => restBesideListed',
    tests: ['test/service/server/dashboard/password-rules.test.ts'],
  },
  {
    invariant: 'no account reads or changes API users of another one',
    file: 'src/service/server/dashboard/pages/users.ts',
    find: 'const users = await administration(visit).listUsers(visit.account.name);\n  return users.find',
    replace: 'const users = await administration(visit).listUsers();\n  return users.find',
    tests: pages,
  },
  {
    invariant: 'an API user name that another account uses can be used again',
    file: 'src/service/server/dashboard/pages/users.ts',
    find: 'function usernamePrefix(account: string): string {',
    replace: "function usernamePrefix(account: string): string {\n  if (account !== '') return '';",
    tests: pages,
  },
  {
    invariant: 'text from outside is never markup of a page',
    file: 'src/service/server/dashboard/markup.ts',
    find: '/[&<>"\']/g',
    replace: '/[&]/g',
    tests: pages,
  },
  {
    invariant: 'no note in the CSV of a statement runs as a formula',
    file: 'src/service/server/dashboard/statement-csv.ts',
    find: 'parts.map((part) => (formula.test(part) ?',
    replace: 'parts.map((part) => (part === part.concat(part) ?',
    tests: pages,
  },
  {
    invariant: 'every session ends when the password changes',
    file: 'db/accounts/dashboard.ts',
    find: 'if (changes === 0) return false;\n      this.#endSessionsOf(accountId);',
    replace: 'if (changes === 0) return false;',
    tests: store,
  },
  {
    invariant: 'an invitation that has expired sets no password',
    file: 'db/accounts/dashboard.ts',
    find: 'gt(accountInvitations.expiresAt, at)',
    replace: 'gt(accountInvitations.expiresAt, 0)',
    tests: store,
  },
  {
    invariant: 'no session opens with a password that was changed meanwhile',
    file: 'db/accounts/dashboard.ts',
    find: 'eq(accountHolders.version, version)))\n        .run();\n      if (changes === 0) return false;\n      builder.insert',
    replace:
      'eq(accountHolders.accountId, accountId)))\n        .run();\n      if (changes === 0) return false;\n      builder.insert',
    tests: store,
  },
];
