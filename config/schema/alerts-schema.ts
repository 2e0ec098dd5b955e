// The schema of alerts: channels and rules.
import * as z from 'zod';
import { checksMax } from '../../src/tracker/changes/alerts.ts';
import { depthMax } from './complaints.ts';
import { count, madeWhenNeeded, name, path, tags, text } from './schema-parts.ts';

/** The most results that a check can read. */
const ranksMax = depthMax * 10;
const addressesMax = 50;
const rulesMax = 100;

/** What is wrong with a webhook URL. The message does not repeat the URL, because it is a secret. */
function webhookComplaint(written: string): string | undefined {
  const protocol = URL.parse(written)?.protocol;
  return protocol === 'https:' || protocol === 'http:' ? undefined : 'is not a URL: write https://...';
}

function smtpComplaint(written: string): string | undefined {
  const url = URL.parse(written);
  const isSmtp = (url?.protocol === 'smtp:' || url?.protocol === 'smtps:') && url.hostname !== '';
  return isSmtp ? undefined : 'is not a mail server: write smtp://user:password@host:587 or smtps://host';
}

/** What is wrong with `acme@example.com` or `Acme <acme@example.com>`; undefined: nothing. */
function mailAddressComplaint(written: string): string | undefined {
  const address = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(written)?.[1] ?? written;
  const isAddress = /^[^\s@<>,;:"\p{Cc}]{1,64}@[^\s@<>,;:"\p{Cc}]{1,250}$/u.test(address);
  return isAddress ? undefined : `"${written}" is not an email address`;
}

function featureComplaint(written: string): string | undefined {
  if (/^[a-z][a-z0-9_]{0,63}$/.test(written)) return undefined;
  return `"${written}" is not a SERP feature: write one such as ai_overview`;
}

function channelSchema() {
  const mailAddress = text(mailAddressComplaint, 400);

  const webhookSchema = z.strictObject({
    type: z.literal('webhook').describe('How the channel sends alerts: webhook, email or file.'),
    url: text(webhookComplaint, 2_000).describe(`URL that gets a POST, such as \${ALERT_URL}.`),
    format: z
      .enum(['json', 'slack'])
      .default('json')
      .describe('json: all data of each alert; slack: text and blocks, for Slack and compatible messengers.'),
    authorization: z
      .string()
      .min(1)
      .max(4_000)
      .optional()
      .describe(`Value of the Authorization header, such as \${ALERT_AUTHORIZATION}; from the environment only.`),
    secret: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        `Signs each message (webhook-id, webhook-timestamp, webhook-signature), such as \${ALERT_SECRET}; from the environment only.`,
      ),
    allowHttp: z
      .boolean()
      .default(false)
      .describe('Allow a URL with http://, such as one on this machine. Otherwise only https.'),
  });

  const emailSchema = z.strictObject({
    type: z.literal('email').describe('An email over SMTP.'),
    smtp: text(smtpComplaint, 2_000).describe(
      `Mail server: smtp:// (with STARTTLS) or smtps://, such as \${SMTP_URL}.`,
    ),
    from: mailAddress.describe('Sender: rank@acme.com or Acme <rank@acme.com>.'),
    to: z.array(mailAddress).min(1).max(addressesMax).describe('Recipients.'),
    attach: z.boolean().default(false).describe('Attach the report: report.html, else rank-changes.csv, up to 7 MB.'),
  });

  const fileSchema = z.strictObject({
    type: z.literal('file').describe('Lines appended to a file.'),
    path: path.describe('File to which each alert is appended as a line of JSON, relative to this file.'),
  });

  return z.discriminatedUnion('type', [webhookSchema, emailSchema, fileSchema]);
}

/** One kind of rule. */
function kind<When extends string, Keys extends z.ZodRawShape>(when: When, description: string, keys: Keys) {
  return z.strictObject({ when: z.literal(when).describe(description), ...keys });
}

function alertRuleSchema() {
  const filters = {
    projects: z.array(name).min(1).max(1_000).optional().describe('Only alerts of these projects. Default: all.'),
    channels: z.array(name).min(1).max(100).optional().describe('Send only to these channels. Default: all.'),
  };
  const keywordFilters = {
    ...filters,
    tags: tags.min(1).optional().describe('Only keywords with one of these tags. Default: all.'),
  };
  const rankFilters = {
    significance: z
      .enum(['likely', 'certain'])
      .optional()
      .describe("Only changes of rank outside the keyword's noise band: likely, or only certain ones. Default: all."),
    ...keywordFilters,
  };
  const featureFilters = {
    feature: text(featureComplaint, 64)
      .optional()
      .describe('Only this SERP feature, such as featured_snippet. Default: all.'),
    checks: count(checksMax)
      .optional()
      .describe(
        'Consecutive checks that must agree. Default: 1, but 2 for ai_overview, which engines omit now and then.',
      ),
    ...keywordFilters,
  };
  const percent = z.number().positive().max(100);
  return z.discriminatedUnion('when', [
    kind(
      'dropped-out-of',
      'Trigger of the alert: dropped-out-of, moved, url-changed, other-url, feature-won, feature-lost, competitor-overtook, visibility-fell, run-failed, nothing-checked, run-suspect, update-suspected or budget-share.',
      {
        top: count(ranksMax).describe('dropped-out-of: the target ranked within the top N before, and no longer does.'),
        ...rankFilters,
      },
    ),
    kind('moved', 'A rank changed by at least this number.', {
      by: count(ranksMax).describe('moved: minimum change of rank. Not found counts as one below the last rank read.'),
      direction: z.enum(['up', 'down', 'any']).default('any').describe('moved: only up, only down, or any.'),
      ...rankFilters,
    }),
    kind('url-changed', 'The ranking URL of the target changed.', keywordFilters),
    kind(
      'other-url',
      'Another URL begins to rank than the one that the keyword prefers (preferredUrl).',
      keywordFilters,
    ),
    kind('feature-won', 'The target appears in a SERP feature that did not show it before.', featureFilters),
    kind('feature-lost', 'The target no longer appears in a SERP feature that showed it.', featureFilters),
    kind('competitor-overtook', 'A competitor that ranked below the target ranks above it.', keywordFilters),
    kind('visibility-fell', 'Visibility of comparable keywords fell by at least this percentage.', {
      percent: percent.describe(
        'Threshold in percent. visibility-fell: drop of the visibility. budget-share: used part of a cap.',
      ),
      ...keywordFilters,
    }),
    kind('run-failed', 'A run was halted, gave up a service, or completed no check.', filters),
    kind('nothing-checked', 'A run checked nothing of what was due in a project.', filters),
    kind(
      'run-suspect',
      'A run needs review before its ranks are trusted. Alerts about its ranks are held back.',
      filters,
    ),
    kind(
      'update-suspected',
      'More keywords moved outside their noise bands than usual, in the project, a market or a tag.',
      filters,
    ),
    kind('budget-share', 'A part of a budget cap is used. Sent once per window.', {
      percent: percent.describe('Percentage of the cap.'),
      ...filters,
    }),
  ]);
}

export const alertRulesSchema = madeWhenNeeded(() => z.array(alertRuleSchema()).max(rulesMax));

export const alertsSchema = madeWhenNeeded(() =>
  z.strictObject({
    channels: z.record(name, channelSchema()).default({}).describe('Named channels that alerts are sent to.'),
    rules: alertRulesSchema.default([]).describe('What triggers an alert, for projects without separate rules.'),
  }),
);

export type WrittenAlertRule = z.output<ReturnType<typeof alertRuleSchema>>;
export type WrittenChannel = z.output<ReturnType<typeof channelSchema>>;
