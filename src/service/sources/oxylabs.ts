// Oxylabs: jobs that answer in the same call, with the page parsed into JSON. Job and parsing have separate statuses.
import * as z from 'zod';
import { rejectOtherQuery } from '../engines/page/other-query.ts';
import { parseLocation } from '../model/results/location.ts';
import type { ReadPage } from '../model/results/serp.ts';
import type { PageRequest } from '../model/source.ts';
import { type Fields, ShapeError } from '../net/fields.ts';
import { readPageForm } from './oxylabs/page.ts';
import { defineVendor, vendorOptions } from './vendor-kit/pages/define.ts';
import { noResults, rejectOtherSearch, unproven } from './vendor-kit/pages/validator.ts';
import { isEmptyList, numberAt, objectAt, objectsAt, wordsAt } from './vendor-kit/values.ts';

const username = z.string().regex(/^[^\s:]{1,200}$/, 'a name without spaces and colons');
const password = z.string().min(1).max(200);

const { apiKey: _, ...shared } = vendorOptions.shape;

const options = z
  .strictObject({
    username: username.optional().describe('API user; with `password` for one, or `users` for several.'),
    password: password.optional().describe('Its password.'),
    users: z
      .array(z.strictObject({ username, password }))
      .min(1)
      .max(50)
      .optional()
      .describe('API users, used in turn, each `{ username, password }`.'),
    ...shared,
  })
  .superRefine((given, context) => {
    const isOne = given.username !== undefined && given.password !== undefined;
    const isPart = given.username !== undefined || given.password !== undefined;
    if (given.users === undefined ? isOne : !isPart) return;
    context.addIssue({ code: 'custom', message: 'it needs either username and password, or users' });
  });

type Options = z.output<typeof options>;

export const vendor = defineVendor({
  name: 'oxylabs',
  facts: {
    title: 'Oxylabs',
    prices: [
      { unit: 'credit', firstPage: 1, furtherPage: 1, unitMicroUsd: { least: 1000, most: 2000 }, asOf: '2026-08' },
    ],
    failureCharge: 'no',
    failureRule:
      'Failures at Oxylabs are free. Every answer of the engine is billed, even if it is not a results page.',
    emptyRule:
      'An empty page says so: `no_results_for_original_query`, or an empty list counted as 0. Beyond page 1 an empty list alone proves nothing.',
    pageSize: 10,
    rate: { requestsPerSecond: 10, concurrency: 20 },
    devices: ['desktop', 'mobile'],
    hasCountries: true,
    locations: ['place', 'coordinate'],
    example: `mode: embedded\nsource: oxylabs\nusername: \${OXYLABS_USERNAME}\npassword: \${OXYLABS_PASSWORD}`,
  },
  options,
  baseUrl: 'https://realtime.oxylabs.io',
  keysOf: readKeys,
  call: ({ keyword, country, language, mobile, page, location }, key) => ({
    method: 'POST',
    path: '/v1/queries',
    headers: { authorization: `Basic ${Buffer.from(key).toString('base64')}` },
    json: {
      source: 'google_search',
      query: keyword,
      // codes of ISO 3166 are turned into names of countries there
      geo_location: location === undefined ? country : geoLocation(location),
      locale: toLocale(language),
      user_agent_type: mobile ? 'mobile' : 'desktop',
      start_page: page,
      pages: 1,
      parse: true,
    },
  }),
  complaint: (root) =>
    root.raw('results') === undefined ? wordsAt(root, 'message', 'error', 'detail', 'title') : undefined,
  outOfBandError(_headers, status, root) {
    if (status === 204) return { words: 'the job is not done yet' };
    const engine = numberAt(objectsAt(root, 'results')[0], 'status_code') ?? 200;
    return engine >= 200 && engine < 300 ? {} : { status: engine, words: `the engine answered ${engine}` };
  },
  refusals: [
    { status: 401, means: 'bad_key', hint: 'Check username and password of the API user of oxylabs.' },
    { status: 204, means: 'timeout', charged: 'unknown' },
    { status: 612, means: 'failed' },
    { status: 613, means: 'failed' },
    { status: 524, means: 'timeout' },
    { words: /^the engine answered 429/, means: 'blocked' },
    { words: /^the engine answered 4/, means: 'blocked', charged: 'yes' },
    { words: /trial|quota|monthly|limit of results|no .*\bleft\b|insufficient|exhausted/i, means: 'out_of_credits' },
  ],
  read: readPage,
});

/** One text a user, as HTTP's own scheme wants it. */
function readKeys({ username: name, password: secret, users }: Options): string[] {
  if (users !== undefined) return users.map((user) => `${user.username}:${user.password}`);
  return [`${name}:${secret}`];
}

/** The locale of a language, `de-de`: for a language without a region, the country with most of its speakers. */
function toLocale(language: string): string {
  const locale = new Intl.Locale(language);
  const isCountry = /^[A-Z]{2}$/.test(locale.region ?? '');
  const { region } = isCountry ? locale : new Intl.Locale(locale.language).maximize();
  return `${locale.language}${region === undefined ? '' : `-${region}`}`.toLowerCase();
}

/** Radius in metres around a coordinate, as in the vendor's example. */
const radius = 25_000;

/** A canonical name as it is; a coordinate in the vendor's own notation (its documentation, 2026-11). */
function geoLocation(location: string): string {
  const asked = parseLocation(location);
  return asked.kind === 'place' ? asked.name : `lat: ${asked.latitude}, lng: ${asked.longitude}, rad: ${radius}`;
}

/** 12000: parsed without a fault. */
const parsedWell = 12_000;

/** An empty list says that nothing was found where it is counted as well. */
function readPage(root: Fields, asked: PageRequest): ReadPage {
  const { keyword, page } = asked;
  const job = objectsAt(root, 'results')[0];
  const content = objectAt(job, 'content');
  const parsed = numberAt(content, 'parse_status_code', 'status_code');
  if (parsed !== parsedWell) throw new ShapeError(`it was parsed with status ${parsed ?? 'unknown'}`);
  const named = numberAt(content, 'page') ?? numberAt(job, 'page');
  if (named !== undefined && named !== page) throw new ShapeError(`it is page ${named}`);
  const results = content?.object('results');
  if (results === undefined) throw new ShapeError('it has no results');
  const search = objectAt(results, 'search_information');
  const queries = ['query', 'showing_results_for'];
  rejectOtherSearch(search, asked, { places: ['geo_location'], placesFrom: 'footer', queries });
  const read = readPageForm(results);
  const findsNothing = search?.raw('no_results_for_original_query') === true;
  if (read.serp.organic !== undefined) {
    if (findsNothing) rejectOtherQuery(keyword, ['a query of fewer words, or without quotes']);
    return read;
  }
  const count = numberAt(search, 'total_results_count') ?? numberAt(results, 'total_results_count');
  const isListed = isEmptyList(results, 'organic');
  if (findsNothing || (isListed && count === 0)) return read;
  if (page === 1 || !isListed) throw noResults();
  return unproven(read);
}
