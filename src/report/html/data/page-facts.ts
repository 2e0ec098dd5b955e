// The input of a report page: facts of the run, sums, movers, and the rows of each section, from those of the tables.

import type { Row } from '../../../read/row.ts';
import { changeOver, difference, numbers, wholeSums } from '../../../read/row-sums.ts';
import type { ReportTemplate } from '../../../tracker/changes/client-reports.ts';
import { getOrInsert } from '../../../tracker/maps.ts';
import { marketName, type NamedMarket } from '../../../tracker/project.ts';
import type { ReportTableName } from '../../../tracker/report-tables.ts';
import type { CompetitorRow } from '../../tables/competitors.ts';
import type { MoverRow } from '../../tables/movers.ts';
import type { PeriodRow } from '../../tables/period.ts';
import type { SpendRow } from '../../tables/spend.ts';
import type { SummaryRow } from '../../tables/summary.ts';
import type { CompetitorSummary, PageData, PageSums } from './page-data.ts';

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

/** Lines of markets and tags; summary.csv has them all. */
const segmentsMax = 500;

/** The sums that the page shows, from the lines of summary.csv. */
export function pageSums(lines: readonly SummaryRow[]): PageSums[] {
  const segments = lines.filter(({ scope }) => scope !== 'project').slice(0, segmentsMax);
  return [...lines.filter(({ scope }) => scope === 'project'), ...segments].map(
    ({ scope, target, tag, country, language, device, location, sums }) => ({
      target,
      by: scope,
      segment:
        scope === 'tag'
          ? (tag ?? '')
          : scope === 'market'
            ? marketName({ country: country ?? '', language: language ?? '', device: device ?? '', location })
            : '',
      ...wholeSums(sums),
    }),
  );
}

/** Counts how often each SERP feature is shown, and how often a target owns it. */
export class FeatureCounts {
  readonly #counts = new Map<string, { shown: number; owned: number }>();
  #of = 0;

  add({ complete, serpFeatures, ownedFeatures }: Row): void {
    if (!complete) return;
    this.#of += 1;
    for (const name of serpFeatures) {
      const count = getOrInsert(this.#counts, name, () => ({ shown: 0, owned: 0 }));
      count.shown += 1;
      if (ownedFeatures.includes(name)) count.owned += 1;
    }
  }

  /** Most frequent first. */
  lines(): FeatureSummary[] {
    return [...this.#counts]
      .map(([name, { shown, owned }]) => ({ name, shown, owned, of: this.#of }))
      .sort((a, b) => b.shown - a.shown || (a.name < b.name ? -1 : 1));
  }
}

/** A search without a complete check. */
interface IncompleteCheck extends NamedMarket {
  readonly keyword: string;
  readonly status: string;
  readonly reason: string | null;
  readonly remedy: string | null;
}

const examplesMax = 5;
const groupsMax = 100;

/**
 * Incomplete checks by reason, so that a thousand equal problems are one line with a few examples; most frequent first.
 */
export function problemGroups(problems: Iterable<IncompleteCheck>): ProblemGroup[] {
  const groups = new Map<
    string,
    { -readonly [Key in keyof ProblemGroup]: ProblemGroup[Key] } & { examples: string[] }
  >();
  for (const { status, reason, remedy, keyword, country, language, device, location } of problems) {
    const key = `${status}\n${reason}\n${remedy}`;
    const group = getOrInsert(groups, key, () => ({
      state: status,
      reason: reason ?? '',
      remedy,
      count: 0,
      examples: [],
    }));
    group.count += 1;
    if (group.examples.length < examplesMax)
      group.examples.push(`${keyword} (${marketName({ country, language, device, location })})`);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count).slice(0, groupsMax);
}

/** Own targets and competitors over the same complete checks: the project lines of competitors.csv. */
export function summariseCompetitors(rows: readonly CompetitorRow[]): CompetitorSummary[] {
  return rows
    .filter(({ scope }) => scope === 'project')
    .map(({ target, line: { sums, share, shareCount, notFollowed, shareNow, shareBefore, wins, losses } }) => {
      const isOwn = target.role === 'own';
      const isCompared = !isOwn && sums.checked + notFollowed > 0;
      return {
        target: target.value,
        isOwn,
        visibility: numbers.visibility(sums),
        visibilityChange: changeOver(sums, numbers.visibilityChange(sums)),
        shareOfVoice: share.percent(),
        shareOfVoiceChange: changeOver(sums, difference(shareNow.percent(), shareBefore.percent())),
        shareCount,
        notFollowed,
        comparable: sums.comparable,
        averageRank: numbers.averageRank(sums),
        top3: numbers.top3(sums),
        top10: numbers.top10(sums),
        ranked: sums.ranked.count,
        checked: sums.checked,
        wins: isCompared ? wins : null,
        losses: isCompared ? losses : null,
      };
    });
}
