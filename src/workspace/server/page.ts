// The files of the page: its shell, its modules, and the libraries that they import.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { clientFolder, libraries, packageFile } from '../client-files.ts';
import type { Asset } from './server.ts';

const importMap = JSON.stringify({
  imports: Object.fromEntries(Object.keys(libraries).map((name) => [name, `/assets/lib/${name}.js`])),
});

/** For the Content Security Policy: the only inline script. */
export const importMapHash = `'sha256-${createHash('sha256').update(importMap).digest('base64')}'`;

const shell = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>rankledger</title>
<link rel="stylesheet" href="/assets/style.css">
<script type="importmap">${importMap}</script>
<script type="module" src="/assets/app.js"></script>
</head>
<body><div id="app"></div><noscript>This page needs scripts. The same numbers are in the reports and at /v1/projects.</noscript></body>
</html>
`;

/** The file at a path; null: there is none. Paths of views all give the shell. */
export function pageAsset(path: string): Asset | null {
  if (path === '/' || path.startsWith('/p/')) return text('text/html; charset=utf-8', shell);
  const name = /^\/assets\/(.+)$/.exec(path)?.[1];
  if (name === undefined) return null;
  const library = Object.entries(libraries).find(([known]) => name === `lib/${known}.js`)?.[1];
  if (library !== undefined) return script(readFileSync(packageFile(library)));
  if (name === 'style.css') return { type: 'text/css; charset=utf-8', bytes: clientFile(name) };
  return /^([a-z-]+\/)?[a-z-]+\.js$/.test(name) ? clientScript(name) : null;
}

function clientScript(name: string): Asset | null {
  try {
    return script(clientFile(name));
  } catch {
    return null;
  }
}

function clientFile(name: string): Buffer {
  return readFileSync(new URL(name, clientFolder));
}

function script(bytes: Uint8Array): Asset {
  return { type: 'text/javascript; charset=utf-8', bytes };
}

function text(type: string, content: string): Asset {
  return { type, bytes: Buffer.from(content, 'utf8') };
}
