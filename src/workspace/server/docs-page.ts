// /docs of the workspace: the read API for people, one HTML page without scripts, from the table of endpoints.
import { createHash } from 'node:crypto';
import { endpoints } from '../endpoints.ts';
import { filterParameters } from '../keyword-filter.ts';
import { pagingParameters } from './openapi.ts';

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:16px/1.55 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.9rem}h2{margin-top:3rem;border-bottom:1px solid var(--line)}h3{margin:2rem 0 0;overflow-wrap:anywhere}
code,pre{font:0.875rem/1.5 ui-monospace,monospace}
pre{padding:1rem;overflow-x:auto;border:1px solid var(--line);border-radius:6px}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th{width:8rem;font-weight:400}
nav a{margin-right:1.2rem}`;

/** Nothing may be loaded and nothing may run: only this one style applies. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** `needsToken`: requests carry the token of a reader. `hasPage`: the server has the page of the workspace. */
export function docsPage({ needsToken, hasPage }: { readonly needsToken: boolean; readonly hasPage: boolean }): string {
  const header = needsToken ? ` -H 'Authorization: Bearer TOKEN'` : '';
  const example = (path: string, more = ''): string =>
    `<pre>curl '{base_url}${escaped(path)}'${escaped(header)}${escaped(more)}</pre>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>rankledger read API</title><style>${style}</style></head><body><main>
<h1>rankledger read API</h1>
<nav>${hasPage ? '<a href="/">Workspace</a>' : ''}<a href="#filters">Filters</a><a href="#answers">Answers</a><a href="#paths">Paths</a><a href="/openapi.json">OpenAPI 3.1</a></nav>
<p>It answers GET requests from recorded history. It can change and buy nothing.${needsToken ? ' Requests carry the token of a reader, which an operator makes with <code>rankledger reader add NAME</code>.' : ' From this machine no token is needed.'}</p>
${example('/v1/projects')}
${example('/v1/projects/PROJECT/keywords?tag=shoes&device=mobile&rank=1..10&sort=-searchVolume')}
${example('/v1/projects/PROJECT/changes?compare=7d', ` -H 'Accept: text/csv'`)}
<h2 id="filters">Filters</h2><p>Paths with tables and charts take these. All conditions must hold. <code>a|b</code> means either, <code>!a</code> means not.</p>
${parameterTable(filterParameters)}
<h2 id="answers">Answers</h2><p>A list is <code>{"data", "total", "next"}</code>. Each answer has an <code>ETag</code>. An error is <code>{"error": {"message"}}</code>: 400 for a wrong parameter, 401 without a valid token, 404 for an unknown name.</p>
${parameterTable(pagingParameters)}
<h2 id="paths">Paths</h2>
${endpoints.map(endpointPart).join('\n')}
</main></body></html>`;
}

function endpointPart({ path, kind, about, parameters }: (typeof endpoints)[number]): string {
  const own = Object.entries(parameters).filter(
    ([name]) => !Object.hasOwn(filterParameters, name) || !('q' in parameters),
  );
  const others = [
    'q' in parameters ? 'the <a href="#filters">filters</a>' : '',
    kind === 'list' ? 'those of <a href="#answers">lists</a>' : '',
  ].filter(Boolean);
  const takes =
    others.length === 0 ? '' : `<p>Parameters: ${own.length > 0 ? 'those below, ' : ''}${others.join(', ')}.</p>`;
  return `<h3><code>${escaped(path)}</code></h3><p>${escaped(about)}.</p>${takes}${own.length === 0 ? '' : parameterTable(Object.fromEntries(own))}`;
}

function parameterTable(parameters: Readonly<Record<string, string>>): string {
  const rows = Object.entries(parameters).map(
    ([name, meaning]) => `<tr><th scope="row"><code>${escaped(name)}</code></th><td>${escaped(meaning)}</td></tr>`,
  );
  return `<table>${rows.join('')}</table>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
