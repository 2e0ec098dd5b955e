// The scripts and styles that report.html embeds: the front end of the workspace, linked over the data of the page.
import { readFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PageAssets } from '../../../src/report/html/data/page-facts.ts';
import { linkScript } from '../../../src/report/html/script.ts';
import { clientFolder, libraries, packageFile } from '../../../src/workspace/client-files.ts';
import { BrowserModules } from './browser-modules.ts';

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
    script: readScript(),
  };
  return known;
}

function readScript(): string {
  const modules = new BrowserModules(getCompileCacheDir());
  const read = (file: string): string => readModule(file, modules);
  const script = linkScript(fileURLToPath(new URL('report.js', clientFolder)), { resolve: resolveModule, read });
  modules.keep();
  return script;
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
function readModule(file: string, modules: BrowserModules): string {
  const text = withoutSourceMap(readFileSync(file, 'utf8'));
  return file.endsWith('.ts') ? modules.withoutTypes(text) : text;
}

/** A browser would try to load the source map from a file beside the report. */
function withoutSourceMap(text: string): string {
  return text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}
