// The client of the Search Analytics API (webmasters v3): pages of 25,000 rows, quotas and retries.
import { createSign } from 'node:crypto';
import { ServiceError } from '../model/errors.ts';
import type { Clock } from '../model/ports.ts';
import { backoffMs } from '../model/time/clock.ts';
import { type Fields, ShapeError } from '../net/fields.ts';
import { plainHost } from '../net/public-network.ts';
import { bearer, VendorClient } from './vendor-kit/client.ts';
import { Access, type Grant, refreshGrant, tokenComplaint, tokenRefusals } from './vendor-kit/oauth-access.ts';
import type { RefusalRule } from './vendor-kit/refusals.ts';
import { objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const name = 'search-console';
const apiUrl = 'https://www.googleapis.com';
const tokenUrl = 'https://oauth2.googleapis.com';
const scope = 'https://www.googleapis.com/auth/webmasters.readonly';

/** Feeds: nothing stands at a position in them. */
const withoutPositions: readonly SearchType[] = ['discover', 'googleNews'];

const queryDimensions = ['query', 'country', 'device'];

/** The largest page of the API. */
const rowsPerPage = 25_000;
/** The API gives at most 50,000 rows of a day; a server that goes on after this many pages is broken. */
const pagesMax = 10;
const attemptsMax = 5;
const backoff = { firstMs: 2_000, maxMs: 60_000 };

const refusals: readonly RefusalRule[] = [
  { words: /quotaExceeded|rateLimitExceeded|userRateLimitExceeded|RESOURCE_EXHAUSTED/i, means: 'throttled' },
  {
    status: 403,
    means: 'forbidden',
    hint: 'Add the service account or user to the property in Search Console, and check searchConsole.property.',
  },
  { status: 401, means: 'bad_key', hint: 'Check searchConsole.credentials.' },
];

const accountRefusals: readonly RefusalRule[] = [
  {
    words: /^invalid_grant\b/,
    means: 'bad_key',
    hint: 'Check the key file, and that the clock of this machine is right.',
  },
];

export class SearchConsoleClient implements SearchConsole {
  readonly #clock: Clock;
  readonly #line: VendorClient;
  readonly #access: Access;
  readonly #path: string;

  constructor({ property, credentials, baseUrl }: SearchConsoleOptions, clock: Clock) {
    this.#clock = clock;
    this.#path = `/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`;
    const isAccount = 'privateKey' in credentials;
    const secrets = isAccount ? [credentials.privateKey] : [credentials.clientSecret, credentials.refreshToken];
    const open = (url: string, rules: readonly RefusalRule[]): VendorClient =>
      new VendorClient(
        {
          name,
          failureCharge: 'no',
          refusals: rules,
          complaint,
          sizes: { bytesMax: 64 * 1024 * 1024, valuesMax: 1_000_000 },
        },
        {
          baseUrl: baseUrl ?? url,
          keys: [''],
          secrets,
          concurrency: 1,
          requestsPerSecond: 5,
          network: { allowLoopback: isLoopback(baseUrl) },
        },
        clock,
      );
    this.#line = open(apiUrl, refusals);
    const grant = isAccount ? accountGrant(credentials) : refreshGrant(credentials);
    this.#access = new Access(open(tokenUrl, isAccount ? accountRefusals : tokenRefusals), grant, clock);
  }

  async days(from: string, to: string, type: SearchType, signal: AbortSignal): Promise<PropertyDays> {
    const hasPosition = !withoutPositions.includes(type);
    // types without positions refuse this aggregation
    const asked = { type, dimensions: ['date'], ...(hasPosition && { aggregationType: 'byProperty' }) };
    const question = { startDate: from, endDate: to, ...asked, dataState: 'all', rowLimit: rowsPerPage };
    const root = await this.#query(question, signal);
    const metadata = objectAt(root, 'metadata');
    const firstFresh = wordsAt(metadata, 'first_incomplete_date', 'firstIncompleteDate') ?? null;
    const days = rowsIn(root, 1, hasPosition)
      .map(({ keys: [date = ''], clicks, impressions, position }) => {
        const averagePosition = hasPosition ? position : null;
        return { date, isFinal: firstFresh === null || date < firstFresh, clicks, impressions, averagePosition };
      })
      .sort((a, b) => (a.date < b.date ? -1 : 1));
    return { days, firstFresh };
  }

  async hours(from: string, to: string, signal: AbortSignal): Promise<PropertyHour[]> {
    const question = { startDate: from, endDate: to, dimensions: ['HOUR'], dataState: 'HOURLY_ALL' };
    const root = await this.#query({ ...question, rowLimit: rowsPerPage }, signal);
    const metadata = objectAt(root, 'metadata');
    // as in `2026-11-27T13:00:00-08:00`
    const firstFresh = wordsAt(metadata, 'first_incomplete_hour', 'firstIncompleteHour')?.slice(0, 13);
    // in autumn the clock shows an hour twice
    const byHour = Map.groupBy(rowsIn(root, 1), ({ keys: [hour = ''] }) => hour.slice(0, 13));
    return Array.from(byHour, ([hour, rows]) => ({
      hour,
      isFinal: firstFresh === undefined || hour < firstFresh,
      clicks: rows.reduce((sum, { clicks }) => sum + clicks, 0),
      impressions: rows.reduce((sum, { impressions }) => sum + impressions, 0),
    }));
  }

  async queries(date: string, signal: AbortSignal): Promise<PropertyRow[]> {
    const rows = await this.#rows(date, { dimensions: queryDimensions, aggregationType: 'byProperty' }, signal);
    return rows.map(([row]) => row);
  }

  async pages(date: string, signal: AbortSignal): Promise<PageRow[]> {
    const rows = await this.#rows(date, { dimensions: [...queryDimensions, 'page'] }, signal);
    return rows.map(([row, page = '']) => ({ ...row, page }));
  }

  async totals(date: string, dimension: 'query' | 'page', signal: AbortSignal): Promise<DimensionTotal[]> {
    const asked = { dimensions: [dimension], ...(dimension === 'query' && { aggregationType: 'byProperty' }) };
    const rows = await this.#analytics(date, asked, signal);
    return rows.map(({ keys: [name = ''], position: averagePosition, ...counts }) => {
      return { name, ...counts, averagePosition };
    });
  }

  /** Each row with the key of a further dimension. */
  async #rows(
    date: string,
    by: { readonly dimensions: readonly string[]; readonly aggregationType?: string },
    signal: AbortSignal,
  ): Promise<(readonly [row: PropertyRow, further: string | undefined])[]> {
    const rows = await this.#analytics(date, by, signal);
    return rows.map(({ keys, clicks, impressions, position }) => {
      const [query = '', country = '', device = '', further] = keys;
      const names = { query, country: country.toLowerCase(), device: device.toLowerCase() };
      return [{ ...names, clicks, impressions, averagePosition: position }, further];
    });
  }

  async #analytics(
    date: string,
    by: { readonly dimensions: readonly string[]; readonly aggregationType?: string },
    signal: AbortSignal,
  ): Promise<AnalyticsRow[]> {
    const all: AnalyticsRow[] = [];
    for (let page = 0; page < pagesMax; page++) {
      const window = { rowLimit: rowsPerPage, startRow: page * rowsPerPage };
      const question = { startDate: date, endDate: date, ...by, dataState: 'all', ...window };
      const rows = rowsIn(await this.#query(question, signal), by.dimensions.length);
      all.push(...rows);
      if (rows.length < rowsPerPage) break;
    }
    return all;
  }

  async close(): Promise<void> {
    await Promise.all([this.#line.close(), this.#access.close()]);
  }

  async #query(json: object, signal: AbortSignal): Promise<Fields> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#access.use(this.#line, signal, async (token) => {
          return (await this.#line.ask({ path: this.#path, ...bearer(token), json }, '', signal)).root;
        });
      } catch (error) {
        if (!(error instanceof ServiceError) || attempt === attemptsMax) throw error;
        if (error.disposition !== 'retry' && error.disposition !== 'wait') throw error;
        await this.#clock.sleep(error.retryAfterMs ?? backoffMs(backoff, attempt), signal);
      }
    }
  }
}

interface AnalyticsRow {
  readonly keys: readonly string[];
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

/** Throws ServiceError for a row of another shape: half a day must not count as a day. */
function rowsIn(root: Fields, keyCount: number, hasPosition = true): AnalyticsRow[] {
  try {
    return objectsAt(root, 'rows').map((row) => {
      const keys = row.array('keys') ?? [];
      const [clicks, impressions] = ['clicks', 'impressions'].map((each) => row.number(each));
      const position = hasPosition ? row.number('position') : 0;
      const isText = keys.length === keyCount && keys.every((key) => typeof key === 'string');
      if (!isText || clicks === undefined || impressions === undefined || position === undefined)
        throw new ShapeError('a row lacks a key or a number');
      return {
        keys: keys as readonly string[],
        clicks: Math.round(clicks),
        impressions: Math.round(impressions),
        position,
      };
    });
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ServiceError('UNREADABLE_RESPONSE', `The answer of ${name} cannot be read: ${error.message}.`, {
      charged: 'no',
    });
  }
}

/** `PERMISSION_DENIED forbidden: No sufficient permission`; undefined for an answer without an error. */
function complaint(root: Fields): string | undefined {
  const error = objectAt(root, 'error');
  if (error === undefined) return tokenComplaint(root);
  const reason = wordsAt(objectsAt(error, 'errors')[0], 'reason');
  const codes = [wordsAt(error, 'status'), reason].filter((word) => word !== undefined);
  return `${codes.join(' ')}: ${wordsAt(error, 'message') ?? 'without a message'}`;
}

/** RFC 7523: the service account signs for itself. */
function accountGrant(account: { clientEmail: string; privateKey: string; keyId?: string }): Grant {
  return (now) => {
    const seconds = Math.floor(now / 1000);
    const header = { alg: 'RS256', typ: 'JWT', ...(account.keyId !== undefined && { kid: account.keyId }) };
    const claims = { iss: account.clientEmail, scope, aud: `${tokenUrl}/token`, iat: seconds, exp: seconds + 3600 };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const signature = createSign('RSA-SHA256').update(signed).sign(account.privateKey, 'base64url');
    return [
      ['grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      ['assertion', `${signed}.${signature}`],
    ];
  };
}

function isLoopback(baseUrl: string | undefined): boolean {
  const url = baseUrl === undefined ? null : URL.parse(baseUrl);
  return url !== null && ['127.0.0.1', '::1', 'localhost'].includes(plainHost(url));
}

/** A service account, or a user who gave access. */
export type SearchConsoleCredentials =
  | { readonly clientEmail: string; readonly privateKey: string; readonly keyId?: string }
  | { readonly clientId: string; readonly clientSecret: string; readonly refreshToken: string };

export interface SearchConsoleOptions {
  /** `sc-domain:acme.com`, or the URL of a URL-prefix property. */
  readonly property: string;
  readonly credentials: SearchConsoleCredentials;
  /** Another URL of the API and its token server. */
  readonly baseUrl?: string;
}

/** Where results were shown: in results pages of a kind, or in a feed. */
export type SearchType = 'web' | 'image' | 'video' | 'news' | 'discover' | 'googleNews';

export interface PropertyDays {
  /** Those with data, oldest first. */
  readonly days: readonly PropertyDay[];
  /** From here on numbers still change. Null: those of no asked day do. */
  readonly firstFresh: string | null;
}

/** Totals of a day in Pacific time, hidden queries included. */
interface PropertyDay {
  readonly date: string;
  /** False: its numbers still change. */
  readonly isFinal: boolean;
  readonly clicks: number;
  readonly impressions: number;
  /** Null: the search type has none. */
  readonly averagePosition: number | null;
}

/** Totals of web in an hour. */
interface PropertyHour {
  /** In Pacific time: `2026-11-27T13`. */
  readonly hour: string;
  /** False: its numbers still change. */
  readonly isFinal: boolean;
  readonly clicks: number;
  readonly impressions: number;
}

/** A results page counts once, at its best position. */
export interface PropertyRow {
  readonly query: string;
  /** ISO 3166-1 alpha-3, lower case; `zzz`: unknown. */
  readonly country: string;
  /** `desktop`, `mobile` or `tablet`. */
  readonly device: string;
  readonly clicks: number;
  readonly impressions: number;
  /** Average over the impressions, from 1. */
  readonly averagePosition: number;
}

/** A results page counts for each page of the property that it shows. */
export interface PageRow extends PropertyRow {
  readonly page: string;
}

/** A query or a page, asked for by that alone. */
export interface DimensionTotal extends Pick<PropertyRow, 'clicks' | 'impressions' | 'averagePosition'> {
  readonly name: string;
}

export interface SearchConsole {
  /** Dates inclusive. Throws ServiceError. */
  days(from: string, to: string, type: SearchType, signal: AbortSignal): Promise<PropertyDays>;
  /** Hours with data of at most ten days, the newest of them incomplete. Throws ServiceError. */
  hours(from: string, to: string, signal: AbortSignal): Promise<PropertyHour[]>;
  /** All rows of a day that the API gives, by query. Throws ServiceError. */
  queries(date: string, signal: AbortSignal): Promise<PropertyRow[]>;
  /** By query, or by page, alone: the API leaves out fewer clicks than where dimensions are combined. */
  totals(date: string, dimension: 'query' | 'page', signal: AbortSignal): Promise<DimensionTotal[]>;
  /** The same by query and page. */
  pages(date: string, signal: AbortSignal): Promise<PageRow[]>;
  close(): Promise<void>;
}
