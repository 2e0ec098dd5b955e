// The files of the page: its shell, its modules, and the libraries that they import.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { clientFolder, libraries, packageFile } from '../client-files.ts';
import { type Asset, toAsset } from './answers.ts';

const importMap = JSON.stringify({
  imports: Object.fromEntries(Object.keys(libraries).map((name) => [name, `/assets/lib/${name}.js`])),
});

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

/** The page of the workspace. */
export interface WorkspacePage {
  /** The file at a path; null: there is none. Paths of views all give the shell. */
  readonly asset: (path: string) => Asset | null;
  /** For the Content Security Policy: the only inline script. */
  readonly inlineScriptHash: string;
}

/** Reads all files once: a request costs no disk and no hash. */
export function loadPage(): WorkspacePage {
  const script = 'text/javascript; charset=utf-8';
  const files = new Map(
    readdirSync(clientFolder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => /^([a-z-]+\/)?[a-z-]+\.js$/.test(name) || name === 'style.css')
      .map((name) => {
        const type = name === 'style.css' ? 'text/css; charset=utf-8' : script;
        return [`/assets/${name}`, toAsset(type, readFileSync(new URL(name, clientFolder)))];
      }),
  );
  for (const [name, file] of Object.entries(libraries))
    files.set(`/assets/lib/${name}.js`, toAsset(script, readFileSync(packageFile(file))));
  const opened = toAsset('text/html; charset=utf-8', Buffer.from(shell, 'utf8'));
  return {
    asset: (path) => (path === '/' || path.startsWith('/p/') ? opened : (files.get(path) ?? null)),
    inlineScriptHash: `'sha256-${createHash('sha256').update(importMap).digest('base64')}'`,
  };
}
