// The scripts and styles that report.html embeds: the front end of the workspace, linked over the data of the page.
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageAssets } from '../../../src/report/html/data/page-facts.ts';
import { linkScript } from '../../../src/report/html/script.ts';
import { clientFolder, libraries, packageFile } from '../../../src/workspace/client-files.ts';

/** Sources in a checkout, compiled modules in the package. */
const [extension = '.js'] = /\.[jt]s$/.exec(import.meta.url) ?? [];

/** Modules that need Node.js, with those that a browser gets. */
const browserModules: Readonly<Record<string, string>> = {
  '/src/workspace/expression.': '/src/workspace/embedded/expression.',
};

let known: PageAssets | undefined;

/** Read once: they are the same for all reports. */
export function readPageAssets(): PageAssets {
  known ??= {
    chartLibrary: withoutSourceMap(readFileSync(packageFile(libraries['chart.js'] ?? ''), 'utf8')),
    clientStyle: readClientStyle(),
    script: linkScript(fileURLToPath(new URL('report.js', clientFolder)), { resolve: resolveModule, read: readModule }),
  };
  return known;
}

/** The style sheet of the workspace. */
export function readClientStyle(): string {
  return readFileSync(new URL('style.css', clientFolder), 'utf8');
}

function resolveModule(specifier: string, from: string): string | null {
  if (specifier === 'chart.js') return null; // a script of its own
  const library = libraries[specifier];
  if (library !== undefined) return packageFile(library);
  const file = join(from, '..', specifier.replace(/\.ts$/, extension));
  const replaced = Object.entries(browserModules).find(([module]) => file.includes(module));
  return replaced === undefined ? file : file.replace(...replaced);
}

/** The sources of a checkout have types; those of the package were compiled. */
function readModule(file: string): string {
  const text = withoutSourceMap(readFileSync(file, 'utf8'));
  return file.endsWith('.ts') ? stripTypes(text) : text;
}

/** A browser would try to load the source map from a file beside the report. */
function withoutSourceMap(text: string): string {
  return text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}

/** Node.js prints a warning at its first use, although it runs the same sources by the same means. */
function stripTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
