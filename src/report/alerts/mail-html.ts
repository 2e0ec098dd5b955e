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

/** Of src/workspace/web/tokens.css: mails have one mode, and no variables. */
const colours = { ink: '#16191d', soft: '#525c66', hairline: '#e6e8ec', accent: '#3b46e0', warning: '#fdf6df' };
const family = `Inter,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;
const cell = `padding:8px 16px 8px 0;border-bottom:1px solid ${colours.hairline};text-align:left;vertical-align:top`;

interface MailPage {
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
  const colour = accent ?? colours.accent;
  const warned =
    warning === null
      ? ''
      : paragraph(
          `Attention: ${warning}`,
          `padding:10px 14px;border-radius:8px;background:${colours.warning};color:${colours.ink}`,
        );
  const link = reportUrl === null || !/^https?:/i.test(reportUrl) ? '' : reportLink(reportUrl, colour);
  return mailHtml`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light"><title>${title}</title></head>
<body style="margin:0;padding:0;background:#ffffff">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:640px;font:14px/1.5 ${family};color:${colours.ink}"><tr><td style="border-top:4px solid ${colour};padding-top:20px">
<h1 style="margin:0 0 8px;font-size:20px;font-weight:650;line-height:1.3;letter-spacing:-0.01em;color:${colours.ink}">${title}</h1>
${facts.map((fact) => paragraph(fact, `font-size:13px;color:${colours.soft}`))}${warned}${body}${link}${notes.map((note) => paragraph(note, `margin-top:16px;font-size:13px;color:${colours.soft}`))}
</td></tr></table></td></tr></table></body></html>
`.markup;
}

function reportLink(url: string, colour: string): MailHtml {
  return mailHtml`<p style="margin:24px 0"><a href="${url}" style="display:inline-block;padding:8px 16px;border-radius:8px;background:${colour};color:#ffffff;font-weight:500;text-decoration:none">Open the report</a></p>`;
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
    (title, column) =>
      mailHtml`<th scope="col" style="${style(column)};font-size:12px;font-weight:500;color:${colours.soft}">${title}</th>`,
  );
  const lines = rows.map(
    (row) => mailHtml`<tr>${row.map((value, column) => mailHtml`<td style="${style(column)}">${value}</td>`)}</tr>\n`,
  );
  return mailHtml`<h2 style="margin:24px 0 4px;font-size:16px;font-weight:650">${heading}</h2>
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums"><thead><tr>${head}</tr></thead>
<tbody>${lines}</tbody></table>`;
}

/** A text over a smaller one. */
export function twoLines(first: string, second: string): MailHtml {
  return mailHtml`<strong>${first}</strong><br><span style="font-size:12px;font-weight:500;color:${colours.soft}">${second}</span>`;
}
