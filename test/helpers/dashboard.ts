// A server with the account dashboard over accounts in memory, and invited holders.
import { type AnsweredRequest, type RunningServer, type ServerOptions, startServer } from '../../src/service/index.ts';
import { type Customers, cheapScrypt, setUpCustomers } from './customers.ts';
import { DashboardVisitor, type SeenPage } from './dashboard-visitor.ts';
import type { MemoryScript } from './memory-source.ts';

export const holderPassword = 'copper violin sandwich orbit';
export const hourMs = 3_600_000;

export interface ServedDashboard extends Customers, RunningServer {
  readonly lines: AnsweredRequest[];
  visitor(headers?: Record<string, string>): DashboardVisitor;
  /** A visitor who has accepted an invitation, and the resulting page. */
  holder(account?: string): Promise<{ readonly visitor: DashboardVisitor; readonly page: SeenPage }>;
  signIn(visitor: DashboardVisitor, password?: string, code?: string, account?: string): Promise<SeenPage>;
  /** The status of a call over HTTP. */
  call(
    user: { readonly username: string; readonly password: string },
    path?: string,
    headers?: Record<string, string>,
  ): Promise<number>;
}

export async function serveDashboard(
  options: Partial<ServerOptions> = {},
  script: MemoryScript = {},
): Promise<ServedDashboard> {
  const customers = await setUpCustomers(script);
  const { service, clock, store, accounts } = customers;
  const lines: AnsweredRequest[] = [];
  const dashboard = { scryptCost: cheapScrypt, ...options.dashboard };
  const onAnswer = (line: AnsweredRequest) => lines.push(line);
  const server = await startServer({ service, clock, accounts: store, onAnswer, ...options, dashboard });
  const visitor = (headers?: Record<string, string>) => new DashboardVisitor(server.url, headers);
  return {
    ...customers,
    ...server,
    lines,
    visitor,
    async holder(account = 'acme') {
      const { token } = await accounts.invite(account, hourMs);
      const guest = visitor();
      const page = await guest.open(`/account/invitation?token=${token}`);
      const passwords = { new_password: holderPassword, repeated: holderPassword };
      return { visitor: guest, page: await guest.submit(page, '/account/invitation', passwords) };
    },
    async signIn(guest, password = holderPassword, code = '', account = 'acme') {
      const page = await guest.open('/account/sign-in');
      return await guest.submit(page, '/account/sign-in', { account, password, code });
    },
    async call({ username, password }, path = '/v1/serp', headers = {}) {
      const credentials = { 'service-api-user': username, 'service-api-password': password };
      const response = await fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...credentials, ...headers },
        body: '{"keyword":"shoes"}',
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

/** The API user that the form creates, and the page that shows it. */
export async function createApiUser(visitor: DashboardVisitor, name: string, more: Record<string, string> = {}) {
  const page = await visitor.submit(await visitor.open('/account/users'), '/account/users', { name, ...more });
  return { page, username: page.$('#username').text(), password: page.$('#password').text() };
}

/** The rows of a table by its caption, each as the texts of its cells. */
export function tableRows({ $ }: SeenPage, caption: string): string[][] {
  const table = $('table').filter((_, each) => $(each).find('caption').text().startsWith(caption));
  return table
    .find('tbody tr')
    .toArray()
    .map((row) =>
      $(row)
        .find('td')
        .toArray()
        .map((cell) => $(cell).text()),
    );
}
