// Reads the rows of a report: check, ranking, baseline, best rank and metrics of each tracked row.

import { seenDate } from '../../../db/history/checks/conditions.ts';
import type { TimeWindow } from '../../../db/history/checks/rankings.ts';
import type { ClaimedSlot, RunRow } from '../../../db/history/runs/runs.ts';
import type { TrackedRanking } from '../../../db/reads/reports/tracked-rows.ts';
import type { Store } from '../../../db/store.ts';
import { joinNotes } from '../../../src/read/note.ts';
import { HistoryRow, type RecentRanks, type RowInput, type RowTable } from '../../../src/read/row.ts';
import {
  baselineSpan,
  type Comparison,
  chooseBaseline,
  comparableSource,
  compare,
  comparisonText,
  hasMoved,
  incomparable,
} from '../../../src/tracker/changes/change.ts';
import { type Note, noteTextsBetween } from '../../../src/tracker/changes/note.ts';
import type { Observation } from '../../../src/tracker/observation.ts';
import type { Project, Search, Target, TrackedKeyword } from '../../../src/tracker/project.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { daysBetween } from '../../../src/tracker/schedule/time-units.ts';
import { sightingsMax } from '../../../src/tracker/signal/significance.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../../src/tracker/targets/target.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import { seenNote } from '../../slot-day.ts';
import { ProjectSearches } from '../columns/project-searches.ts';
import { RankTrails } from '../columns/rank-trails.ts';
import { RunRanks, SharedColumns } from '../columns/run-ranks.ts';
import { type Batch, inBatches } from './search-batches.ts';

export interface RowSource {
  readonly store: Store;
  readonly project: Project;
  /** Oldest first; the last one is reported on, those before it are what it filled in (`runsOfReport`). */
  readonly runs: readonly [RunRow, ...RunRow[]];
  readonly slot: ClaimedSlot;
  readonly comparison: Comparison;
  readonly ctrCurve: string;
  /** How much older than asked a baseline may be; absent: as `baselineSpan` has it. */
  readonly toleranceMs?: number;
  /** Absent: the project has none, or the rows need none. */
  readonly clicks?: ProjectClicks;
  /** By date: what changes may be the doing of. */
  readonly notes?: readonly Note[];
  /** Absent: they are read where a row asks for them. */
  readonly recent?: RecentRanks;
}

/** A single run. A backfill holds only some of the keywords: its report is that of the slot that it filled in. */
export function runsOfReport(store: Store, run: RunRow, { project }: ClaimedSlot): readonly [RunRow, ...RunRow[]] {
  if (run.origin !== 'backfill') return [run];
  const [oldest = run, ...others] = store.reportRuns.latestWithBackfills(project, run.moment);
  return [oldest, ...others];
}

/** Why the project's numbers of these runs are suspect; null where they are not. */
export function findSuspicion(source: Pick<RowSource, 'store' | 'project' | 'runs'>): string | null {
  const reason = suspectSlot(source)?.suspectReason ?? null;
  // the reason counts all checks of the project
  return reason !== null && source.project.isPart ? 'more of its checks were lost than chance explains' : reason;
}

/** The newest of the project's slots in these runs that is suspect. */
export function suspectSlot({
  store,
  project,
  runs,
}: Pick<RowSource, 'store' | 'project' | 'runs'>): ClaimedSlot | undefined {
  return runs
    .flatMap(({ id }) => store.runs.slotsOf(id))
    .findLast((slot) => slot.project === project.id && slot.suspectReason !== null);
}

/** One row a tracked keyword, device and own target, batch by batch. Throws RangeError for an unknown curve. */
export function* reportRows(source: RowSource): Generator<HistoryRow> {
  const reading = startReading(source);
  for (const batch of inBatches(source.project)) yield* readBatch(reading, batch);
}

/** The rows of a batch: target by target, each in the order of the keywords. */
export function batchRows(source: RowSource, batch: Batch): Generator<HistoryRow> {
  return readBatch(startReading(source), batch);
}

/** What the rows of a source share. */
interface Reading {
  readonly source: RowSource;
  readonly table: RowTable;
  readonly baselines: TimeWindow;
  readonly month: string;
  readonly noteFor: ReturnType<typeof runNotes>;
  readonly recent: RecentRanks;
}

function startReading(source: RowSource): Reading {
  const { runs, slot } = source;
  const month = monthWindowKey(Math.max(runs[0].moment, slot.at), slot.timezone);
  return {
    source,
    table: { project: source.project.id, slot, ctrCurve: source.ctrCurve },
    baselines: baselineWindow(source),
    month,
    noteFor: runNotes(source),
    recent: source.recent ?? new RecentDates(source),
  };
}

type Input = { -readonly [Name in keyof RowInput]: RowInput[Name] };

/** The rows of a batch. */
function* readBatch(
  { source, table, baselines, month, noteFor, recent }: Reading,
  batch: Batch,
): Generator<HistoryRow> {
  const { store, project, runs, slot, notes = [], clicks } = source;
  const { market } = batch;
  const query = {
    runs,
    project: project.id,
    market,
    keywords: batch.keywords.map(({ keyword }) => keyword),
    baselines,
    month,
  };
  const searchIds = store.rankColumns.searchIds(market, query.keywords);
  for (const target of project.targets) {
    const pages = compileTargets([target]);
    const inputs: Input[] = [];
    const changes: ChangedRow[] = [];
    for (const [index, { ranking, metrics }] of store.trackedRows
      .of({ ...query, target: targetKey(target) })
      .entries()) {
      const tracked = batch.keywords[index];
      if (tracked === undefined) continue;
      const { keyword, tags } = tracked;
      const input: Input = {
        search: { keyword, market },
        target,
        tags,
        metrics,
        ...notChecked,
        note: null,
        recent,
        searchId: searchIds[index] ?? 0,
      };
      if (ranking === null) Object.assign(input, lastRanking(source, target, input.search));
      else {
        const change = readRanking(source, baselines, ranking, input);
        if (change !== null) changes.push(change);
      }
      input.note = noteFor(input.check);
      const [from, until] = [input.baseline?.checkedAt ?? null, input.check?.checkedAt ?? null];
      const happened = noteTextsBetween(notes, tracked, slot.timezone, from, until);
      if (happened.length > 0) input.happened = happened;
      const counted = clicks?.of(keyword, market, target) ?? null;
      if (counted !== null) input.clicks = counted;
      const { preferredUrl } = preferredPage(tracked, pages);
      if (preferredUrl !== undefined) input.preferredUrl = preferredUrl;
      inputs.push(input);
    }
    readChanges(store, runs[0].moment, changes);
    for (const input of inputs) yield new HistoryRow(input, table);
  }
}

/**
 * What notes say of the run of a check: that it is suspect, or was seen on another day than its slot's. Why it is
 * suspect stands once, in the warning of the report.
 */
export function runNotes(source: RowSource): (check: SeenCheck | null) => string | null {
  const suspect = findSuspicion(source);
  const slots = readSlots(source);
  return (check) => joinNotes([seenNoteFor(check, slots), suspect === null ? null : 'suspect run']);
}

type SeenCheck = Pick<NonNullable<RowInput['check']>, 'runId' | 'checkedAt'>;

/** The URL that should rank, where it is a page of the target. */
export function preferredPage(
  { preferredUrl }: TrackedKeyword,
  target: CompiledTargets,
): { readonly preferredUrl?: string } {
  return preferredUrl === undefined || target.matchingIndexes(preferredUrl).length === 0 ? {} : { preferredUrl };
}

/** The slots of the project, by run of the report. */
function readSlots({ store, project, runs }: RowSource): ReadonlyMap<number, ClaimedSlot> {
  const slots = runs.flatMap(({ id }) => store.runs.slotsOf(id)).filter((slot) => slot.project === project.id);
  return new Map(slots.map((slot) => [slot.runId ?? 0, slot]));
}

function seenNoteFor(check: SeenCheck | null, slots: ReadonlyMap<number, ClaimedSlot>): string | null {
  const slot = check === null ? undefined : slots.get(check.runId);
  return check === null || slot === undefined ? null : seenNote(slot.slot, seenDate(check.checkedAt, slot));
}

const notChecked = {
  check: null,
  outcome: { kind: 'unproven' },
  ownedFeatures: [],
  baseline: null,
  bestRank: null,
} as const;

/** Fills in the ranking of a row. Returns its change, where the rank has moved. */
function readRanking(source: RowSource, baselines: TimeWindow, ranking: TrackedRanking, row: Input): ChangedRow | null {
  const {
    store,
    runs: [oldest],
  } = source;
  const { check, outcome, ownedBefore, before, targetId, searchId } = ranking;
  const depth = outcome.kind === 'notFound' ? outcome.depth : check.depth;
  const candidates = [before];
  const ofSameSource = {
    targetId,
    searchId,
    moment: oldest.moment,
    window: baselines,
    source: check.source,
    baselineOf: source.project.id,
  };
  if (before !== null && comparableSource(before.source) !== comparableSource(check.source)) {
    candidates.push(store.rankings.newestBefore({ ...ofSameSource, depthMin: 1 }));
  }
  if (before !== null && (candidates.at(-1)?.depth ?? depth) < depth) {
    candidates.push(store.rankings.newestBefore({ ...ofSameSource, depthMin: depth }));
  }
  const isCompared = outcome.kind === 'notFound' && candidates.some((candidate) => candidate?.status === 'ranked');
  const resultsRead = isCompared ? store.rankings.resultsRead(check.id) : null;
  const current = currentObservation(check, outcome, depth, resultsRead);
  const baseline = chooseBaseline(current, candidates);
  row.check = check;
  row.outcome = outcome;
  if (resultsRead !== null) row.resultsRead = resultsRead;
  row.ownedFeatures = ranking.ownedFeatures;
  row.baseline = baseline;
  row.bestRank = ranking.bestRank;
  if (baseline === null) {
    const missing = missingBaseline(source, ranking);
    if (missing !== null) row.baselineMissing = missing;
    return null;
  }
  if (ownedBefore !== null && baseline === before) {
    row.ownedBefore = ownedBefore;
    if (ownedBefore.features.some((name) => !ranking.ownedFeatures.includes(name)))
      row.unlinkedFeatures = store.pages.unlinkedFeatures(check.id);
  }
  if (!hasMoved(compare(baseline, current).changeClass)) return null;
  const { checkedAt, rank } = baseline;
  return { row, targetId, searchId, checkId: check.id, source: check.source, checkedAt, rank };
}

/** States that history exists, but outside the requested window or seen after this check; null: no history. */
function missingBaseline(
  { store, project, runs: [oldest], comparison }: RowSource,
  { targetId, searchId, before }: TrackedRanking,
): string | null {
  if (before !== null) return incomparable.seenLater(before.source);
  if (comparison.kind === 'previous') return null;
  const { moment } = oldest;
  const anyTime = { from: 0, until: moment - 1 };
  const earlier = { targetId, searchId, moment, window: anyTime, depthMin: 1, source: null, baselineOf: project.id };
  if (store.rankings.newestBefore(earlier) === null) return null;
  return incomparable.noBaseline(comparisonText(comparison));
}

/** Where a baseline may lie. */
export function baselineWindow({
  comparison,
  slot,
  runs: [oldest],
  toleranceMs,
}: Pick<RowSource, 'comparison' | 'slot' | 'runs' | 'toleranceMs'>): TimeWindow {
  const { localDate, timezone } = slot;
  const compared = { localDate, timezone, moment: oldest.moment };
  const { from, until } = baselineSpan(comparison, toleranceMs === undefined ? compared : { ...compared, toleranceMs });
  const seen = comparison.kind === 'previous' ? {} : { seenUntil: until };
  return { from, until, ...seen };
}

function currentObservation(
  check: { checkedAt: number | null; source: string },
  outcome: RowInput['outcome'],
  depth: number,
  resultsRead: number | null,
): Observation {
  const ranked = outcome.kind === 'ranked' ? outcome : null;
  return {
    status: ranked === null ? 'not_found' : 'ranked',
    rank: ranked?.organicRank ?? null,
    absoluteRank: ranked?.absoluteRank ?? null,
    page: ranked?.page ?? null,
    url: ranked?.url ?? null,
    depth,
    resultsRead,
    checkedAt: check.checkedAt ?? Number.MAX_SAFE_INTEGER,
    source: check.source,
  };
}

// What history knows of the changes of rows: earlier ranks and second looks, read for many rows at a time.

type Writable<Facts> = { -readonly [Name in keyof Facts]: Facts[Name] };
type ChangePast = Pick<RowInput, 'ranksBefore' | 'secondLook' | 'awaitsSecondLook'>;

/** A row whose rank has moved since its baseline. */
interface ChangedRow {
  /** Gets what is read. */
  readonly row: Writable<ChangePast>;
  readonly targetId: number;
  readonly searchId: number;
  readonly checkId: number;
  /** Of the check. */
  readonly source: string;
  /** Of the baseline, UTC milliseconds. */
  readonly checkedAt: number;
  /** Of the baseline; null: not found. */
  readonly rank: number | null;
}

/** Completes rows of one target. Their earlier ranks lie before `moment`. */
function readChanges(store: Store, moment: number, changes: readonly ChangedRow[]): void {
  const [first] = changes;
  if (first === undefined) return;
  const earlier = store.rankings.ranksOfMany({ targetId: first.targetId, moment, max: sightingsMax }, changes);
  let [least, most] = [first.checkId, first.checkId];
  for (const [index, { row, rank, checkId }] of changes.entries()) {
    const ranks = earlier[index] ?? [];
    row.ranksBefore = rank === null ? ranks : [...ranks, rank].slice(-sightingsMax);
    if (checkId < least) least = checkId;
    if (checkId > most) most = checkId;
  }
  const asked = store.secondLooks.askedBetween(least, most);
  if (asked.size === 0) return;
  for (const change of changes) if (asked.has(change.checkId)) Object.assign(change.row, secondLookAt(store, change));
}

/** The second look at the change of a check, or that it is to come. Only one of the same source compares. */
export function secondLookAt(
  store: Store,
  { targetId, checkId, source }: Pick<ChangedRow, 'targetId' | 'checkId' | 'source'>,
): Omit<ChangePast, 'ranksBefore'> {
  const found = store.secondLooks.of(checkId, targetId);
  if (found === null) return {};
  if (found.isAwaited) return { awaitsSecondLook: true };
  const { sighting } = found;
  const isSame = sighting !== null && source !== null && comparableSource(sighting.source) === comparableSource(source);
  return isSame ? { secondLook: sighting } : {};
}

// The newest ranking of a search that a run did not check: it is older than the slot, and says so.

interface Waiting {
  readonly store: Store;
  readonly runs: readonly [{ readonly moment: number }, ...unknown[]];
  readonly slot: { readonly at: number };
}

/** Empty if there is none. */
function lastRanking(
  { store, runs: [{ moment }], slot }: Waiting,
  target: Target,
  search: Search,
): Pick<RowInput, 'last'> {
  const [targetId, searchId] = [store.names.knownTargetId(targetKey(target)), store.names.knownSearchId(search)];
  if (targetId === null || searchId === null) return {};
  const window = { from: 0, until: moment - 1 };
  const any = { depthMin: 1, source: null, baselineOf: null };
  const last = store.rankings.newestBefore({ targetId, searchId, moment, window, ...any });
  if (last === null) return {};
  const { rank, checkedAt, depth } = last;
  return { last: { rank, checkedAt, ageDays: Math.max(0, Math.round(daysBetween(checkedAt, slot.at))), depth } };
}

/** A month, and the days by which rows of one report may lie apart. */
const recentDatesMax = 35;

/** The ranks of a project on the dates up to its report: they are read when a row first asks for one. */
class RecentDates implements RecentRanks {
  readonly #source: RowSource;
  #trails: RankTrails | undefined;

  constructor(source: RowSource) {
    this.#source = source;
  }

  get dates(): readonly string[] {
    return this.#read().dates;
  }

  codesOf(target: Target, searchId: number): (date: number) => number {
    return this.#read().codesOf(target, searchId);
  }

  #read(): RankTrails {
    const { store, project, runs } = this.#source;
    if (this.#trails !== undefined) return this.#trails;
    const ranks = new RunRanks(
      { store },
      new SharedColumns({ store, projects: new Map() }),
      new ProjectSearches({ store }, project),
    );
    this.#trails = new RankTrails(store, project, ranks, (runs.at(-1) ?? runs[0]).moment, recentDatesMax);
    return this.#trails;
  }
}
