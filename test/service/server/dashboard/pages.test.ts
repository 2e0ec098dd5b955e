// Pages and actions of the account dashboard, and their effect over HTTP.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { csvRows } from '../../../../src/report/formats/csv-rows.ts';
import { ServiceError } from '../../../../src/service/index.ts';
import { payloads } from '../../../browser/payloads.ts';
import { createApiUser, type ServedDashboard, serveDashboard, tableRows } from '../../../helpers/dashboard.ts';
import { metricsOf } from '../../../helpers/memory-source.ts';

const open: ServedDashboard[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function start(...options: Parameters<typeof serveDashboard>): Promise<ServedDashboard> {
  const server = await serveDashboard(...options);
  open.push(server);
  return server;
}

const status = ({ $ }: { $: (selector: string) => { text(): string } }) => $('[role="status"]').text();

describe('API users', () => {
  it('that are created work at once, and their password is shown only once', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const user = await createApiUser(visitor, 'crawler');
    expect(user.page.title).toBe('API user created');
    expect(user.username).toBe('acme.crawler');
    expect(await server.call(user)).toBe(200);
    expect(await server.call(user, '/v1/keyword-data')).toBe(200);
    const seen = await Promise.all(
      ['/account/users', '/account/users/user?name=acme.crawler', '/account/examples', '/account/security'].map(
        (path) => visitor.open(path),
      ),
    );
    for (const { text } of seen) expect(text).not.toContain(user.password);
    expect(tableRows(seen[0]!, 'API users').map(([name, state]) => [name, state])).toEqual([
      ['acme.crawler', 'active'],
      ['ann', 'active'],
      ['bob', 'active'],
    ]);
  });

  it('are created once, even if the form is sent again', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const page = await visitor.open('/account/users');
    expect((await visitor.submit(page, '/account/users')).title).toBe('API user created');
    const again = await visitor.submit(page, '/account/users');
    expect([again.status, again.problem]).toEqual([400, expect.stringContaining('already')]);
    expect(await server.accounts.listUsers('acme')).toHaveLength(3);
  });

  it.each([
    [{ name: ' ' }, /Give the API user a name/],
    [{ name: 'a b' }, /cannot be the name/],
    [{ name: 'x'.repeat(64) }, /cannot be the name/],
    [{ name: 'crawler', expires: 'tomorrow' }, /date and a time/],
    [{ name: 'crawler', expires: '2026-13-41T25:00' }, /date and a time/],
  ])('of the form %j are not created, and the form keeps its input', async (values, why) => {
    const server = await start();
    const { visitor } = await server.holder();
    const refused = await visitor.submit(await visitor.open('/account/users'), '/account/users', values);
    expect(refused.status).toBe(400);
    expect(refused.problem).toMatch(why);
    expect(refused.$('#name').val()).toBe(values.name);
    expect(await server.accounts.listUsers('acme')).toHaveLength(2);
  });

  it('are refused after their expiry, which can be set and removed', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const user = await createApiUser(visitor, 'crawler', { expires: '2026-01-15T06:10' });
    await server.clock.advance(9 * 60_000);
    expect(await server.call(user)).toBe(200);
    await server.clock.advance(60_000);
    expect(await server.call(user)).toBe(401);
    const page = await visitor.open(`/account/users/user?name=${user.username}`);
    expect(page.text).toContain('expired');
    expect(page.$('#expires').val()).toBe('2026-01-15T06:10');
    expect(status(await visitor.submit(page, '/account/users/expire', { expires: '' }))).toBe('The expiry is set.');
    expect(await server.call(user)).toBe(200);
    expect((await visitor.submit(page, '/account/users/expire', { expires: 'soon' })).problem).toMatch(
      /date and a time/,
    );
  });

  it('that are revoked are refused from the next request on, and only after a confirmation', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const user = await createApiUser(visitor, 'crawler');
    const page = await visitor.open(`/account/users/user?name=${user.username}`);
    expect((await visitor.submit(page, '/account/users/revoke')).problem).toMatch(/Confirm/);
    expect(await server.call(user)).toBe(200);
    expect(status(await visitor.submit(page, '/account/users/revoke', { sure: 'yes' }))).toContain('is revoked');
    expect(await server.call(user)).toBe(401);
    expect((await visitor.open(`/account/users/user?name=${user.username}`)).$('form').length).toBe(1);
  });

  it('of another account are never seen, changed or guessed by their names', async () => {
    const server = await start();
    await server.accounts.create('globex', { serpCredits: 1, microUsd: 0 });
    const rival = await server.accounts.addUser('globex', { username: 'rival' });
    const { visitor } = await server.holder();
    expect((await visitor.open('/account/users')).text).not.toContain('rival');
    const page = await visitor.open('/account/users/user?name=rival');
    expect([page.status, page.problem]).toEqual([404, 'There is no such API user.']);
    const token = page.$('[name="form_token"]').first().val() as string;
    for (const action of ['expire', 'revoke']) {
      const fields = { form_token: token, username: 'rival', sure: 'yes', expires: '2020-01-01T00:00' };
      expect((await visitor.post(`/account/users/${action}`, new URLSearchParams(fields))).status).toBe(404);
    }
    expect(await server.call(rival)).toBe(200);
    expect((await createApiUser(visitor, 'rival')).username).toBe('acme.rival');
    expect((await visitor.open('/account/examples/search.sh?user=rival')).text).not.toContain('rival');
  });

  it('are limited to a hundred', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    for (let count = 2; count < 99; count += 1) await server.accounts.addUser('acme');
    expect((await createApiUser(visitor, 'last')).page.title).toBe('API user created');
    const refused = await createApiUser(visitor, 'more');
    expect(refused.page.problem).toMatch(/at most 100 API users/);
    await server.accounts.revokeUser('acme.last');
    expect((await createApiUser(visitor, 'more')).page.title).toBe('API user created');
  });
});

it('API users of forms that are sent at once are limited to a hundred, too', async () => {
  const server = await start();
  const { visitor } = await server.holder();
  for (let count = 2; count < 99; count += 1) await server.accounts.addUser('acme');
  const { store } = server;
  const create = store.createUser.bind(store);
  store.createUser = async (...facts) => {
    for (let turn = 0; turn < 200; turn += 1) await setImmediate(); // other requests are read meanwhile
    return await create(...facts);
  };
  const form = (await visitor.open('/account/users')).$('[name="form_token"]').first().val() as string;
  const sent = ['one', 'two', 'three', 'four'].map(async (name) => {
    const fields = new URLSearchParams({ form_token: form, name, expires: '' });
    return (await visitor.post('/account/users', fields)).title;
  });
  expect((await Promise.all(sent)).filter((title) => title === 'API user created')).toHaveLength(1);
});

describe('the whitelist', () => {
  it('accepts IPv4, IPv6 and networks, in canonical form, with effect on the next request', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const user = await createApiUser(visitor, 'crawler');
    const page = await visitor.open('/account/whitelist');
    expect(page.text).toContain('may call from every address');
    const set = await visitor.submit(page, '/account/whitelist', {
      rules: '192.0.2.7, 2001:db8::/32\n::ffff:10.0.0.0/104\n',
    });
    expect(status(set)).toContain('The whitelist is saved');
    expect(set.$('#rules').val()).toBe('192.0.2.7/32\n2001:db8::/32\n10.0.0.0/8');
    expect(await server.call(user, '/v1/keyword-data')).toBe(403);
    expect(set.$('#own-address').text()).toBe('127.0.0.1');
    const own = await visitor.submit(set, '/account/whitelist/own-address');
    expect(own.$('#rules').val()).toBe('192.0.2.7/32\n2001:db8::/32\n10.0.0.0/8\n127.0.0.1/32');
    expect(await server.call(user, '/v1/keyword-data')).toBe(200);
    await visitor.submit(own, '/account/whitelist', { rules: '' });
    expect((await server.accounts.find('acme')).whitelist).toEqual([]);
  });

  it('with an ambiguous rule stays unchanged, and the form keeps its input', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    const rules = '192.0.2.7\n10.1.2.3/8';
    const refused = await visitor.submit(await visitor.open('/account/whitelist'), '/account/whitelist', { rules });
    expect([refused.status, refused.problem]).toEqual([400, expect.stringContaining('write 10.0.0.0/8')]);
    expect(refused.$('#rules').val()).toBe(rules);
    expect((await server.accounts.find('acme')).whitelist).toEqual([]);
  });

  it('takes the address that a trusted proxy reports as your own', async () => {
    const server = await start({ trustedProxies: ['127.0.0.1'] });
    const { token } = await server.accounts.invite('acme', 1000);
    const visitor = server.visitor({ 'x-forwarded-for': '203.0.113.9, 2001:db8::5' });
    const guest = await visitor.open(`/account/invitation?token=${token}`);
    const text = 'seven purple elephants waltz';
    await visitor.submit(guest, '/account/invitation', { new_password: text, repeated: text });
    const page = await visitor.open('/account/whitelist');
    expect(page.$('#own-address').text()).toBe('2001:db8::5');
    await visitor.submit(page, '/account/whitelist/own-address');
    expect((await server.accounts.find('acme')).whitelist).toEqual(['2001:db8::5/128']);
  });
});

describe('usage and statement', () => {
  it('show balance, and usage by day, user and operation', async () => {
    const server = await start({}, { metrics: ({ keyword }) => [metricsOf(keyword, 10)] });
    const { visitor } = await server.holder();
    const user = await createApiUser(visitor, 'crawler');
    await server.call(user);
    await server.call(user, '/v1/keyword-data');
    await server.call(server.ann);
    const page = await visitor.open('/account');
    expect(
      page
        .$('dd')
        .toArray()
        .map((each) => page.$(each).text()),
    ).toEqual(['98', '$0.99']);
    expect(tableRows(page, 'Usage of the last 31 days')).toEqual([
      ['2026-01-15', 'acme.crawler', 'keyword-data', '1', '0', '$0.01'],
      ['2026-01-15', 'acme.crawler', 'serp', '1', '1', '$0.00'],
      ['2026-01-15', 'ann', 'serp', '1', '1', '$0.00'],
    ]);
    expect(page.text).toContain('Requests: 3, SERP credits: 2, keyword data: $0.01');
    await server.clock.advance(7 * 86_400_000);
    await server.signIn(visitor);
    expect((await visitor.open('/account?days=7')).text).toContain('Nothing was used in this period.');
    expect(tableRows(await visitor.open('/account?days=90'), 'Usage of the last 90 days')).toHaveLength(3);
    expect(tableRows(await visitor.open('/account?days=1000000'), 'Usage of the last 31 days')).toHaveLength(3);
  });

  it('are the same in the CSV, whose amounts add up to the balance, beyond one block', async () => {
    const server = await start({}, { metrics: ({ keyword }) => [metricsOf(keyword, 10)] });
    const { visitor } = await server.holder();
    for (let count = 0; count < 1001; count += 1)
      await server.accounts.credit('acme', { serpCredits: 1, microUsd: 1 }, `invoice ${count}`);
    await server.call(server.ann, '/v1/keyword-data');
    const { headers, text, status } = await visitor.open('/account/statement.csv');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="acme-statement.csv"');
    const [head, ...rows] = [...csvRows([text], { delimiter: ',', safe: true })];
    expect(head).toEqual([
      'entry',
      'at',
      'kind',
      'serp_credits',
      'usd',
      'serp_credits_left',
      'usd_left',
      'operation',
      'api_user',
      'request_id',
      'charge_id',
      'note',
    ]);
    const manual = readFileSync('docs/dashboard.md', 'utf8');
    expect(head?.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
    const lines = rows.filter((row) => row.length > 1);
    expect(lines).toHaveLength(1004);
    expect(new Set(lines.map(([id]) => id)).size).toBe(1004);
    const sum = (column: number) => lines.reduce((total, row) => total + Number(row[column]), 0);
    const { serpCredits, microUsd } = await server.accounts.find('acme');
    expect([sum(3), Math.round(sum(4) * 1_000_000)]).toEqual([serpCredits, microUsd]);
    expect(lines.at(-1)?.slice(2, 9)).toEqual(['settle', '0', '0.02', '1101', '0.991001', 'keyword-data', 'ann']);
    expect(tableRows(await visitor.open('/account/statement'), 'The newest 50')).toHaveLength(50);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['a;=1+1', "a;'=1+1"],
    ['a\t@x,-1', "a\t'@x,'-1"],
    [' \u200b"=1', '\' \u200b"=1'],
    ['\u0001=x', "'\u0001=x"],
    ['\uFF1Dx\r\n+y', "'\uFF1Dx\r\n'+y"],
    ['plain 1-2', 'plain 1-2'],
  ])('write the note %j so that no spreadsheet runs it', async (note, written) => {
    const server = await start();
    const { visitor } = await server.holder();
    await server.accounts.credit('acme', { serpCredits: 1, microUsd: 0 }, note);
    const { text } = await visitor.open('/account/statement.csv');
    const rows = [...csvRows([text], { delimiter: ',', safe: false })].filter((row) => row.length > 1);
    expect(rows.at(-1)?.at(-1)?.replace(/^''/, "'")).toBe(written);
  });
});

describe('recent failures', () => {
  it('name refused calls with their reason, and failed requests with their error', async () => {
    let isBroken = true;
    const server = await start(
      {},
      {
        page: () => {
          throw isBroken ? new ServiceError('SERP_FAILED', 'no page') : new Error('unused');
        },
      },
    );
    const { visitor } = await server.holder();
    await server.call({ ...server.ann, password: 'wrong' });
    await server.call({ ...server.ann, password: 'wrong' });
    await server.call(server.ann);
    isBroken = false;
    await server.clock.advance(2000);
    const page = await visitor.open('/account/failures');
    expect(tableRows(page, 'Refused calls').map((row) => row.slice(1))).toEqual([
      ['ann', '127.0.0.1', 'wrong password', '2'],
    ]);
    expect(tableRows(page, 'Failed requests').map((row) => row.slice(1, 5))).toEqual([['ann', 'serp', '1', '$0.00']]);
  });
});

describe('texts', () => {
  it('of others are shown as plain text, with any markup', async () => {
    const server = await start();
    const { visitor } = await server.holder();
    for (const note of payloads) await server.accounts.credit('acme', { serpCredits: 1, microUsd: 0 }, note);
    const page = await visitor.open('/account/statement');
    expect(tableRows(page, 'The newest 50').map((row) => row.at(-1))).toEqual(payloads.toReversed().slice(0, 50));
    expect(page.$('script, img, svg, iframe, object, base, video, details, template').length).toBe(0);
    expect(page.$('main style, main meta').length).toBe(0);
    for (const payload of payloads) {
      const refused = await visitor.submit(await visitor.open('/account/whitelist'), '/account/whitelist', {
        rules: payload,
      });
      expect(refused.$('#rules').val()?.toString().trim()).toBe(payload.trim());
      expect(refused.$('script, img, svg, iframe').length).toBe(0);
    }
  });
});

describe('an example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rankledger-example-'));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const programs: Record<string, string> = { 'search.sh': 'sh', 'search.ts': process.execPath };

  it.each(Object.keys(programs))('%s runs as downloaded, with the credentials that were shown', async (name) => {
    const server = await start({}, { metrics: ({ keyword }) => [metricsOf(keyword, 10)] });
    const { visitor } = await server.holder();
    const user = await createApiUser(visitor, 'crawler');
    const { text, headers } = await visitor.open(`/account/examples/${name}?user=${user.username}`);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${name}"`);
    expect(text).toContain(server.url);
    expect(text).toContain("SERVICE_API_USER='acme.crawler'");
    expect(text).not.toContain(user.password);
    const file = join(mkdtempSync(join(tmpdir(), 'rankledger-example-')), name);
    writeFileSync(file, text);
    const env = { ...process.env, SERVICE_API_USER: user.username, SERVICE_API_PASSWORD: user.password };
    const { stdout } = await promisify(execFile)(programs[name]!, [file], { env });
    expect(stdout).toContain('organic');
    expect(stdout).toContain('search_volume');
  });

  it('names the URL that the browser used, with the scheme of a trusted proxy', async () => {
    const server = await start({ trustedProxies: ['127.0.0.1'] });
    const { visitor } = await server.holder();
    const proxied = server.visitor({ 'x-forwarded-proto': 'https' });
    proxied.cookie = visitor.cookie;
    expect((await proxied.open('/account/examples/search.sh')).text).toContain(server.url.replace('http:', 'https:'));
  });
});
