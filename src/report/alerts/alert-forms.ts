// Formats alerts for their channels: JSON, Slack blocks, mail, and JSON lines.

import type { Alert, AlertMessage } from '../../tracker/changes/alerts.ts';
import { marketName } from '../../tracker/project.ts';
import { alertText, alertTitle, cut, keywordEvent, reportLine } from './alert-text.ts';
import { type MailHtml, mailPage, mailTable, paragraph, twoLines } from './mail-html.ts';
import { escapeSlack, type SlackMessage, sectionCharactersMax, slackBlocks, slackLink } from './slack.ts';

const linesOfMessengerMax = 20;
const lineCharactersMax = 500;
const linesOfMailMax = 200;

/** The payload of a webhook. `format` increases with every incompatible change. */
interface AlertDocument {
  readonly format: 1;
  readonly event: 'alerts';
  readonly project: string;
  readonly run: AlertMessage['run'];
  readonly warning: string | null;
  readonly title: string;
  readonly report: AlertMessage['report'];
  /** A repeated alert keeps its id. */
  readonly alerts: readonly (Alert & { readonly id: string; readonly text: string })[];
}

export function alertDocument(message: AlertMessage): AlertDocument {
  const { project, run, warning, report, alerts } = message;
  const title = alertTitle(message);
  const documents = alerts.map(({ id, alert }) => ({ id, text: alertText(alert), ...alert }));
  return { format: 1, event: 'alerts', project, run, warning, title, report, alerts: documents };
}

/** One line of JSON per alert. */
export function alertLines(message: AlertMessage, at: number): string {
  const { project, run, warning, report } = message;
  const facts = { at: new Date(at).toISOString(), project, run, warning, report };
  return message.alerts
    .map(({ id, alert }) => `${JSON.stringify({ ...facts, id, text: alertText(alert), ...alert })}\n`)
    .join('');
}

export function slackMessage(message: AlertMessage): SlackMessage {
  const title = alertTitle(message);
  const lines = formatLines(message, linesOfMessengerMax).map(
    (line) => `• ${escapeSlack(cut(line, lineCharactersMax))}`,
  );
  const report = reportLine(message);
  const link = message.report?.url;
  const context = [
    ...(message.warning === null ? [] : [escapeSlack(message.warning)]),
    ...(report === null ? [] : [link == null ? escapeSlack(report) : slackLink(link, 'Report')]),
  ];
  return {
    text: [escapeSlack(title), ...lines, ...context].join('\n'),
    blocks: slackBlocks(title, joinedSections(lines), context),
  };
}

/** A mail without addresses. */
interface AlertMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** `attached`: file name of the attachment; null: none. */
export function alertMail(message: AlertMessage, attached: string | null): AlertMail {
  const { run, warning } = message;
  const report = reportLine(message);
  const lines = [
    alertTitle(message),
    ...(run === null ? [] : [`Run ${run.id} of ${run.slot} (${run.timezone}), ${run.state}`]),
    ...(warning === null ? [] : [`Attention: ${warning}`]),
    '',
    ...formatLines(message, linesOfMailMax).map((line) => `- ${line}`),
    '',
    ...(report === null ? [] : [report]),
    ...(attached === null ? [] : [`Attached: ${attached}`]),
  ];
  return {
    subject: `[rankledger] ${alertTitle(message)}`,
    text: `${lines.join('\n').trimEnd()}\n`,
    html: alertMailHtml(message, attached),
  };
}

function alertMailHtml(message: AlertMessage, attached: string | null): string {
  const { run, warning, report, alerts } = message;
  const shown = alerts.length <= linesOfMailMax ? alerts : alerts.slice(0, linesOfMailMax - 1);
  const rows: MailHtml[][] = [];
  const others: MailHtml[] = [];
  for (const { alert } of shown) {
    if (alert.about !== 'keyword') others.push(paragraph(alertText(alert)));
    else {
      const { keyword, country, language, device, location, target } = alert;
      const where = `${target}, ${marketName({ country, language, device, location })}`;
      rows.push([twoLines(keyword, where), paragraph(keywordEvent(alert))]);
    }
  }
  const left = alerts.length - shown.length;
  return mailPage({
    title: alertTitle(message),
    facts: run === null ? [] : [`Run ${run.id} of ${run.slot} (${run.timezone}), ${run.state}`],
    warning,
    body: [
      ...others,
      mailTable('Keywords', ['Keyword', 'Change'], rows),
      ...(left === 0 ? [] : [paragraph(`and ${left} more: see the report`)]),
    ],
    reportUrl: report?.url ?? null,
    notes: [
      ...(report === null || report.url !== null ? [] : [`Report: ${report.directory}`]),
      ...(attached === null ? [] : [`Attached: ${attached}`]),
    ],
  });
}

function formatLines({ alerts }: AlertMessage, max: number): string[] {
  const lines = alerts.map(({ alert }) => alertText(alert));
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max - 1), `and ${lines.length - max + 1} more: see the report`];
}

/** Joins lines into as few sections as possible. */
function joinedSections(lines: readonly string[]): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    const joined = last === undefined ? line : `${last}\n${line}`;
    if (last !== undefined && joined.length <= sectionCharactersMax) texts[texts.length - 1] = joined;
    else texts.push(cut(line, sectionCharactersMax));
  }
  return texts;
}
