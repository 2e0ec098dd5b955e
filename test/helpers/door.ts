// A server of history that lets in all programs of this machine, or those with the token `good`.

import { limitedExpressions } from '../../src/read/expression.ts';
import { loadGuardedServer } from '../../src/service/index.ts';
import type { Door } from '../../src/workspace/readers.ts';

export const openDoor: Door = {
  needsToken: () => false,
  check: () => ({ isReader: false, retryAfterMs: null }),
  isLocal: false,
};

export const tokenDoor: Door = {
  needsToken: () => true,
  check: (token) =>
    token === 'good' ? { isReader: true, scope: null, reader: 'good' } : { isReader: false, retryAfterMs: null },
  isLocal: false,
};

export const doorOptions = {
  door: openDoor,
  createServer: await loadGuardedServer(),
  onRefused: () => undefined,
  limitExpressions: <T>(_: string, work: () => T) =>
    limitedExpressions(Number.POSITIVE_INFINITY, work, () => undefined),
};
