// Access to the account dashboard: invitations, sign-in, sessions, cross-site forms, the second factor.
import { afterEach, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/service/index.ts';
import { totpCode } from '../../../../src/service/server/dashboard/totp.ts';
import {
  createApiUser,
  holderPassword,
  hourMs,
  type ServedDashboard,
  serveDashboard,
  tableRows,
} from '../../../helpers/dashboard.ts';
import type { DashboardVisitor } from '../../../helpers/dashboard-visitor.ts';
import { settled } from '../../../helpers/fake-clock.ts';

const open: ServedDashboard[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(...options: Parameters<typeof serveDashboard>): Promise<ServedDashboard> {
  const server = await serveDashboard(...options);
  open.push(server);
  return server;
}

const passwords = (text: string, repeated = text) => ({ new_password: text, repeated });
const otherPassword = 'seven purple elephants waltz';
const isSignedIn = async (visitor: DashboardVisitor) => (await visitor.open('/account')).title === 'Overview';

describe('every page', () => {
  it('runs no script, loads nothing, allows no frame, and is not cached', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const paths = ['', '/users', '/whitelist', '/statement', '/failures', '/examples', '/security', '/sign-in'];
    for (const path of paths) {
      const { status, headers, text } = await visitor.open(`/account${path}`);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(
        /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(text).not.toMatch(/<script|\son\w+=|\sstyle=|javascript:/i);
    }
  });

  it('sets one cookie, which scripts, plain HTTP and other sites never see', async () => {
    const server = await start();
    const response = await fetch(`${server.url}/account/sign-in`);
    expect(response.headers.get('set-cookie')).toMatch(
      /^__Host-rankledger=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it('exists with --dashboard only, and accepts only its own methods', async () => {
    const server = await start();
    const status = async (method: string, path: string) => (await fetch(server.url + path, { method })).status;
    expect(await status('GET', '/account/nothing')).toBe(404);
    expect(await status('GET', '/accounts')).toBe(404);
    expect(await status('DELETE', '/account')).toBe(405);
    expect(await status('POST', '/account')).toBe(405);
    expect(await status('GET', '/account/users/revoke')).toBe(405);
    expect(await status('HEAD', '/account/sign-in')).toBe(200);
    expect(await (await fetch(`${server.url}/docs`)).text()).toContain('href="/account"');
    const large = await fetch(`${server.url}/account/sign-in`, { method: 'POST', body: 'x'.repeat(70_000) });
    expect(large.status).toBe(400);
  });

  it('redirects to the sign-in without a session, and counts towards the page limit of an address', async () => {
    const server = await start({ pageRate: { count: 4, windowMs: 4000 } });
    const visitor = server.visitor();
    expect((await visitor.open('/account/users')).path).toBe('/account/sign-in');
    expect((await visitor.open('/account/statement.csv')).path).toBe('/account/sign-in');
    expect((await visitor.open('/account')).status).toBe(429);
  });
});

describe('a failure of the store', () => {
  it('is a page without details, and a line of the log with them', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    server.store.dashboard.usageByOperation = () => Promise.reject(new Error('disk 7 is gone'));
    const page = await visitor.open('/account');
    expect([page.status, page.problem]).toEqual([500, 'The service failed. Try again later.']);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(page.text).not.toContain('disk 7');
    expect(server.lines.at(-1)).toMatchObject({
      status: 500,
      code: 'INTERNAL_ERROR',
      error: new Error('disk 7 is gone'),
    });
    expect((await visitor.open('/account/users')).status).toBe(200);
  });
});

describe('an invitation', () => {
  it('sets the password once, and signs its reader in', async () => {
    const server = await start();
    const { token } = await server.accounts.invite('acme', hourMs);
    const visitor = server.visitor();
    const page = await visitor.open(`/account/invitation?token=${token}`);
    expect(page.title).toBe('Welcome');
    expect((await visitor.submit(page, '/account/invitation', passwords(holderPassword))).title).toBe('Overview');
    const again = server.visitor();
    expect((await again.open(`/account/invitation?token=${token}`)).status).toBe(404);
    expect((await visitor.submit(page, '/account/invitation', passwords(otherPassword))).status).toBe(403);
    expect((await server.signIn(again)).title).toBe('Overview');
  });

  it.each([
    [passwords('short'), /at least 15/],
    [passwords('password1234567'), /breached/],
    [passwords(holderPassword, otherPassword), /differ/],
  ])('that is answered with %j gets the reason, and can still be used', async (values, why) => {
    const server = await start();
    const { token } = await server.accounts.invite('acme', hourMs);
    const visitor = server.visitor();
    const refused = await visitor.submit(
      await visitor.open(`/account/invitation?token=${token}`),
      '/account/invitation',
      values,
    );
    expect([refused.status, refused.title]).toEqual([400, 'Welcome']);
    expect(refused.problem).toMatch(why);
    expect((await visitor.submit(refused, '/account/invitation', passwords(holderPassword))).title).toBe('Overview');
  });

  it('ends when it expires, with the next one, and with the access of the account', async () => {
    const server = await start();
    const { clock, accounts } = server;
    const status = async (token: string) => (await server.visitor().open(`/account/invitation?token=${token}`)).status;
    const first = await accounts.invite('acme', hourMs);
    const second = await accounts.invite('acme', hourMs);
    expect([await status(first.token), await status(second.token)]).toEqual([404, 200]);
    await clock.advance(hourMs - 1);
    expect(await status(second.token)).toBe(200);
    await clock.advance(1);
    expect(await status(second.token)).toBe(404);
    const third = await accounts.invite('acme', hourMs);
    await accounts.withdrawAccess('acme');
    expect(await status(third.token)).toBe(404);
    expect(await status('no token')).toBe(404);
  });

  it('for a holder resets password and second factor, and ends every session', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    await turnTotpOn(server, visitor);
    const { visitor: other } = await server.holder();
    expect(await isSignedIn(visitor)).toBe(false);
    expect(await isSignedIn(other)).toBe(true);
    expect((await server.signIn(server.visitor())).title).toBe('Overview');
  });
});

describe('a sign-in', () => {
  it('that fails does not reveal which accounts exist, and is in the audit trail', async () => {
    const server = await start();
    await server.holder();
    const wrong = await server.signIn(server.visitor(), otherPassword);
    const unknown = await server.signIn(server.visitor(), otherPassword, '', 'globex');
    const noHolder = await server.accounts.create('empty', { serpCredits: 0, microUsd: 0 });
    const empty = await server.signIn(server.visitor(), otherPassword, '', noHolder.name);
    for (const { status, problem } of [wrong, unknown, empty])
      expect([status, problem]).toEqual([403, 'Account, password or code is wrong.']);
    await server.clock.advance(2000);
    const failures = await server.store.accountLog({ limit: 9, only: 'failures' });
    expect(failures).toMatchObject([{ count: 3, username: '(dashboard)', reason: 'dashboard-wrong-password' }]);
    expect(JSON.stringify(failures)).not.toContain('globex');
  });

  it('that fails too often waits, for this account and address only, and correct passwords never count', async () => {
    const perUsername = { count: 2, windowMs: 10_000 };
    const perAddress = { count: 9, windowMs: 10_000 };
    const server = await start({ trustedProxies: ['127.0.0.1'], dashboard: { logins: { perUsername, perAddress } } });
    await server.holder();
    const from = (address: string) => server.visitor({ 'x-forwarded-for': address });
    for (let count = 0; count < 4; count += 1) expect((await server.signIn(from('192.0.2.1'))).status).toBe(200);
    for (let count = 0; count < 2; count += 1)
      expect((await server.signIn(from('192.0.2.1'), otherPassword)).status).toBe(403);
    const refused = await server.signIn(from('192.0.2.1'));
    expect([refused.status, refused.title, refused.headers.get('retry-after')]).toEqual([
      429,
      'Too many attempts',
      '5',
    ]);
    expect((await server.signIn(from('192.0.2.2'))).status).toBe(200);
    await server.clock.advance(5000);
    expect((await server.signIn(from('192.0.2.1'))).status).toBe(200);
  });

  it('of a browser that signed in before does not wait for those of many networks, and hung-up ones leave the queue', async () => {
    const server = await start({
      trustedProxies: ['127.0.0.1'],
      dashboard: { scryptCost: { logN: 14, r: 8, p: 1 } },
    });
    const { visitor } = await server.holder();
    const before = server.lines.length;
    const hangUp = new AbortController();
    const guesses = Array.from({ length: 39 }, async (_, index) => {
      const guest = server.visitor({ 'x-forwarded-for': `198.51.${index}.1` });
      const page = await guest.open('/account/sign-in');
      const token = page.$('[name="form_token"]').val() as string;
      const body = new URLSearchParams({ form_token: token, account: 'acme', password: otherPassword });
      const headers = { cookie: guest.cookie ?? '', 'x-forwarded-for': `198.51.${index}.1` };
      const init = { method: 'POST', body, headers, signal: hangUp.signal };
      return () => fetch(`${server.url}/account/sign-in`, init).catch(() => undefined);
    });
    const flood = (await Promise.all(guesses)).map((send) => send());
    const posts = () => server.lines.slice(before).filter(({ method }) => method === 'POST');
    while (posts().length === 0) await settled();
    expect((await server.signIn(visitor)).status).toBe(200);
    expect(posts().length).toBeLessThan(20);
    hangUp.abort();
    await Promise.all(flood);
    while (posts().length < 40) await settled();
    const left = posts().filter(({ error }) => error instanceof ServiceError && error.code === 'ABORTED');
    expect(left.length).toBeGreaterThan(15);
  });

  it('gives the browser a new cookie', async () => {
    const server = await start();
    await server.holder();
    const visitor = server.visitor();
    await visitor.open('/account/sign-in');
    const before = visitor.cookie;
    await server.signIn(visitor);
    expect(before).toBeDefined();
    expect(visitor.cookie).not.toBe(before);
    const thief = server.visitor();
    thief.cookie = before;
    expect(await isSignedIn(thief)).toBe(false);
  });
});

describe('a session', () => {
  it('ends with the sign-out, and its cookie is worthless', async () => {
    const server = await start();
    const { visitor, page } = await server.holder();
    const copy = server.visitor();
    copy.cookie = visitor.cookie;
    expect(await isSignedIn(copy)).toBe(true);
    const out = await visitor.submit(page, '/account/sign-out');
    expect([out.title, out.$('[role="status"]').text()]).toEqual(['Sign in', 'You are signed out.']);
    expect(await isSignedIn(copy)).toBe(false);
  });

  it('continues while it is used, for half a day at most, and ends after an hour without use', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    for (let half = 0; half < 23; half += 1) {
      await server.clock.advance(hourMs / 2);
      expect(await isSignedIn(visitor)).toBe(true);
    }
    await server.clock.advance(hourMs / 2);
    expect(await isSignedIn(visitor)).toBe(false);
    await server.signIn(visitor);
    await server.clock.advance(hourMs - 1);
    expect(await isSignedIn(visitor)).toBe(true);
    await server.clock.advance(hourMs);
    expect(await isSignedIn(visitor)).toBe(false);
  });

  it('of every other browser ends with a change of the password; this browser continues', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const other = server.visitor();
    await server.signIn(other);
    const before = visitor.cookie;
    const security = await visitor.open('/account/security');
    const change = (values: Record<string, string>) => visitor.submit(security, '/account/security/password', values);
    expect((await change({ password: otherPassword, ...passwords(otherPassword) })).problem).toMatch(/is wrong/);
    expect((await change({ password: holderPassword, ...passwords('acme-acme-acme') })).problem).toMatch(/\w/);
    expect(await isSignedIn(other)).toBe(true);
    const done = await change({ password: holderPassword, ...passwords(otherPassword) });
    expect(done.$('[role="status"]').text()).toContain('The password is changed');
    expect(await isSignedIn(visitor)).toBe(true);
    expect(visitor.cookie).not.toBe(before);
    expect(await isSignedIn(other)).toBe(false);
    expect((await server.signIn(server.visitor(), holderPassword)).status).toBe(403);
    expect((await server.signIn(server.visitor(), otherPassword)).status).toBe(200);
  });

  it('ends when the operator withdraws access, and API users keep their access', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    await server.accounts.withdrawAccess('acme');
    expect(await isSignedIn(visitor)).toBe(false);
    expect((await server.signIn(visitor)).status).toBe(403);
    expect(await server.call(server.ann)).toBe(200);
  });
});

describe('a form', () => {
  it.each(['/account/users', '/account/whitelist', '/account/security/password', '/account/sign-out'])(
    'to %s without the token of the browser, or with that of another one, changes nothing',
    async (action) => {
      const server = await start();
      const { visitor } = await server.holder();
      const other = server.visitor();
      const foreign = (await other.open('/account/sign-in')).$('[name="form_token"]').val() as string;
      for (const token of ['', 'x', foreign]) {
        const fields = new URLSearchParams({ form_token: token, name: 'crawler', rules: '192.0.2.1' });
        const refused = await visitor.post(action, fields);
        expect([refused.status, refused.title]).toEqual([403, 'Not accepted']);
      }
      expect(await isSignedIn(visitor)).toBe(true);
      expect(await server.accounts.listUsers('acme')).toHaveLength(2);
      expect((await server.accounts.find('acme')).whitelist).toEqual([]);
    },
  );

  it.each(['cross-site', 'same-site', 'none'])(
    'that the browser reports as %s is refused, with or without token',
    async (site) => {
      const server = await start();
      const { visitor } = await server.holder();
      const token = (await visitor.open('/account/users')).$('[name="form_token"]').first().val() as string;
      const fields = new URLSearchParams({ form_token: token, name: 'crawler' });
      expect((await visitor.post('/account/users', fields, { 'sec-fetch-site': site })).status).toBe(403);
      expect((await visitor.post('/account/users', fields, { 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    },
  );

  it('of a browser without cookies explains the problem', async () => {
    const server = await start();
    const visitor = server.visitor();
    const page = await visitor.open('/account/sign-in');
    visitor.cookie = undefined;
    const refused = await visitor.submit(page, '/account/sign-in', { account: 'acme', password: holderPassword });
    expect([refused.status, refused.problem]).toEqual([403, expect.stringContaining('sent no cookie')]);
  });
});

describe('hostile values', () => {
  const values = [
    '',
    '\u0000',
    '__proto__',
    '\ud800',
    '%00',
    "' OR 1=1 --",
    'x'.repeat(20_000),
    '\u202e🦊'.repeat(500),
  ];
  const forms: Record<string, readonly string[]> = {
    '/account/sign-in': ['account', 'password', 'code'],
    '/account/invitation': ['token', 'new_password', 'repeated'],
    '/account/users': ['name', 'expires'],
    '/account/users/expire': ['username', 'expires'],
    '/account/users/revoke': ['username', 'sure'],
    '/account/whitelist': ['rules'],
    '/account/security/password': ['password', 'code', 'new_password', 'repeated'],
    '/account/security/totp-on': ['secret', 'new_code', 'password', 'code'],
    '/account/security/totp-off': ['password', 'code'],
  };

  it.each(Object.keys(forms))('of the form %s are refused or accepted, and never crash the service', async (action) => {
    const policy = { count: 1000, windowMs: 1000 };
    const server = await start({ dashboard: { logins: { perUsername: policy, perAddress: policy } } });
    const { visitor } = await server.holder();
    const token = (await visitor.open('/account/users')).$('[name="form_token"]').first().val() as string;
    for (const value of values) {
      const fields = new URLSearchParams({
        form_token: token,
        ...Object.fromEntries(forms[action]!.map((name) => [name, value])),
      });
      const { status } = await visitor.post(action, fields);
      expect([200, 400, 403, 404]).toContain(status);
    }
    expect(await isSignedIn(visitor)).toBe(true);
    expect((await server.store.dashboard.findHolder('acme'))?.version).toBe(1);
  });

  it.each(['?days=', '/users/user?name=', '/examples/search.sh?user=', '/invitation?token=', '/sign-in?done='])(
    'of the URL %s never crash the service',
    async (path) => {
      const server = await start();
      const { visitor } = await server.holder();
      for (const value of values.map((each) => encodeURIComponent(each.toWellFormed()).slice(0, 8000)))
        expect([200, 404]).toContain((await visitor.open(`/account${path}${value}`)).status);
      expect((await visitor.open(`/account${path}%zz%ff`)).status).toBeLessThan(500);
    },
  );
});

describe('the second factor', () => {
  it('is required at every sign-in, accepts each code once, and can be turned off with a code', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const other = server.visitor();
    await server.signIn(other);
    const secret = await turnTotpOn(server, visitor);
    expect([await isSignedIn(visitor), await isSignedIn(other)]).toEqual([true, false]);
    const code = () => totpCode(secret, server.clock.now());
    const signIn = (given: string) => server.signIn(server.visitor(), holderPassword, given);
    expect((await signIn('')).status).toBe(403);
    expect((await signIn(code())).status).toBe(403); // it turned the factor on: it is used
    await server.clock.advance(30_000);
    const next = code();
    expect((await signIn(next)).status).toBe(200);
    expect((await signIn(next)).status).toBe(403);
    await server.clock.advance(30_000);
    const security = await visitor.open('/account/security');
    const off = (given: string) =>
      visitor.submit(security, '/account/security/totp-off', { password: holderPassword, code: given });
    expect((await off('000000')).problem).toMatch(/is wrong/);
    expect((await off(code())).$('[role="status"]').text()).toContain('no longer requires');
    expect((await signIn('')).status).toBe(200);
  });

  it('refuses all codes after 100 wrong ones behind the right password, but for a browser that signed in before', async () => {
    const server = await start({ trustedProxies: ['127.0.0.1'] });
    const { visitor } = await server.holder();
    const secret = await turnTotpOn(server, visitor);
    const code = () => totpCode(secret, server.clock.now());
    let address = 0;
    const guess = (given: string) => {
      address += 1;
      const guest = server.visitor({ 'x-forwarded-for': `198.51.${address >> 8}.${address & 255}` });
      return server.signIn(guest, holderPassword, given);
    };
    for (let count = 0; count < 100; count += 1) expect((await guess('000000')).status).toBe(403);
    await server.clock.advance(60_000);
    expect((await guess(code())).status).toBe(403);
    await visitor.submit(await visitor.open('/account/security'), '/account/sign-out');
    visitor.cookie = undefined;
    const page = await server.signIn(visitor, holderPassword, code());
    expect(page.$('[role="status"]').text()).toContain('wrong codes were entered together with your password');
    const [latest, ...earlier] = tableRows(await visitor.open('/account/security'), 'The newest 50 changes');
    expect(latest).toEqual(expect.arrayContaining(['dashboard-sign-in', 'wrongCodes: 101']));
    expect(earlier.map(([, event]) => event)).toContain('dashboard-codes-refused');
    await server.clock.advance(60_000);
    expect((await guess(code())).status).toBe(200);
  });

  it('is not turned on by an invalid code, a wrong password, or a key of another page', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const security = await visitor.open('/account/security');
    const secret = security.$('[name="secret"]').val() as string;
    const on = (values: Record<string, string>) =>
      visitor.submit(security, '/account/security/totp-on', { password: holderPassword, ...values });
    expect((await on({ new_code: '000000' })).problem).toMatch(/does not fit/);
    const code = totpCode(secret, server.clock.now());
    expect((await on({ new_code: code, password: otherPassword })).problem).toMatch(/is wrong/);
    expect((await on({ new_code: code, secret: 'AAAA' })).problem).toMatch(/not one of this page/);
    expect((await server.signIn(server.visitor())).status).toBe(200);
  });
});

it('every action of a holder is in the audit trail, with its user and its origin', async () => {
  const server = await start();
  const { visitor } = await server.holder();
  const { username } = await createApiUser(visitor, 'crawler');
  const user = await visitor.open(`/account/users/user?name=${username}`);
  await visitor.submit(user, '/account/users/expire', { expires: '2026-12-31T23:59' });
  await visitor.submit(user, '/account/users/revoke', { sure: 'yes' });
  await visitor.submit(await visitor.open('/account/whitelist'), '/account/whitelist', { rules: '192.0.2.1' });
  const security = await visitor.open('/account/security');
  const change = { password: holderPassword, ...passwords(otherPassword) };
  const changed = await visitor.submit(security, '/account/security/password', change);
  const shown = tableRows(changed, 'The newest 50 changes').map(([, event, user, by]) => [event, user, by]);
  const by = 'holder of acme at 127.0.0.1';
  expect(shown.at(-1)).toEqual(['account-create', '', 'operator']);
  expect(shown.slice(0, 8)).toEqual([
    ['dashboard-sign-in', '', by],
    ['dashboard-password', '', by],
    ['account-whitelist', '', by],
    ['api-user-revoke', 'acme.crawler', by],
    ['api-user-expire', 'acme.crawler', by],
    ['api-user-add', 'acme.crawler', by],
    ['dashboard-sign-in', '', by],
    ['dashboard-accept', '', by],
  ]);
  await visitor.submit(changed, '/account/sign-out');
  expect((await server.store.accountLog({ limit: 1 }))[0]).toMatchObject({ event: 'dashboard-sign-out', by });
  const log = JSON.stringify(await server.store.accountLog({ limit: 99 }));
  for (const secret of [holderPassword, otherPassword]) expect(log).not.toContain(secret);
});

it('no line of the log contains a token, a password or a query', async () => {
  const server = await start();
  const { visitor } = await server.holder();
  const { password } = await createApiUser(visitor, 'crawler');
  const lines = JSON.stringify(server.lines);
  for (const secret of ['token', holderPassword, password, visitor.cookie?.split('=')[1] ?? ''])
    expect(lines).not.toContain(secret);
  expect(server.lines.at(-1)).toMatchObject({ path: '/account/users', method: 'POST', status: 200, account: 'acme' });
});

/** Returns the key. */
async function turnTotpOn(server: ServedDashboard, visitor: DashboardVisitor): Promise<string> {
  const security = await visitor.open('/account/security');
  const secret = security.$('[name="secret"]').val() as string;
  const values = { new_code: totpCode(secret, server.clock.now()), password: holderPassword };
  const on = await visitor.submit(security, '/account/security/totp-on', values);
  expect(on.$('[role="status"]').text()).toContain('requires a code');
  return secret;
}
