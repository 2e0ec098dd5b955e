// Resolves the reports of the config: folder, formats, comparison, deliveries, templates. Pure.
import { resolve as resolvePath } from 'node:path';
import { type Comparison, parseComparison } from '../src/tracker/changes/change.ts';
import type { DeliveryRule, ReportTemplate } from '../src/tracker/changes/client-reports.ts';
import type { PartialConfig } from './document/draft.ts';
import { resolveDeliveries } from './rules/deliver-rules.ts';
import { type Logos, resolveTemplate } from './rules/template.ts';
import { durationMs } from './schema/duration.ts';

export interface ReportsConfig {
  /** Absolute. */
  readonly directory: string;
  readonly csv: { readonly bom: boolean; readonly delimiter: ',' | ';' | '\t'; readonly safe: boolean };
  readonly html: boolean;
  readonly xlsx: boolean;
  /** Absolute; absent: that of a source, or the one that is installed. */
  readonly browser?: string;
  readonly ctrCurve: string;
  readonly compare: Comparison;
  /** Absent: derived from the distance to the baseline. */
  readonly toleranceMs?: number;
  /** Ends with `/`; absent: reports are not published. */
  readonly url?: string;
  readonly agency: boolean;
  readonly agencyDays: number;
  readonly deliveries: readonly DeliveryRule[];
  /** Of what shows all projects. */
  readonly template: ReportTemplate;
  /** By project. */
  readonly templates: ReadonlyMap<string, ReportTemplate>;
}

export function resolveReports(draft: PartialConfig, directory: string, logos: Logos): ReportsConfig {
  const { dir, csv, compare, tolerance, url, template, browser, deliver: _, ...rest } = draft.written.reports;
  return {
    directory: resolvePath(directory, dir),
    csv: { ...csv, delimiter: csv.delimiter === 'tab' ? '\t' : csv.delimiter },
    ...rest,
    compare: parseComparison(compare) ?? { kind: 'previous' },
    ...(browser === undefined ? {} : { browser: resolvePath(directory, browser) }),
    ...(url === undefined ? {} : { url: `${trimSlashes(url)}/` }),
    ...(tolerance === undefined ? {} : { toleranceMs: durationMs(tolerance) }),
    deliveries: resolveDeliveries(draft),
    template: resolveTemplate(logos, template),
    templates: new Map(
      draft.projects.map(({ written }) => [written.id, resolveTemplate(logos, template, written.template)]),
    ),
  };
}

/** An address without slashes at its end. */
export function trimSlashes(url: string): string {
  return url.replace(/\/+$/, '');
}
