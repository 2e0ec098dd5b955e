// The account dashboard over HTTP, with a browser that runs no script.
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServerOptions, startServer } from '../../../../src/service/index.ts';
import { type Customers, cheapScrypt, setUpCustomers } from '../../../helpers/customers.ts';
import { DashboardVisitor, type SeenPage } from '../../../helpers/dashboard-visitor.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const password = 'correct horse battery staple';
const hourMs = 3_600_000;

interface Running extends Customers, RunningServer {
  visitor(headers?: Record<string, string>): DashboardVisitor;
  /** A visitor who has accepted an invitation, and the page that came of it. */
  holder(account?: string): Promise<{ readonly visitor: DashboardVisitor; readonly page: SeenPage }>;
  call(username: string, password: string, path?: string, headers?: Record<string, string>): Promise<number>;
}

async function start(options: Partial<ServerOptions> = {}): Promise<Running> {
  const customers = await setUpCustomers();
  const { service, clock, store, accounts } = customers;
  const dashboard = { scryptCost: cheapScrypt, ...options.dashboard };
  const server = await startServer({ service, clock, accounts: store, ...options, dashboard });
  open.push(server);
  const visitor = (headers?: Record<string, string>) => new DashboardVisitor(server.url, headers);
  return {
    ...customers,
    ...server,
    visitor,
    async holder(account = 'acme') {
      const { token } = await accounts.invite(account, hourMs);
      const guest = visitor();
      const page = await guest.open(`/account/invitation?token=${token}`);
      const answer = await guest.submit(page, '/account/invitation', { new_password: password, repeated: password });
      return { visitor: guest, page: answer };
    },
    async call(username, password, path = '/v1/serp', headers = {}) {
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'service-api-user': username,
          'service-api-password': password,
          ...headers,
        },
        body: '{"keyword":"shoes"}',
      });
      return response.status;
    },
  };
}

const createUser = async (visitor: DashboardVisitor, name: string, more: Record<string, string> = {}) => {
  const page = await visitor.submit(await visitor.open('/account/users'), '/account/users', { name, ...more });
  return { page, username: page.$('#username').text(), password: page.$('#password').text() };
};

describe('an invitation', () => {
  it('leads to an account whose new API user works at once', async () => {
    const server = await start();
    const { visitor, page } = await server.holder();
    expect([page.status, page.title, page.path]).toEqual([200, 'Overview', '/account']);
    const user = await createUser(visitor, 'crawler');
    expect(user.username).toBe('acme.crawler');
    expect(await server.call(user.username, user.password)).toBe(200);
    expect(await server.call(user.username, `${user.password}x`)).toBe(401);
  });
});
