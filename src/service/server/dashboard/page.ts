// Pages of the dashboard: HTML as a value, the frame of every page, fields, tables, amounts, and a QR code.
import { createHash } from 'node:crypto';
import { correction, generate } from 'lean-qr';
import { type Headers, html as htmlType } from '../responses.ts';
import { type DashboardAnswer, formTokenField, type HolderVisit, type Visit } from './visit.ts';

/** Markup that may be inserted unchanged. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | undefined | false | readonly Part[];

/**
 * A template of markup; strings and numbers in it are escaped when they are inserted, so that no text can become
 * markup. Undefined and false are empty.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((string, index) => string + toText(parts[index])).join(''));
}

function toText(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(toText).join('');
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** With the colours and sizes of src/workspace/web/tokens.css, which the service cannot import. */
const style = `
:root{color-scheme:light dark;--ground:light-dark(#fbfbfc,#101214);--surface:light-dark(#fff,#171a1d);--sunken:light-dark(#f4f5f7,#0b0d0f);--hover:light-dark(#f1f2f5,#1e2226);--hairline:light-dark(#e6e8ec,#262b31);--outline:light-dark(#8a94a0,#6e7a86);--ink:light-dark(#16191d,#eceff2);--soft:light-dark(#525c66,#a9b3be);--faint:light-dark(#66707b,#8c97a3);--accent:light-dark(#3b46e0,#9aa2ff);--good:light-dark(#0b62b8,#76b9ff);--good-wash:light-dark(#e8f2fd,#10263d);--bad:light-dark(#b93d0b,#ff9f6b);--bad-wash:light-dark(#fdefe6,#3a1f10);background:var(--ground);color:var(--ink)}
body{font:14px/1.5 "Inter Variable",Inter,system-ui,sans-serif;max-width:1000px;margin:0 auto;padding:0 24px 64px}
a{color:inherit;text-decoration-color:var(--outline);text-underline-offset:3px}
a:hover{color:var(--accent);text-decoration-color:currentColor}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
h1{font-size:28px;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:32px 0 16px}
h2{font-size:16px;font-weight:650;margin:32px 0 8px}
header{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;border-bottom:1px solid var(--hairline);padding:12px 0}
header nav{display:flex;flex-wrap:wrap;gap:4px;flex:1}
header nav a{padding:4px 10px;border-radius:6px;color:var(--soft);text-decoration:none}
header nav a:hover{background:var(--hover);color:var(--ink)}
header nav [aria-current]{background:var(--hover);color:var(--ink);font-weight:500}
code,pre{font:13px/1.5 ui-monospace,monospace}
pre,.secret{padding:12px;overflow-x:auto;background:var(--sunken);border:1px solid var(--hairline);border-radius:8px}
.qr{display:block;width:min(14rem,100%);height:auto}
.wide{overflow-x:auto;margin-top:8px}
table{border-collapse:collapse;width:100%;font-size:13px}
caption{text-align:left;color:var(--soft);padding:8px 0}
th,td{text-align:left;vertical-align:top;padding:8px 16px 8px 0;border-bottom:1px solid var(--hairline)}
th{font-size:12px;font-weight:500;color:var(--faint);white-space:nowrap}
tbody tr:hover{background:var(--hover)}
:is(th,td):last-child{padding-right:0}
.number{text-align:right;font-variant-numeric:tabular-nums}
form p{margin:12px 0}
label{display:block;font-weight:500;margin-bottom:4px}
.check label{display:inline;font-weight:400}
input:not([type=checkbox]),textarea,select{font:inherit;color:inherit;background:var(--surface);border:1px solid var(--outline);border-radius:8px;padding:6px 10px;width:100%;max-width:440px;box-sizing:border-box}
select{width:auto}
input[type=checkbox]{accent-color:var(--accent)}
button{font:inherit;font-weight:500;padding:6px 14px;border:1px solid var(--ink);border-radius:8px;background:var(--ink);color:var(--ground);cursor:pointer}
button:hover{opacity:.88}
header button{background:none;color:var(--soft);border-color:var(--hairline)}
header button:hover{color:var(--ink);opacity:1}
.hint{display:block;font-size:12px;font-weight:400;color:var(--soft)}
.message{border-radius:8px;padding:10px 14px}
.message.bad{background:var(--bad-wash)}.message.good{background:var(--good-wash)}
.bad{color:var(--bad)}.good{color:var(--good)}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 24px}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
.figures{grid-template-columns:1fr 1fr;gap:0;border:solid var(--hairline);border-width:1px 0;padding:12px 0;margin:0}
.figures div+div{border-left:1px solid var(--hairline);padding-left:16px}
.figures dt{font-size:12px}.figures dd{font-size:28px;font-weight:650;line-height:1.2;font-variant-numeric:tabular-nums}
@media(max-width:640px){body{padding:0 16px 48px}h1{margin-top:24px}header nav{order:1;flex:1 0 100%;flex-wrap:nowrap;overflow-x:auto;white-space:nowrap}header form{margin-left:auto}td:not(:last-child){white-space:nowrap}}`;

/** A page may load and run nothing, and may send forms only to this server. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

/** Headers of every answer of the dashboard. */
export const guardHeaders: Headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const sections: readonly (readonly [path: string, name: string])[] = [
  ['/account', 'Overview'],
  ['/account/users', 'API users'],
  ['/account/whitelist', 'Whitelist'],
  ['/account/statement', 'Statement'],
  ['/account/failures', 'Failures'],
  ['/account/examples', 'Examples'],
  ['/account/security', 'Security'],
];

/** Messages after an accepted form, by the parameter `done` of the URL: texts never come from the URL. */
const notices: ReadonlyMap<string, string> = new Map([
  ['expiry', 'The expiry is set.'],
  ['revoked', 'The API user is revoked: the service rejects its requests from now on.'],
  ['whitelist', 'The whitelist is saved. It applies from the next request on.'],
  ['password', 'The password is changed. All other browsers are signed out.'],
  ['totp-on', 'Sign-in requires a code from now on. All other browsers are signed out.'],
  ['totp-off', 'Sign-in no longer requires a code. All other browsers are signed out.'],
  ['signed-out', 'You are signed out.'],
  [
    'wrong-codes',
    'Since your last sign-in, wrong codes were entered together with your password: see Security and Failures. If that was not you, change the password.',
  ],
]);

interface PageContent {
  readonly title: string;
  readonly main: Html;
  /** Why a form was rejected. */
  readonly problem?: string;
  /** With a problem; default: 400. */
  readonly status?: number;
  readonly headers?: Headers;
}

/** A page that needs no sign-in. */
export function openPage({ request }: Visit, content: PageContent): DashboardAnswer {
  return pageAnswer(html`<header><strong>Search Data Service</strong></header>`, request.query, content);
}

/** A page for a holder who has signed in. */
export function holderPage(visit: HolderVisit, content: PageContent): DashboardAnswer {
  const { request, account } = visit;
  const links = sections.map(([path, name]) => {
    const isHere = path === request.path || (path !== '/account' && request.path.startsWith(`${path}/`));
    return html`<a href="${path}"${isHere && new Html(' aria-current="page"')}>${name}</a>`;
  });
  const signOut = form(visit, '/account/sign-out', html`<button>Sign out</button>`);
  const head = html`<header><strong>${account.name}</strong><nav aria-label="Account">${links}</nav>${signOut}</header>`;
  return { ...pageAnswer(head, request.query, content), account: account.name };
}

function pageAnswer(head: Html, query: URLSearchParams, content: PageContent): DashboardAnswer {
  const { title, main, problem, status = 400, headers } = content;
  const notice = problem === undefined ? notices.get(query.get('done') ?? '') : undefined;
  const body = html`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${problem !== undefined && 'Error: '}${title}</title><style>${new Html(style)}</style></head><body>
${head}<main><h1>${title}</h1>
${problem !== undefined && html`<p class="message bad" role="alert">${problem}</p>`}
${notice !== undefined && html`<p class="message good" role="status">${notice}</p>`}
${main}</main></body></html>`;
  return {
    status: problem === undefined ? 200 : status,
    headers: { 'content-type': htmlType, ...headers },
    body: body.text,
  };
}

/** A form that carries the token of its browser. */
export function form({ formToken }: Visit, action: string, fields: Html): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="${formTokenField}" value="${formToken}">${fields}</form>`;
}

/** A labelled input. Its name is its id, unless the attributes have one. */
export function input(id: string, label: string, attributes: string, { hint = '', name = id, value = '' } = {}): Html {
  const small = hint !== '' && html` <span class="hint">${hint}</span>`;
  const given = value !== '' && html` value="${value}"`;
  return html`<p><label for="${id}">${label}${small}</label>
<input id="${id}" name="${name}"${given} ${new Html(attributes)}></p>`;
}

export function button(text: string): Html {
  return html`<p><button>${text}</button></p>`;
}

/** A table that scrolls sideways if it is too wide; a sentence instead, if it has no rows. */
export function table(
  caption: string,
  head: readonly (string | { readonly number: string })[],
  rows: readonly (readonly (Html | string | number)[])[],
  empty: string,
): Html {
  if (rows.length === 0) return html`<p>${empty}</p>`;
  const isNumber = (index: number) => typeof head[index] === 'object' && new Html(' class="number"');
  const titles = head.map((each, index) => {
    return html`<th scope="col"${isNumber(index)}>${typeof each === 'string' ? each : each.number}</th>`;
  });
  const lines = rows.map((row) => html`<tr>${row.map((cell, index) => html`<td${isNumber(index)}>${cell}</td>`)}</tr>`);
  return html`<div class="wide" role="region" tabindex="0" aria-label="${caption}"><table><caption>${caption}</caption>
<thead><tr>${titles}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** Code that scrolls sideways. */
export function code(label: string, text: string): Html {
  return html`<pre role="region" tabindex="0" aria-label="${label}"><code>${text}</code></pre>`;
}

/** `1,234`. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Micro-USD as dollars with all their decimals, at least two: `-$0.015`. */
export function dollars(microUsd: number): string {
  return `${microUsd < 0 ? '-' : ''}$${decimalUsd(Math.abs(microUsd))}`;
}

/** Micro-USD as a plain decimal number, at least two decimals. */
export function decimalUsd(microUsd: number): string {
  const whole = Math.trunc(Math.abs(microUsd) / 1_000_000);
  const fraction = String(Math.abs(microUsd) % 1_000_000).padStart(6, '0');
  return `${microUsd < 0 ? '-' : ''}${whole}.${fraction.replace(/0{1,4}$/, '')}`;
}

/** A moment in UTC, to the second. */
export function moment(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

/** Modules of white around the code, as ISO/IEC 18004 requires. */
const quiet = 4;

/**
 * A QR code as SVG in the page: no script draws it, and no image is loaded. `label` is its text for screen readers.
 * Black on white in dark pages too: some readers find no other code.
 */
export function qrCode(text: string, label: string): Html {
  const code = generate(text, { minCorrectionLevel: correction.M });
  const size = code.size + 2 * quiet;
  const modules: string[] = [];
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (code.get(x, y)) modules.push(`M${x + quiet} ${y + quiet}h1v1h-1z`);
    }
  }
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${new Html(modules.join(''))}"/></svg>`;
}
