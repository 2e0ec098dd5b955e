// Writes the files of all projects together, `<reports>/agency/<date>/`, from one pass over history.

import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { batchesOf } from '../../../db/connection/batches.ts';
import { lateDaysMax } from '../../../db/reads/reports/report-series.ts';
import { createTableWriter, type TableWriter } from '../../../src/report/formats/table-writer.ts';
import {
  type AgencyLongRow,
  type AgencyManifest,
  type AgencySubject,
  type AgencyWideRow,
  agencyLongColumns,
  agencyLongRows,
  agencyLongShared,
  agencyWideColumns,
  type RunDay,
} from '../../../src/report/tables/agency.ts';
import { reportWarning } from '../../../src/report/tables/manifest.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import {
  expandSearches,
  type Market,
  marketName,
  type Project,
  type TrackedKeyword,
} from '../../../src/tracker/project.ts';
import { addDays, startOfDay } from '../../../src/tracker/schedule/local-time.ts';
import { isPlace, targetKey, trackedTargets } from '../../../src/tracker/targets/target.ts';
import { DatedClicks } from '../../clicks/dated-clicks.ts';
import { curveOf } from '../../clicks/site-curve.ts';
import { findService, type JobContext } from '../../context.ts';
import { type DatedProject, DayReader } from '../../read/rows/day-reader.ts';
import type { Period, ReportQuestion, ReportSettings } from '../../read/rows/report-scope.ts';
import { daysWithin, lastDate } from '../report-question.ts';
import type { RunReport } from '../write-report.ts';
import { removeDailyFolders, supersededDays } from './daily-folders.ts';
import { ReportFolder } from './report-files.ts';

/** The folder beside those of the projects, and its name in commands. */
export const agencyFolder = 'agency';

const tableNames = ['all-projects-long.csv', 'all-projects-wide.csv'];
const zippedNames = tableNames.map((name) => `${name}.gz`);
/** Larger batches outlive V8's young objects: their garbage would cost more than the reads. */
const searchesPerRead = 40;

/**
 * Writes the files of all projects, filed under the newest date that any of them has. Null where they are not asked
 * for, or nothing was ever checked. Throws ReportError.
 */
export function writeAgencyFiles(context: JobContext, settings: ReportSettings): Omit<RunReport, 'runId'> | null {
  const report = writeAgencyFolder(context, settings);
  const { question = {}, isApart = false } = settings;
  if (report !== null && lastDate(question) === undefined && !isApart) rollAgencyFiles(context, settings, report);
  return report;
}

/**
 * Keeps the newest daily folder only. Of each month that has ended, the daily folders give way to an archive of the
 * whole month, `2026-10`, compressed. A daily folder repeats most of the one before.
 */
function rollAgencyFiles(
  context: JobContext,
  settings: ReportSettings,
  { directory }: Pick<RunReport, 'directory'>,
): void {
  const parent = join(settings.directory, agencyFolder);
  const current = basename(directory);
  for (const [month, days] of supersededDays(parent, current)) {
    if (!current.startsWith(month) && !existsSync(join(parent, month)))
      writeAgencyFolder(context, { ...settings, question: { period: toPeriod(month) } }, month);
    removeDailyFolders(parent, days);
  }
}

function toPeriod(month: string): Period {
  const first = `${month}-01`;
  const inNext = addDays(first, 31);
  return { from: first, to: addDays(`${inNext.slice(0, 'yyyy-mm'.length)}-01`, -1) };
}

/** `archive`: the name of the folder of a month, whose tables are compressed. */
function writeAgencyFolder(
  context: JobContext,
  settings: ReportSettings,
  archive?: string,
): Omit<RunReport, 'runId'> | null {
  if (settings.agencyDays === undefined) return null;
  const { question = {}, isApart = false } = settings;
  const projects = datedProjects(context, settings.agencyDays, question);
  const dates = [...new Set(projects.flatMap((each) => each.dates.map(({ date }) => date)))].sort();
  const newest = dates.at(-1);
  if (newest === undefined) return null;
  const { csv, directory } = settings;
  const long = createTableWriter(agencyLongColumns, csv, agencyLongShared);
  const wide = createTableWriter(agencyWideColumns(dates), csv);
  const counts = new Map(projects.map(({ project }) => [project.id, 0]));
  const folder = new ReportFolder(join(directory, agencyFolder));
  try {
    const chunks = renderChunks(context, projects, { long, wide, counts, ctrCurve: settings.ctrCurve });
    const written =
      archive === undefined ? folder.addTogether(tableNames, chunks) : folder.addTogether(zippedNames, zipped(chunks));
    const files = written.map((file, at) => ({ ...file, rows: [long, wide][at]?.count() ?? null }));
    const manifest: AgencyManifest = {
      format: 1,
      from: dates[0] ?? null,
      to: newest,
      projects: projects.map(({ project }) => ({
        project: project.id,
        rows: counts.get(project.id) ?? 0,
        warning: reportWarning(null, findService(context, project.service).kind),
      })),
      csv,
      files,
      generatedAt: new Date(context.clock.now()).toISOString(),
    };
    folder.add('manifest.json', [`${JSON.stringify(manifest, null, 2)}\n`]);
    const names = [...files.map(({ name }) => name), 'manifest.json'];
    const isDaily = lastDate(question) === undefined;
    const directory = folder.publish(archive ?? folderName(newest, question), isDaily && !isApart ? 'set' : 'leave');
    return {
      project: agencyFolder,
      directory,
      files: names,
      rows: long.count(),
      movers: [],
      headline: null,
    };
  } finally {
    folder.discard();
  }
}

/** Each piece becomes a member of its file: gzip files may be put together. */
function* zipped(
  chunks: Iterable<readonly [file: number, chunk: string]>,
): Generator<readonly [file: number, chunk: Uint8Array]> {
  for (const [file, chunk] of chunks) if (chunk !== '') yield [file, gzipSync(chunk)];
}

function folderName(newest: string, { asOf, period }: ReportQuestion): string {
  if (period !== undefined) return `${period.from}--${period.to}`;
  return asOf === undefined ? newest : `as-of-${asOf}`;
}

/** The days of the question; by default so many before the newest of all projects. */
function datedProjects({ store, projects, clock }: JobContext, days: number, question: ReportQuestion): DatedProject[] {
  const last = lastDate(question);
  const dated = [...projects.values()].map((project) => {
    const until = last === undefined ? clock.now() : startOfDay(addDays(last, 1), project.timezone) - 1;
    const datesMax = last === undefined ? days : daysWithin(question.period, days) + lateDaysMax;
    const dates = store.reportSeries.dates(project.id, Math.min(until, clock.now()), datesMax);
    return { project, dates: last === undefined ? dates : dates.filter(({ date }) => date <= last) };
  });
  const newest = dated.reduce((latest, { dates }) => {
    const last = dates.at(-1)?.date ?? '';
    return last > latest ? last : latest;
  }, '');
  if (newest === '') return [];
  const from = question.period?.from ?? addDays(newest, 1 - days);
  return dated.map(({ project, dates }) => ({ project, dates: dates.filter(({ date }) => date >= from) }));
}

interface AgencyTables {
  readonly long: TableWriter<AgencyLongRow>;
  readonly wide: TableWriter<AgencyWideRow>;
  /** Lines of the long file, by project. */
  readonly counts: Map<string, number>;
  readonly ctrCurve: string;
}

const volumeMonthsMax = 13;

/** The newest search volumes in these months, by keyword. */
function newestVolumes(
  { store }: JobContext,
  market: Market,
  words: readonly string[],
  months: readonly string[],
): Map<string, number | null> {
  const found = months.length === 0 ? [] : store.volumeSeries.of(market, words, months);
  return new Map(
    found.map((each) => [each.keyword, each.months.find((volume) => volume !== null)?.searchVolume ?? null]),
  );
}

/** Pieces of both files: the long one is 0. */
function* renderChunks(
  context: JobContext,
  projects: readonly DatedProject[],
  { long, wide, counts, ctrCurve }: AgencyTables,
): Generator<readonly [file: number, chunk: string]> {
  for (const entry of projects) {
    const { project, dates } = entry;
    const newest = dates.at(-1)?.date;
    if (newest === undefined) continue;
    const curve = curveOf(context.store, project, ctrCurve, newest);
    const before = long.count();
    const clicks = DatedClicks.within(context.store.clicks, project, dates[0]?.date ?? '', newest);
    const reader = new DayReader(context, entry);
    const runDays = project.adaptive?.cadence === true ? daysWithRuns(dates) : [];
    const monthsOf = (market: Market): string[] =>
      context.store.volumeSeries.months(market, '0000-00', newest.slice(0, 'yyyy-mm'.length)).slice(0, volumeMonthsMax);
    for (const { market, keywords, months } of inBatches(project, monthsOf)) {
      const words = keywords.map(({ keyword }) => keyword);
      const volumes = newestVolumes(context, market, words, months);
      for (const { target, role } of trackedTargets(project)) {
        const found = reader.daysOf(market, targetKey(target), keywords);
        const counted =
          role === 'own' ? clicks?.of(words.map((keyword) => ({ keyword, market, own: target }))) : undefined;
        for (const [index, days] of found.entries()) {
          const tracked = keywords[index];
          if (tracked === undefined) continue;
          const { country, language, device, location } = market;
          const series = { country, language, device, location, target: target.value };
          const subject: AgencySubject = {
            project: project.id,
            keyword: tracked.keyword,
            ...series,
            isPlace: isPlace(target),
            tags: tracked.tags,
          };
          const searchVolume = volumes.get(tracked.keyword) ?? null;
          const rows = agencyLongRows({ subject, role, searchVolume }, days.values(), curve, runDays, counted?.[index]);
          for (const row of rows) long.add(row);
          if (role === 'own') wide.add({ subject, days, warning: reader.warningOf(days) });
          yield [0, long.taken()];
          yield [1, wide.taken()];
        }
      }
    }
    counts.set(project.id, long.count() - before);
  }
  yield [0, long.rest()];
  yield [1, wide.rest()];
}

function daysWithRuns(dates: DatedProject['dates']): RunDay[] {
  return dates.flatMap(({ date, runs }) => {
    const newest = runs.at(-1);
    return newest === undefined ? [] : [{ date, runId: newest.id }];
  });
}

interface Batch {
  readonly market: Market;
  /** With search volumes in the market, newest first. */
  readonly months: readonly string[];
  readonly keywords: readonly TrackedKeyword[];
}

/** Searches of one market together, some at a time. */
function* inBatches(project: Project, monthsOf: (market: Market) => readonly string[]): Generator<Batch> {
  const markets = new Map<string, { market: Market; keywords: TrackedKeyword[] }>();
  for (const keyword of project.keywords) {
    for (const { market } of expandSearches(project, keyword)) {
      const key = marketName(market);
      const known = getOrInsert(markets, key, () => ({ market, keywords: [] }));
      known.keywords.push(keyword);
    }
  }
  for (const { market, keywords } of markets.values()) {
    const months = monthsOf(market);
    for (const batch of batchesOf(keywords, searchesPerRead)) yield { market, months, keywords: batch };
  }
}
