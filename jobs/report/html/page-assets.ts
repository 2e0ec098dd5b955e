// The scripts and styles that report.html embeds: the front end of the workspace, linked over the data of the page.

import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir, stripTypeScriptTypes } from 'node:module';
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

// The JavaScript of browser modules: the package has it, and the sources of a checkout have types.

/**
 * Node's compiler for types takes 45 MB and 0.15 s of each report, so its output is kept by the hash of its input, in
 * the folder in which Node.js keeps the code that it has compiled itself.
 */
const cacheName = 'rankledger-browser-modules.json';

export class BrowserModules {
  readonly #folder: string | undefined;
  readonly #known: ReadonlyMap<string, string>;
  readonly #used = new Map<string, string>();

  /** Without a folder nothing is kept. */
  constructor(folder: string | undefined) {
    this.#folder = folder;
    this.#known = new Map(Object.entries(folder === undefined ? {} : readKept(join(folder, cacheName))));
  }

  /** A source without its types. */
  withoutTypes(source: string): string {
    const key = createHash('sha256').update(source).digest('base64url');
    const text = this.#known.get(key) ?? stripTypes(source);
    this.#used.set(key, text);
    return text;
  }

  /** Keeps the modules that were read, and no others. A folder that cannot be written keeps nothing. */
  keep(): void {
    if (this.#folder === undefined || this.#used.keys().every((key) => this.#known.has(key))) return;
    const file = join(this.#folder, cacheName);
    const temporary = `${file}.new-${randomUUID()}`;
    try {
      writeFileSync(temporary, JSON.stringify(Object.fromEntries(this.#used)), { mode: 0o600 });
      renameSync(temporary, file);
    } catch {
      rmSync(temporary, { force: true });
    }
  }
}

/** A missing or broken file holds nothing. */
function readKept(file: string): Record<string, string> {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string> | null; // as `keep` writes it
    return kept ?? {};
  } catch {
    return {};
  }
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
