// The HTML part of mails: tables and inline styles, as mail programs show them; no scripts, no remote images.
import { withoutControls } from './alert-text.ts';

/** Markup that may be inserted unchanged; plain strings are escaped. */
export class MailHtml {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type Part = MailHtml | string | number | readonly Part[];

/** A template of markup that escapes every text in it. */
function mailHtml(strings: TemplateStringsArray, ...parts: readonly Part[]): MailHtml {
  return new MailHtml(strings.map((string, index) => string + toMarkup(parts[index])).join(''));
}

function toMarkup(part: Part | undefined): string {
  if (part === undefined) return '';
  if (part instanceof MailHtml) return part.markup;
  if (typeof part === 'object') return part.map(toMarkup).join('');
  return withoutControls(String(part)).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const ink = '#1a1c1e';
const pale = '#565b61';
const accentStandard = '#0b5394';
const cell = 'padding:8px 12px 8px 0;border-bottom:1px solid #dfe2e6;text-align:left;vertical-align:top';

export interface MailPage {
  readonly title: string;
  /** Facts under the title, such as the run. */
  readonly facts: readonly string[];
  /** Null: none. */
  readonly warning: string | null;
  readonly body: readonly MailHtml[];
  /** Address of the published report; null: it is not published. */
  readonly reportUrl: string | null;
  /** The last lines, such as the name of the attachment. */
  readonly notes: readonly string[];
  /** Colour of the title's line and of the link; null: the usual one. */
  readonly accent?: string | null;
}

/** A whole document, 640 pixels wide at most. */
export function mailPage({ title, facts, warning, body, reportUrl, notes, accent }: MailPage): string {
  const colour = accent ?? accentStandard;
  const warned =
    warning === null ? '' : paragraph(`Attention: ${warning}`, `padding:10px 12px;background:#fff4d6;color:${ink}`);
  const link = reportUrl === null || !/^https?:/i.test(reportUrl) ? '' : reportLink(reportUrl, colour);
  return mailHtml`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light"><title>${title}</title></head>
<body style="margin:0;padding:0;background:#ffffff">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:640px;font:15px/1.5 Arial,Helvetica,sans-serif;color:${ink}"><tr><td style="border-top:4px solid ${colour};padding-top:12px">
<h1 style="margin:0 0 8px;font-size:20px;line-height:1.3;color:${ink}">${title}</h1>
${facts.map((fact) => paragraph(fact, `color:${pale}`))}${warned}${body}${link}${notes.map((note) => paragraph(note, `color:${pale}`))}
</td></tr></table></td></tr></table></body></html>
`.markup;
}

function reportLink(url: string, colour: string): MailHtml {
  return mailHtml`<p style="margin:20px 0"><a href="${url}" style="color:${colour};font-weight:bold">Open the report</a></p>`;
}

/** A text with its line breaks. */
export function paragraph(text: string, style = ''): MailHtml {
  const [first = '', ...others] = text.split('\n');
  return mailHtml`<p style="margin:0 0 10px;${style}">${first}${others.map((line) => mailHtml`<br>${line}`)}</p>`;
}

/** A table with a heading; nothing without rows. `numbers`: the columns that are right-aligned. */
export function mailTable(
  heading: string,
  titles: readonly string[],
  rows: readonly (readonly (MailHtml | string)[])[],
  numbers: readonly number[] = [],
): MailHtml {
  if (rows.length === 0) return new MailHtml('');
  const style = (column: number) => (numbers.includes(column) ? `${cell};text-align:right` : cell);
  const head = titles.map(
    (title, column) => mailHtml`<th scope="col" style="${style(column)};font-size:13px;color:${pale}">${title}</th>`,
  );
  const lines = rows.map(
    (row) => mailHtml`<tr>${row.map((value, column) => mailHtml`<td style="${style(column)}">${value}</td>`)}</tr>\n`,
  );
  return mailHtml`<h2 style="margin:20px 0 4px;font-size:16px">${heading}</h2>
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;font-size:14px"><thead><tr>${head}</tr></thead>
<tbody>${lines}</tbody></table>`;
}

/** A text over a smaller one. */
export function twoLines(first: string, second: string): MailHtml {
  return mailHtml`<strong>${first}</strong><br><span style="font-size:13px;color:${pale}">${second}</span>`;
}
