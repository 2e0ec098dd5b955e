// The schema of the config: every key, its default and its limits. Rules across keys are in config/rules.
import * as z from 'zod';
import { viewComplaint } from '../../src/read/saved-view.ts';
import { answerEngines, canonicalLocation, searchEngines, usualEngine } from '../../src/service/terms.ts';
import { noteComplaint, noteDateComplaint } from '../../src/tracker/changes/note.ts';
import { gridComplaint, spacingPattern } from '../keyword-files/grid.ts';
import { alertRulesSchema, alertsSchema } from './alerts-schema.ts';
import {
  heartbeatUrlComplaint,
  keywordComplaint,
  normalKeyword,
  preferredUrlComplaint,
  scheduleComplaint,
  targetComplaint,
  timezoneComplaint,
} from './complaints.ts';
import { reportsSchema, templateSchema } from './reports-schema.ts';
import {
  count,
  country,
  depth,
  devices,
  duration,
  formerly,
  language,
  location,
  name,
  path,
  retryUnreadable,
  tags,
  text,
  toMicroUsd,
  usdMax,
  usdPerThousand,
} from './schema-parts.ts';

const priority = z.enum(['high', 'normal', 'low']);
const keywordTextSchema = text((value) => keywordComplaint(normalKeyword(value)), 10_000);
const keywordEntrySchema = z.strictObject({
  keyword: keywordTextSchema.describe('What is searched for.'),
  country: country.optional().describe('Country, if it differs from the market.'),
  language: language.optional().describe('Language, if it differs from the market.'),
  location: location
    .optional()
    .describe('Place or coordinate, if it differs from the market; none: the whole country.'),
  devices: devices.optional().describe('Devices, if they differ from the market.'),
  tags: tags.optional().describe('Added to the tags of the project.'),
  priority: priority.optional().describe('Order in which keywords are checked when the budget is short.'),
  depth: depth.optional().describe('Depth in pages, if it differs from the project.'),
  preferredUrl: text(preferredUrlComplaint, 2_000).optional().describe('Page that should rank for it.'),
});
export const keywordSchema = z.union([keywordTextSchema, keywordEntrySchema]);

function centerComplaint(written: string): string | undefined {
  return canonicalLocation(written)?.startsWith('@') === true
    ? undefined
    : 'is not a coordinate such as "30.27,-97.74"';
}

const marketSchema = z
  .strictObject({
    engine: z
      .enum(searchEngines)
      .optional()
      .describe(`Search engine. Default: that of the service; of a service of any engine, ${usualEngine}.`),
    country: country.default('US').describe('ISO 3166-1 country code.'),
    language: language.default('en').describe('Language code: en, pt-BR.'),
    location: location
      .optional()
      .describe(
        'Place inside the country, "Austin, Texas", or coordinate, "@30.27,-97.74". Default: the whole country.',
      ),
    grid: z
      .strictObject({
        center: text(centerComplaint, 100).describe('Coordinate in its middle, such as "30.27,-97.74".'),
        size: z.int().min(2).max(15).describe('Points of a side: 7 are 49 searches per keyword and device.'),
        spacing: z
          .string()
          .regex(spacingPattern, 'is not a distance such as 500m, 1km or 1mi')
          .describe('Distance between points.'),
      })
      .superRefine((written, { addIssue }) => {
        const message = gridComplaint(written);
        if (message !== undefined) addIssue({ code: 'custom', message });
      })
      .optional()
      .describe('Grid of coordinates, instead of a location: each keyword is searched at each of its points.'),
    devices: devices.default(['desktop']).describe('desktop, mobile or both.'),
  })
  .prefault({})
  .describe('Default country, language, location and devices of the keywords.');

const promptCharactersMax = 1_000;
const samplesMax = 50;

const promptText = text((written) => {
  if (normalKeyword(written) === '') return 'is empty';
  return /\p{Cc}/u.test(normalKeyword(written)) ? 'has control characters' : undefined;
}, promptCharactersMax);

const promptEntry = z.strictObject({
  prompt: promptText.describe('What is asked.'),
  country: country.optional().describe('Country, if it differs from the market.'),
  language: language.optional().describe('Language, if it differs from the market.'),
});

const promptsSchema = z.strictObject({
  engines: z
    .array(z.enum(answerEngines))
    .min(1)
    .max(answerEngines.length)
    .describe('Engines that are asked: ai-mode, chatgpt, perplexity, gemini, copilot.'),
  samples: count(samplesMax)
    .default(5)
    .describe(
      'Answers per prompt, engine and period. Engines answer differently each time: 3 are the least that can show a change.',
    ),
  every: z
    .enum(['day', 'week', 'month'])
    .default('week')
    .describe('Period: the samples of each day, week (from Monday) or month are bought once, in runs of the project.'),
  texts: z
    .array(z.union([promptText, promptEntry]))
    .min(1)
    .max(10_000)
    .describe('Prompts, as text or { prompt, country, language }.'),
});

export type WrittenPrompts = z.output<typeof promptsSchema>;

const secret = z.string().min(1).max(5_000);

const accountSchema = z.strictObject({
  keyFile: path.describe('JSON key of a service account that is a user of the property, relative to this file.'),
});

const userSchema = z.strictObject({
  clientId: secret.describe('OAuth client.'),
  clientSecret: secret.describe(`Its secret, such as \${SEARCH_CONSOLE_SECRET}.`),
  refreshToken: secret.describe('Refresh token of a user of the property, for the scope webmasters.readonly.'),
});

const searchConsoleSchema = z.strictObject({
  property: text(propertyComplaint, 2_000).describe(
    'Property as Search Console names it: sc-domain:acme.com, or https://acme.com/ with its slash.',
  ),
  credentials: z.union([accountSchema, userSchema]).describe('A service account or an OAuth refresh token.'),
  baseUrl: z.url().optional().describe('Another URL of the API and its token server, such as a proxy.'),
});

function propertyComplaint(property: string): string | undefined {
  if (/^sc-domain:[^\s/:]+$/.test(property)) return undefined;
  if (/^https?:\/\/\S+\/$/.test(property)) return undefined;
  return 'is not a property; write sc-domain:acme.com, or a URL that ends with a slash, such as https://acme.com/';
}

const nameCharactersMax = 60;
const queryCharactersMax = 2_000;

function viewNameComplaint(written: string): string | undefined {
  return written.trim() === '' || /\p{Cc}/u.test(written)
    ? 'is not a name: write one such as Top 10 on mobile'
    : undefined;
}

const viewSchema = z.strictObject({
  name: text(viewNameComplaint, nameCharactersMax).describe('Name of the view in menus and segments.'),
  query: text(viewComplaint, queryCharactersMax).describe(
    'Filters and order of the keyword table, as in the address of the page after "?": tag=shoes&rank=..10&sort=-searchVolume.',
  ),
});

const viewsSchema = z
  .array(viewSchema)
  .max(100)
  .default([])
  .describe('Saved views of the keyword table, in `rankledger view` and its API.');

const creditsMax = 1_000_000_000;

const credits = z.int().min(0).max(creditsMax);
const schedule = text(scheduleComplaint, 200);
const timezone = text(timezoneComplaint, 100);

const noteSchema = z.strictObject({
  date: text(noteDateComplaint, 20).describe('Date of the event, such as 2026-11-20.'),
  text: text(noteComplaint).describe('What happened.'),
  project: name.optional().describe('Project of the note. Default: all.'),
});

const embeddedServiceSchema = z
  .looseObject({
    mode: z.literal('embedded').describe('The service runs inside this process.'),
    source: name.describe('Source of the pages: sandbox, replay, or a live source.'),
    metrics: z
      .looseObject({ source: name.describe('Source of keyword metrics; further keys are its options.') })
      .optional()
      .describe(
        'Source of keyword metrics, if it differs from the source of pages. Default: the source of pages, if it has metrics.',
      ),
    answers: z
      .looseObject({ source: name.describe('Source of AI answers; further keys are its options.') })
      .optional()
      .describe('Source of AI answers, for prompts. Default: none; the sandbox has its own.'),
    formerly,
    account: name.optional().describe('Account to charge. Default: none; only the budget limits spending.'),
    retryUnreadable,
    usdPerThousand,
  })
  .describe('An embedded service. Further keys (dir, seed, ...) are options of its source.');

const remoteServiceSchema = z.strictObject({
  mode: z.literal('remote').describe('A provider that implements the Search Data Service over HTTP.'),
  baseUrl: z.string().min(1).max(2_000).describe('URL without /v1.'),
  user: z.string().min(1).max(1_000).describe(`API user, such as \${SERVICE_API_USER}.`),
  password: z.string().min(1).max(1_000).describe('Password of the API user; from the environment only.'),
  concurrency: count(1_000).default(20).describe('Maximum number of requests in flight.'),
  requestsPerSecond: z
    .number()
    .positive()
    .max(10_000)
    .default(10)
    .describe('Maximum number of requests started per second.'),
  timeoutMs: count(600_000).default(60_000).describe('Time limit of a request, in milliseconds.'),
  keepsKeys: z
    .boolean()
    .default(false)
    .describe(
      'The provider charges an Idempotency-Key once within 24 hours, as `rankledger serve` does, so lost answers are requested again.',
    ),
  takesLocations: z
    .boolean()
    .default(false)
    .describe('The provider honours `location` in requests, as `rankledger serve` does.'),
  formerly,
  retryUnreadable,
  usdPerThousand,
});

const bestServiceSchema = z.strictObject({
  mode: z.literal('best').describe('Buys each search from the cheapest of several services that is believed.'),
  of: z
    .array(name)
    .min(2)
    .max(10)
    .describe('Names of services with pages of one engine. The first is believed until others have proved to agree.'),
  agreement: z
    .number()
    .gt(0)
    .max(1)
    .default(0.99)
    .describe('A source that agrees less with the others than two looks at one source do, for certain, is not used.'),
  formerly,
});

export const serviceSchema = z.discriminatedUnion('mode', [
  embeddedServiceSchema,
  remoteServiceSchema,
  bestServiceSchema,
]);

const dollars = z
  .number()
  .min(0)
  .max(usdMax)
  .check((context) => {
    if (toMicroUsd(context.value) === undefined) {
      context.issues.push({ code: 'custom', message: 'has more than six decimals', input: context.value });
    }
  });

/** Spending caps per run, per day and per month, in the config's time zone. */
function caps<T extends z.ZodNumber>(amount: T, unit: string) {
  return z.strictObject({
    perRun: amount.optional().describe(`Maximum ${unit} per run.`),
    perDay: amount.optional().describe(`Maximum ${unit} per day.`),
    perMonth: amount.optional().describe(`Maximum ${unit} per month.`),
  });
}

const budgetSchema = z.strictObject({
  serpCredits: caps(credits, 'SERP credits').prefault({}).describe('Result pages: one credit a page.'),
  keywordDataUsd: caps(dollars, 'US dollars').prefault({}).describe('Keyword metrics and AI answers, in US dollars.'),
});

const queueSchema = z.strictObject({
  driver: z
    .enum(['embedded', 'bullmq'])
    .default('embedded')
    .describe('embedded needs no server; bullmq needs Redis and workers.'),
  redisUrl: z.string().min(1).max(2_000).optional().describe(`URL of Redis, for bullmq, such as \${REDIS_URL}.`),
  signingKey: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      `Key that signs messages between coordinators and workers in Redis, such as \${QUEUE_SIGNING_KEY}; the same on all machines. At least 16 characters.`,
    ),
  concurrency: count(1_000)
    .default(20)
    .describe('Maximum number of checks in flight; for a worker, of pages in flight per service.'),
});

const heartbeatSchema = z.strictObject({
  file: path.optional().describe('JSON file that is written after each run and each tick of the scheduler.'),
  url: text(heartbeatUrlComplaint, 2_000)
    .optional()
    .describe(
      `URL that is called after each run, such as \${HEARTBEAT_URL}; with /fail appended if the run failed or was halted.`,
    ),
});

const retentionSchema = z.strictObject({
  rawPages: duration
    .default('90d')
    .describe('`rankledger prune` deletes raw pages older than this. Parsed results and history stay.'),
  reports: duration
    .optional()
    .describe('Age of reports of runs that `prune` deletes, and each run, such as 90d. Default: none; all stay.'),
});

/** More than nothing: `10%`. */
const percentage = z.string().regex(/^(?:100|[1-9]\d?)%$/, 'is not a share; write 1% to 100%');

const typedTargetSchema = z
  .strictObject({
    match: z
      .enum(['domain', 'host', 'prefix', 'url', 'place'])
      .describe('domain also covers subdomains; prefix and url are URLs; place ranks in local results.'),
    value: z
      .string()
      .min(1)
      .max(2_000)
      .describe('A host name; a URL for prefix and url; cid:NUMBER, a place id or "Name, Address" for place.'),
  })
  .check((context) => {
    const message = targetComplaint(context.value);
    if (message !== undefined)
      context.issues.push({ code: 'custom', message, path: ['value'], input: context.value.value });
  });
const targetSchema = z.union([text((value) => targetComplaint({ match: 'domain', value }), 2_000), typedTargetSchema]);

export const projectSchema = z.strictObject({
  id: name.describe('Id of the project; also the name of its reports folder.'),
  formerly,
  service: name.default('default').describe('Service that the project uses.'),
  targets: z.array(targetSchema).min(1).max(100).describe('Sites to find: acme.com, or { match, value }.'),
  competitors: z.array(targetSchema).max(100).default([]).describe('Sites to compare with, written like targets.'),
  brandTerms: z
    .array(text((value) => (value.trim() === '' ? 'is empty' : undefined), 100))
    .max(100)
    .optional()
    .describe('Names that people use for your site, for search intent. Default: the names of the targets.'),
  schedule: schedule
    .optional()
    .describe('Cron expression: minute hour day month weekday. Default: none; the project runs only when named.'),
  timezone: timezone.optional().describe('Time zone of the schedule. Default: the global timezone.'),
  catchUp: z
    .enum(['none', 'latest', 'all'])
    .default('latest')
    .describe(
      'Which missed slots are run after downtime. A live source can fill only the newest: for it, all means latest.',
    ),
  overlap: z
    .enum(['queue', 'skip'])
    .default('queue')
    .describe('A slot that is due during a run of its project: wait for the end of the run, or skip the slot.'),
  retryFailed: z
    .boolean()
    .default(true)
    .describe(
      'Try failed and deferred searches again on the day of their slot: at the next run, then at growing intervals.',
    ),
  jitterSeconds: z
    .int()
    .min(0)
    .max(3_600)
    .default(0)
    .describe('Maximum random delay of scheduled runs. A slot always gets the same delay.'),
  market: marketSchema,
  depth: depth.default(3).describe('Result pages per check; each costs one credit.'),
  paging: z
    .enum(['until-found', 'until-all-found', 'full', 'anchored', 'adaptive'])
    .default('until-found')
    .describe(
      'Pages to read: until the own targets are found, until competitors are found too, always all, around the last known page, or what is worth its credits.',
    ),
  cadence: z
    .enum(['every-slot', 'adaptive'])
    .default('every-slot')
    .describe(
      'Which keywords a slot checks: all, or those whose expected changes are worth the credits of the budget.',
    ),
  atLeastEvery: duration.default('7d').describe('Longest gap between two checks of a keyword with cadence: adaptive.'),
  confirm: z
    .boolean()
    .default(false)
    .describe('Look a second time, later the same day, at changes that exceed the noise of their keyword.'),
  confirmShare: percentage
    .default('10%')
    .describe('With confirm: what second looks of a run may cost, as a share of the pages that it bought.'),
  deep: z
    .strictObject({
      depth: depth.describe('Result pages of a deep check.'),
      every: duration.describe('Minimum interval between deep checks, such as 7d.'),
    })
    .optional()
    .describe('Deeper checks at longer intervals.'),
  freshFor: duration
    .optional()
    .describe('Maximum age of pages that are reused for free. Default: only pages of the same slot.'),
  tags: tags.default([]).describe('Tags of all keywords.'),
  keywords: z.array(keywordSchema).max(100_000).default([]).describe('Keywords, as text or { keyword, ... }.'),
  keywordsFile: path
    .optional()
    .describe(
      'Keyword file: one keyword per line, or CSV: keyword,country,language,device,tags,priority,depth,preferred_url,location.',
    ),
  volumes: z
    .strictObject({
      schedule: schedule.describe('When to buy keyword metrics: "0 4 2 * *" is the 2nd of each month.'),
      limit: count(1_000).default(33).describe('Results per request; 33 cost as much as 1.'),
    })
    .optional()
    .describe('Search volumes. Default: none; no metrics are bought.'),
  prompts: promptsSchema.optional().describe('Prompts whose AI answers are tracked. Default: none.'),
  searchConsole: searchConsoleSchema
    .optional()
    .describe('Clicks and impressions of the site, from Search Console. Default: none.'),
  alerts: alertRulesSchema
    .optional()
    .describe('Alert rules of this project instead of the global ones; an empty list: no alerts.'),
  template: templateSchema
    .optional()
    .describe('Look and words of the reports of this project. Its keys stand before those of reports.template.'),
  views: viewsSchema,
});

export const configSchema = z
  .strictObject({
    timezone: timezone.default('UTC').describe('IANA time zone of schedules, reports and budget days.'),
    database: path.default('data/rankledger.sqlite').describe('SQLite file, relative to this file.'),
    reports: reportsSchema.prefault({}).describe('Where and how reports are written.'),
    fileAccess: z
      .enum(['owner', 'group', 'everyone'])
      .default('owner')
      .describe(
        'Who may read new databases, backups and reports: the user that runs rankledger, its group, or everyone.',
      ),
    services: z
      .record(name, serviceSchema)
      .optional()
      .describe(
        'Named services for result pages and keyword metrics. Without any, the service named default is the sandbox.',
      ),
    budget: budgetSchema.optional().describe('Maximum spending. Default: no limit.'),
    queue: queueSchema.prefault({}).describe('How page requests are distributed.'),
    retention: retentionSchema
      .prefault({})
      .describe('What `rankledger prune` deletes. Runs delete nothing but reports past `retention.reports`.'),
    heartbeat: heartbeatSchema.optional().describe('Heartbeat for external monitoring. Default: off.'),
    alerts: alertsSchema.optional().describe('Alerts after runs: channels and rules. Default: none.'),
    notes: z
      .array(noteSchema)
      .max(1_000)
      .default([])
      .describe('Events that explain changes, such as releases. Reports show them.'),
    projects: z.array(projectSchema).max(1_000).default([]).describe('Projects to track.'),
  })
  .describe('rankledger: what to track, with which services, and at what cost.');

/** The parsed config, with defaults. */
export type WrittenConfig = z.output<typeof configSchema>;
export type WrittenProject = z.output<typeof projectSchema>;
export type WrittenBest = Extract<z.output<typeof serviceSchema>, { mode: 'best' }>;
export type WrittenService = Exclude<z.output<typeof serviceSchema>, WrittenBest>;
export type WrittenKeyword = z.output<typeof keywordSchema>;
export type WrittenSearchConsole = z.output<typeof searchConsoleSchema>;
export type WrittenTarget = z.output<typeof targetSchema>;

/** JSON Schema (draft 7), for editors. */
export function jsonSchema(): Record<string, unknown> {
  return { title: 'rankledger config', ...z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' }) };
}
