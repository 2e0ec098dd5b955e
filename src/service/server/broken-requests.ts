// Answers connections with invalid or too slow HTTP requests.
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { CallReport } from '../core/calls.ts';
import { ServiceError } from '../model/errors.ts';
import { errorBody, publicError } from './public-errors.ts';
import { reportHeaders } from './response-headers.ts';

/** Sends an error of the table, if an answer can still be written, and closes the connection. */
export function brokenRequest(error: NodeJS.ErrnoException, socket: Socket, report: CallReport): void {
  // Writes nothing after an answer has begun: it would be read as part of it.
  const hasAnswered = socket.bytesWritten > 0;
  if (!socket.writable || hasAnswered || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return;
  }
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const failure = isSlow
    ? new ServiceError('TIMEOUT', 'The request came too slowly.')
    : new ServiceError('INVALID_REQUEST', 'This is not an HTTP request.');
  const shown = publicError('other', failure);
  const body = errorBody(shown, report.requestId);
  const headers = {
    ...reportHeaders(report),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${shown.status} ${STATUS_CODES[shown.status]}\r\n${lines.join('')}\r\n${body}`);
}

/**
 * RFC 9112, 3.2: an HTTP/1.1 request has exactly one Host. A proxy in front may have checked another one than we would.
 */
export function hostError({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return new ServiceError('INVALID_REQUEST', 'A request must have exactly one Host header.');
}
