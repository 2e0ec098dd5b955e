// Maps a vendor's refusal to an error code, a cost, and whether another key may work. Each vendor has a table. Pure.
import { printable, retryAfterMs } from '../../client/error-responses.ts';
import type { Charged } from '../../model/charged.ts';
import { type ErrorCode, type PageFailureReason, ServiceError } from '../../model/errors.ts';
import { limits } from '../../model/limits.ts';

/** Why a key is not used. */
export type KeyTrouble = 'out_of_credits' | 'bad_key' | 'throttled';

/** Meanings of vendors' refusals. */
type Meaning =
  | KeyTrouble
  | 'bad_request'
  | 'forbidden'
  | 'wrong_address'
  | 'blocked'
  | 'other_query'
  | 'timeout'
  | 'failed';

/** One line of a vendor's table of refusals. The first match counts. */
export interface RefusalRule {
  /** Absent: all statuses, including 200. */
  readonly status?: number;
  /** Words that the refusal must contain; absent: no condition. */
  readonly words?: RegExp;
  readonly means: Meaning;
  /** The charge, if it differs from the vendor's rule for failures. */
  readonly charged?: Charged;
  /** How long to wait if the vendor does not say. */
  readonly pauseMs?: number;
  /** The remedy, if it differs from that of the meaning. */
  readonly hint?: string;
}

/** A refusal as received, without secrets. */
interface VendorRefusal {
  readonly status: number;
  readonly words: string;
  readonly retryAfter: string | undefined;
  /** How long to wait, as the vendor says it elsewhere. */
  readonly pauseMs?: number;
  /** The cost of the failure, if the answer states it; otherwise absent. */
  readonly charged?: Charged;
}

interface JudgedRefusal {
  readonly trouble: KeyTrouble | undefined;
  readonly error: ServiceError;
}

const byStatus: ReadonlyMap<number, Meaning> = new Map([
  [400, 'bad_request'],
  [401, 'bad_key'],
  [402, 'out_of_credits'],
  [403, 'forbidden'],
  [404, 'wrong_address'],
  [405, 'wrong_address'],
  [408, 'timeout'],
  [422, 'bad_request'],
  [429, 'throttled'],
  [504, 'timeout'],
]);

/** Each meaning as an error, and its remedy where it is not that of the code. */
const outcomes: Readonly<
  Record<Meaning, { code: ErrorCode; hint?: (vendor: string) => string; reason?: PageFailureReason }>
> = {
  throttled: {
    code: 'RATE_LIMIT_EXCEEDED',
    hint: (vendor) => `Wait, or lower requestsPerSecond or concurrency of ${vendor}.`,
  },
  out_of_credits: {
    code: 'INSUFFICIENT_CREDITS',
    hint: (vendor) => `Top up the account at ${vendor}; the rest of the run is deferred.`,
  },
  bad_key: { code: 'INVALID_API_KEY', hint: (vendor) => `Check the key of ${vendor}.` },
  forbidden: {
    code: 'IP_NOT_WHITELISTED',
    hint: (vendor) =>
      `${vendor} forbids the request: check the rights of the key, its plan, and its allowed addresses.`,
  },
  bad_request: {
    code: 'INVALID_REQUEST',
    hint: (vendor) => `${vendor} rejects this request; its message says why.`,
  },
  wrong_address: {
    code: 'NOT_FOUND',
    hint: () => 'Check baseUrl: there is no such path, and redirects are not followed.',
  },
  timeout: { code: 'TIMEOUT' },
  blocked: { code: 'SERP_FAILED', reason: 'blocked' },
  other_query: { code: 'SERP_FAILED', reason: 'wrong_query' },
  failed: { code: 'SERP_FAILED' },
};

/** `failureCharge` is the vendor's rule for failed pages; `now` is UTC milliseconds. */
export function judgeRefusal(
  vendor: string,
  rules: readonly RefusalRule[],
  failureCharge: Charged,
  refusal: VendorRefusal,
  now: number,
): JudgedRefusal {
  const { status } = refusal;
  // Truncated before matching: some of the tables' patterns take quadratic time.
  const words = refusal.words.slice(0, limits.errorMessageCharsMax);
  const rule = rules.find(
    (each) => (each.status === undefined || each.status === status) && (each.words?.test(words) ?? true),
  );
  const means = rule?.means ?? byStatus.get(status) ?? otherwise(status);
  const givenMs = retryAfterMs(refusal.retryAfter, now) ?? boundedMs(refusal.pauseMs) ?? rule?.pauseMs;
  const pauseMs = means === 'throttled' ? (givenMs ?? limits.rateLimitPauseMs) : givenMs;
  const said = words === '' ? '' : `: ${printable(words)}`;
  const message = `${vendor} answered ${status}${said}`;
  const { code, hint, reason } = outcomes[means];
  // A request that never became a search costs nothing anywhere; for a search that failed, each vendor has its rule.
  const isSearch = code === 'SERP_FAILED' || code === 'TIMEOUT';
  const error = new ServiceError(code, message, {
    status,
    charged: rule?.charged ?? (isSearch ? (refusal.charged ?? failureCharge) : 'no'),
    retryAfterMs: pauseMs,
    hint: rule?.hint ?? hint?.(vendor),
    reason,
  });
  return { trouble: isTrouble(means) ? means : undefined, error };
}

function boundedMs(pauseMs: number | undefined): number | undefined {
  return pauseMs === undefined ? undefined : Math.min(Math.max(pauseMs, 0), limits.retryAfterMsMax);
}

function otherwise(status: number): Meaning {
  if (status >= 500 || status < 300) return 'failed';
  return status >= 400 ? 'bad_request' : 'wrong_address';
}

function isTrouble(means: Meaning): means is KeyTrouble {
  return means === 'out_of_credits' || means === 'bad_key' || means === 'throttled';
}
