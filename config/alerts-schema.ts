// The schema of alerts: channels and rules.
import * as z from 'zod';
import { checksMax } from '../src/tracker/alert-rules.ts';
import { depthMax } from './keyword-text.ts';
import { count, name, path, tags, text } from './schema-parts.ts';

/** The most results that a check can read. */
const ranksMax = depthMax * 10;
const addressesMax = 50;
const rulesMax = 100;

/** What is wrong with a webhook URL. The message does not repeat the URL, because it is a secret. */
function webhookComplaint(written: string): string | undefined {
  const protocol = URL.parse(written)?.protocol;
  return protocol === 'https:' || protocol === 'http:' ? undefined : 'is no address: write https://...';
}

function smtpComplaint(written: string): string | undefined {
  const url = URL.parse(written);
  const isSmtp = (url?.protocol === 'smtp:' || url?.protocol === 'smtps:') && url.hostname !== '';
  return isSmtp ? undefined : 'is no mail server: write smtp://user:password@host:587 or smtps://host';
}

/** What is wrong with `acme@example.com` or `Acme <acme@example.com>`; undefined: nothing. */
function mailAddressComplaint(written: string): string | undefined {
  const address = /^[^<>\p{Cc}]*<([^<>]*)>$/u.exec(written)?.[1] ?? written;
  const isAddress = /^[^\s@<>,;:"\p{Cc}]{1,64}@[^\s@<>,;:"\p{Cc}]{1,250}$/u.test(address);
  return isAddress ? undefined : `"${written}" is no mail address`;
}

const mailAddress = text(mailAddressComplaint, 400);

const webhookSchema = z.strictObject({
  type: z.literal('webhook').describe('How alerts go out: webhook, email or file.'),
  url: text(webhookComplaint, 2_000).describe(`Address that is sent a POST, such as \${ALERT_URL}.`),
  format: z
    .enum(['json', 'slack'])
    .default('json')
    .describe('json: every fact of each alert; slack: text and blocks, for Slack and messengers that read its form.'),
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
    .describe('Whether the address may be http://, such as one of this machine; else only https is spoken.'),
});

const emailSchema = z.strictObject({
  type: z.literal('email').describe('A mail over SMTP.'),
  smtp: text(smtpComplaint, 2_000).describe(`Mail server: smtp:// (with STARTTLS) or smtps://, such as \${SMTP_URL}.`),
  from: mailAddress.describe('Who sends it: rank@acme.com or Acme <rank@acme.com>.'),
  to: z.array(mailAddress).min(1).max(addressesMax).describe('Who gets it.'),
  attach: z.boolean().default(false).describe('Attach the report: report.html, else rank-changes.csv, up to 7 MB.'),
});

const fileSchema = z.strictObject({
  type: z.literal('file').describe('Lines added to a file.'),
  path: path.describe('File to which each alert is added as a line of JSON, relative to this file.'),
});

const channelSchema = z.discriminatedUnion('type', [webhookSchema, emailSchema, fileSchema]);

const filters = {
  projects: z.array(name).min(1).max(1_000).optional().describe('Only of these projects; none: all.'),
  channels: z.array(name).min(1).max(100).optional().describe('Only by these channels; none: all.'),
};
const keywordFilters = {
  ...filters,
  tags: tags.min(1).optional().describe('Only keywords with one of these tags; none: all.'),
};
const percent = z.number().positive().max(100);
const feature = text(
  (value) =>
    /^[a-z][a-z0-9_]{0,63}$/.test(value) ? undefined : `"${value}" is no feature: write one such as ai_overview`,
  64,
)
  .optional()
  .describe('Only this SERP feature, such as featured_snippet; none: all.');
const checks = count(checksMax)
  .optional()
  .describe(
    'Checks in a row that have to agree; none: 1, and 2 for ai_overview, which engines leave out now and then.',
  );

const alertRuleSchema = z.discriminatedUnion('when', [
  z.strictObject({
    when: z
      .literal('dropped-out-of')
      .describe(
        'What is told: dropped-out-of, moved, url-changed, feature-won, feature-lost, competitor-overtook, visibility-fell, run-failed, run-suspect or budget-share.',
      ),
    top: count(ranksMax).describe('dropped-out-of: ranked so high or higher before, not any more.'),
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('moved').describe('A rank changed by so many places or more.'),
    by: count(ranksMax).describe(
      'moved: at least so many places; not found counts as the place after the last one read.',
    ),
    direction: z.enum(['up', 'down', 'any']).default('any').describe('moved: only up, only down, or any.'),
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('url-changed').describe('Another page of the target ranks than before.'),
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('feature-won').describe('The target is shown in a SERP feature that did not show it before.'),
    feature,
    checks,
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('feature-lost').describe('A SERP feature that showed the target does not any more.'),
    feature,
    checks,
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('competitor-overtook').describe('A competitor that ranked behind the target ranks before it.'),
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('visibility-fell').describe('So much of the visibility is gone, over comparable keywords.'),
    percent: percent.describe(
      'visibility-fell: so much of it is gone. budget-share: so much of a cap is used. Percent.',
    ),
    ...keywordFilters,
  }),
  z.strictObject({
    when: z.literal('run-failed').describe('A run was halted, gave a service up, or brought no check to its end.'),
    ...filters,
  }),
  z.strictObject({
    when: z
      .literal('run-suspect')
      .describe('A run must not be believed without a second look; alerts of its ranks are held back.'),
    ...filters,
  }),
  z.strictObject({
    when: z.literal('budget-share').describe('So much of a cap of the budget is used; told once a window.'),
    percent: percent.describe('Percent of a cap.'),
    ...filters,
  }),
]);

export const alertRulesSchema = z.array(alertRuleSchema).max(rulesMax);

export const alertsSchema = z.strictObject({
  channels: z.record(name, channelSchema).default({}).describe('Named ways by which alerts go out.'),
  rules: alertRulesSchema.default([]).describe('What is worth an alert, in projects without rules of their own.'),
});

export type WrittenAlerts = z.output<typeof alertsSchema>;
export type WrittenAlertRule = z.output<typeof alertRuleSchema>;
export type WrittenChannel = z.output<typeof channelSchema>;
