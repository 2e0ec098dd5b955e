// Finds the searches and keywords that the latest slot lacks, and opens the run that buys them now.

import type { RunRow } from '../../db/history/runs/runs.ts';
import type { Gap } from '../../db/reads/backfill.ts';
import type { Store } from '../../db/store.ts';
import { getOrInsert } from '../../src/tracker/maps.ts';
import { followedTargets } from '../../src/tracker/paging.ts';
import { type Device, type Market, marketName, type Project, type TrackedKeyword } from '../../src/tracker/project.ts';
import { dayMs } from '../../src/tracker/schedule/time-units.ts';
import { foldKeyword } from '../../src/tracker/searches.ts';
import { targetKey } from '../../src/tracker/targets/target.ts';
import type { JobContext } from '../context.ts';
import { runInProgress } from '../ownership.ts';
import { presentSlot } from '../run/due.ts';
import { planRun } from '../run/plan-run.ts';
import type { BackfillRequest, OpenedBackfill } from '../run/run-request.ts';
import type { VolumeNeed } from '../volumes/metrics-request.ts';
import { volumeNeeds } from '../volumes/refresh-volumes.ts';

/** Which searches of the projects a backfill of ranks is for. */
export interface RanksBackfillOptions {
  /** Texts in any spelling, and tags of which a keyword has one; empty: all. */
  readonly keywords: readonly string[];
  readonly tags: readonly string[];
  /**
   * Pages to have read, 1-based and inclusive; null: as deep as each keyword is tracked. Pages before `from` are not
   * bought.
   */
  readonly pages: { readonly from: number; readonly to: number } | null;
  /** Searches that were never checked in the slot, or not as deep as requested. */
  readonly missing: boolean;
  /** Searches whose checks failed, were deferred or are incomplete. */
  readonly failed: boolean;
}

export interface VolumesBackfillOptions {
  readonly keywords: readonly string[];
  /** Requests this month's known metrics again, too. */
  readonly force: boolean;
}

/** A project reduced to the searches that it lacks. */
interface LackingProject {
  readonly project: Project;
  readonly missing: number;
  readonly failed: number;
}

/** Pages of the latest slot older than this are not combined with pages bought now. */
const slotPagesMsMax = dayMs;
/** The longest time between finding what is missing and opening the run that buys it. */
const planMsMax = 60_000;
const searchesPerRead = 500;

/** A search that the adaptive plan leaves out is not missing: only what was planned and failed is bought. */
function withoutWaiting({ adaptive }: Project, options: RanksBackfillOptions): RanksBackfillOptions {
  return adaptive?.cadence === true && options.pages === null ? { ...options, missing: false } : options;
}

/** The projects that lack something, in their order. Reads only. */
export function lackingProjects(
  store: Store,
  projects: readonly Project[],
  options: RanksBackfillOptions,
  now: number,
): LackingProject[] {
  return projects
    .map((project) => findLacking(store, project, withoutWaiting(project, options), now))
    .filter(({ missing, failed }) => missing + failed > 0);
}

/**
 * A backfill of ranks. Its run and its checks are written in one transaction: a process that dies leaves a plan to
 * resume, or nothing at all, never a run without a plan, which would be planned as everything.
 */
export function ranksBackfill(
  context: JobContext,
  projects: readonly Project[],
  options: RanksBackfillOptions,
): BackfillRequest {
  const { store, clock } = context;
  const open = (): OpenedBackfill | null =>
    store.transaction(() => {
      const lacking = lackingProjects(store, projects, options, clock.now()).map(({ project }) =>
        withoutAdaptivePlan(project),
      );
      const run = lacking.length === 0 ? null : openRun(context, 'ranks', lacking);
      if (run === null) return null;
      planRun(context, run.id, lacking, () => {});
      return { run: store.runs.run(run.id) ?? run };
    });
  return { kind: 'backfill', projects, open };
}

/** The project with these keywords only, each as deep as it is tracked; the adaptive plan leaves out none of them. */
export function onlyKeywords(project: Project, texts: readonly string[]): Project {
  const options = { keywords: texts, tags: [], pages: null, missing: true, failed: true };
  return withoutAdaptivePlan(narrowed(project, selectKeywords(project, options), options, 0));
}

/** A check of every search of this project now, known or not. Pages that are fresh enough cost nothing. */
export function checksNow(context: JobContext, project: Project): BackfillRequest {
  const { store } = context;
  const open = (): OpenedBackfill | null =>
    store.transaction(() => {
      const run = openRun(context, 'ranks', [project]);
      if (run === null) return null;
      planRun(context, run.id, [project], () => {});
      return { run: store.runs.run(run.id) ?? run };
    });
  return { kind: 'backfill', projects: [project], open };
}

/** A backfill buys exactly what is missing: no adaptive plan leaves any of it out. */
function withoutAdaptivePlan({ adaptive: _, ...project }: Project): Project {
  return project;
}

/** A backfill of keyword metrics. */
export function volumesBackfill(
  context: JobContext,
  projects: readonly Project[],
  options: VolumesBackfillOptions,
): BackfillRequest {
  const { store, clock } = context;
  const open = (): OpenedBackfill | null =>
    store.transaction(() => {
      // projects share the metrics of a month: two runs at once would buy some of them twice
      const rival = store.runs.openRuns().find(({ kind }) => kind === 'volumes');
      if (rival !== undefined) throw runInProgress(rival, 'keyword metrics');
      const needs = lackingVolumes(context, projects, options, clock.now());
      const wanting = projects.filter((project) => needs.some(({ market }) => market.service === project.service));
      const run = needs.length === 0 ? null : openRun(context, 'volumes', wanting);
      return run === null ? null : { run, needs };
    });
  return { kind: 'backfill', projects, open };
}

/** The metrics that these projects lack, one entry a market. Reads only. */
export function lackingVolumes(
  context: JobContext,
  projects: readonly Project[],
  { keywords, force }: VolumesBackfillOptions,
  now: number,
): VolumeNeed[] {
  const wanted = new Set(keywords.map(foldKeyword));
  const narrowed = projects.map((project) => ({
    ...project,
    keywords: project.keywords.filter(({ keyword }) => wanted.size === 0 || wanted.has(foldKeyword(keyword))),
  }));
  return volumeNeeds(context, narrowed, now, force ? now : null);
}

/** Opens a run at this moment, or at the first millisecond after it that no other backfill of these projects has. */
function openRun(context: JobContext, kind: 'ranks' | 'volumes', projects: readonly Project[]): RunRow | null {
  const { store, clock, owner } = context;
  const at = clock.now();
  let moment = at;
  const isTaken = (project: Project): boolean =>
    store.runs.slot(project.id, 'backfill', presentSlot(project, moment).slot) !== null;
  while (projects.some(isTaken)) moment += 1;
  const slots = projects.map((project) => presentSlot(project, moment));
  const opened = store.runs.open({ kind, origin: 'backfill', moment, owner, at }, slots);
  return opened === null ? null : store.runs.run(opened.id);
}

function findLacking(store: Store, project: Project, options: RanksBackfillOptions, now: number): LackingProject {
  const runs = store.reportRuns.latestWithBackfills(project.id, now);
  const lacking = new Map<TrackedKeyword, Device[]>();
  const counts = { missing: 0, failed: 0 };
  for (const { searches, gaps } of readGaps(store, project, options, runs)) {
    for (const [index, { keyword, device }] of searches.entries()) {
      const gap = gaps[index] ?? 'none';
      if (gap === 'none' || !options[gap]) continue;
      counts[gap] += 1;
      const devices = lacking.get(keyword);
      if (devices === undefined) lacking.set(keyword, [device]);
      else devices.push(device);
    }
  }
  const keywords = project.keywords.flatMap((keyword) => {
    const devices = lacking.get(keyword);
    return devices === undefined ? [] : [{ ...keyword, devices, depth: options.pages?.to ?? keyword.depth }];
  });
  return { project: narrowed(project, keywords, options, slotPagesAgeMs(store, runs, options, now)), ...counts };
}

interface SearchBatch {
  readonly market: Omit<Market, 'device'>;
  readonly device: Device;
  readonly searches: { readonly keyword: TrackedKeyword; readonly device: Device }[];
}

/** The gaps among a project's requested searches, some hundred at a time. */
function* readGaps(
  store: Store,
  project: Project,
  options: RanksBackfillOptions,
  runs: readonly RunRow[],
): Generator<SearchBatch & { readonly gaps: readonly Gap[] }> {
  const runIds = runs.map(({ id }) => id);
  const targetIds = followedTargets(project).map((target) => store.names.knownTargetId(targetKey(target)) ?? -1);
  const read = (batch: SearchBatch) => ({
    ...batch,
    gaps: store.gaps.of({
      project: project.id,
      runIds,
      market: batch.market,
      device: batch.device,
      keywords: batch.searches.map(({ keyword }) => keyword.keyword),
      depth: options.pages?.to ?? null,
      targetIds,
    }),
  });
  const batches = new Map<string, SearchBatch>();
  for (const keyword of selectKeywords(project, options)) {
    const { country, language, location } = keyword;
    for (const device of keyword.devices) {
      const key = marketName({ country, language, device, location });
      const market = { service: project.service, country, language, location };
      const batch = getOrInsert(batches, key, () => ({ market, device, searches: [] }));
      batch.searches.push({ keyword, device });
      if (batch.searches.length < searchesPerRead) continue;
      yield read(batch);
      batches.delete(key);
    }
  }
  for (const batch of batches.values()) yield read(batch);
}

function selectKeywords(project: Project, { keywords, tags }: RanksBackfillOptions): TrackedKeyword[] {
  const texts = new Set(keywords.map(foldKeyword));
  const wantedTags = new Set(tags);
  return project.keywords.filter(
    (keyword) =>
      (texts.size === 0 || texts.has(foldKeyword(keyword.keyword))) &&
      (wantedTags.size === 0 || keyword.tags.some((tag) => wantedTags.has(tag))),
  );
}

/** The project as its backfill is planned: only these keywords, no deep check, and the requested pages. */
function narrowed(
  { deep: _deep, ...project }: Project,
  keywords: readonly TrackedKeyword[],
  { pages }: RanksBackfillOptions,
  pagesAgeMs: number,
): Project {
  const freshForMs = Math.max(project.freshForMs, pagesAgeMs);
  if (pages === null || pages.from === 1) return { ...project, keywords, freshForMs };
  return { ...project, keywords, freshForMs, paging: `from-${pages.from}` };
}

/**
 * The greatest age of pages that a check reads besides those bought now. Without the first pages, all pages of the slot
 * count. Otherwise only pages that a reconciliation gained after the slot: they were paid for, and no check has read
 * them.
 */
function slotPagesAgeMs(store: Store, runs: readonly RunRow[], { pages }: RanksBackfillOptions, now: number): number {
  const [slot] = runs;
  if (slot === undefined) return 0;
  if (pages !== null && pages.from > 1) return Math.min(slotPagesMsMax, now - slot.openedAt);
  const gained = runs.map(({ moment }) => store.reconciliations.firstGained(moment, now - slotPagesMsMax));
  const first = Math.min(...gained.filter((at) => at !== null));
  return Number.isFinite(first) ? now - first + planMsMax : 0;
}
