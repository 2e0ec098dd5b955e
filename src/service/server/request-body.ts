// Parses the body of a request. A refusal is returned, not thrown, because authentication comes first.

import { UnreadableBody } from '../core/requests.ts';
import { ServiceError } from '../model/errors.ts';
import { limits } from '../model/limits.ts';

/**
 * The JSON value of a body, or why it has none. Throws nothing: an unauthenticated caller learns nothing about its
 * body.
 */
export function readBody(contentType: string | undefined, bytes: unknown): unknown {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json') return refused('Content-Type must be application/json.');
  if (!(bytes instanceof Uint8Array)) return refused('The request body must be a JSON object.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused('The request body is not JSON.');
  }
  const isHostile = typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');
  return isHostile ? refused('The request body must not contain __proto__.') : value;
}

/** A body beyond the limit. */
export function tooLarge(): UnreadableBody {
  const message = `The request body must have at most ${limits.requestBodyBytesMax} bytes.`;
  return new UnreadableBody(new ServiceError('INVALID_REQUEST', message, { status: 413 }));
}

/** An incomplete body, or one in an invalid HTTP form. */
export function refused(message: string): UnreadableBody {
  return new UnreadableBody(new ServiceError('INVALID_REQUEST', message));
}
