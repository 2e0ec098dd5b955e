// The JavaScript of browser modules: the package has it, and the sources of a checkout have types.
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

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
