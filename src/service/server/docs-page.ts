// The documentation page: one HTML page without scripts or external content, made from the OpenAPI document.
import { createHash } from 'node:crypto';
import { type ErrorCode, errorTable } from '../model/errors.ts';
import type { OpenApiDocument } from './openapi.ts';
import type { Headers } from './responses.ts';

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
export function docsPage(
  document: OpenApiDocument,
  hasDashboard = false,
): { readonly body: string; readonly headers: Headers } {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) => {
    const post = asObject(methods['post']);
    return post === undefined ? [] : [{ path, post }];
  });
  const links = operations.map(({ path, post }) => `<a href="#${text(post['operationId'])}">${escaped(path)}</a>`);
  const parts = operations.map(({ path, post }) => operationPart(document, path, post));
  const info = asObject(document['info']) ?? {};
  const title = text(info['title']);
  return {
    headers: {
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${title}</title><style>${style}</style>
<h1>${title}</h1><p>${text(info['description'])}</p>
<nav>${links.join('')}<a href="#errors">Errors</a><a href="/openapi.json">OpenAPI 3.1</a>${hasDashboard ? '<a href="/account">Account</a>' : ''}</nav>
<p>Every request carries the headers <code>SERVICE-API-USER</code> and <code>SERVICE-API-PASSWORD</code>. Send an
<code>Idempotency-Key</code> with it, and a lost answer is never paid twice: the same key and body within 24 hours bring the stored answer again.</p>
${parts.join('\n')}
<h2 id="errors">Errors</h2><p>Every error is <code>{"error", "code", "request_id"}</code>. Nothing is charged for a request that fails.</p>
${renderErrorTable(operations)}</html>`,
  };
}

function operationPart(document: OpenApiDocument, path: string, post: Record<string, unknown>): string {
  const content = asObject(asObject(post['requestBody'])?.['content'])?.['application/json'];
  const request = resolve(document, asObject(content)?.['schema']);
  const examples = Object.values(asObject(asObject(content)?.['examples']) ?? {}).map(
    (example) => asObject(example)?.['value'],
  );
  const answer = asObject(asObject(asObject(post['responses'])?.['200'])?.['content'])?.['application/json'];
  const [answered] = Object.values(asObject(asObject(answer)?.['examples']) ?? {});
  const curls = examples.map(
    (body) =>
      `curl {base_url}${path} -H 'SERVICE-API-USER: &lt;API_USER&gt;' -H 'SERVICE-API-PASSWORD: &lt;API_PASSWORD&gt;' \\\n  -H 'Content-Type: application/json' -d '${escaped(JSON.stringify(body))}'`,
  );
  return `<h2 id="${text(post['operationId'])}">POST ${escaped(path)}</h2>
<p>${text(post['summary'])}. ${text(post['description'])}</p>
${fieldTable(request)}
<pre>${curls.join('\n\n')}</pre>
<p>answers, for one,</p><pre>${escaped(JSON.stringify(asObject(answered)?.['value'], null, 2))}</pre>`;
}

function fieldTable(schema: Record<string, unknown>): string {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const rows = Object.entries(asObject(schema['properties']) ?? {}).map(([name, value]) => {
    const field = asObject(value) ?? {};
    const type = Array.isArray(field['enum'])
      ? field['enum'].map((each) => `"${each}"`).join(', ')
      : text(field['type']);
    const fallback = field['default'] === undefined ? '' : JSON.stringify(field['default']);
    return [
      `<code>${escaped(name)}</code>`,
      escaped(type),
      required.includes(name) ? 'yes' : 'no',
      escaped(fallback),
      text(field['description']),
    ];
  });
  return table(['Field', 'Type', 'Required', 'Default', 'Meaning'], rows);
}

function renderErrorTable(
  operations: readonly { readonly path: string; readonly post: Record<string, unknown> }[],
): string {
  const documented = operations.map(({ post }) => JSON.stringify(post['responses']));
  const rows = (Object.keys(errorTable) as ErrorCode[]).flatMap((code) => {
    const marks = documented.map((responses) => (responses.includes(`"${code}"`) ? 'yes' : 'no'));
    if (!marks.includes('yes')) return [];
    return [[String(errorTable[code].status), `<code>${code}</code>`, escaped(errorTable[code].hint), ...marks]];
  });
  return table(['Status', 'Code', 'What to do', ...operations.map(({ path }) => escaped(path))], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]) =>
    `<tr>${row.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${cells('th', head)}${rows.map((row) => cells('td', row)).join('')}</table>`;
}

function resolve(document: OpenApiDocument, schema: unknown): Record<string, unknown> {
  const reference = asObject(schema)?.['$ref'];
  if (reference === undefined) return asObject(schema) ?? {};
  const name = typeof reference === 'string' ? (reference.split('/').at(-1) ?? '') : '';
  return asObject(asObject(asObject(document['components'])?.['schemas'])?.[name]) ?? {};
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function text(value: unknown): string {
  return typeof value === 'string' ? escaped(value) : '';
}

function escaped(words: string): string {
  return words.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
