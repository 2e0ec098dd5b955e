// Sends one HTTP request. A failure says whether the request had left, because that decides about the charge.
import type { IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';
import { privateAddressCode, privateAddressError } from './public-network.ts';

/** An answer as received. `isWhole` is false if it was larger than allowed or could not be decompressed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Decompressed; the received part if it is incomplete. */
  readonly bytes: Uint8Array;
  readonly isWhole: boolean;
}

interface HttpSending {
  readonly method: 'GET' | 'POST';
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/**
 * Sends the request and waits for the whole answer. Follows no redirect and sends nothing twice. Throws ServiceError:
 * CONNECTION_FAILED (charged `no`: it never left), CONNECTION_LOST (`unknown`), or the signal's reason, charged `no`
 * before it left. `bytesMax` limits the answer as received, and again after decompression.
 */
export async function exchange(
  dispatcher: Dispatcher,
  sending: HttpSending,
  signal: AbortSignal,
  bytesMax: number = limits.responseBytesMax,
): Promise<HttpAnswer> {
  const raw = await receive(dispatcher, sending, signal, bytesMax);
  if (!raw.isWhole) return raw;
  const bytes = decompress(raw.bytes, String(raw.headers['content-encoding'] ?? ''), bytesMax);
  return bytes === undefined ? { ...raw, isWhole: false } : { ...raw, bytes };
}

function receive(
  dispatcher: Dispatcher,
  sending: HttpSending,
  signal: AbortSignal,
  bytesMax: number,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: IncomingHttpHeaders = {};
    const received = new ReceivedBytes();

    const fail = (error: unknown) => {
      signal.removeEventListener('abort', giveUp);
      reject(error);
    };
    const finish = (isWhole: boolean) => {
      signal.removeEventListener('abort', giveUp);
      resolve({ status, headers, bytes: received.bytes(), isWhole });
    };
    const giveUp = () => {
      fail(givenUp(signal, controller !== undefined));
      controller?.abort(new Error('given up'));
    };
    signal.addEventListener('abort', giveUp, { once: true });
    if (signal.aborted) {
      giveUp();
      return;
    }
    const handler: Dispatcher.DispatchHandler = {
      // Called when a connection exists and the request is about to be written: from here on it may be served.
      onRequestStart(started) {
        if (signal.aborted) started.abort(new Error('given up'));
        else controller = started;
      },
      onResponseStart(_, statusCode, responseHeaders) {
        status = statusCode;
        headers = responseHeaders;
      },
      onResponseData(current, chunk) {
        received.add(chunk);
        if (received.size <= bytesMax) return;
        finish(false);
        current.abort(new Error('too large'));
      },
      onResponseEnd: () => finish(true),
      onResponseError: (_, cause) => fail(connectionError(cause, controller !== undefined)),
    };
    try {
      dispatcher.dispatch(sending, handler);
    } catch (cause) {
      fail(connectionError(cause, controller !== undefined));
    }
  });
}

function givenUp(signal: AbortSignal, hadLeft: boolean): unknown {
  const { reason } = signal;
  return reason instanceof ServiceError && !hadLeft ? reason.with({ charged: 'no' }) : reason;
}

/** The system's code (ECONNREFUSED, ENOTFOUND, ...) is enough; messages of other layers may quote the request. */
function connectionError(cause: unknown, hadLeft: boolean): ServiceError {
  const code = (cause as { code?: unknown } | undefined)?.code;
  if (code === privateAddressCode) return privateAddressError(cause);
  const detail = typeof code === 'string' ? ` (${code})` : '';
  return hadLeft
    ? new ServiceError('CONNECTION_LOST', `The connection broke after the request had left${detail}.`, { cause })
    : new ServiceError('CONNECTION_FAILED', `The service could not be reached${detail}.`, { cause });
}

/** Limit of codings per answer: each further one costs the time of another whole answer. */
const codingsMax = 2;
/** Largest window of zstd, as a power of two: 8 MiB, which RFC 9659 sets for HTTP. */
const zstdWindowLogMax = 23;

/** Decodes the codings, last one first. Undefined if one is unknown, broken, or exceeds the limit. */
function decompress(bytes: Uint8Array, encoding: string, bytesMax: number): Uint8Array | undefined {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim());
  if (codings.length > codingsMax) return undefined;
  let plain = bytes;
  try {
    for (const coding of codings.reverse()) plain = undo(coding, plain, bytesMax);
  } catch {
    return undefined;
  }
  return plain;
}

function undo(coding: string, bytes: Uint8Array, bytesMax: number): Uint8Array {
  const options = { maxOutputLength: bytesMax };
  switch (coding) {
    case '':
    case 'identity':
      return bytes;
    case 'gzip':
    case 'x-gzip':
      return gunzipSync(bytes, options);
    case 'br':
      return brotliDecompressSync(bytes, options);
    case 'deflate':
      return inflateSync(bytes, options);
    case 'zstd':
      return zstdDecompressSync(bytes, {
        ...options,
        params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLogMax },
      });
    default:
      throw new Error(`Unknown content coding "${coding}".`);
  }
}

const firstBytes = 16 * 1024;

class ReceivedBytes {
  #buffer = Buffer.allocUnsafe(0);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Copies the piece. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (size > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#buffer.length, firstBytes));
      this.#buffer.copy(larger, 0, 0, this.#size);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#size);
    this.#size = size;
  }

  /** Everything that was added. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }
}

/** A test compares the version with package.json, which is missing where the service is embedded as source. */
export const userAgent = 'rankledger/1.0.0';
