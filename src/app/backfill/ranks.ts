// Buys rankings that the latest slot of a project lacks.
import { lackingProjects, type RanksBackfillOptions, ranksBackfill } from '../../../jobs/backfill/backfill.ts';
import { estimatePrice, type PlanPrice } from '../../../jobs/query/planning.ts';
import type { Project } from '../../tracker/project.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { type ExecutionOptions, executeRuns } from '../runs/execute-runs.ts';
import type { RunResult } from '../runs/run-result.ts';
import { rejectUnknown, rejectUnknownKeywords } from './selection.ts';

/** Unknown projects, keywords and tags are a UsageError. Left out or empty: all. */
export interface BackfillRanksOptions extends ExecutionOptions {
  readonly projects?: readonly string[];
  readonly keywords?: readonly string[];
  readonly tags?: readonly string[];
  /**
   * 1-based and inclusive. Default: as deep as each keyword is tracked. Pages before `from` are not bought, but used if
   * they are fresh.
   */
  readonly pages?: { readonly from: number; readonly to: number };
  /**
   * `missing`: searches not checked in the latest slot, or not deep enough. `failed`: searches whose checks failed.
   * Default: both.
   */
  readonly gaps?: 'missing' | 'failed';
}

export interface RanksBackfillPlan extends Omit<PlanPrice, 'keywordRequests' | 'microUsdWorstCase'> {
  /** Searches, of projects that lack any. */
  readonly projects: readonly { readonly project: string; readonly missing: number; readonly failed: number }[];
}

/** Dry run. */
export function planRanksBackfill({ config, context }: App, options: BackfillRanksOptions): RanksBackfillPlan {
  const now = context.clock.now();
  const projects = projectsNamed(config, options.projects);
  const lacking = lackingProjects(context.store, projects, selectedRanks(projects, options), now);
  const narrowed = lacking.map(({ project }) => project);
  const {
    keywordRequests: _requests,
    microUsdWorstCase: _cost,
    ...price
  } = estimatePrice(context, narrowed, [], () => now);
  return {
    projects: lacking.map(({ project, missing, failed }) => ({ project: project.id, missing, failed })),
    ...price,
  };
}

/** Resumes unfinished runs first. Starts no run if nothing is missing. */
export async function backfillRanks(app: App, options: BackfillRanksOptions): Promise<RunResult[]> {
  const projects = projectsNamed(app.config, options.projects);
  const request = ranksBackfill(app.context, projects, selectedRanks(projects, options));
  await app.openServicesOf(projects);
  return await executeRuns(app, request, options);
}

function selectedRanks(projects: readonly Project[], options: BackfillRanksOptions): RanksBackfillOptions {
  const { keywords = [], tags = [], pages = null, gaps } = options;
  rejectUnknownKeywords(keywords, projects);
  rejectUnknown('tag', tags, new Set(projects.flatMap((one) => one.keywords.flatMap((each) => each.tags))), projects);
  return { keywords, tags, pages, missing: gaps !== 'failed', failed: gaps !== 'missing' };
}
