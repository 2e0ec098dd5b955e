// Parses the URL of a proxy, and words its failures.
import { ServiceError } from '../../model/errors.ts';

export interface ProxyAddress {
  /** Without the login. */
  readonly origin: string;
  /** As people know it: `proxy.example:8080`. */
  readonly name: string;
  /** Value of `proxy-authorization`; undefined where there is no login. */
  readonly authorization: string | undefined;
}

export function proxyAddress(address: string): ProxyAddress {
  const { origin, host, username, password } = new URL(address);
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
  return { origin, name: host, authorization };
}

/**
 * The failure where a proxy refuses or does not answer. `what` is the proxy's status, or a code of the system. The
 * engine was not asked.
 */
export function proxyFailure(address: string, what: number | string, cause?: unknown): ServiceError {
  const { name } = proxyAddress(address);
  const did = typeof what === 'number' ? `answered ${what} itself` : `leads nowhere (${what})`;
  const login = what === 407 ? 'its user and password' : 'its address, and whether it is paid for';
  return new ServiceError('CONNECTION_FAILED', `The proxy ${name} ${did}.`, {
    charged: 'no',
    hint: `Check the proxy: ${login}.`,
    ...(cause !== undefined && { cause }),
  });
}
