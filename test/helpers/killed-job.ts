// What job-child.ts runs, and its arguments.
import { join } from 'node:path';
import { keyword, project } from './jobs.ts';
import type { Provider } from './provider.ts';

/** The slot that the process runs, which is also the time of its clock. */
export const jobAt = Date.UTC(2026, 0, 15, 6);

/** Twelve keywords of two pages each. */
export const jobProject = project({
  keywords: Array.from({ length: 12 }, (_, index) => keyword(`k${index}`, { depth: 2 })),
});

/** For `process.execPath`. `owner`: the name in `runs.owner`. Default: that of the process. */
export function jobArguments(
  file: string,
  reports: string,
  { url, user, password }: Pick<Provider, 'url' | 'user' | 'password'>,
  owner?: string,
): string[] {
  const child = join(import.meta.dirname, 'job-child.ts');
  return [child, file, reports, url, user, password, ...(owner === undefined ? [] : [owner])];
}
