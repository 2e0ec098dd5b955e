// Ranks new targets and competitors in the pages of old checks, at no cost.
import { type DeriveReport, deriveRankings } from '../../../jobs/backfill/backfill-derive.ts';
import type { App } from '../app.ts';
import { projectsNamed } from '../opening/named-projects.ts';
import { rejectUnknown } from './selection.ts';

export interface DeriveOptions {
  readonly projects?: readonly string[];
  /** As configured. */
  readonly targets?: readonly string[];
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number }) => void;
}

export async function derive(
  { config, context }: App,
  { projects: ids, targets = [], dryRun = false, signal, onProgress }: DeriveOptions,
): Promise<DeriveReport> {
  const projects = projectsNamed(config, ids);
  const known = projects.flatMap((project) => [...project.targets, ...project.competitors]);
  rejectUnknown('target', targets, new Set(known.map(({ value }) => value)), projects);
  const stop = signal ?? new AbortController().signal;
  return await deriveRankings(context.store, { projects, targets, dryRun }, stop, (progress) => onProgress?.(progress));
}
