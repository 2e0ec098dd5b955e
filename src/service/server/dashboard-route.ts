// Serves the account dashboard: opens it, and converts the framework's requests to its own.
import type { FastifyRequest } from 'fastify';
import { isAllowed } from '../access/login/addresses.ts';
import { Semaphore } from '../model/semaphore.ts';
import { answerDashboard, dashboardMethods } from './dashboard/dashboard.ts';
import { Holders } from './dashboard/holders.ts';
import type { DashboardAnswer, DashboardRequest } from './dashboard/visit.ts';
import type { DashboardOptions, ServerOptions } from './server-options.ts';

/** Host and port as browsers write them: the text must not end a quote in the examples. */
const hostForm = /^[\w.-]{1,253}(:\d{1,5})?$|^\[[\da-f:.]{2,45}\](:\d{1,5})?$/i;

/** The dashboard as the server sees it. */
export interface DashboardRoute {
  /** In the form of the header `Allow`; undefined for an unknown path. */
  allowedMethods(path: string): string | undefined;
  /** `address` is the client's. */
  answer(request: FastifyRequest, address: string, hungUp: AbortSignal): Promise<DashboardAnswer>;
  /** Writes pending entries of the audit trail. */
  close(): Promise<void>;
}

/** Throws Error if the accounts do not support a dashboard. */
export function openDashboard(
  { accounts, clock }: ServerOptions,
  options: DashboardOptions,
  trustedProxies: readonly string[],
): DashboardRoute {
  const dashboard = accounts?.dashboard;
  if (accounts === undefined || dashboard === undefined)
    throw new Error('The dashboard needs accounts whose store has `dashboard`.');
  const holders = new Holders({ accounts, dashboard, clock, ...options });
  const desk = { accounts, dashboard, clock, holders, creation: new Semaphore({ permits: 1 }) };
  return {
    allowedMethods: dashboardMethods,
    answer: (request, address, signal) =>
      answerDashboard(desk, { ...dashboardRequest(request, address, trustedProxies), signal }),
    close: () => holders.close(),
  };
}

function dashboardRequest(
  request: FastifyRequest,
  address: string,
  trustedProxies: readonly string[],
): Omit<DashboardRequest, 'signal'> {
  const { method, url, headers, body } = request;
  const [path = '', query = ''] = url.split('?', 2);
  const fetchSite = headers['sec-fetch-site'];
  return {
    method,
    path,
    query: new URLSearchParams(query),
    form: readForm(headers['content-type'], body),
    cookies: headers.cookie,
    address,
    origin: readOrigin(request, trustedProxies),
    fetchSite: typeof fetchSite === 'string' ? fetchSite : undefined,
  };
}

function readForm(contentType: string | undefined, body: unknown): URLSearchParams {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  const isForm = type === 'application/x-www-form-urlencoded' && body instanceof Uint8Array;
  return new URLSearchParams(isForm ? new TextDecoder().decode(body) : '');
}

/** The scheme comes from a trusted proxy; the server itself speaks HTTP. */
function readOrigin({ headers, socket }: FastifyRequest, trustedProxies: readonly string[]): string {
  const isProxied = trustedProxies.length > 0 && isAllowed(trustedProxies, socket.remoteAddress ?? '');
  const scheme = isProxied && headers['x-forwarded-proto'] === 'https' ? 'https' : 'http';
  const host = headers.host ?? '';
  return `${scheme}://${hostForm.test(host) ? host : 'localhost'}`;
}
