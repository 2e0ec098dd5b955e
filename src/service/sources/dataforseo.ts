// DataForSEO: result pages as JSON, live in one call, or cheaper through its queue; and Google Maps, live.
import * as z from 'zod';
import type { SourceFacts } from '../model/source.ts';
import { login, password, probe } from './dataforseo/account.ts';
import { complaint, nothingFound, queueComplaint, readCharge, refusals } from './dataforseo/answer.ts';
import { mapTaskFor, readMap } from './dataforseo/maps.ts';
import { readAnswer } from './dataforseo/page.ts';
import { QueuedSource } from './dataforseo/queued.ts';
import { authorization, pageSize, taskFor } from './dataforseo/task.ts';
import {
  defineVendor,
  openVendorClient,
  type Vendor,
  type VendorForm,
  vendorOptions,
} from './vendor-kit/pages/define.ts';
import { mapFacts } from './vendor-kit/pages/shared-facts.ts';

const name = 'dataforseo';
const price = (mode: string, microUsd: number) => ({
  mode,
  unit: 'micro_usd' as const,
  firstPage: microUsd,
  // later pages are cheaper within one task only, and each page is a separate task here
  furtherPage: microUsd,
  unitMicroUsd: { least: 1, most: 1 },
  asOf: '2026-08',
});

const facts: SourceFacts = {
  title: 'DataForSEO',
  prices: [price('method: live', 2000), price('method: queued', 600), price('method: queued, priority: high', 1200)],
  failureCharge: 'unknown',
  failureRule: 'Each answer states the cost of its task: an error of the engine (40101) is charged, a refusal is not.',
  emptyRule: 'An empty page says so: task status 40102. Beyond page 1 an empty list alone proves nothing.',
  pageSize,
  rate: { requestsPerSecond: 33, concurrency: 30 },
  devices: ['desktop', 'mobile'],
  hasCountries: true,
  locations: ['place', 'coordinate'],
  hasLocalResults: true,
  example: [
    'mode: embedded',
    `source: ${name}`,
    `login: \${DATAFORSEO_LOGIN}`,
    `password: \${DATAFORSEO_PASSWORD}`,
  ].join('\n'),
};

const options = vendorOptions
  .omit({ apiKey: true })
  .extend({
    login: login.optional(),
    password: password.optional(),
    accounts: z
      .array(z.strictObject({ login, password }))
      .min(1)
      .max(50)
      .optional()
      .describe('Instead of login and password: several accounts, used in turn.'),
    method: z
      .enum(['live', 'queued'])
      .default('live')
      .describe('`live` answers within seconds; `queued` costs less, and takes minutes per page.'),
    priority: z
      .enum(['normal', 'high'])
      .default('normal')
      .describe('For `method: queued`: `normal` takes about 5 minutes, `high` about 1 and costs twice as much.'),
    waitMinutes: z
      .int()
      .min(1)
      .max(120)
      .default(15)
      .describe('For `method: queued`: maximum wait for a page. Its task stays valid: the next attempt finds it.'),
    loadAiOverview: z
      .boolean()
      .default(false)
      .describe(
        'Waits for an AI overview that the engine loads later, which costs 600 to 1,200 micro-USD more. Default: only what the page shows at once.',
      ),
  })
  .superRefine((given, { addIssue }) => {
    const isPair = given.login !== undefined && given.password !== undefined;
    const isNamed = given.login !== undefined || given.password !== undefined;
    if (given.accounts === undefined ? isPair : !isNamed) return;
    addIssue({ code: 'custom', message: 'write login and password, or accounts with a list of them' });
  });

export type DataForSeoOptions = z.output<typeof options>;

/** One text an account: `login:password`. */
function keysOf(given: DataForSeoOptions): readonly string[] {
  const accounts = given.accounts ?? [{ login: given.login ?? '', password: given.password ?? '' }];
  return accounts.map((account) => `${account.login}:${account.password}`);
}

const form: VendorForm<DataForSeoOptions> = {
  name,
  facts,
  options,
  baseUrl: 'https://api.dataforseo.com',
  keysOf,
  call: (asked, key, choices) => ({
    method: 'POST',
    path: '/v3/serp/google/organic/live/advanced',
    headers: authorization(key),
    json: [taskFor(asked, choices)],
  }),
  complaint,
  outOfBandError: (_headers, _status, root) => ({ charged: root === undefined ? undefined : readCharge(root) }),
  nothingFound,
  refusals,
  read: readAnswer,
  probe,
};

const live = defineVendor(form);

/** Searches of Google Maps, live. Form: the vendor's documentation of 2026-06. */
export const maps = defineVendor({
  ...form,
  name: 'dataforseo-maps',
  facts: {
    ...facts,
    ...mapFacts,
    title: 'DataForSEO, Google Maps',
    prices: [
      { unit: 'micro_usd', firstPage: 2000, furtherPage: 2000, unitMicroUsd: { least: 1, most: 1 }, asOf: '2026-11' },
    ],
    emptyRule: 'An empty page says so: task status 40102.',
    example: facts.example.replace(`source: ${name}`, 'source: dataforseo-maps'),
  },
  options: options,
  call: (asked, key) => ({
    method: 'POST',
    path: '/v3/serp/google/maps/live/advanced',
    headers: authorization(key),
    json: [mapTaskFor(asked)],
  }),
  read: readMap,
});

export const vendor: Vendor = {
  facts,
  options,
  create(given, dependencies) {
    const chosen = options.parse(given);
    const source = live.create(chosen, dependencies);
    if (chosen.method === 'live' || source.serp === undefined) return source;
    const line = openVendorClient({ ...form, complaint: queueComplaint }, chosen, dependencies);
    return { serp: new QueuedSource({ name, line, choices: chosen, reader: source.serp, ...dependencies }) };
  },
};
