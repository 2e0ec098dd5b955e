// Reads the rows of a report: check, ranking, baseline, best rank and metrics of each tracked row.

import { seenDate } from '../../../db/history/checks/conditions.ts';
import type { TimeWindow } from '../../../db/history/checks/rankings.ts';
import { type PastRuns, pastRanks } from '../../../db/history/columns/past-runs.ts';
import type { ClaimedSlot, RunRow } from '../../../db/history/runs/runs.ts';
import type { TrackedRanking } from '../../../db/reads/reports/tracked-rows.ts';
import type { Store } from '../../../db/store.ts';
import { joinNotes } from '../../../src/rows/note.ts';
import { HistoryRow, type RecentRanks, type RowInput, type RowTable } from '../../../src/rows/row.ts';
import {
  baselineSpan,
  type Comparison,
  chooseBaseline,
  compare,
  comparisonText,
  hasMoved,
  incomparable,
} from '../../../src/tracker/changes/change.ts';
import { type Note, noteTextsBetween } from '../../../src/tracker/changes/note.ts';
import type { Observation } from '../../../src/tracker/observation.ts';
import type { Project, TrackedKeyword } from '../../../src/tracker/project.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../../src/tracker/targets/target.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import { seenNote } from '../../slot-day.ts';
import { type ChangedRow, readChanges } from './changed-rows.ts';
import { lastRanking } from './last-ranking.ts';
import { RecentDates } from './recent-ranks.ts';
import { type Batch, inBatches } from './search-batches.ts';
import { TargetPasts } from './target-pasts.ts';

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
  return suspectSlot(source)?.suspectReason ?? null;
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
  const { store, project, runs } = source;
  const since = { store, project, before: runs[0].moment };
  const pasts = new TargetPasts(since, pastRanks);
  const reading = startReading(source, pasts);
  for (const batch of inBatches(source.project)) yield* readBatch(reading, batch);
}

/** The rows of a batch: target by target, each in the order of the keywords. */
export function batchRows(source: RowSource, batch: Batch): Generator<HistoryRow> {
  return readBatch(startReading(source, null), batch);
}

/** What the rows of a source share. */
interface Reading {
  readonly source: RowSource;
  readonly table: RowTable;
  readonly baselines: TimeWindow;
  readonly month: string;
  readonly noteFor: ReturnType<typeof runNotes>;
  /** Null: the rows are too few to read columns for them. */
  readonly pasts: TargetPasts<PastRuns> | null;
  readonly recent: RecentRanks;
}

function startReading(source: RowSource, pasts: Reading['pasts']): Reading {
  const { runs, slot } = source;
  const month = monthWindowKey(Math.max(runs[0].moment, slot.at), slot.timezone);
  return {
    source,
    table: { project: source.project.id, slot, ctrCurve: source.ctrCurve },
    baselines: baselineWindow(source),
    month,
    noteFor: runNotes(source),
    pasts,
    recent: source.recent ?? new RecentDates(source.store, source.project, (runs.at(-1) ?? runs[0]).moment),
  };
}

type Input = { -readonly [Name in keyof RowInput]: RowInput[Name] };

/** The rows of a batch. */
function* readBatch(
  { source, table, baselines, month, noteFor, pasts, recent }: Reading,
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
  const searchIds = store.runColumns.searchIds(market, query.keywords);
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
      const happened = noteTextsBetween(notes, slot.timezone, from, until);
      if (happened.length > 0) input.happened = happened;
      const counted = clicks?.of(keyword, market, target) ?? null;
      if (counted !== null) input.clicks = counted;
      const { preferredUrl } = preferredPage(tracked, pages);
      if (preferredUrl !== undefined) input.preferredUrl = preferredUrl;
      inputs.push(input);
    }
    readChanges(store, runs[0].moment, changes, (targetId) => pasts?.of(targetId) ?? null);
    for (const input of inputs) yield new HistoryRow(input, table);
  }
}

/** What notes say of the run of a check: that it is suspect, or was seen on another day than its slot's. */
export function runNotes(source: RowSource): (check: SeenCheck | null) => string | null {
  const suspect = findSuspicion(source);
  const slots = readSlots(source);
  return (check) => joinNotes([seenNoteFor(check, slots), suspect === null ? null : `suspect run: ${suspect}`]);
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
  if (before !== null && before.source !== check.source) {
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
