// Backfills for the commands: options are checked against the config, then bought, priced or derived by the jobs.
import {
  lackingProjects,
  lackingVolumes,
  type RanksWish,
  ranksBackfill,
  type VolumesWish,
  volumesBackfill,
} from '../../jobs/backfill.ts';
import { type DeriveReport, deriveRankings } from '../../jobs/backfill-derive.ts';
import type { JobContext } from '../../jobs/context.ts';
import { type PlanPrice, priceOf } from '../../jobs/inspect.ts';
import type { RunRequest } from '../../jobs/pipeline.ts';
import type { Project } from '../tracker/project.ts';
import { type RunOptions, type RunResult, UsageError } from './contract.ts';

/** Unknown projects, keywords, tags and targets are a UsageError. Left out or empty: all of them. */
export interface BackfillRanksOptions extends Pick<RunOptions, 'projects' | 'signal' | 'onProgress'> {
  readonly keywords?: readonly string[];
  readonly tags?: readonly string[];
  /** 1-based and inclusive. Left out: as deep as each keyword is tracked. Pages before `from` are not bought, and used where they are fresh. */
  readonly pages?: { readonly from: number; readonly to: number };
  /** Which gaps: searches not checked in the latest slot (or not so deep), and those whose checks did not end well. Default: both. */
  readonly gaps?: 'missing' | 'failed';
}

export interface BackfillVolumesOptions extends Pick<RunOptions, 'projects' | 'signal' | 'onProgress'> {
  readonly keywords?: readonly string[];
  /** Asks again for metrics of this month that are known; what is known stays beside what is told now. */
  readonly force?: boolean;
}

export interface DeriveOptions extends Pick<RunOptions, 'projects' | 'signal'> {
  /** As configured. */
  readonly targets?: readonly string[];
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export interface RanksBackfillPlan extends Omit<PlanPrice, 'keywordRequests' | 'microUsdWorstCase'> {
  /** Only projects that lack something; searches. */
  readonly projects: readonly { readonly project: string; readonly missing: number; readonly failed: number }[];
}

export interface VolumesBackfillPlan extends Pick<PlanPrice, 'keywordRequests' | 'microUsdWorstCase' | 'budget'> {
  /** One entry a market. */
  readonly markets: readonly {
    readonly service: string;
    readonly country: string;
    readonly language: string;
    readonly month: string;
    readonly keywords: number;
  }[];
}

/** Fills in what history lacks. A day that has gone by is never asked for: what is bought is stamped with the time at which it was seen. */
export interface Backfills {
  /** Dry run. */
  planRanks(options: BackfillRanksOptions): RanksBackfillPlan;
  /** What was unfinished is resumed first. No run where nothing is missing. */
  ranks(options: BackfillRanksOptions): Promise<RunResult[]>;
  /** Dry run. */
  planVolumes(options: BackfillVolumesOptions): Promise<VolumesBackfillPlan>;
  volumes(options: BackfillVolumesOptions): Promise<RunResult[]>;
  /** Rankings of targets out of the pages of old checks, at no cost. */
  derive(options: DeriveOptions): Promise<DeriveReport>;
}

/** What the app lends. */
export interface BackfillTools {
  readonly projects: (ids: readonly string[] | undefined) => readonly Project[];
  readonly openServices: () => Promise<void>;
  readonly carryOut: (request: RunRequest, options: Pick<RunOptions, 'signal' | 'onProgress'>) => Promise<RunResult[]>;
}

export function backfillsOf(context: JobContext, tools: BackfillTools): Backfills {
  const { store, clock } = context;
  return {
    planRanks(options) {
      const now = clock.now();
      const projects = tools.projects(options.projects);
      const lacking = lackingProjects(store, projects, ranksWish(projects, options), now);
      const narrowed = lacking.map(({ project }) => project);
      const { keywordRequests: _requests, microUsdWorstCase: _cost, ...price } = priceOf(context, narrowed, [], now);
      return {
        projects: lacking.map(({ project, missing, failed }) => ({ project: project.id, missing, failed })),
        ...price,
      };
    },
    async ranks(options) {
      const projects = tools.projects(options.projects);
      return await tools.carryOut(ranksBackfill(context, projects, ranksWish(projects, options)), options);
    },
    async planVolumes(options) {
      const projects = withVolumes(tools.projects(options.projects));
      await tools.openServices();
      const now = clock.now();
      const needs = lackingVolumes(context, projects, volumesWish(projects, options), now);
      const { keywordRequests, microUsdWorstCase, budget } = priceOf(context, [], needs, now);
      const markets = needs.map(({ market, month, keywords }) => ({ ...market, month, keywords: keywords.length }));
      return { markets, keywordRequests, microUsdWorstCase, budget };
    },
    async volumes(options) {
      const projects = withVolumes(tools.projects(options.projects));
      return await tools.carryOut(volumesBackfill(context, projects, volumesWish(projects, options)), options);
    },
    async derive({ projects: ids, targets = [], dryRun = false, signal, onProgress }) {
      const projects = tools.projects(ids);
      const known = projects.flatMap((project) => [...project.targets, ...project.competitors]);
      refuseUnknown('target', targets, new Set(known.map(({ value }) => value)), projects);
      const stop = signal ?? new AbortController().signal;
      return await deriveRankings(store, { projects, targets, dryRun }, stop, (progress) => onProgress?.(progress));
    },
  };
}

function ranksWish(projects: readonly Project[], options: BackfillRanksOptions): RanksWish {
  const { keywords = [], tags = [], pages = null, gaps } = options;
  refuseUnknownKeywords(keywords, projects);
  refuseUnknown('tag', tags, new Set(projects.flatMap((one) => one.keywords.flatMap((each) => each.tags))), projects);
  return { keywords, tags, pages, missing: gaps !== 'failed', failed: gaps !== 'missing' };
}

function volumesWish(
  projects: readonly Project[],
  { keywords = [], force = false }: BackfillVolumesOptions,
): VolumesWish {
  refuseUnknownKeywords(keywords, projects);
  return { keywords, force };
}

function withVolumes(projects: readonly Project[]): Project[] {
  const buying = projects.filter(({ volumes }) => volumes !== undefined);
  if (buying.length > 0) return buying;
  const names = projects.map(({ id }) => id).join(', ');
  throw new UsageError(`no metrics are bought for ${names}: add \`volumes: { schedule: "0 4 2 * *" }\` to the project`);
}

function refuseUnknownKeywords(keywords: readonly string[], projects: readonly Project[]): void {
  if (keywords.length === 0) return;
  refuseUnknown(
    'keyword',
    keywords,
    new Set(projects.flatMap((one) => one.keywords.map((each) => each.keyword))),
    projects,
  );
}

function refuseUnknown(
  what: string,
  asked: readonly string[],
  known: ReadonlySet<string>,
  projects: readonly Project[],
): void {
  const unknown = asked.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw new UsageError(`there is no ${what} "${unknown}" in ${projects.map(({ id }) => id).join(', ')}`);
}
