// The schema of the config: every key, its default and its limits. Rules across keys are in rules.ts.
import * as z from 'zod';
import { comparisonHint, parseComparison } from '../src/tracker/baseline.ts';
import { noteComplaint, noteDateComplaint } from '../src/tracker/note.ts';
import { alertRulesSchema, alertsSchema } from './alerts-schema.ts';
import { durationPattern } from './duration.ts';
import { keywordSchema } from './keyword-schema.ts';
import { heartbeatUrlComplaint, publicUrlComplaint, scheduleComplaint, timezoneComplaint } from './schedules.ts';
import { count, country, depth, devices, language, name, path, retryUnreadable, tags, text } from './schema-parts.ts';
import { targetComplaint } from './targets.ts';
import { toMicroUsd, usdMax } from './usd.ts';

const creditsMax = 1_000_000_000;

const credits = z.int().min(0).max(creditsMax);
const duration = z
  .string()
  .regex(durationPattern, 'is no duration; write a whole number and s, m, h, d or w, such as 90s, 30m, 12h, 7d');
const schedule = text(scheduleComplaint, 200);
const timezone = text(timezoneComplaint, 100);

const reportsSchema = z.strictObject({
  dir: path.default('reports').describe('Folder of the reports, relative to this file.'),
  csv: z
    .strictObject({
      bom: z.boolean().default(true).describe('Begin each file with a byte order mark, so that Excel reads UTF-8.'),
      delimiter: z.enum([',', ';', '\t', 'tab']).default(',').describe('What stands between two cells.'),
      safe: z
        .boolean()
        .default(true)
        .describe(
          'Put an apostrophe before text that a spreadsheet would run as a formula, whatever delimiter it splits at.',
        ),
    })
    .prefault({})
    .describe('How CSV files are written.'),
  html: z
    .boolean()
    .default(true)
    .describe(
      'Write report.html beside the CSV files, a page that needs nothing but itself, and index.html over all reports.',
    ),
  xlsx: z
    .boolean()
    .default(false)
    .describe('Write report.xlsx as well: a sheet for each table, with types and filters.'),
  ctrCurve: z
    .string()
    .min(1)
    .max(100)
    .default('sistrix-2020')
    .describe('Named click-through curve of estimated clicks.'),
  compare: text((value) => (parseComparison(value) === null ? `is none of: ${comparisonHint}` : undefined), 20)
    .default('previous')
    .describe('What a run is compared with: previous, 1d, 7d, 30d, last-month or a date.'),
  tolerance: duration
    .optional()
    .describe('How much older than asked a baseline may be; none: a quarter of the distance, at least 36h.'),
  url: text(publicUrlComplaint, 2_000)
    .optional()
    .describe('Address under which the folder of the reports is published: alerts link to it.'),
  agency: z.boolean().default(false).describe('Write files of all projects together after each run.'),
  agencyDays: count(366).default(30).describe('Days that the files of all projects go back.'),
});

const noteSchema = z.strictObject({
  date: text(noteDateComplaint, 20).describe('Day it happened, 2026-11-20.'),
  text: text(noteComplaint).describe('What happened.'),
  project: name.optional().describe('Project it is about; none: all.'),
});

const embeddedServiceSchema = z
  .looseObject({
    mode: z.literal('embedded').describe('The service runs inside this process.'),
    source: name.describe('Where pages come from: sandbox, replay, or a live source.'),
    metrics: z
      .looseObject({ source: name.describe('Where keyword metrics come from; further keys are its options.') })
      .optional()
      .describe('Another source of keyword metrics; none: those of the source of pages, where it has any.'),
    account: name.optional().describe('Account that is charged; none: only the budget below governs.'),
    retryUnreadable,
  })
  .describe('The embedded service. Further keys (dir, seed, ...) are options of its source.');

const remoteServiceSchema = z.strictObject({
  mode: z.literal('remote').describe('A provider that speaks the specification over HTTP.'),
  baseUrl: z.string().min(1).max(2_000).describe('Address without /v1.'),
  user: z.string().min(1).max(1_000).describe(`API user, such as \${SERVICE_API_USER}.`),
  password: z.string().min(1).max(1_000).describe('Password of the API user; from the environment only.'),
  concurrency: count(1_000).default(20).describe('Most requests under way at once.'),
  requestsPerSecond: z.number().positive().max(10_000).default(10).describe('Most requests started per second.'),
  timeoutMs: count(600_000).default(60_000).describe('A request is given up after this many milliseconds.'),
  keepsKeys: z
    .boolean()
    .default(false)
    .describe(
      'It sells an Idempotency-Key once within 24 hours, as `rankledger serve` does: lost answers are asked for again.',
    ),
  retryUnreadable,
});

export const serviceSchema = z.discriminatedUnion('mode', [embeddedServiceSchema, remoteServiceSchema]);

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
    perRun: amount.optional().describe(`Most ${unit} of one run.`),
    perDay: amount.optional().describe(`Most ${unit} of one day.`),
    perMonth: amount.optional().describe(`Most ${unit} of one month.`),
  });
}

const budgetSchema = z.strictObject({
  serpCredits: caps(credits, 'SERP credits').prefault({}).describe('Result pages: one credit a page.'),
  keywordDataUsd: caps(dollars, 'US dollars').prefault({}).describe('Keyword metrics, in US dollars.'),
});

const queueSchema = z.strictObject({
  driver: z
    .enum(['embedded', 'bullmq'])
    .default('embedded')
    .describe('embedded needs no server; bullmq needs Redis and workers.'),
  redisUrl: z.string().min(1).max(2_000).optional().describe(`Address of Redis, for bullmq, such as \${REDIS_URL}.`),
  signingKey: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe(
      `Signs what coordinators and workers send each other through Redis, such as \${QUEUE_SIGNING_KEY}; the same on all of them. At least 16 characters.`,
    ),
  concurrency: count(1_000)
    .default(20)
    .describe('Most checks under way at once; of a worker, most pages of a service.'),
});

const heartbeatSchema = z.strictObject({
  file: path.optional().describe('JSON file that is written after each run and at each look of the scheduler.'),
  url: text(heartbeatUrlComplaint, 2_000)
    .optional()
    .describe(
      `Address that is told of each run, such as \${HEARTBEAT_URL}; /fail is added where it failed or was halted.`,
    ),
});

const retentionSchema = z.strictObject({
  rawPages: duration
    .default('90d')
    .describe('Raw pages older than this are pruned; what was read of them stays, and so does all history.'),
});

const typedTargetSchema = z
  .strictObject({
    match: z
      .enum(['domain', 'host', 'prefix', 'url'])
      .describe('domain also covers subdomains; prefix and url are URLs.'),
    value: z.string().min(1).max(2_000).describe('A host name, or a URL for prefix and url.'),
  })
  .check((context) => {
    const message = targetComplaint(context.value);
    if (message !== undefined)
      context.issues.push({ code: 'custom', message, path: ['value'], input: context.value.value });
  });
const targetSchema = z.union([text((value) => targetComplaint({ match: 'domain', value }), 2_000), typedTargetSchema]);

export const projectSchema = z.strictObject({
  id: name.describe('Name of the project; also its folder below the reports.'),
  service: name.default('default').describe('Name of the service that answers.'),
  targets: z.array(targetSchema).min(1).max(100).describe('What we look for: acme.com, or { match, value }.'),
  competitors: z.array(targetSchema).max(100).default([]).describe('Whom to compare with, written like targets.'),
  brandTerms: z
    .array(text((value) => (value.trim() === '' ? 'is empty' : undefined), 100))
    .max(100)
    .optional()
    .describe('What people call your site, for search intent; default: the names of the targets.'),
  schedule: schedule.optional().describe('Cron expression: minute hour day month weekday. None: runs only when named.'),
  timezone: timezone.optional().describe('Time zone of the schedule; default: that of the file.'),
  catchUp: z
    .enum(['none', 'latest', 'all'])
    .default('latest')
    .describe(
      'What becomes of slots missed while asleep. A live source fills only the newest: for it, all means latest.',
    ),
  overlap: z
    .enum(['queue', 'skip'])
    .default('queue')
    .describe('A slot whose project has a run under way waits for its end, or is given up.'),
  jitterSeconds: z
    .int()
    .min(0)
    .max(3_600)
    .default(0)
    .describe('The scheduler starts a run up to this much later, always the same for a slot.'),
  market: z
    .strictObject({
      country: country.default('US').describe('ISO 3166-1 country code.'),
      language: language.default('en').describe('Language code: en, pt-BR.'),
      devices: devices.default(['desktop']).describe('desktop, mobile or both.'),
    })
    .prefault({})
    .describe('Where keywords are searched unless they say otherwise.'),
  depth: depth.default(3).describe('Result pages of a check; each costs one credit.'),
  paging: z
    .enum(['until-found', 'until-all-found', 'full', 'anchored'])
    .default('until-found')
    .describe('Pages read: up to the own targets, also up to competitors, always all, or around the last known page.'),
  deep: z
    .strictObject({
      depth: depth.describe('Result pages of the deeper check.'),
      every: duration.describe('At most this often: 7d.'),
    })
    .optional()
    .describe('A deeper check from time to time.'),
  freshFor: duration.optional().describe('Pages this young are reused at no cost; none: only within the slot.'),
  tags: tags.default([]).describe('Tags of every keyword.'),
  keywords: z.array(keywordSchema).max(100_000).default([]).describe('Keywords, as text or { keyword, ... }.'),
  keywordsFile: path
    .optional()
    .describe(
      'Keyword file: one keyword a line, or CSV: keyword,country,language,device,tags,priority,depth,preferred_url.',
    ),
  volumes: z
    .strictObject({
      schedule: schedule.describe('When keyword metrics are bought: "0 4 2 * *" is the 2nd of each month.'),
      limit: count(1_000).default(33).describe('Results of one request; 33 cost what 1 costs.'),
    })
    .optional()
    .describe('Search volumes; none: no metrics are bought.'),
  alerts: alertRulesSchema
    .optional()
    .describe('Rules of this project in place of those of the file; an empty list: no alerts.'),
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
        'Who may read the database, backups and reports that are made: the user that runs rankledger, its group, or everyone.',
      ),
    services: z
      .record(name, serviceSchema)
      .optional()
      .describe('Named providers of result pages; none: default is the sandbox.'),
    budget: budgetSchema.optional().describe('The most that may be spent; none: no cap of ours.'),
    queue: queueSchema.prefault({}).describe('How work is handed out.'),
    retention: retentionSchema
      .prefault({})
      .describe('What `rankledger prune` removes; nothing is ever removed unasked.'),
    heartbeat: heartbeatSchema.optional().describe('Signs of life for a monitor; none: none are given.'),
    alerts: alertsSchema.optional().describe('What is told after a run, and to whom; none: nothing is.'),
    notes: z
      .array(noteSchema)
      .max(1_000)
      .default([])
      .describe('What readers of changes should know, such as releases.'),
    projects: z.array(projectSchema).max(1_000).default([]).describe('What is tracked.'),
  })
  .describe('rankledger: what to track, from where, and for how much.');

/** The parsed config, with defaults. */
export type WrittenConfig = z.output<typeof configSchema>;
export type WrittenProject = z.output<typeof projectSchema>;
export type WrittenService = z.output<typeof serviceSchema>;
export type WrittenKeyword = z.output<typeof keywordSchema>;
export type WrittenTarget = z.output<typeof targetSchema>;

/** JSON Schema (draft 7), for editors. */
export function jsonSchema(): Record<string, unknown> {
  return { title: 'rankledger config', ...z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' }) };
}
