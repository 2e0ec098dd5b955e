// Reads from the store what a report needs of each tracked row: the check, the place, the baseline, the best rank, the metrics. Reads only.
import type { ClaimedSlot, RunRow } from '../db/runs.ts';
import type { Store } from '../db/store.ts';
import type { RankChangeInput } from '../src/report/row.ts';
import { chooseBaseline } from '../src/tracker/change.ts';
import { localClock, momentOf, monthWindowKey } from '../src/tracker/local-time.ts';
import type { Observation } from '../src/tracker/observation.ts';
import { type Project, searchesOf, type TrackedKeyword } from '../src/tracker/project.ts';
import { targetKey } from '../src/tracker/target.ts';

/** What a report compares with: the check before, or the one that stood at the end of a local date. */
export type Comparison =
  | { readonly kind: 'previous' }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'date'; readonly date: string };

/** A baseline may be older than asked by a quarter of the distance, and by at least this: a missed slot must not hide a week. */
const toleranceMsMin = 36 * 3_600_000;
const dayMs = 86_400_000;

export interface RowSource {
  readonly store: Store;
  readonly project: Project;
  readonly run: RunRow;
  readonly slot: ClaimedSlot;
  readonly comparison: Comparison;
}

/** One input a tracked keyword, device and own target, in the config's order. */
export function* reportRows(source: RowSource): Generator<RankChangeInput> {
  const { store, project, run } = source;
  const baselines = baselineWindow(source);
  const note = run.suspectReason === null ? null : `suspect run: ${run.suspectReason}`;
  for (const keyword of project.keywords) {
    const metrics = metricsOf(source, keyword);
    for (const search of searchesOf(project, keyword)) {
      const searchId = store.names.knownSearchId(search);
      const check = searchId === null ? null : store.checks.ofRun(run.id, searchId);
      for (const target of project.targets) {
        const targetId = store.names.knownTargetId(targetKey(target));
        const base = { project: project.id, search, target, tags: keyword.tags, metrics, note };
        if (searchId === null || check === null || targetId === null) {
          yield {
            ...base,
            check: null,
            outcome: { kind: 'unproven' },
            ownedFeatures: [],
            baseline: null,
            bestRank: null,
          };
          continue;
        }
        const { outcome, ownedFeatures } = store.rankings.ofCheck(targetId, searchId, run.moment, check.id);
        const depth = outcome.kind === 'notFound' ? outcome.depth : check.depth;
        const candidates = baselineCandidates(store, targetId, searchId, run.moment, baselines, depth);
        yield {
          ...base,
          check: { ...check, runId: run.id },
          outcome,
          ownedFeatures,
          baseline: chooseBaseline(currentObservation(check, outcome, depth), candidates),
          bestRank: store.rankings.best(targetId, searchId, run.moment),
        };
      }
    }
  }
}

interface BaselineWindow {
  /** UTC milliseconds, both inclusive. */
  readonly from: number;
  readonly until: number;
}

/** From when to when a baseline may lie. */
function baselineWindow({ comparison, slot, run }: RowSource): BaselineWindow {
  if (comparison.kind === 'previous') return { from: 0, until: run.moment - 1 };
  const endOfSlotDay = startOfDay(slot.localDate, slot.timezone, 1);
  const until =
    (comparison.kind === 'days'
      ? startOfDay(slot.localDate, slot.timezone, 1 - comparison.days)
      : startOfDay(comparison.date, slot.timezone, 1)) - 1;
  const distance = Math.max(0, endOfSlotDay - until);
  return { from: until - dayMs - Math.max(toleranceMsMin, distance / 4), until };
}

/** The first moment of a local date, `days` later. */
function startOfDay(date: string, timezone: string, days: number): number {
  const clock = Date.parse(`${date}T00:00:00Z`) + days * dayMs;
  return momentOf(clock, timezone) ?? clock - (localClock(clock, timezone) - clock);
}

function baselineCandidates(
  store: Store,
  targetId: number,
  searchId: number,
  moment: number,
  window: BaselineWindow,
  depth: number,
): (Observation | null)[] {
  const newest = store.rankings.before(targetId, searchId, moment, window);
  if (newest === null || newest.depth >= depth) return [newest];
  return [newest, store.rankings.beforeAtDepth(targetId, searchId, moment, window, depth)];
}

function currentObservation(
  check: { checkedAt: number | null; source: string },
  outcome: RankChangeInput['outcome'],
  depth: number,
): Observation {
  const ranked = outcome.kind === 'ranked' ? outcome : null;
  return {
    status: ranked === null ? 'not_found' : 'ranked',
    rank: ranked?.organicRank ?? null,
    absoluteRank: ranked?.absoluteRank ?? null,
    page: ranked?.page ?? null,
    url: ranked?.url ?? null,
    depth,
    checkedAt: check.checkedAt ?? Number.MAX_SAFE_INTEGER,
    source: check.source,
  };
}

function metricsOf({ store, project, slot }: RowSource, keyword: TrackedKeyword): RankChangeInput['metrics'] {
  const market = { service: project.service, country: keyword.country, language: keyword.language };
  const volume = store.volumes.latest(keyword.keyword, market, monthWindowKey(slot.at, slot.timezone));
  if (volume === null) return null;
  return {
    searchVolume: volume.searchVolume,
    month: volume.month,
    cpcUsd: volume.cpcMicroUsd === null ? null : volume.cpcMicroUsd / 1_000_000,
    competition: volume.competition,
    level: volume.competitionLevel,
    intent: volume.intent,
  };
}
