// A Search Console API on loopback: tokens, paging, incomplete days, hidden queries, quotas.
import { createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { type Reply, type SeenRequest, startVendorServer } from '../contract/sources/vendor-server.ts';
import { byProperty } from './click-days.ts';

export const accountKey = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

export interface FakeRow {
  readonly keys: readonly [query: string, page: string, country: string, device: string];
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
}

export interface FakeDay {
  readonly rows: readonly FakeRow[];
  /** Of queries that the API does not show. By page alone they are those of the first page. */
  readonly hidden?: { readonly clicks: number; readonly impressions: number };
}

/** Totals of a day in another search type than web; without a position: of a feed. */
interface FakeTotals {
  readonly clicks: number;
  readonly impressions: number;
  readonly position?: number;
}

interface Question {
  readonly type?: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly dimensions: readonly string[];
  readonly rowLimit: number;
  readonly startRow?: number;
  readonly dataState: string;
  readonly aggregationType?: string;
}

/** The words of the API's errors. */
export function apiError(code: number, status: string, reason: string, message: string): Reply {
  const errors = [{ message, domain: 'global', reason }];
  return { status: code, body: { error: { code, message, errors, status } } };
}

export async function startSearchConsole(property: string) {
  const server = await startVendorServer();
  const world = {
    url: server.url,
    requests: server.requests,
    days: new Map<string, FakeDay>(),
    /** By search type, then date. */
    types: new Map<string, ReadonlyMap<string, FakeTotals>>(),
    /** Totals of web by hour, `2026-01-11T13:00:00-08:00`. */
    hours: new Map<string, FakeTotals>(),
    firstIncompleteHour: undefined as string | undefined,
    /** Their first incomplete dates, where they are others than that of `firstIncomplete`. */
    freshTypes: new Map<string, string>(),
    /** Search types that it does not know, and `HOUR` without hours. */
    unknown: [] as string[],
    /** Search types that the user may not read. */
    forbidden: [] as string[],
    firstIncomplete: undefined as string | undefined,
    /** Sent first, one a query. */
    refusals: [] as Reply[],
    close: () => server.close(),
  };
  server.script = (request) => {
    if (request.path === '/token') return token(request);
    if (request.path !== `/webmasters/v3/sites/${encodeURIComponent(property)}/searchAnalytics/query`)
      return apiError(404, 'NOT_FOUND', 'notFound', 'Not Found');
    if (request.headers.authorization !== 'Bearer ya29.token')
      return apiError(401, 'UNAUTHENTICATED', 'authError', 'Invalid Credentials');
    const refusal = world.refusals.shift() ?? refusalOf(request.json as Question);
    return refusal ?? { body: answer(request.json as Question) };
  };

  function refusalOf({ type = 'web', dimensions, aggregationType, dataState }: Question): Reply | null {
    const isFeed = type === 'discover' || type === 'googleNews';
    if (isFeed && (dimensions.includes('query') || aggregationType === 'byProperty'))
      return apiError(400, 'INVALID_ARGUMENT', 'badRequest', `Not supported for ${type}`);
    const isHourly = dimensions.includes('HOUR');
    if (isHourly !== (dataState === 'HOURLY_ALL') || (isHourly && world.unknown.includes('HOUR')))
      return apiError(400, 'INVALID_ARGUMENT', 'badRequest', 'Hours are not supported');
    if (world.forbidden.includes(type)) return apiError(403, 'PERMISSION_DENIED', 'forbidden', `No access to ${type}`);
    if (!world.unknown.includes(type)) return null;
    return apiError(400, 'INVALID_ARGUMENT', 'badRequest', `Invalid value at 'type': "${type}"`);
  }

  function answer(asked: Question): object {
    const { type = 'web' } = asked;
    if (asked.dimensions.join() === 'HOUR') return hoursOf(asked);
    const known = type === 'web' ? world.days.keys() : (world.types.get(type)?.keys() ?? []);
    const dates = [...known].filter((date) => date >= asked.startDate && date <= asked.endDate).sort();
    if (asked.dimensions.join() === 'date') {
      const rows = dates.map((date) => ({
        keys: [date],
        ...(world.types.get(type)?.get(date) ??
          totals(world.days.get(date) as FakeDay, asked.aggregationType !== 'byPage')),
      }));
      const first = world.freshTypes.get(type) ?? world.firstIncomplete;
      const incomplete = first !== undefined && asked.endDate >= first;
      const metadata = incomplete ? { metadata: { first_incomplete_date: first } } : {};
      return { rows, responseAggregationType: asked.aggregationType ?? 'byProperty', ...metadata };
    }
    const byPage = asked.dimensions.includes('page');
    const ofDays = dates.flatMap((date) => world.days.get(date)?.rows ?? []);
    const days = dates.flatMap((date) => world.days.get(date) ?? []);
    const all =
      asked.dimensions.length === 1
        ? alone(days, byPage)
        : byPage
          ? ofDays.map((row) => ({ ...row, keys: keysOf(row, asked.dimensions) }))
          : queryRows(ofDays);
    const from = asked.startRow ?? 0;
    const rows = all.slice(from, from + asked.rowLimit).map((row) => ({ ...row, ctr: row.clicks / row.impressions }));
    // the API leaves `rows` out where there are none
    return { ...(rows.length > 0 && { rows }), responseAggregationType: byPage ? 'byPage' : 'byProperty' };
  }
  function hoursOf({ startDate, endDate }: Question): object {
    const rows = [...world.hours]
      .filter(([hour]) => hour >= startDate && hour.slice(0, 10) <= endDate)
      .map(([hour, counted]) => ({ keys: [hour], ctr: 0, position: 7.5, ...counted }));
    const metadata = { first_incomplete_hour: world.firstIncompleteHour };
    return { rows, responseAggregationType: 'byProperty', ...(world.firstIncompleteHour && { metadata }) };
  }
  return world;
}

function keysOf({ keys: [query, page, country, device] }: FakeRow, dimensions: readonly string[]): string[] {
  const values: Record<string, string> = { query, page, country, device };
  return dimensions.map((dimension) => values[dimension] ?? '');
}

function queryRows(rows: readonly FakeRow[]) {
  const pages = rows.map(({ keys: [query, page, country, device], position, ...counts }) => {
    return { ...{ query, page, country, device }, ...counts, averagePosition: position };
  });
  return byProperty(pages).map(({ query, country, device, averagePosition, ...counts }) => {
    return { keys: [query, country, device], ...counts, position: averagePosition };
  });
}

/** By query or by page alone. */
function alone(days: readonly FakeDay[], byPage: boolean) {
  const rows = days.flatMap(({ rows: pages, hidden }) => {
    if (!byPage) return queryRows(pages);
    const [first] = pages;
    const ofHidden = first === undefined || hidden === undefined ? [] : [{ ...first, ...hidden }];
    return [...pages, ...ofHidden].map((row) => ({ ...row, keys: [row.keys[1]] }));
  });
  return [...Map.groupBy(rows, ({ keys: [name = ''] }) => name)].map(([name, same]) => {
    const sum = (value: (row: (typeof same)[number]) => number) => same.reduce((total, row) => total + value(row), 0);
    const impressions = sum((row) => row.impressions);
    const position = sum((row) => row.position * row.impressions) / impressions;
    return { keys: [name], clicks: sum(({ clicks }) => clicks), impressions, position };
  });
}

function totals({ rows: pages, hidden = { clicks: 0, impressions: 0 } }: FakeDay, isByProperty: boolean) {
  const rows = isByProperty ? queryRows(pages) : pages;
  const clicks = rows.reduce((sum, row) => sum + row.clicks, hidden.clicks);
  const impressions = rows.reduce((sum, row) => sum + row.impressions, hidden.impressions);
  return { clicks, impressions, ctr: clicks / impressions, position: 7.5 };
}

/** Accepts the refresh token `refresh-token`, and assertions that the account's key signed. */
function token({ text }: SeenRequest): Reply {
  const form = new URLSearchParams(text);
  const isGood =
    form.get('grant_type') === 'refresh_token'
      ? form.get('refresh_token') === 'refresh-token'
      : isSigned(form.get('assertion') ?? '');
  if (!isGood) return { status: 400, body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' } };
  return { body: { access_token: 'ya29.token', expires_in: 3599, token_type: 'Bearer' } };
}

function isSigned(assertion: string): boolean {
  const [header = '', claims = '', signature = ''] = assertion.split('.');
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString());
  if (said.iss !== 'tracker@project.iam.example' || !String(said.scope).endsWith('webmasters.readonly')) return false;
  const verify = createVerify('RSA-SHA256').update(`${header}.${claims}`);
  return verify.verify(createPublicKey(accountKey.publicKey), signature, 'base64url');
}
