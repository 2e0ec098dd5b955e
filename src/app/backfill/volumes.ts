// Buys keyword metrics that this month lacks.
import { lackingVolumes, type VolumesBackfillOptions, volumesBackfill } from '../../../jobs/backfill/backfill.ts';
import { estimatePrice, type PlanPrice } from '../../../jobs/query/planning.ts';
import type { Project } from '../../tracker/project.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { UsageError } from '../opening/usage-error.ts';
import { type ExecutionOptions, executeRuns } from '../runs/execute-runs.ts';
import type { RunResult } from '../runs/run-result.ts';
import { rejectUnknownKeywords } from './selection.ts';

export interface BackfillVolumesOptions extends ExecutionOptions {
  readonly projects?: readonly string[];
  readonly keywords?: readonly string[];
  /** Buys metrics of this month again although they are known; the known ones are kept. */
  readonly force?: boolean;
}

export interface VolumesBackfillPlan extends Pick<PlanPrice, 'keywordRequests' | 'microUsdWorstCase' | 'budget'> {
  /** One entry per market. */
  readonly markets: readonly {
    readonly service: string;
    readonly country: string;
    readonly language: string;
    readonly month: string;
    readonly keywords: number;
  }[];
}

/** Dry run. */
export async function planVolumesBackfill(app: App, options: BackfillVolumesOptions): Promise<VolumesBackfillPlan> {
  const projects = withVolumes(projectsNamed(app.config, options.projects));
  await app.openServicesOf(projects);
  const { context } = app;
  const now = context.clock.now();
  const needs = lackingVolumes(context, projects, selectedVolumes(projects, options), now);
  const { keywordRequests, microUsdWorstCase, budget } = estimatePrice(context, [], needs, () => now);
  const markets = needs.map(({ market, month, keywords }) => ({ ...market, month, keywords: keywords.length }));
  return { markets, keywordRequests, microUsdWorstCase, budget };
}

/** Resumes unfinished runs first. Starts no run if nothing is missing. */
export async function backfillVolumes(app: App, options: BackfillVolumesOptions): Promise<RunResult[]> {
  const projects = withVolumes(projectsNamed(app.config, options.projects));
  const request = volumesBackfill(app.context, projects, selectedVolumes(projects, options));
  await app.openServicesOf(projects);
  return await executeRuns(app, request, options);
}

function selectedVolumes(
  projects: readonly Project[],
  { keywords = [], force = false }: BackfillVolumesOptions,
): VolumesBackfillOptions {
  rejectUnknownKeywords(keywords, projects);
  return { keywords, force };
}

function withVolumes(projects: readonly Project[]): Project[] {
  const buying = projects.filter(({ volumes }) => volumes !== undefined);
  if (buying.length > 0) return buying;
  const names = projects.map(({ id }) => id).join(', ');
  throw new UsageError(
    `keyword metrics are off for ${names}: add \`volumes: { schedule: "0 4 2 * *" }\` to the project`,
  );
}
