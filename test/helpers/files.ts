// The files of the project as git lists them, tracked or new, so that tests see what a reviewer sees.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Paths relative to the project, ignored files left out. */
export function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && existsSync(file));
}

/** The product's own TypeScript: everything but tests and tool settings. */
export function productFiles(): string[] {
  return projectFiles().filter((file) => /^(src|jobs|db|config)\/.*\.tsx?$/.test(file));
}
