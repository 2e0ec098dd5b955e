// Reads the rows of a report: check, ranking, baseline, best rank and metrics of each tracked row.

import type { TimeWindow } from '../../../db/history/checks/rankings.ts';
import { seenDate } from '../../../db/history/checks/seen-date.ts';
import type { ClaimedSlot, RunRow } from '../../../db/history/runs/runs.ts';
import type { TrackedMetrics } from '../../../db/reads/reports/tracked-metrics.ts';
import type { TrackedRanking } from '../../../db/reads/reports/tracked-rows.ts';
import type { Store } from '../../../db/store.ts';
import type { RankChangeInput } from '../../../src/report/rows/row.ts';
import { baselineSpan, type Comparison, comparisonText } from '../../../src/tracker/changes/baseline.ts';
import { chooseBaseline, compare, hasMoved, incomparable } from '../../../src/tracker/changes/change.ts';
import { type Note, noteTextsBetween } from '../../../src/tracker/changes/note.ts';
import type { Observation } from '../../../src/tracker/observation.ts';
import type { Market, Project, TrackedKeyword } from '../../../src/tracker/project.ts';
import { expandSearches, marketName } from '../../../src/tracker/project.ts';
import { monthWindowKey } from '../../../src/tracker/schedule/local-time.ts';
import { type CompiledTargets, compileTargets, targetKey } from '../../../src/tracker/targets/target.ts';
import type { ProjectClicks } from '../../clicks/project-clicks.ts';
import { seenNote } from '../../slot-day.ts';
import { type ChangedRow, readChanges } from './changed-rows.ts';
import { lastRanking } from './last-ranking.ts';

/** One statement for this many rows costs a third of one statement a row; beyond some hundred it gains nothing. */
const searchesPerRead = 500;

export interface RowSource {
  readonly store: Store;
  readonly project: Project;
  /** Oldest first; the last one is reported on, those before it are what it filled in (`runsOfReport`). */
  readonly runs: readonly [RunRow, ...RunRow[]];
  readonly slot: ClaimedSlot;
  readonly comparison: Comparison;
  /** How much older than asked a baseline may be; absent: as `baselineSpan` has it. */
  readonly toleranceMs?: number;
  /** Baselines lie before this moment; absent: wherever the comparison has them. */
  readonly believedBefore?: number;
  /** Absent: the project has none, or the rows need none. */
  readonly clicks?: ProjectClicks;
  /** By date: what changes may be the doing of. */
  readonly notes?: readonly Note[];
}

/** A single run. A backfill holds only some of the keywords: its report is that of the slot that it filled in. */
export function runsOfReport(store: Store, run: RunRow, { project }: ClaimedSlot): readonly [RunRow, ...RunRow[]] {
  if (run.origin !== 'backfill') return [run];
  const [oldest = run, ...others] = store.reportRuns.latestWithBackfills(project, run.moment);
  return [oldest, ...others];
}

/** Why the numbers are suspect; null where they are not. */
export function findSuspicion(runs: readonly RunRow[]): string | null {
  return runs.findLast(({ suspectReason }) => suspectReason !== null)?.suspectReason ?? null;
}

/** Searches of one market, read together. */
export interface Batch {
  readonly market: Market;
  readonly keywords: readonly TrackedKeyword[];
}

/** The searches of a project, market by market, some hundred at a time. */
export function* inBatches(project: Project, size: number = searchesPerRead): Generator<Batch> {
  const open = new Map<string, { readonly market: Market; keywords: TrackedKeyword[] }>();
  for (const keyword of project.keywords) {
    for (const { market } of expandSearches(project, keyword)) {
      const key = marketName(market);
      const batch = open.get(key) ?? { market, keywords: [] };
      open.set(key, batch);
      batch.keywords.push(keyword);
      if (batch.keywords.length < size) continue;
      yield { market, keywords: batch.keywords };
      batch.keywords = [];
    }
  }
  for (const batch of open.values()) if (batch.keywords.length > 0) yield batch;
}

/** One input a tracked keyword, device and own target, batch by batch. */
export function* reportRows(source: RowSource): Generator<RankChangeInput> {
  const baselines = baselineWindow(source);
  for (const batch of inBatches(source.project)) yield* readBatch(source, baselines, batch);
}

/** The inputs of a batch: target by target, each in the order of the keywords. */
export function batchRows(source: RowSource, batch: Batch): Generator<RankChangeInput> {
  return readBatch(source, baselineWindow(source), batch);
}

/** The inputs of a batch. */
function* readBatch(source: RowSource, baselines: TimeWindow, { market, keywords }: Batch): Generator<RankChangeInput> {
  const { store, project, runs, slot } = source;
  const query = {
    runs,
    market,
    keywords: keywords.map(({ keyword }) => keyword),
    baselines,
    month: monthWindowKey(Math.max(runs[0].moment, slot.at), slot.timezone),
  };
  const noteFor = runNotes(source);
  for (const target of project.targets) {
    const rows = store.trackedRows.of({ ...query, target: targetKey(target) });
    const pages = compileTargets([target]);
    const judged = rows.map(({ ranking }) => (ranking === null ? null : rankingInRun(source, baselines, ranking)));
    const pasts = readChanges(
      store,
      runs[0].moment,
      judged.flatMap((row) => row?.changed ?? []),
    );
    for (const [index, { metrics }] of rows.entries()) {
      const tracked = keywords[index];
      if (tracked === undefined) continue;
      const search = { keyword: tracked.keyword, market };
      const { changed, ...facts } = judged[index] ?? { ...notChecked, ...lastRanking(source, target, search) };
      const read = { ...facts, ...(changed === undefined ? {} : pasts.get(changed)) };
      const [from, until] = [read.baseline?.checkedAt ?? null, read.check?.checkedAt ?? null];
      const happened = noteTextsBetween(source.notes ?? [], slot.timezone, from, until);
      const clicks = source.clicks?.of(tracked.keyword, market, target) ?? null;
      yield {
        project: project.id,
        search,
        target,
        tags: tracked.tags,
        metrics: metrics === null ? null : printedMetrics(metrics),
        note: noteFor(read.check),
        ...(happened.length === 0 ? {} : { happened }),
        ...(clicks === null ? {} : { clicks }),
        ...preferredPage(tracked, pages),
        ...read,
      };
    }
  }
}

/** What notes say of the run of a check: that it is suspect, or was seen on another day than its slot's. */
export function runNotes(source: RowSource): (check: SeenCheck | null) => string | null {
  const suspect = findSuspicion(source.runs);
  const slots = readSlots(source);
  return (check) => joined(seenNoteFor(check, slots), suspect === null ? null : `suspect run: ${suspect}`);
}

type SeenCheck = Pick<NonNullable<RankingInRun['check']>, 'runId' | 'checkedAt'>;

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

function joined(...notes: readonly (string | null)[]): string | null {
  const said = notes.filter((note) => note !== null);
  return said.length === 0 ? null : said.join('; ');
}

type RankingInRun = Pick<
  RankChangeInput,
  | 'check'
  | 'last'
  | 'outcome'
  | 'resultsRead'
  | 'ownedFeatures'
  | 'ownedBefore'
  | 'baseline'
  | 'earlier'
  | 'baselineMissing'
  | 'bestRank'
>;

/** `changed`: what a change is compared with. */
type JudgedRow = RankingInRun & { readonly changed?: ChangedRow };

const notChecked: JudgedRow = {
  check: null,
  outcome: { kind: 'unproven' },
  ownedFeatures: [],
  baseline: null,
  bestRank: null,
};

function rankingInRun(source: RowSource, baselines: TimeWindow, ranking: TrackedRanking): JudgedRow {
  const {
    store,
    runs: [oldest],
  } = source;
  const { check, outcome, ownedFeatures, ownedBefore, before, bestRank } = ranking;
  const depth = outcome.kind === 'notFound' ? outcome.depth : check.depth;
  const candidates = [before];
  const { targetId, searchId } = ranking;
  const ofSameSource = { targetId, searchId, moment: oldest.moment, window: baselines, source: check.source };
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
  const hasChanged = baseline !== null && hasMoved(compare(baseline, current).changeClass);
  const { checkedAt = 0 } = baseline ?? {};
  const changed = { targetId, searchId, checkId: check.id, source: check.source, checkedAt };
  const missing = baseline === null ? missingBaseline(source, ranking) : null;
  return {
    check,
    outcome,
    ...(resultsRead === null ? {} : { resultsRead }),
    ownedFeatures,
    ...(ownedBefore !== null && baseline === before ? { ownedBefore } : {}),
    baseline,
    earlier: [],
    ...(hasChanged ? { changed } : {}),
    ...(missing === null ? {} : { baselineMissing: missing }),
    bestRank,
  };
}

/** States that history exists, but outside the requested window or seen after this check; null: no history. */
function missingBaseline(
  { store, runs: [oldest], comparison }: RowSource,
  { targetId, searchId, before }: TrackedRanking,
): string | null {
  if (before !== null) return incomparable.seenLater(before.source);
  if (comparison.kind === 'previous') return null;
  const { moment } = oldest;
  const anyTime = { from: 0, until: moment - 1 };
  const earlier = { targetId, searchId, moment, window: anyTime, depthMin: 1, source: null };
  if (store.rankings.newestBefore(earlier) === null) return null;
  return incomparable.noBaseline(comparisonText(comparison));
}

/** Where a baseline may lie. */
export function baselineWindow({
  comparison,
  slot,
  runs: [oldest],
  toleranceMs,
  believedBefore = Number.POSITIVE_INFINITY,
}: Pick<RowSource, 'comparison' | 'slot' | 'runs' | 'toleranceMs' | 'believedBefore'>): TimeWindow {
  const { localDate, timezone } = slot;
  const compared = { localDate, timezone, moment: oldest.moment };
  const { from, until } = baselineSpan(comparison, toleranceMs === undefined ? compared : { ...compared, toleranceMs });
  const seen = comparison.kind === 'previous' ? {} : { seenUntil: until };
  return { from, until: Math.min(until, believedBefore - 1), ...seen };
}

function currentObservation(
  check: { checkedAt: number | null; source: string },
  outcome: RankChangeInput['outcome'],
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

function printedMetrics(metrics: TrackedMetrics): RankChangeInput['metrics'] {
  return {
    searchVolume: metrics.searchVolume,
    month: metrics.month,
    cpcUsd: metrics.cpcMicroUsd === null ? null : metrics.cpcMicroUsd / 1_000_000,
    competition: metrics.competition,
    level: metrics.competitionLevel,
    intent: metrics.intent,
  };
}
