// Reads responses of the Google Ads API: errors, and the metrics of a keyword. Pure.

import { keywordKey } from '../../model/results/keyword-data.ts';
import { boundedJson, vendorBounds } from '../../net/bounded-json.ts';
import { type Fields, present } from '../../net/fields.ts';
import type { RefusalRule } from '../vendor-kit/client/refusals.ts';
import type { OutOfBandError } from '../vendor-kit/client/vendor-client.ts';
import type { KnownMetrics } from '../vendor-kit/metrics/metrics-list.ts';
import { plannerLevels } from '../vendor-kit/metrics/planner.ts';
import { numberAt, objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';

/** What the codes of an error mean, as `complaint` writes them. */
export const refusals: readonly RefusalRule[] = [
  { words: /RESOURCE_EXHAUSTED|RESOURCE_TEMPORARILY_EXHAUSTED|EXCESSIVE_/, means: 'throttled', pauseMs: 5000 },
  {
    words: /DEVELOPER_TOKEN_NOT_APPROVED/,
    means: 'forbidden',
    hint: 'The developer token is for test accounts only: apply for Basic access.',
  },
  { words: /UNSUPPORTED_VERSION/, means: 'wrong_address', hint: 'Name a version that is still served: version: v27.' },
  {
    words: /USER_PERMISSION_DENIED|NOT_ADS_USER|CUSTOMER_NOT_ENABLED/,
    means: 'forbidden',
    hint: 'Check customerId and loginCustomerId.',
  },
  { words: /UNAUTHENTICATED|OAUTH_TOKEN|DEVELOPER_TOKEN_(?:INVALID|PROHIBITED|PARAMETER_MISSING)/, means: 'bad_key' },
  { words: /PERMISSION_DENIED|SERVICE_DISABLED/, means: 'forbidden' },
  { words: /DEADLINE_EXCEEDED/, means: 'timeout' },
];

/** An object, or a list that has one in it: both forms are sent. */
export function parseAnswer(text: string): unknown {
  const value = boundedJson(text, vendorBounds);
  return Array.isArray(value) ? value[0] : value;
}

/** `RESOURCE_EXHAUSTED quotaError RESOURCE_EXHAUSTED: Too many requests.`; undefined for an answer without an error. */
export function complaint(root: Fields): string | undefined {
  const error = objectAt(root, 'error');
  // the server of access tokens writes it as two texts
  if (error === undefined) {
    const [code, description] = [wordsAt(root, 'error'), wordsAt(root, 'error_description')];
    return code === undefined ? undefined : [code, description].filter((word) => word !== undefined).join(': ');
  }
  const failures = listFailures(error);
  const codes = failures.flatMap((failure) => Object.entries((failure.raw('errorCode') as object | undefined) ?? {}));
  const words = wordsAt(failures[0], 'message') ?? wordsAt(error, 'message') ?? 'without a message';
  return `${[wordsAt(error, 'status') ?? 'ERROR', ...codes.flat()].join(' ')}: ${words}`;
}

/** How long to wait, as it stands in the details of an error. */
export function pauseIn(root: Fields | undefined): OutOfBandError {
  const failures = listFailures(objectAt(root, 'error'));
  const delay = failures.map((failure) =>
    wordsAt(objectAt(objectAt(failure, 'details'), 'quotaErrorDetails'), 'retryDelay'),
  );
  const seconds = Number(/^(\d+(?:\.\d+)?)s$/.exec(delay.find((each) => each !== undefined) ?? '')?.[1]);
  return Number.isFinite(seconds) ? { pauseMs: Math.ceil(seconds * 1000) } : {};
}

function listFailures(error: Fields | undefined): readonly Fields[] {
  return objectsAt(error, 'details').flatMap((detail) => objectsAt(detail, 'errors'));
}

/** The row of a keyword: under its own name, or as a close variant of another one, whose numbers are for both. */
export function findRow(rows: readonly Fields[], keyword: string): Fields | undefined {
  const key = keywordKey(keyword);
  const isText = (text: unknown): boolean => typeof text === 'string' && keywordKey(text) === key;
  return rows.find((row) => isText(row.raw('text'))) ?? rows.find((row) => row.array('closeVariants')?.some(isText));
}

/**
 * The metrics of a row. Numbers of 64 bits come as texts; one that is absent is unknown. The cost of a click is the
 * average one, or where there is none the middle of what the top of the page costs; `usdPerUnit` is what a unit of the
 * account's currency is worth, null where that is not known.
 */
export function toMetrics(row: Fields, keyword: string, usdPerUnit: number | null): KnownMetrics {
  const metrics = objectAt(row, 'keywordMetrics') ?? objectAt(row, 'keywordIdeaMetrics');
  const [low, high] = [numberAt(metrics, 'lowTopOfPageBidMicros'), numberAt(metrics, 'highTopOfPageBidMicros')];
  const middle = low === undefined || high === undefined ? undefined : (low + high) / 2;
  const micros = numberAt(metrics, 'averageCpcMicros') ?? middle;
  return present<KnownMetrics>({
    keyword,
    search_volume: numberAt(metrics, 'avgMonthlySearches'),
    cpc: micros === undefined || usdPerUnit === null ? undefined : Math.round(micros * usdPerUnit) / 1_000_000,
    competition: numberAt(metrics, 'competitionIndex'),
    competition_level: plannerLevels.get(wordsAt(metrics, 'competition')),
  });
}
