// Writes index.html of a folder of reports, newest first. The page is rendered by src/report/html.

import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../../db/connection/whole-file.ts';
import { headlineBytesMax, readHeadline } from '../../../src/report/html/headline.ts';
import { type IndexedProject, type IndexedRun, indexPage } from '../../../src/report/html/index-page.ts';
import type { Manifest } from '../../../src/report/tables/manifest.ts';
import { plainTemplate, type ReportTemplate } from '../../../src/tracker/changes/client-reports.ts';
import { ReportError } from '../files/report-files.ts';
import { readPageAssets } from './page-assets.ts';

/** Of each project; older runs are counted. Reading them all would make every report slower than the one before. */
const runsMax = 60;
const runFolder = /^\d{4}-\d{2}-\d{2}T\d{4}(-run\d+)?$/;

/** Writes `<directory>/index.html`. `at`: now, UTC milliseconds. Throws ReportError on a disk error. */
export function writeReportIndex(directory: string, at: number, template: ReportTemplate = plainTemplate): void {
  try {
    replaceFile(join(directory, 'index.html'), indexPage(projectsIn(directory), at, readPageAssets().style, template));
  } catch (error) {
    throw new ReportError(directory, error);
  }
}

function projectsIn(directory: string): IndexedProject[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => projectIn(directory, name))
    .filter(({ runs }) => runs.length > 0)
    .sort((a, b) => (a.project < b.project ? -1 : 1));
}

function projectIn(directory: string, project: string): IndexedProject {
  const folders = readdirSync(join(directory, project))
    .filter((name) => runFolder.test(name))
    .sort(newestFirst);
  const runs = folders.slice(0, runsMax).flatMap((folder) => runIn(join(directory, project, folder), folder) ?? []);
  return { project, runs, olderCount: Math.max(0, folders.length - runsMax) };
}

/** Runs of the same minute by number, so that the tenth stands before the ninth. */
function newestFirst(a: string, b: string): number {
  return b.localeCompare(a, 'en', { numeric: true });
}

/** Null where the folder holds no report: half copied, or something else. */
function runIn(path: string, folder: string): IndexedRun | null {
  try {
    const { run, coverage, warning, files } = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8')) as Manifest;
    const page = join(path, 'report.html');
    const hasPage = existsSync(page);
    return {
      folder,
      slot: run.slot,
      state: run.status,
      warning,
      checked: coverage.checked,
      total: coverage.total,
      headline: hasPage ? readHeadline(readHead(page)) : null,
      opens: hasPage ? 'report.html' : (files.find(({ name }) => name === 'summary.csv')?.name ?? 'manifest.json'),
    };
  } catch {
    return null;
  }
}

function readHead(file: string): string {
  const bytes = Buffer.alloc(headlineBytesMax);
  const handle = openSync(file, 'r');
  try {
    return bytes.toString('utf8', 0, readSync(handle, bytes));
  } finally {
    closeSync(handle);
  }
}
