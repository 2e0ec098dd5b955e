// Reads a project's days: of each day the most complete check of a target in a search, and the newest of those.

import { seenDate } from '../../../db/history/checks/conditions.ts';
import type { ClaimedSlot } from '../../../db/history/runs/runs.ts';
import type { DailyCheck, RunBounds } from '../../../db/reads/reports/daily-rankings.ts';
import type { SeriesDate } from '../../../db/reads/reports/report-series.ts';
import { joinNotes } from '../../../src/read/note.ts';
import type { AgencyDay } from '../../../src/report/tables/agency.ts';
import { reportWarning } from '../../../src/report/tables/manifest.ts';
import { sortedEntries } from '../../../src/tracker/figures.ts';
import { getOrInsert } from '../../../src/tracker/maps.ts';
import type { RowStatus } from '../../../src/tracker/observation.ts';
import type { Market, Project, TrackedKeyword } from '../../../src/tracker/project.ts';
import { isPlaceKey } from '../../../src/tracker/targets/target.ts';
import { findService, type JobContext } from '../../context.ts';
import { seenNote } from '../../slot-day.ts';

/** A project with its days, oldest first. */
export interface DatedProject {
  readonly project: Project;
  readonly dates: readonly SeriesDate[];
}

export interface CheckedDay extends AgencyDay {
  readonly checkId: number;
  readonly depth: number;
  readonly isComplete: boolean;
  /** Its run is suspect: it is no baseline. */
  readonly isSuspect: boolean;
}

/** Reads a project's days: of each the most complete check, and the newest of those. */
export class DayReader {
  readonly #context: JobContext;
  readonly #dates: ReadonlySet<string>;
  /** By run. */
  readonly #slots: ReadonlyMap<number, ClaimedSlot>;
  readonly #warnings: ReadonlyMap<number, string | null>;
  /** Warnings of days, by run and date. */
  readonly #notes = new Map<number, Map<string, string | null>>();
  readonly #bounds: RunBounds;

  constructor(context: JobContext, { project, dates }: DatedProject) {
    const { kind } = findService(context, project.service);
    const ids = [...new Set(dates.flatMap(({ runs }) => runs.map(({ id }) => id)))];
    const slots = ids.flatMap((id) => context.store.runs.slotsOf(id)).filter((slot) => slot.project === project.id);
    this.#context = context;
    this.#dates = new Set(dates.map(({ date }) => date));
    this.#slots = new Map(slots.map((slot) => [slot.runId ?? 0, slot]));
    this.#warnings = new Map(slots.map(({ runId, suspectReason }) => [runId ?? 0, reportWarning(suspectReason, kind)]));
    this.#bounds = context.store.dailyRankings.boundsOf(ids);
  }

  /** One entry a keyword, in their order; its days by date, oldest first. */
  daysOf(
    market: Market,
    target: string,
    keywords: readonly Pick<TrackedKeyword, 'keyword'>[],
  ): ReadonlyMap<string, CheckedDay>[] {
    const query = {
      target,
      market,
      keywords: keywords.map(({ keyword }) => keyword),
      runIds: [...this.#slots.keys()],
      bounds: this.#bounds,
    };
    const { dailyRankings } = this.#context.store;
    const found = [...dailyRankings.of(query)];
    const ids = new Set<number>();
    for (const checks of found) for (const { ranking } of checks) if (ranking?.urlId != null) ids.add(ranking.urlId);
    const urls = new Map(dailyRankings.urls([...ids]));
    return found.map((checks) => this.#days(checks, urls, isPlaceKey(target)));
  }

  /** What is true of any of these days, each warning once. */
  warningOf(days: ReadonlyMap<string, CheckedDay>): string | null {
    return joinNotes([...new Set(days.values().map(({ warning }) => warning))]);
  }

  #days(checks: DailyCheck[], urls: ReadonlyMap<number, string>, ofPlace: boolean): ReadonlyMap<string, CheckedDay> {
    const best = new Map<string, DailyCheck>();
    for (const check of checks.sort((a, b) => this.#orderKey(a) - this.#orderKey(b) || a.runId - b.runId)) {
      const slot = this.#slots.get(check.runId);
      const date = slot === undefined ? '' : seenDate(check.checkedAt, slot);
      if (!this.#dates.has(date)) continue;
      const known = best.get(date);
      if (known === undefined || completeness(check) >= completeness(known)) best.set(date, check);
    }
    const byDate = sortedEntries(best);
    return new Map(byDate.map(([date, check]) => [date, this.#day(date, check, urls, ofPlace)]));
  }

  #orderKey({ checkedAt, runId }: DailyCheck): number {
    return checkedAt ?? this.#slots.get(runId)?.at ?? 0;
  }

  #day(date: string, check: DailyCheck, urls: ReadonlyMap<number, string>, ofPlace: boolean): CheckedDay {
    const { ranking, depth, checkedAt, source, runId } = check;
    return {
      date,
      status: rowStatus(check, ofPlace),
      rank: ranking?.rank ?? null,
      absoluteRank: ranking?.absoluteRank ?? null,
      page: ranking?.page ?? null,
      url: urls.get(ranking?.urlId ?? 0) || null,
      depth,
      checkedAt,
      source,
      runId,
      warning: this.#findWarning(date, runId),
      checkId: check.checkId,
      isComplete: check.state === 'ok',
      isSuspect: (this.#slots.get(runId)?.suspectReason ?? null) !== null,
    };
  }

  #findWarning(date: string, runId: number): string | null {
    const known = getOrInsert(this.#notes, runId, () => new Map<string, string | null>());
    let warning = known.get(date);
    if (warning === undefined) {
      const note = seenNote(this.#slots.get(runId)?.slot ?? date, date);
      warning = joinNotes([note, this.#warnings.get(runId) ?? null]);
      known.set(date, warning);
    }
    return warning;
  }
}

function completeness({ state }: DailyCheck): number {
  return state === 'ok' ? 2 : state === 'incomplete' ? 1 : 0;
}

/** Only a complete check that followed the target proves its absence; of a place, page 1 decides. */
function rowStatus({ state, ranking, isNotFollowed }: DailyCheck, ofPlace: boolean): RowStatus {
  if (ranking !== null && ranking.rank !== null) return 'ranked';
  if (state !== 'ok') return ofPlace && ranking !== null && ranking.urlId === null ? 'not_found' : state;
  if (isNotFollowed) return 'not_followed';
  return ranking !== null && ranking.urlId === null ? 'not_found' : 'incomplete';
}
