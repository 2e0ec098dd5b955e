// The settings of reports: those of the config, and what a command overrides.
import type { ResolvedConfig } from '../../../config/resolve.ts';
import { agencyFolder } from '../../../jobs/report/files/agency-files.ts';
import type { ReportSettings } from '../../../jobs/report/write-report.ts';
import { comparisonHint, comparisonName, parseComparison } from '../../tracker/changes/change.ts';
import { UsageError } from '../opening/usage-error.ts';

/** Overrides of the config. */
export interface ReportOverrides {
  /** Instead of `reports.compare`. */
  readonly compare?: string;
  /** Files for all projects together. */
  readonly agency?: boolean;
  /** The tables as a workbook, too. */
  readonly xlsx?: boolean;
  /** The page as a PDF, too. */
  readonly pdf?: boolean;
  /** Local date: the state at its end instead of today's. */
  readonly asOf?: string;
  /** Local dates: a period instead of a day. It is compared with its own beginning. */
  readonly period?: { readonly from: string; readonly to: string };
  /** Absolute folder instead of `reports.dir`. */
  readonly out?: string;
}

/** Throws UsageError for an invalid comparison, and if a project has the name of the folder for all projects. */
export function reportSettings(
  { reports, notes, projects, views }: ResolvedConfig,
  overrides: ReportOverrides = {},
): ReportSettings {
  const comparison = overrides.compare === undefined ? reports.compare : parseComparison(overrides.compare);
  if (comparison === null) throw new UsageError(`--compare takes ${comparisonHint}, not "${overrides.compare}"`);
  const hasOtherBaseline = comparisonName(comparison) !== comparisonName(reports.compare);
  // the files of all projects compare with no baseline: another one would only write them again
  const isAgency = overrides.agency ?? (reports.agency && !hasOtherBaseline);
  if (isAgency && projects.some(({ id }) => id.toLowerCase() === agencyFolder))
    throw new UsageError(`the folder of the files of all projects is that of the project "${agencyFolder}"`);
  const { csv, html, ctrCurve, toleranceMs, agencyDays, template, templates } = reports;
  const { asOf, period, out } = overrides;
  return {
    directory: out ?? reports.directory,
    isApart: out !== undefined,
    question: {
      hasOtherBaseline,
      asOf,
      period,
    },
    csv,
    html,
    xlsx: overrides.xlsx ?? reports.xlsx,
    pdf: overrides.pdf ?? false,
    ctrCurve,
    comparison,
    notes,
    template,
    templates,
    views,
    toleranceMs,
    ...(isAgency ? { agencyDays } : {}),
  };
}
