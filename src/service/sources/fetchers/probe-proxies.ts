// Tests proxies by a handshake and a request that they must refuse. No page is requested.
import { request as askPlain, type RequestOptions } from 'node:http';
import { request as askEncrypted } from 'node:https';
import { ServiceError } from '../../model/errors.ts';
import { effectivePort, plainHost } from '../../net/public-network.ts';
import { checkNetwork, tried } from '../../net/tcp-probe.ts';
import type { FetcherProbe } from './fetcher.ts';
import { proxyAddress } from './proxy.ts';

/** A host that never exists: a proxy that reports this has accepted the login first. */
const nowhere = 'rankledger.invalid:443';
/** Number of proxies probed at once. */
const proxiesAtOnce = 100;
/** Number of failing proxies named in the message. */
const namedMax = 5;

/** Reports which proxies work: they answer, and accept the login if they need one. */
export async function probeProxies(proxies: readonly string[], signal: AbortSignal): Promise<FetcherProbe> {
  const problems: ServiceError[] = [];
  const left = [...proxies];
  const probe = async (): Promise<void> => {
    for (let proxy = left.shift(); proxy !== undefined; proxy = left.shift()) {
      const problem = await proxyProblem(new URL(proxy), signal);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: Math.min(proxiesAtOnce, proxies.length) }, probe));
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
    const status = await handshake(proxy, signal);
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

/** The proxy's status for a request to a host that does not exist. */
async function handshake(proxy: URL, signal: AbortSignal): Promise<number> {
  const { authorization } = proxyAddress(proxy.href);
  const options: RequestOptions = {
    method: 'CONNECT',
    host: plainHost(proxy),
    port: effectivePort(proxy),
    path: nowhere,
    agent: false,
    headers: {
      host: nowhere,
      ...(authorization !== undefined && { 'proxy-authorization': authorization }),
    },
  };
  let status = 0;
  await tried(signal, proxy.host, (done, fail) => {
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
