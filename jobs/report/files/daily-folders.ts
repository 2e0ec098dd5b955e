// The daily folders of the agency's files: which a newer one supersedes, and their removal.
import { readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AgencyManifest } from '../../../src/report/tables/agency.ts';
import { ReportError } from './report-files.ts';

const dayPattern = /^\d{4}-\d{2}-\d{2}$/;

/** The names of daily folders older than `current`, by month, `2026-10`. Only folders with a manifest count. */
export function supersededDays(parent: string, current: string): ReadonlyMap<string, string[]> {
  const days = readdirSync(parent).filter(
    (name) => dayPattern.test(name) && name < current && filesIn(join(parent, name)) !== null,
  );
  return Map.groupBy(days.sort(), (name) => name.slice(0, 'yyyy-mm'.length));
}

/** Removes the files that a report wrote, and the folder where nothing else is in it. Throws ReportError. */
export function removeDailyFolders(parent: string, names: readonly string[]): void {
  try {
    for (const name of names) {
      const folder = join(parent, name);
      for (const file of [...(filesIn(folder) ?? []), 'manifest.json']) rmSync(join(folder, file), { force: true });
      if (readdirSync(folder).length === 0) rmdirSync(folder);
    }
  } catch (error) {
    throw new ReportError(parent, error);
  }
}

/** The files of a manifest; null: none. */
export function filesIn(folder: string): string[] | null {
  try {
    const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Partial<AgencyManifest>;
    return files?.map(({ name }) => name) ?? null;
  } catch {
    return null;
  }
}
