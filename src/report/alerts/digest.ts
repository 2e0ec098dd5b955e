// A scheduled report in a message: headline numbers and movers as text, mail, Slack blocks and JSON.

import type { Headline } from '../../read/row-sums.ts';
import { commentsOn, type DeliverySchedule, type ReportTemplate } from '../../tracker/changes/client-reports.ts';
import { rankText } from '../../tracker/figures.ts';

import { marketName } from '../../tracker/project.ts';
import type { Mover } from '../tables/movers.ts';
import { mailPage, mailTable, paragraph, twoLines } from './mail-html.ts';
import { escapeSlack, type SlackMessage, sectionCharactersMax, slackBlocks, slackLink } from './slack.ts';

export interface Digest {
  readonly project: string;
  readonly schedule: DeliverySchedule;
  /** Local dates, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** The warning at the top of the report; null: none. */
  readonly warning: string | null;
  /** Of the first own target; null: none. */
  readonly headline: Headline | null;
  readonly movers: readonly Mover[];
  readonly template: ReportTemplate;
  /** Null: no report was written. `url` null: reports are not published. */
  readonly report: { readonly directory: string; readonly url: string | null } | null;
}

/** The payload of a webhook. `format` increases with every incompatible change. */
export interface DigestDocument extends Omit<Digest, 'template'> {
  readonly format: 1;
  readonly event: 'report';
  readonly title: string;
  readonly text: string;
}

/** `acme: weekly report, 2026-11-16 to 2026-11-22`; invented data is labelled. */
function digestTitle({ project, schedule, from, to, warning }: Digest): string {
  const label = warning !== null && /simulated|replayed/.test(warning) ? '[simulated] ' : '';
  const days = from === to ? from : `${from} to ${to}`;
  return `${label}${project}: ${schedule} report, ${days}`;
}

interface Line {
  readonly name: string;
  readonly value: string;
  readonly change: string;
}

function headlineLines(headline: Headline | null): Line[] {
  if (headline === null) return [];
  const { total, checked, comparable } = headline;
  const line = (name: string, value: number | null, change: number | null, unit = '', ofChange = unit): Line => ({
    name,
    value: value === null ? '-' : `${shown(value)}${unit}`,
    change: change === null ? 'no comparison' : `${change > 0 ? '+' : ''}${shown(change)}${ofChange}`,
  });
  return [
    line('Visibility', headline.visibility, headline.visibilityChange, ' %', ' points'),
    line('Average rank', headline.averageRank, headline.averageRankChange),
    line('Top 3', headline.top3, headline.top3Change),
    line('Top 10', headline.top10, headline.top10Change),
    line('Clicks a month', whole(headline.estimatedClicks), whole(headline.estimatedClicksChange)),
    {
      name: 'Coverage',
      value: `${shown(checked)} of ${shown(total)} keywords${olderWords(headline)}`,
      change: `${shown(comparable)} compared`,
    },
  ];
}

/** Ranks of earlier slots are in none of the numbers. */
function olderWords({ older, olderDaysMax }: Headline): string {
  return older === 0 ? '' : `; ${shown(older)} are older, up to ${shown(olderDaysMax ?? 0)} days, and not counted`;
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

function shown(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

/** `running shoes (US en mobile): 12 -> 8` */
function moverLine({ keyword, country, language, device, location, rank, previousRank }: Mover): string {
  return `${keyword} (${marketName({ country, language, device, location })}): ${rankText(previousRank)} -> ${rankText(rank)}`;
}

function wordsOf({ template, from, to }: Digest): string[] {
  const texts = [...(template.introduction === null ? [] : [template.introduction]), ...commentsOn(template, from, to)];
  return texts.map((text) => text.trim());
}

/** `attachment`: the name of the attached file, or why there is none; null: none was asked for. */
function lastLines({ report }: Digest, attachment: string | null): string[] {
  return [
    // a client has no use for a path of this machine
    ...(report?.url == null ? [] : [`Report: ${report.url}`]),
    ...(attachment === null ? [] : [attachment]),
  ];
}

export function digestText(digest: Digest, attachment: string | null = null): string {
  const { headline, movers, warning } = digest;
  const lines = headlineLines(headline);
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  return `${[
    digestTitle(digest),
    ...(warning === null ? [] : [`Attention: ${warning}`]),
    ...wordsOf(digest).flatMap((text) => ['', text]),
    ...(lines.length === 0 ? [] : ['']),
    ...lines.map(({ name, value, change }) => `${name.padEnd(width)}  ${value} (${change})`),
    ...(movers.length === 0 ? [] : ['', 'Biggest movers']),
    ...movers.map((mover) => `- ${moverLine(mover)}${mover.cause === null ? '' : `; first cause: ${mover.cause}`}`),
    '',
    ...lastLines(digest, attachment),
  ]
    .join('\n')
    .trimEnd()}\n`;
}

/** The HTML part of a mail, with what `digestText` says. */
export function digestHtml(digest: Digest, attachment: string | null = null): string {
  const { headline, movers, warning, report, template } = digest;
  const numbers = headlineLines(headline).map(({ name, value, change }) => [name, value, change]);
  const changes = movers.map(({ keyword, country, language, device, location, rank, previousRank, cause }) => [
    twoLines(keyword, marketName({ country, language, device, location })),
    rankText(previousRank),
    rankText(rank),
    cause ?? '',
  ]);
  return mailPage({
    title: digestTitle(digest),
    facts: template.name === null ? [] : [template.name],
    warning,
    body: [
      ...wordsOf(digest).map((text) => paragraph(text)),
      mailTable('Numbers', ['', 'Now', 'Change'], numbers, [1, 2]),
      mailTable('Biggest movers', ['Keyword', 'Before', 'Now', 'First cause'], changes, [1, 2]),
    ],
    reportUrl: report?.url ?? null,
    notes: attachment === null ? [] : [attachment],
    accent: template.accent,
  });
}

export function digestSubject(digest: Digest): string {
  return `[${digest.template.name ?? 'rankledger'}] ${digestTitle(digest)}`;
}

export function digestDocument(digest: Digest): DigestDocument {
  const { template: _, ...facts } = digest;
  return { format: 1, event: 'report', title: digestTitle(digest), text: digestText(digest), ...facts };
}

export function digestSlack(digest: Digest): SlackMessage {
  const { report } = digest;
  const title = digestTitle(digest);
  const [, ...body] = digestText({ ...digest, report: null })
    .trimEnd()
    .split('\n');
  const text = escapeSlack(body.join('\n').trim()).slice(0, sectionCharactersMax);
  const url = report?.url ?? null;
  return {
    text: [escapeSlack(title), text].join('\n'),
    blocks: slackBlocks(title.slice(0, 150), text === '' ? [] : [text], url === null ? [] : [slackLink(url, 'Report')]),
  };
}
