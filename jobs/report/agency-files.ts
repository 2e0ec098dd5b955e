// Writes the files of all projects together, `<reports>/agency/<date>/`, from one pass over history.
import { join } from 'node:path';
import type { ClaimedSlot } from '../../db/history/runs.ts';
import { seenDate } from '../../db/history/seen-date.ts';
import type { DailyCheck } from '../../db/reads/daily-rankings.ts';
import type { SeriesDate } from '../../db/reads/report-series.ts';
import { createTableWriter, type TableWriter } from '../../src/report/formats/table-writer.ts';
import {
  type AgencyDay,
  type AgencyLongRow,
  type AgencyManifest,
  type AgencySubject,
  type AgencyWideRow,
  agencyLongColumns,
  agencyLongShared,
  agencyWideColumns,
} from '../../src/report/tables/agency.ts';
import { reportWarning } from '../../src/report/tables/manifest.ts';
import { addDays } from '../../src/tracker/baseline.ts';
import { startOfDay } from '../../src/tracker/local-time.ts';
import type { RowStatus } from '../../src/tracker/observation.ts';
import { type Market, type Project, searchesOf, type TrackedKeyword } from '../../src/tracker/project.ts';
import { targetKey } from '../../src/tracker/target.ts';
import { type JobContext, serviceOf } from '../context.ts';
import { seenNote } from '../slot-day.ts';
import { ReportFolder } from './report-files.ts';
import { daysWithin, lastDate } from './report-question.ts';
import type { ReportQuestion, ReportSettings } from './report-scope.ts';
import type { RunReport } from './write-report.ts';

/** The folder beside those of the projects, and its name in commands. */
export const agencyFolder = 'agency';

const searchesPerRead = 500;

/** A project with its days within the files' range, oldest first. */
interface AgencyProject {
  readonly project: Project;
  readonly dates: readonly SeriesDate[];
}

/**
 * Writes the files of all projects, filed under the newest date that any of them has. Null where they are not asked
 * for, or nothing was ever checked. Throws ReportError.
 */
export function writeAgencyFiles(context: JobContext, settings: ReportSettings): Omit<RunReport, 'runId'> | null {
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
    const written = folder.addTogether(
      ['all-projects-long.csv', 'all-projects-wide.csv'],
      piecesOf(context, projects, { long, wide, counts }),
    );
    const files = written.map((file, at) => ({ ...file, rows: [long, wide][at]?.count() ?? null }));
    const manifest: AgencyManifest = {
      format: 1,
      from: dates[0] ?? null,
      to: newest,
      projects: projects.map(({ project }) => ({
        project: project.id,
        rows: counts.get(project.id) ?? 0,
        warning: reportWarning(null, serviceOf(context, project.service).kind),
      })),
      csv,
      files,
      generatedAt: new Date(context.clock.now()).toISOString(),
    };
    folder.add('manifest.json', [`${JSON.stringify(manifest, null, 2)}\n`]);
    const names = [...files.map(({ name }) => name), 'manifest.json'];
    const isDaily = lastDate(question) === undefined;
    const directory = folder.publish(folderName(newest, question), isDaily && !isApart ? 'set' : 'leave');
    return { project: agencyFolder, directory, files: names, rows: long.count(), movers: [] };
  } finally {
    folder.discard();
  }
}

function folderName(newest: string, { asOf, period }: ReportQuestion): string {
  if (period !== undefined) return `${period.from}--${period.to}`;
  return asOf === undefined ? newest : `as-of-${asOf}`;
}

/** Pages of a run may be seen some days after its moment. */
const lateDaysMax = 31;

/** The days of the question; by default so many before the newest of all projects. */
function datedProjects(
  { store, projects, clock }: JobContext,
  days: number,
  question: ReportQuestion,
): AgencyProject[] {
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
}

/** Pieces of both files: the long one is 0. */
function* piecesOf(
  context: JobContext,
  projects: readonly AgencyProject[],
  { long, wide, counts }: AgencyTables,
): Generator<readonly [file: number, chunk: string]> {
  for (const entry of projects) {
    const { project, dates } = entry;
    if (dates.length === 0) continue;
    const before = long.count();
    const reader = new DayReader(context, entry);
    for (const { market, keywords } of batchesOf(project)) {
      for (const target of project.targets) {
        const found = reader.daysOf(market, targetKey(target), keywords);
        for (const [index, days] of found.entries()) {
          const tracked = keywords[index];
          if (tracked === undefined) continue;
          const { country, language, device } = market;
          const series = { country, language, device, target: target.value };
          const subject: AgencySubject = {
            project: project.id,
            keyword: tracked.keyword,
            ...series,
            tags: tracked.tags,
          };
          for (const day of days.values()) long.add({ subject, day });
          wide.add({ subject, days, warning: reader.warningOf(days) });
        }
        yield [0, long.taken()];
        yield [1, wide.taken()];
      }
    }
    counts.set(project.id, long.count() - before);
  }
  yield [0, long.rest()];
  yield [1, wide.rest()];
}

/** Searches of one market together, some hundred at a time. */
function* batchesOf(project: Project): Generator<{ market: Market; keywords: readonly TrackedKeyword[] }> {
  const markets = new Map<string, { market: Market; keywords: TrackedKeyword[] }>();
  for (const keyword of project.keywords) {
    for (const { market } of searchesOf(project, keyword)) {
      const key = `${market.country}\n${market.language}\n${market.device}`;
      const known = markets.get(key) ?? { market, keywords: [] };
      markets.set(key, known);
      known.keywords.push(keyword);
    }
  }
  for (const { market, keywords } of markets.values()) {
    for (let from = 0; from < keywords.length; from += searchesPerRead) {
      yield { market, keywords: keywords.slice(from, from + searchesPerRead) };
    }
  }
}

/** Reads a project's days: of each the most complete check, and the newest of those. */
class DayReader {
  readonly #context: JobContext;
  readonly #dates: ReadonlySet<string>;
  /** By run. */
  readonly #slots: ReadonlyMap<number, ClaimedSlot>;
  readonly #warnings: ReadonlyMap<number, string | null>;
  readonly #firstCheckId: number;

  constructor(context: JobContext, { project, dates }: AgencyProject) {
    const { kind } = serviceOf(context, project.service);
    const ids = [...new Set(dates.flatMap(({ runs }) => runs.map(({ id }) => id)))];
    const slots = ids.flatMap((id) => context.store.runs.slotsOf(id)).filter((slot) => slot.project === project.id);
    this.#context = context;
    this.#dates = new Set(dates.map(({ date }) => date));
    this.#slots = new Map(slots.map((slot) => [slot.runId ?? 0, slot]));
    this.#warnings = new Map(
      ids.map((id) => [id, reportWarning(context.store.runs.run(id)?.suspectReason ?? null, kind)]),
    );
    this.#firstCheckId = context.store.dailyRankings.firstCheckOf(ids);
  }

  /** One entry a keyword, in their order; its days by date, oldest first. */
  daysOf(market: Market, target: string, keywords: readonly TrackedKeyword[]): ReadonlyMap<string, AgencyDay>[] {
    const query = {
      target,
      market,
      keywords: keywords.map(({ keyword }) => keyword),
      runIds: [...this.#slots.keys()],
      firstCheckId: this.#firstCheckId,
    };
    const { dailyRankings } = this.#context.store;
    const found = [...dailyRankings.of(query)];
    const ids = new Set(found.flatMap((checks) => checks.flatMap(({ ranking }) => ranking?.urlId ?? [])));
    const urls = new Map(dailyRankings.urls([...ids]));
    return found.map((checks) => this.#days(checks, urls));
  }

  /** What is true of any of these days, each warning once. */
  warningOf(days: ReadonlyMap<string, AgencyDay>): string | null {
    const warnings = new Set([...days.values()].flatMap(({ warning }) => warning ?? []));
    return warnings.size === 0 ? null : [...warnings].join('; ');
  }

  #days(checks: DailyCheck[], urls: ReadonlyMap<number, string>): ReadonlyMap<string, AgencyDay> {
    const best = new Map<string, DailyCheck>();
    for (const check of checks.sort((a, b) => this.#orderOf(a) - this.#orderOf(b) || a.runId - b.runId)) {
      const slot = this.#slots.get(check.runId);
      const date = slot === undefined ? '' : seenDate(check.checkedAt, slot);
      if (!this.#dates.has(date)) continue;
      const known = best.get(date);
      if (known === undefined || completeness(check) >= completeness(known)) best.set(date, check);
    }
    const byDate = [...best].sort(([a], [b]) => (a < b ? -1 : 1));
    return new Map(byDate.map(([date, check]) => [date, this.#day(date, check, urls)]));
  }

  #orderOf({ checkedAt, runId }: DailyCheck): number {
    return checkedAt ?? this.#slots.get(runId)?.at ?? 0;
  }

  #day(date: string, check: DailyCheck, urls: ReadonlyMap<number, string>): AgencyDay {
    const { ranking, depth, checkedAt, source, runId } = check;
    return {
      date,
      status: statusOf(check),
      rank: ranking?.rank ?? null,
      absoluteRank: ranking?.absoluteRank ?? null,
      page: ranking?.page ?? null,
      url: urls.get(ranking?.urlId ?? 0) || null,
      depth,
      checkedAt,
      source,
      runId,
      warning: this.#warningOf(date, runId),
    };
  }

  #warningOf(date: string, runId: number): string | null {
    const note = seenNote(this.#slots.get(runId)?.slot ?? date, date);
    const warnings = [note, this.#warnings.get(runId) ?? null].filter((warning) => warning !== null);
    return warnings.length === 0 ? null : warnings.join('; ');
  }
}

function completeness({ state }: DailyCheck): number {
  return state === 'ok' ? 2 : state === 'incomplete' ? 1 : 0;
}

/** Only a complete check that followed the target proves its absence. */
function statusOf({ state, ranking, isNotFollowed }: DailyCheck): RowStatus {
  if (ranking !== null && ranking.rank !== null) return 'ranked';
  if (state !== 'ok') return state;
  if (isNotFollowed) return 'not_followed';
  return ranking !== null && ranking.urlId === null ? 'not_found' : 'incomplete';
}
