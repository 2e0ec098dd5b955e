// Retention of reports: the folders of runs past their age. Answers to other questions are deliveries, and stay.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { sumOf } from '../../../src/tracker/figures.ts';
import { dayMs } from '../../../src/tracker/schedule/time-units.ts';
import { filesIn, removeDailyFolders } from './daily-folders.ts';
import { latestFolder } from './report-files.ts';

interface OldReports {
  readonly folders: number;
  readonly bytes: number;
}

const runFolder = /^\d{4}-\d{2}-\d{2}T\d{4}(-run\d+)?$/;

/**
 * Counts the reports of runs whose day ended before `before` (UTC milliseconds), and removes them if `isReal`. The
 * newest report of a project, and files that no report wrote, stay. Throws ReportError.
 */
export function pruneReports(
  directory: string,
  projects: Iterable<string>,
  before: number,
  isReal: boolean,
): OldReports {
  let [folders, bytes] = [0, 0];
  for (const project of projects) {
    const parent = join(directory, project);
    if (!existsSync(parent)) continue;
    const newest = latestFolder(parent);
    const old = readdirSync(parent).filter(
      (name) => runFolder.test(name) && name !== newest && isOver(name, before) && filesIn(join(parent, name)) !== null,
    );
    folders += old.length;
    for (const name of old) bytes += bytesOf(join(parent, name));
    if (isReal) removeDailyFolders(parent, old);
  }
  return { folders, bytes };
}

function isOver(name: string, before: number): boolean {
  return Date.parse(`${name.slice(0, 'yyyy-mm-dd'.length)}T00:00:00Z`) + dayMs <= before;
}

function bytesOf(folder: string): number {
  const sizes = (filesIn(folder) ?? []).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0,
  );
  return sumOf(sizes);
}
