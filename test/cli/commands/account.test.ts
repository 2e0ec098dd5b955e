// `account` and `api-user` over a real database: what an operator does, and each mistake with its remedy.
import { hostname, userInfo } from 'node:os';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../../db/store.ts';
import { openApp } from '../../../src/app/app.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { invoke } from '../fake-host.ts';
import { type ProjectFolder, projectFolder } from '../project-folder.ts';

const now = Date.UTC(2026, 0, 15, 12);

let folder: ProjectFolder;
beforeEach(() => {
  folder = projectFolder('projects: []\n');
});

const go = (...argv: string[]) =>
  invoke(argv, {
    cwd: folder.path,
    now,
    openApp: (config, options) => openApp(config, { ...options, clock: new FakeClock(now) }),
  });

async function json(...argv: string[]): Promise<Record<string, unknown>> {
  const { exitCode, out, err } = await go(...argv, '--json');
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
  return JSON.parse(out) as Record<string, unknown>;
}

describe('account', () => {
  test('create opens an account with its first credits, and show prints its balance', async () => {
    const created = await go('account', 'create', 'acme', '--serp-credits', '1000', '--usd', '5.000001');
    expect(created).toMatchObject({ exitCode: 0, err: '' });
    expect(created.out).toContain('Created acme with 1,000 SERP credits and $5.000001.');
    expect(created.out).toContain('rankledger api-user add --account acme');
    const document = { name: 'acme', serpCredits: 1000, usd: 5.000001, users: [] };
    expect(await json('account', 'show', 'acme')).toEqual(document);
    expect((await go('account', 'show', 'acme')).out).toMatch(/balance +1,000 SERP credits and \$5\.000001/);
    expect(await json('account', 'create', 'empty')).toEqual({ name: 'empty', serpCredits: 0, usd: 0, users: [] });
    expect(await json('account', 'list')).toEqual([
      { name: 'acme', serpCredits: 1000, usd: 5.000001 },
      { name: 'empty', serpCredits: 0, usd: 0 },
    ]);
  });

  test('credit adds and removes credits, and never goes below zero', async () => {
    await json('account', 'create', 'credited');
    expect(await json('account', 'credit', 'credited', '--serp-credits', '500', '--note', 'invoice 7')).toEqual({
      name: 'credited',
      serpCredits: 500,
      usd: 0,
    });
    expect((await go('account', 'credit', 'credited', '--serp-credits', '-100')).out).toBe(
      'credited now has 400 SERP credits and $0.00.\n',
    );
    const refused = await go('account', 'credit', 'credited', '--usd', '-0.01');
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('has a lower balance than that');
    const statement = await json('account', 'statement', 'credited');
    expect(statement).toMatchObject({
      name: 'credited',
      entries: [
        { kind: 'top-up', serpCredits: 500, balance: { serpCredits: 500, usd: 0 }, note: 'invoice 7' },
        { kind: 'withdrawal', serpCredits: -100, balance: { serpCredits: 400, usd: 0 }, note: null },
      ],
    });
  });

  test('whitelist replaces, shows and clears the addresses', async () => {
    await json('account', 'create', 'guarded');
    const rules = ['203.0.113.7/32', '2001:db8::/32'];
    expect(await json('account', 'whitelist', 'guarded', '203.0.113.7', '2001:DB8::/32')).toMatchObject({
      whitelist: rules,
    });
    expect(await json('account', 'whitelist', 'guarded')).toEqual({ name: 'guarded', whitelist: rules });
    expect((await go('account', 'show', 'guarded')).out).toContain(rules.join(', '));
    expect((await go('account', 'whitelist', 'guarded', '--clear')).out).toContain('every address');
    const both = await go('account', 'whitelist', 'guarded', '10.0.0.1', '--clear');
    expect(both).toMatchObject({ exitCode: 2, out: '' });
    const wrong = await go('account', 'whitelist', 'guarded', '10.0.0.300');
    expect(wrong.exitCode).toBe(2);
    expect(wrong.err).toContain('10.0.0.300');
  });

  test('statement is complete at any length, and can begin at any entry', async () => {
    await json('account', 'create', 'empty');
    await json('account', 'create', 'long', '--serp-credits', '2500');
    const store = openStore(`${folder.path}/data/rankledger.sqlite`);
    const facts = { account: 'long', username: 'ann', operation: 'serp', owner: 'me', at: now } as const;
    await Promise.all(
      Array.from({ length: 2100 }, (_, index) =>
        store.accounts.charge({ ...facts, requestId: `r${index}`, price: { serpCredits: 1, microUsd: 0 } }),
      ),
    );
    store.close();
    const { entries } = (await json('account', 'statement', 'long')) as {
      entries: { id: number; serpCredits: number }[];
    };
    expect(entries).toHaveLength(2101);
    expect(entries.reduce((sum, { serpCredits }) => sum + serpCredits, 0)).toBe(400);
    expect(entries.at(-1)).toMatchObject({ requestId: 'r2099', username: 'ann', operation: 'serp' });
    const after = ['--after', `${entries[1000]?.id}`, '--limit', '1050'];
    expect(((await json('account', 'statement', 'long', ...after))['entries'] as unknown[]).length).toBe(1050);
    const { out } = await go('account', 'statement', 'long', '--limit', '2');
    expect(out).toMatch(/top-up +\+2,500 +\$0\.00 +2,500/);
    expect(out).toMatch(/charge +-1 +\$0\.00 +2,499 +\$0\.00 +1 +serp ann\n$/);
    expect(await json('account', 'statement', 'empty')).toEqual({ name: 'empty', entries: [] });
    expect((await go('account', 'statement', 'empty')).out).toContain('Account empty has no entries');
  });

  test('charges that a dead process left open are refunded before anything is shown', async () => {
    await json('account', 'create', 'left', '--serp-credits', '10');
    const store = openStore(`${folder.path}/data/rankledger.sqlite`);
    const facts = { account: 'left', username: 'ann', requestId: 'r', operation: 'serp', at: now } as const;
    const owner = `${hostname()}|an earlier start of the machine|1|x`;
    await store.accounts.charge({ ...facts, owner, price: { serpCredits: 4, microUsd: 0 } });
    store.close();
    expect(await json('account', 'show', 'left')).toMatchObject({ serpCredits: 10 });
    expect((await go('account', 'statement', 'left')).out).toMatch(/refund +\+4 .* left open by a process that ended/);
  });

  test('log shows who did what, and which logins failed, without any password', async () => {
    await json('account', 'create', 'logged', '--serp-credits', '7');
    await json('account', 'create', 'other');
    const { password } = await json('api-user', 'add', 'ann', '--account', 'logged', '--daily-credits', '500');
    await json('account', 'credit', 'logged', '--usd', '1', '--note', 'invoice 7');
    await json('account', 'whitelist', 'logged', '203.0.113.7');
    await json('api-user', 'cap', 'ann', '--daily-usd', '2.5');
    await json('api-user', 'expire', 'ann', '--never');
    await json('api-user', 'revoke', 'ann');
    const store = openStore(`${folder.path}/data/rankledger.sqlite`);
    const failure = { minute: now, lastAt: now + 9, username: 'eve', address: '192.0.2.1', count: 1234 };
    const unknown = { ...failure, account: undefined, reason: 'unknown-user' } as const;
    await store.accounts.addLoginFailures([unknown], { since: 0, rowsMax: 9 });
    store.close();
    const entries = (await json('account', 'log', 'logged')) as unknown as Record<string, unknown>[];
    expect(entries.map(({ event, username, facts }) => [event, username, facts])).toEqual([
      ['api-user-revoke', 'ann', {}],
      ['api-user-expire', 'ann', { expiresAt: null }],
      ['api-user-cap', 'ann', { dailyCap: { microUsd: 2_500_000 } }],
      ['account-whitelist', null, { rules: ['203.0.113.7/32'] }],
      ['account-credit', null, { serpCredits: 0, microUsd: 1_000_000, note: 'invoice 7' }],
      ['api-user-add', 'ann', { dailyCap: { serpCredits: 500 } }],
      ['account-create', null, { serpCredits: 7, microUsd: 0 }],
    ]);
    expect(entries.every(({ by }) => by === `${userInfo().username}@${hostname()}`)).toBe(true);
    expect(JSON.stringify(entries)).not.toContain(password);
    const { out } = await go('account', 'log', '--limit', '3');
    expect(out.trimEnd().split('\n')).toHaveLength(4);
    expect(out).toMatch(/login-failed +eve +192\.0\.2\.1 +1,234 +unknown-user/);
  });

  test('log of a new database says that it is empty', async () => {
    expect((await go('account', 'log')).out).toBe('No admin actions and no failed logins are recorded.\n');
  });

  test('show and list print the daily cap', async () => {
    await json('account', 'create', 'capped');
    await json('api-user', 'add', 'zoe', '--account', 'capped', '--daily-credits', '1500', '--daily-usd', '2.5');
    const { users } = await json('account', 'show', 'capped');
    expect(users).toMatchObject([{ username: 'zoe', dailyCap: { serpCredits: 1500, usd: 2.5 } }]);
    expect((await go('account', 'show', 'capped')).out).toContain('1,500 credits, $2.50');
    expect((await go('api-user', 'list')).out).toContain('1,500 credits, $2.50');
    await json('api-user', 'cap', 'zoe');
    expect((await go('api-user', 'list')).out).toMatch(/zoe .* none/);
  });

  test('invite prints a link that expires, and withdraws access', async () => {
    await json('account', 'create', 'invited');
    const invitation = await json('account', 'invite', 'invited', '--hours', '2', '--url', 'https://search.example');
    expect(invitation).toEqual({
      name: 'invited',
      url: expect.stringMatching(/^https:\/\/search\.example\/account\/invitation\?token=[\w-]{43}$/),
      expiresAt: '2026-01-15T14:00:00.000Z',
    });
    const { out } = await go('account', 'invite', 'invited');
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:8080\/account\/invitation\?token=[\w-]{43}\n/);
    expect(out).toContain('2026-01-18T12:00:00.000Z');
    expect((await go('account', 'log', 'invited')).out).toContain('expires 2026-01-18T12:00:00.000Z');
    expect(await json('account', 'invite', 'invited', '--withdraw')).toEqual({ name: 'invited', withdrawn: true });
    const log = await json('account', 'log', 'invited');
    expect((log as unknown as { event: string }[]).map(({ event }) => event)).toEqual([
      'dashboard-withdraw',
      'dashboard-invite',
      'dashboard-invite',
      'account-create',
    ]);
  });

  test.each([
    [['account'], 'Name a subcommand: create, list, show, credit, whitelist, statement, invite, log.'],
    [['account', 'shwo', 'acme'], "Unknown command 'shwo' (Did you mean show?)"],
    [['account', 'show'], "Missing required argument 'name'."],
    [['account', 'show', 'missing'], 'There is no account "missing".'],
    [['account', 'invite', 'missing'], 'There is no account "missing".'],
    [['account', 'invite', 'missing', '--withdraw'], 'There is no account "missing".'],
    [['account', 'invite', 'acme', '--url', 'ftp://search.example'], 'Write an address such as'],
    [['account', 'statement', 'missing'], 'There is no account "missing".'],
    [['account', 'log', 'missing'], 'There is no account "missing".'],
    [['account', 'log', '--limit', '0'], '--limit'],
    [['account', 'create', 'acme'], 'There is an account "acme" already.'],
    [['account', 'create', '-x'], "Unknown option '-x'"],
    [['account', 'create', 'a b'], '"a b" cannot be the name'],
    [['account', 'create', 'new', '--serp-credits', '1.5'], 'Write a whole number of at most 15 digits.'],
    [['account', 'create', 'new', '--serp-credits', '-1'], 'cannot begin with a negative balance'],
    [['account', 'create', 'new', '--usd', '0.0000001'], 'at most six decimals'],
    [['account', 'create', 'new', '--usd', '1e3'], 'Write dollars such as'],
    [['account', 'credit', 'acme'], 'Give an amount'],
  ])('%j is a mistake that changes nothing', async (argv, message) => {
    await json('account', 'create', 'acme');
    const { exitCode, out, err } = await go(...argv);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n').length).toBe(2); // the mistake and its remedy
  });
});

describe('api-user', () => {
  beforeEach(() => json('account', 'create', 'paying'));

  test('add shows the password once, and keeps only its hash', async () => {
    const { username, password } = await json('api-user', 'add', 'ann', '--account', 'paying');
    expect(username).toBe('ann');
    expect(password).toMatch(/^[\w-]{32}$/);
    const shown = await json('account', 'show', 'paying');
    expect(shown['users']).toEqual([
      {
        username: 'ann',
        account: 'paying',
        state: 'active',
        createdAt: '2026-01-15T12:00:00.000Z',
        expiresAt: null,
        revokedAt: null,
        dailyCap: null,
      },
    ]);
    const store = openStore(`${folder.path}/data/rankledger.sqlite`);
    const login = await store.accounts.findLogin('ann');
    expect(login?.user.passwordHash).toMatch(/^\$hmac-sha256\$/);
    expect(login?.user.passwordHash).not.toContain(password);
    store.close();
  });

  test('add without a name generates one, and says what to keep', async () => {
    const { out, exitCode } = await go('api-user', 'add', '--account', 'paying', '--expires', '2026-02-01T00:00Z');
    expect(exitCode).toBe(0);
    expect(out).toMatch(/username +api-[0-9a-f]{20}\n +password +[\w-]{32}\nSave the password now/);
    expect((await go('api-user', 'list', '--account', 'paying')).out).toMatch(/api-\w+ +paying +active .* 2026-02-01T/);
  });

  test('list shows expired and revoked users, and expiry can be lifted', async () => {
    await json('api-user', 'add', 'bob', '--account', 'paying');
    const bob = async () => {
      const users = (await json('api-user', 'list')) as unknown as { username: string; state: string }[];
      return users.find(({ username }) => username === 'bob')?.state;
    };
    expect(await json('api-user', 'expire', 'bob', '--at', '2026-01-15T13:00+01:00')).toEqual({
      username: 'bob',
      expiresAt: '2026-01-15T12:00:00.000Z',
    });
    expect(await bob()).toBe('expired');
    expect((await go('api-user', 'expire', 'bob', '--never')).out).toBe('bob never expires.\n');
    expect(await bob()).toBe('active');
    expect(await json('api-user', 'revoke', 'bob')).toEqual({ username: 'bob', revoked: true });
    expect(await bob()).toBe('revoked');
  });

  test.each([
    [['api-user', 'add', 'x'], "Required option '--account <name>' not specified"],
    [['api-user', 'add', 'x', '--account', 'missing'], 'There is no account "missing".'],
    [['api-user', 'add', 'ann', '--account', 'paying'], 'There is an API user "ann" already.'],
    [['api-user', 'expire', 'ann'], 'Give either'],
    [['api-user', 'expire', 'ann', '--never', '--at', '2026-01-01T00:00Z'], 'Give either'],
    [['api-user', 'expire', 'ann', '--at', 'tomorrow'], 'Write a moment with its zone'],
    [['api-user', 'expire', 'carol', '--never'], 'There is no API user "carol".'],
    [['api-user', 'revoke', 'carol'], 'There is no API user "carol".'],
    [['api-user', 'list', '--account', 'missing'], 'There is no account "missing".'],
  ])('%j is a mistake that changes nothing', async (argv, message) => {
    await json('api-user', 'add', 'ann', '--account', 'paying');
    const { exitCode, out, err } = await go(...argv);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toContain(message);
  });
});

test('each action has its own help, with examples', async () => {
  const { out, exitCode } = await go('account', 'credit', '--help');
  expect(exitCode).toBe(0);
  expect(out).toContain('Usage: rankledger account credit [options] <name>');
  expect(out).toContain('--note <text>');
  expect(out).toContain('--json');
  expect(out).toContain('$ rankledger account credit acme --usd -2.50');
  expect(out).not.toContain('account whitelist');
  expect((await go('help', 'api-user')).out).toContain('$ rankledger api-user revoke crawler');
});
