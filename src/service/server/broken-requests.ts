// Answers connections with invalid or too slow HTTP requests.
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../model/errors.ts';
import type { RefusedConnection } from './guarded-server.ts';

/** An error of the table. */
export function refusalError(reason: RefusedConnection['reason']): ServiceError {
  if (reason === 'slow') return new ServiceError('TIMEOUT', 'The request came too slowly.');
  if (reason === 'flood')
    return new ServiceError('RATE_LIMIT_EXCEEDED', 'Too many requests at once on one connection.', {
      retryAfterMs: 1000,
    });
  return new ServiceError(
    'INVALID_REQUEST',
    `This is not an HTTP request${reason === 'malformed' ? '' : ': its headers are too large'}.`,
  );
}

/**
 * RFC 9112, 3.2: an HTTP/1.1 request has exactly one Host. A proxy in front may have checked another one than we would.
 */
export function hostError({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return new ServiceError('INVALID_REQUEST', 'A request must have exactly one Host header.');
}
