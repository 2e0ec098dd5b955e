// The input of a report page: facts of the run, sums, movers, and the rows of each section.

import type { ReportTemplate } from '../../../tracker/changes/client-reports.ts';
import type { ReportTableName } from '../../../tracker/report-tables.ts';
import type { MoverRow } from '../../tables/movers.ts';
import type { PeriodRow } from '../../tables/period.ts';
import type { SpendRow } from '../../tables/spend.ts';
import type { SummaryRow } from '../../tables/summary.ts';
import type { CompetitorSummary, PageData } from './page-data.ts';

/** Incomplete checks with equal state and reason. */
export interface ProblemGroup {
  readonly state: string;
  readonly reason: string;
  readonly remedy: string | null;
  readonly count: number;
  /** Some keywords with their markets. */
  readonly examples: readonly string[];
}

/** How many rows show a SERP feature, and how many show the target in it. */
export interface FeatureSummary {
  readonly name: string;
  readonly shown: number;
  readonly owned: number;
  /** Rows with a complete check. */
  readonly of: number;
}

export interface PageFacts {
  readonly project: string;
  readonly run: {
    readonly id: number;
    readonly state: string;
    /** Local date-time, `2026-11-20T06:00`. */
    readonly slot: string;
    readonly timezone: string;
  };
  /** The warning at the top of each report; null: none. */
  readonly warning: string | null;
  readonly isSuspect: boolean;
  /** The baseline of changes: `previous`, `7d`, a date. */
  readonly compare: string;
  readonly ctrCurve: string;
  readonly sources: readonly string[];
  readonly template: ReportTemplate;
  /** UTC milliseconds. */
  readonly generatedAt: number;
  /** For each own target its own line, then its markets and tags. */
  readonly summary: readonly SummaryRow[];
  readonly movers: readonly MoverRow[];
  readonly features: readonly FeatureSummary[];
  readonly competitors: readonly CompetitorSummary[];
  readonly spend: readonly SpendRow[];
  /** Only in a report on a period: the rows with the largest volumes; null: a report on a day. */
  readonly period: { readonly from: string; readonly to: string; readonly rows: readonly PeriodRow[] } | null;
  readonly problems: readonly ProblemGroup[];
  /** All rows, including those left out of the table. */
  readonly rowsTotal: number;
  readonly data: PageData;
  /** The tables beside the page; absent: all. */
  readonly tables?: ReadonlySet<ReportTableName>;
}

/** What the page says of its run, beside its data: embedded as JSON. */
export interface ReportFacts
  extends Omit<PageFacts, 'data' | 'summary' | 'movers' | 'competitors' | 'tables' | 'generatedAt' | 'template'> {
  /** ISO 8601. */
  readonly generatedAt: string;
  readonly template: Pick<ReportTemplate, 'name' | 'logo' | 'sections'>;
  /** Introduction, and the comments on the days of the report. */
  readonly introduction: readonly string[];
  /** The tables beside the page; null: all. */
  readonly tables: readonly string[] | null;
}

/** What the build of the front end made for report.html. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}
