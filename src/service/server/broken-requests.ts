// Answers connections whose bytes are no HTTP request or come too slowly.
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { CallReport } from '../core/calls.ts';
import { ServiceError } from '../model/errors.ts';
import { errorBody, publicError } from './public-errors.ts';
import { reportHeaders } from './response-headers.ts';

/** Answers, where an answer can still be written, with a row of the error table, and closes the connection. */
export function brokenRequest(error: NodeJS.ErrnoException, socket: Socket, report: CallReport): void {
  // Nothing is written after an answer that has begun: it would be taken for a part of it.
  const hasAnswered = socket.bytesWritten > 0;
  if (!socket.writable || hasAnswered || error.code === 'ECONNRESET') {
    socket.destroy(error);
    return;
  }
  const isSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const failure = isSlow
    ? new ServiceError('TIMEOUT', 'The request came too slowly.')
    : new ServiceError('INVALID_REQUEST', 'This is not a request of HTTP.');
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
 * RFC 9112, 3.2: a request of HTTP/1.1 has one Host, and none has two. A proxy in front may have judged another one
 * than we would.
 */
export function hostError({ rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  if (hosts === 1 || (hosts === 0 && httpVersion === '1.0')) return undefined;
  return new ServiceError('INVALID_REQUEST', 'A request has one Host header.');
}
