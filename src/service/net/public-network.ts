// Restricts connections to https and public addresses. Names are checked by their addresses at connection time.
import { lookup } from 'node:dns';
import { isIP, type LookupFunction, connect as openPlain } from 'node:net';
import { connect as openEncrypted } from 'node:tls';
import type { Agent } from 'undici';
import { isAllowed, isMapped } from '../access/login/addresses.ts';
import { ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';

/** Addresses that are allowed besides public ones; plain http is allowed only for these. */
export interface NetworkPolicy {
  /** This machine: for tests and local services. */
  readonly allowLoopback?: boolean;
  /** Private networks and this machine: for self-hosted engines. */
  readonly allowPrivate?: boolean;
}

/** The error code of a lookup or connection that this policy refused. */
export const privateAddressCode = 'PRIVATE_ADDRESS';

const loopback = ['127.0.0.0/8', '::1'];

/** IANA's special-purpose registries: addresses outside the public network, and prefixes that hide an IPv4 address. */
const special = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...[
    '224.0.0.0/4',
    '240.0.0.0/4',
    '::/96',
    '::ffff:0:0:0/96',
    '64:ff9b::/96',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/23',
    '2001:db8::/32',
  ],
  ...['2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
];

const own = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

/** Whether requests to this IP address are allowed. False for any other text. */
export function isReachable(address: string, { allowLoopback, allowPrivate }: NetworkPolicy): boolean {
  if (isIP(address) === 0) return false;
  const isHere = isAllowed(loopback, address);
  if (isHere) return allowLoopback === true || allowPrivate === true;
  const isPublic = !isAllowed(special, address) && !isMapped(address);
  return isPublic || (allowPrivate === true && isAllowed(own, address));
}

/**
 * Throws ServiceError (charged `no`, halts) unless the URL is allowed: https, or http if the policy allows more than
 * the public network; and no literal private address. Call it for every redirect as well.
 */
export function rejectPrivateUrl(url: URL, policy: NetworkPolicy): void {
  const isPlainAllowed = policy.allowLoopback === true || policy.allowPrivate === true;
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPlainAllowed)) {
    throw new ServiceError(
      'CONNECTION_FAILED',
      `${url.protocol}//${url.host} was not requested: only https is allowed.`,
      {
        disposition: 'halt',
        hint: 'Use an https URL. Where a source has `allowPrivate`, `allowPrivate: true` also allows http in your own network.',
      },
    );
  }
  const host = plainHost(url);
  if (isIP(host) !== 0 && !isReachable(host, policy)) throw privateAddressError();
}

export function privateAddressError(cause?: unknown): ServiceError {
  return new ServiceError('CONNECTION_FAILED', 'The address is not on the public network and was not requested.', {
    disposition: 'halt',
    hint: 'Use a public https URL. `allowLoopback: true` allows this machine, and `allowPrivate: true`, where a source has it, your own network.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Resolves names as the system does, and fails if any address of a name is forbidden: a second lookup could return that
 * one.
 */
export function guardedLookup(policy: NetworkPolicy, resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0);
      if (!found.every(({ address }) => isReachable(address, policy))) {
        const refusal: NodeJS.ErrnoException = new Error(`${hostname} resolves to an address that is not public.`);
        refusal.code = privateAddressCode;
        return callback(refusal, '', 0);
      }
      if (options.all === true) return callback(null, found);
      const [first] = found;
      callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

/**
 * An agent that connects only to addresses that the policy allows, without one to all. One connection per request in
 * flight, and HTTP/1.1 only: a multiplexed connection may repeat a request automatically. The caller sets all time
 * limits except that for connecting.
 */
export async function openAgent(policy: NetworkPolicy | undefined, connections: number): Promise<Agent> {
  const { Agent } = await import('undici');
  const connect = { timeout: limits.connectTimeoutMs, lookup: policy && guardedLookup(policy) };
  return new Agent({ connections, pipelining: 1, allowH2: false, headersTimeout: 0, bodyTimeout: 0, connect });
}

/** The host in the form of sockets: an IPv6 address without brackets. */
export function plainHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The port, also if the URL omits the default one. */
export function effectivePort({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

export const checkNetwork = 'Check its address and the network.';

/** Opens and closes a connection to the host of a URL, encrypted if the URL is. Throws ServiceError. */
export async function reach(url: URL, network: NetworkPolicy, signal: AbortSignal): Promise<void> {
  const host = plainHost(url);
  const isEncrypted = url.protocol === 'https:';
  const to = { host, port: effectivePort(url), lookup: guardedLookup(network) };
  await tried(signal, url.host, (done, fail) => {
    const socket = isEncrypted ? openEncrypted({ ...to, servername: host }) : openPlain(to);
    socket.once(isEncrypted ? 'secureConnect' : 'connect', done).once('error', fail);
    return () => socket.destroy();
  });
}

/** Waits until the connection is open, has failed or is cancelled, then closes it. Throws ServiceError. */
export async function tried(
  signal: AbortSignal,
  place: string,
  start: (done: () => void, fail: (error: Error) => void) => () => void,
): Promise<void> {
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  let giveUp: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp, { once: true });
      stop = start(resolve, (error) => reject(unreachable(place, error)));
    });
  } finally {
    if (giveUp !== undefined) signal.removeEventListener('abort', giveUp);
    stop?.();
  }
}

function unreachable(place: string, cause: NodeJS.ErrnoException): ServiceError {
  if (cause.code === privateAddressCode) return privateAddressError(cause);
  const message = `${place} cannot be reached (${cause.code ?? 'no answer'}).`;
  return new ServiceError('CONNECTION_FAILED', message, { hint: checkNetwork, cause });
}
