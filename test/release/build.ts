// `node test/release/build.ts` writes dist: the compiled package and its dependencies. `npm pack` runs it first.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { argv, execPath } from 'node:process';
import { writeThirdParty } from './third-party.ts';

/** What the compiler leaves out. Snapshots of migrations only serve to write the next one. */
const copied = ['db/migrations', 'src/service/server/dashboard/files'];

/** Empties the folder first: files of an earlier version are no part of this one. */
export function build(dist: string): void {
  rmSync(dist, { recursive: true, force: true });
  const compiler = 'node_modules/typescript/bin/tsc';
  execFileSync(execPath, [compiler, '-p', 'tsconfig.build.json', '--outDir', dist], { stdio: 'inherit' });
  const pages = ['node_modules/vite/bin/vite.js', 'build', '--logLevel', 'warn'];
  execFileSync(execPath, [...pages, '--outDir', resolve(dist, 'web')], { stdio: 'inherit' });
  execFileSync(execPath, [...pages, '--mode', 'report', '--outDir', resolve(dist, 'report')], { stdio: 'inherit' });
  const isPublished = (path: string): boolean => !path.endsWith('snapshot.json');
  for (const folder of copied) cpSync(folder, join(dist, folder), { recursive: true, filter: isPublished });
  const reached = reachedTypes(dist);
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const file = join(dist, name);
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}

/** Types of the published entry points, and of what these refer to. No program can import other types of ours. */
function reachedTypes(dist: string): Set<string> {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, string | { types: string }>;
  };
  const entries = Object.values(exports).flatMap((entry) => (typeof entry === 'string' ? [] : [entry.types]));
  const reached = new Set(entries.map((types) => join(dist, types.replace('./dist/', ''))));
  // a loop over a set also visits what is added meanwhile
  for (const file of reached) {
    const paths = readFileSync(file, 'utf8').matchAll(/\b(?:from|import)[\s(]*['"](\.[^'"]+)\.[jt]s['"]/g);
    for (const [, path = ''] of paths) reached.add(join(dirname(file), `${path}.d.ts`));
  }
  return reached;
}

if (argv[1] === import.meta.filename) {
  build('dist');
  await writeThirdParty('dist');
}
