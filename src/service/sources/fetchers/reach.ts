// Whether the way to an engine stands: connections that are opened and closed again, and proxies that are greeted. No page is asked for.
import { request as askPlain, type RequestOptions } from 'node:http';
import { request as askEncrypted } from 'node:https';
import { connect as openPlain } from 'node:net';
import { connect as openEncrypted } from 'node:tls';
import { ServiceError } from '../../errors.ts';
import {
  guardedLookup,
  hostOf,
  type NetworkPolicy,
  portOf,
  privateAddressCode,
  privateAddressError,
} from '../../http/public-network.ts';
import { proxyAddress } from './proxy.ts';

/** What a fetcher says of its ways, asked for no page. */
export interface FetcherProbe {
  /** Null where the way stands, and whether a key is taken cannot be asked for nothing. */
  readonly answers: boolean | null;
  /** A sentence for people. */
  readonly message: string;
  readonly problems: readonly ServiceError[];
}

/** No such host will ever be: whoever is asked for it can find nothing there, and has read the login first. */
const nowhere = 'rankledger.invalid:443';
/** Proxies that are greeted at once. */
const proxiesAtOnce = 100;
/** Of many proxies that do not work, so many are named. */
const namedMax = 5;
const checkNetwork = 'Check its address and the network.';

/** Opens a connection to the host of an address, encrypted where the address is, and closes it. Throws ServiceError. */
export async function reach(url: URL, network: NetworkPolicy, signal: AbortSignal): Promise<void> {
  const host = hostOf(url);
  const isEncrypted = url.protocol === 'https:';
  const to = { host, port: portOf(url), lookup: guardedLookup(network) };
  await ended(signal, url.host, (done, fail) => {
    const socket = isEncrypted ? openEncrypted({ ...to, servername: host }) : openPlain(to);
    socket.once(isEncrypted ? 'secureConnect' : 'connect', done).once('error', fail);
    return () => socket.destroy();
  });
}

/** Says which proxies work: they answer, and take the login where they want one. */
export async function probeProxies(proxies: readonly string[], signal: AbortSignal): Promise<FetcherProbe> {
  const problems: ServiceError[] = [];
  const left = [...proxies];
  const greet = async (): Promise<void> => {
    for (let proxy = left.shift(); proxy !== undefined; proxy = left.shift()) {
      const problem = await proxyProblem(new URL(proxy), signal);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: Math.min(proxiesAtOnce, proxies.length) }, greet));
  const good = proxies.length - problems.length;
  const count =
    proxies.length === 1
      ? `The proxy ${good === 1 ? 'answers' : 'fails'}.`
      : `${good} of ${proxies.length} proxies answer.`;
  const named = problems.slice(0, namedMax).map(({ message, hint }) => `${message} ${hint}`);
  const rest = problems.length > namedMax ? [`And ${problems.length - namedMax} more.`] : [];
  return { answers: good > 0, message: [count, ...named, ...rest].join(' '), problems };
}

async function proxyProblem(proxy: URL, signal: AbortSignal): Promise<ServiceError | undefined> {
  try {
    const status = await greeting(proxy, signal);
    if (status !== 407 && status !== 401) return undefined;
    return new ServiceError('INVALID_CREDENTIALS', `The proxy ${proxy.host} refuses the login (${status}).`, {
      hint: 'Check its user and password in the environment.',
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.code !== 'TIMEOUT') return error;
    return new ServiceError('TIMEOUT', `The proxy ${proxy.host} does not answer.`, {
      charged: 'no',
      hint: checkNetwork,
    });
  }
}

/** The status with which the proxy answers a call to nowhere. */
async function greeting(proxy: URL, signal: AbortSignal): Promise<number> {
  const { authorization } = proxyAddress(proxy.href);
  const options: RequestOptions = {
    method: 'CONNECT',
    host: hostOf(proxy),
    port: portOf(proxy),
    path: nowhere,
    agent: false,
    headers: {
      host: nowhere,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    },
  };
  let status = 0;
  await ended(signal, proxy.host, (done, fail) => {
    const request = proxy.protocol === 'https:' ? askEncrypted(options) : askPlain(options);
    request.once('connect', (response) => {
      status = response.statusCode ?? 0;
      done();
    });
    request.once('error', fail).end();
    return () => request.destroy();
  });
  return status;
}

/** Waits for the one or the other, or the signal; whatever it was, the connection goes. Throws ServiceError. */
async function ended(
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
