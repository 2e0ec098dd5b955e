// Scheduled deliveries in the config, and mistakes in them.
import { expect, test } from 'vitest';
import { load, problemsOf, projectWith } from './folder.ts';

const name = 'rankledger.yaml';
const channels = `alerts:
  channels:
    mail: { type: email, smtp: "smtp://mail.example", from: a@acme.com, to: [b@acme.com] }
    log: { type: file, path: log.jsonl }
`;

const withDelivery = (deliver: string, more = channels) => ({
  [name]: `reports: { deliver: ${deliver} }\n${more}${projectWith()}`,
});

test.each([
  ['weekly', { every: 'weekly', day: 1 }],
  ['monthly', { every: 'monthly', day: 1 }],
  ['daily', { every: 'daily', day: null }],
])('%s alone is a delivery to all mail channels', async (written, expected) => {
  const { reports, warnings } = await load(withDelivery(written));
  expect(reports.deliveries).toEqual([
    { ...expected, at: '06:00', channels: ['mail'], projects: null, attach: 'html' },
  ]);
  expect(warnings.join()).toContain('alerts.channels.log');
  expect(warnings.join()).not.toContain('alerts.channels.mail');
});

test('a list gives time, content and recipients', async () => {
  const { reports } = await load(
    withDelivery('[{ every: weekly, day: friday, at: "17:30", channels: [log], projects: [acme], attach: pdf }]'),
  );
  expect(reports.deliveries).toEqual([
    { every: 'weekly', day: 5, at: '17:30', channels: ['log'], projects: ['acme'], attach: 'pdf' },
  ]);
});

test.each([
  ['weekly', 'has no channel', ''],
  ['[{ every: daily, day: monday }]', 'a daily delivery has no day', channels],
  ['[{ every: weekly, day: 3 }]', 'a weekly delivery takes a weekday, such as monday', channels],
  ['[{ every: monthly, day: monday }]', 'a monthly delivery takes a day of the month, 1 to 28', channels],
  ['[{ every: weekly, at: "6" }]', '"6" is not a time: write "06:00"', channels],
  ['[{ every: weekly, chanels: [mail] }]', 'unknown key', channels],
  ['[{ every: weekly, channels: [mails] }]', 'there is no channel "mails"', channels],
  ['[{ every: weekly, projects: [acne] }]', 'there is no project "acne"', channels],
])('the delivery %s is refused: %s', async (written, message, more) => {
  const problems = await problemsOf(withDelivery(written, more));
  expect(problems.map((problem) => problem.message)).toContain(message);
});
