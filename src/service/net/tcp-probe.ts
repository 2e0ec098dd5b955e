// Tests whether a TCP connection can be opened. It sends nothing.
import { connect as openPlain } from 'node:net';
import { connect as openEncrypted } from 'node:tls';
import { ServiceError } from '../model/errors.ts';
import {
  effectivePort,
  guardedLookup,
  type NetworkPolicy,
  plainHost,
  privateAddressCode,
  privateAddressError,
} from './public-network.ts';

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
