// Finds the folder of this package, from sources and from compiled files alike.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface PackageRoot {
  /** Absolute. */
  readonly directory: string;
  readonly version: string;
}

/** The nearest folder above with a package.json of this name. Throws Error if the installation is incomplete. */
export function packageRoot(): PackageRoot {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const found = readPackage(join(directory, 'package.json'));
    if (found?.name === 'rankledger') return { directory, version: String(found.version) };
    const parent = dirname(directory);
    if (parent === directory) throw new Error('The package.json of rankledger is missing.');
    directory = parent;
  }
}

function readPackage(file: string): { name?: unknown; version?: unknown } | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
