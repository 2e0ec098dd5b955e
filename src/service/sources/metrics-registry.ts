// All sources of keyword metrics by name, loaded on first use. registry.ts holds the sources of result pages.
import type * as z from 'zod';
import type { MetricsFacts, MetricsModule, MetricsSource, SourceDependencies, SourceKind } from '../model/source.ts';
import { createNamed, describeOptions, type SourceOption } from './loading.ts';

interface MetricsEntry {
  readonly kind: SourceKind;
  /** Whether anybody wants to be paid for it. */
  readonly costsMoney: boolean;
  readonly load: () => Promise<MetricsModule>;
}

function sold(load: () => Promise<{ readonly vendor: MetricsModule }>): MetricsEntry {
  return { kind: 'live', costsMoney: true, load: async () => (await load()).vendor };
}

function free(load: () => Promise<{ readonly vendor: MetricsModule }>): MetricsEntry {
  return { ...sold(load), costsMoney: false };
}

function simulated(kind: 'sandbox' | 'replay', load: () => Promise<MetricsModule>): MetricsEntry {
  return { kind, costsMoney: false, load };
}

const registry: ReadonlyMap<string, MetricsEntry> = new Map([
  ['sandbox', simulated('sandbox', async () => (await import('./sandbox.ts')).metricsModule)],
  ['replay', simulated('replay', async () => (await import('./replay.ts')).metricsModule)],
  ['dataset', { kind: 'live', costsMoney: false, load: async () => (await import('./dataset.ts')).datasetModule }],
  ['google-ads', free(() => import('./google-ads.ts'))],
  ['dataforseo', sold(() => import('./dataforseo-metrics.ts'))],
  ['semrush', sold(() => import('./semrush.ts'))],
  ['keywords-everywhere', sold(() => import('./keywords-everywhere.ts'))],
]);

/** The names that `metrics` of a service may use, in the order in which they are offered. */
export const metricsSourceNames: readonly string[] = [...registry.keys()];

/** What kind of source of metrics a name stands for; undefined for an unknown name. */
export function metricsKindOf(name: string): SourceKind | undefined {
  return registry.get(name)?.kind;
}

/** Whether metrics of the source of that name are paid for; false for an unknown name. */
export function metricsCostMoney(name: string): boolean {
  return registry.get(name)?.costsMoney === true;
}

/**
 * Makes the source of keyword metrics of that name. Throws Error with one message that names the source and the remedy:
 * a name that has no metrics (those that have are listed), options that do not fit, or a source that cannot be set up
 * from here.
 */
export async function createMetricsSource(
  name: string,
  options: unknown,
  dependencies: SourceDependencies,
): Promise<MetricsSource> {
  const known = registry.get(name);
  if (known === undefined) {
    const names = metricsSourceNames.join(', ');
    throw new Error(`There is no source "${name}" of keyword metrics. Known sources of metrics: ${names}.`);
  }
  const { create } = await known.load();
  return await createNamed(`Source "${name}" of keyword metrics`, () => create(options, dependencies));
}

/** The form of what `metrics` of that source may say besides. Undefined for an unknown name. */
export async function metricsOptionsSchema(name: string): Promise<z.ZodType | undefined> {
  return (await registry.get(name)?.load())?.options;
}

/** Describes a source of keyword metrics and its options under `metrics` in a config. Undefined for an unknown name. */
export async function describeMetricsSource(
  name: string,
): Promise<{ readonly facts: MetricsFacts; readonly options: readonly SourceOption[] } | undefined> {
  const known = registry.get(name);
  if (known === undefined) return undefined;
  const { facts, options } = await known.load();
  return { facts, options: await describeOptions(options) };
}
