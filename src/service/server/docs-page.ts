// The documentation page: one HTML page without scripts or external content, made from the OpenAPI document.
import { createHash } from 'node:crypto';
import { errorTable } from '../model/errors.ts';
import { info, type OperationFacts, operations } from './openapi.ts';
import { type Headers, possibleCodes } from './responses.ts';

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.9rem}h2{margin-top:3rem;border-bottom:1px solid var(--line)}
code,pre{font:0.875rem/1.5 ui-monospace,monospace}
pre{padding:1rem;overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;width:100%;display:block;overflow-x:auto}
th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line)}
nav a{margin-right:1.2rem}`;

/** The page may load and run nothing: only this one style applies. */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The page with its headers. */
export function docsPage(hasDashboard = false): { readonly body: string; readonly headers: Headers } {
  const described = operations();
  const links = described.map(({ name, operationId }) => `<a href="#${operationId}">/v1/${name}</a>`);
  return {
    headers: {
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${info.title}</title><style>${style}</style>
<h1>${info.title}</h1><p>${escaped(info.description)}</p>
<nav>${links.join('')}<a href="#errors">Errors</a><a href="/openapi.json">OpenAPI 3.1</a>${hasDashboard ? '<a href="/account">Account</a>' : ''}</nav>
<p>Every request carries the headers <code>SERVICE-API-USER</code> and <code>SERVICE-API-PASSWORD</code>. Send an
<code>Idempotency-Key</code> with it, and a lost answer is never paid twice: the same key and body within 24 hours bring the stored answer again.</p>
${described.map(operationPart).join('\n')}
<h2 id="errors">Errors</h2><p>Every error is <code>{"error", "code", "request_id"}</code>. Nothing is charged for a request that fails.</p>
${renderErrorTable(described)}</html>`,
  };
}

function operationPart({
  name,
  operationId,
  summary,
  description,
  request,
  examples,
  answered,
}: OperationFacts): string {
  const curls = Object.values(examples).map(
    ({ value }) =>
      `curl {base_url}/v1/${name} -H 'SERVICE-API-USER: &lt;API_USER&gt;' -H 'SERVICE-API-PASSWORD: &lt;API_PASSWORD&gt;' \\\n  -H 'Content-Type: application/json' -d '${escaped(JSON.stringify(value))}'`,
  );
  const [answer] = Object.values(answered);
  return `<h2 id="${operationId}">POST /v1/${name}</h2>
<p>${escaped(summary)}. ${escaped(description)}</p>
${fieldTable(request)}
<pre>${curls.join('\n\n')}</pre>
<p>answers, for one,</p><pre>${escaped(JSON.stringify(answer?.value, null, 2))}</pre>`;
}

function fieldTable({ properties, required }: OperationFacts['request']): string {
  const rows = Object.entries(properties).map(([name, field]) => {
    const { enum: values, type, default: fallback, description } = field;
    const kinds = Array.isArray(values) ? values.map((each) => `"${each}"`).join(', ') : String(type);
    return [
      `<code>${escaped(name)}</code>`,
      escaped(kinds),
      required.includes(name) ? 'yes' : 'no',
      fallback === undefined ? '' : escaped(JSON.stringify(fallback)),
      escaped(String(description ?? '')),
    ];
  });
  return table(['Field', 'Type', 'Required', 'Default', 'Meaning'], rows);
}

function renderErrorTable(described: readonly OperationFacts[]): string {
  const rows = Object.entries(errorTable).flatMap(([code, { status, hint }]) => {
    const marks = described.map(({ name }) => (possibleCodes[name].some((each) => each === code) ? 'yes' : 'no'));
    return marks.includes('yes') ? [[String(status), `<code>${code}</code>`, escaped(hint), ...marks]] : [];
  });
  return table(['Status', 'Code', 'What to do', ...described.map(({ name }) => `/v1/${name}`)], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${cells('th', head)}${rows.map((row) => cells('td', row)).join('')}</table>`;
}

function escaped(words: string): string {
  return words.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
