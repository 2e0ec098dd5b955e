// summary.csv: sums of each own target per project, market and tag, with changes.

import type { Row } from '../../read/row.ts';
import { addToSums, changeOver, numbers, type Sums, startSums } from '../../read/row-sums.ts';
import type { Bucket } from '../../tracker/changes/visibility.ts';
import { RowClicks } from '../../tracker/clicks/row-sums.ts';
import { rounded, sortedEntries } from '../../tracker/figures.ts';
import { getOrInsert } from '../../tracker/maps.ts';
import type { ChangeClass } from '../../tracker/observation.ts';
import { marketName } from '../../tracker/project.ts';
import { exceedsBand } from '../../tracker/signal/significance.ts';
import { columnsOf, fieldColumns, type MarketNames, marketScopeColumns, runDay } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** The scope of a line: a project, one of its markets, or a tag. */
type SummaryScope = 'project' | 'market' | 'tag';

/** One line of the table. */
export interface SummaryRow extends MarketNames {
  readonly project: string;
  readonly scope: SummaryScope;
  /** Null unless the scope is a tag. */
  readonly tag: string | null;
  readonly target: string;
  readonly sums: Sums;
  /** Comparable rows outside the noise bands of their keywords. */
  readonly outsideBand: number;
  readonly clicks: Pick<RowClicks, 'measuredClicks' | 'impressions'>;
  readonly sources: readonly string[];
  readonly ctrCurve: string;
  readonly runId: number;
  readonly compare: string;
  readonly notes: readonly string[];
  readonly warning: string | null;
}

/** Facts that all lines share. */
interface SummaryFacts {
  readonly runId: number;
  /** The baseline: `previous`, `7d`, a date. */
  readonly compare: string;
  /** The printed notes since an instant, UTC milliseconds: in full in lines of a project. */
  readonly notesSince: (at: number, scope: SummaryScope) => readonly string[];
  /** The warning of `reportWarning`, in every line; null: none. */
  readonly warning: string | null;
}

export interface Summary {
  add(row: Row): void;
  /** By project and target: the project line, its markets, its tags, each in order. */
  rows(facts: SummaryFacts): SummaryRow[];
}

interface LineSums {
  readonly sums: Sums;
  outsideBand: number;
  readonly clicks: RowClicks;
}

interface TargetSums {
  readonly whole: LineSums;
  readonly markets: Map<string, { readonly market: Market; readonly line: LineSums }>;
  readonly tags: Map<string, LineSums>;
  readonly sources: Set<string>;
}

type Market = Pick<SummaryRow, 'country' | 'language' | 'device' | 'location'>;

const anyMarket: Market = Object.freeze({ country: null, language: null, device: null });

const { text, number, date, list } = columnsOf<SummaryRow>();

function sum(name: string, description: string, of: (sums: Sums) => number | null): CsvColumn<SummaryRow> {
  return number(name, description, ({ sums }) => rounded(of(sums), 4));
}

/** Empty where too few rows compare. */
function change(name: string, description: string, of: (sums: Sums) => number | null): CsvColumn<SummaryRow> {
  return sum(name, description, (sums) => changeOver(sums, of(sums)));
}

function bucket(name: string, what: string, key: Bucket): CsvColumn<SummaryRow> {
  return sum(name, `Rows ${what}`, ({ buckets }) => buckets.get(key) ?? 0);
}

function bucketChange(name: string, what: string, key: Bucket): CsvColumn<SummaryRow> {
  const description = `Keywords ${what}: change from the baseline, comparable keywords`;
  return change(name, description, ({ comparable, bucketChanges }) =>
    comparable === 0 ? null : (bucketChanges.get(key) ?? 0),
  );
}

function changes(name: ChangeClass, what: string): CsvColumn<SummaryRow> {
  return sum(name, `Rows ${what}`, ({ classes }) => classes.get(name) ?? 0);
}

export const summaryColumns: readonly CsvColumn<SummaryRow>[] = [
  ...fieldColumns((row: SummaryRow) => row, 'project'),
  text('scope', 'project, market or tag', (row) => row.scope),
  ...marketScopeColumns<SummaryRow>(),
  text('tag', 'Tag, in lines with scope tag', (row) => row.tag),
  text('target', 'Own target as configured', (row) => row.target),
  sum(
    'coverage_checked',
    'Keywords with a complete check that proves the ranking of the target; the other columns count only these',
    (s) => s.checked,
  ),
  sum('coverage_total', 'All tracked keywords, counted once per market', (s) => s.total),
  sum(
    'coverage_comparable',
    'Keywords with a comparable baseline; changes count only these, and are empty where they are less than half of coverage_checked',
    (s) => s.comparable,
  ),
  bucket('bucket_1', 'ranked 1', '1'),
  bucket('bucket_2_3', 'ranked 2 to 3', '2-3'),
  bucket('bucket_4_10', 'ranked 4 to 10', '4-10'),
  bucket('bucket_11_20', 'ranked 11 to 20', '11-20'),
  bucket('bucket_21_50', 'ranked 21 to 50', '21-50'),
  bucket('bucket_51_100', 'ranked 51 or lower', '51-100'),
  bucket('bucket_not_found', 'not found', 'not_found'),
  bucket('bucket_unknown', 'without a proven ranking', 'unknown'),
  bucketChange('bucket_1_change', 'ranked 1', '1'),
  bucketChange('bucket_2_3_change', 'ranked 2 to 3', '2-3'),
  bucketChange('bucket_4_10_change', 'ranked 4 to 10', '4-10'),
  bucketChange('bucket_11_20_change', 'ranked 11 to 20', '11-20'),
  bucketChange('bucket_21_50_change', 'ranked 21 to 50', '21-50'),
  bucketChange('bucket_51_100_change', 'ranked 51 or lower', '51-100'),
  bucketChange('bucket_not_found_change', 'not found', 'not_found'),
  sum('average_rank_ranked', 'Average rank of the ranked keywords', numbers.averageRank),
  sum('average_rank_ranked_count', 'Ranked rows', (s) => s.ranked.count),
  change(
    'average_rank_ranked_change',
    'Baseline minus now, keywords ranked on both dates: positive is better',
    numbers.averageRankChange,
  ),
  sum('average_rank_capped', 'Average rank, counting "not found" as depth x 10 + 1', numbers.averageCapped),
  change(
    'average_rank_capped_change',
    'Baseline minus now, comparable keywords: positive is better',
    numbers.averageCappedChange,
  ),
  sum(
    'volume_count',
    'Keywords with a proven ranking and a known volume; visibility and clicks count only these',
    (s) => s.visibility.count(),
  ),
  sum('visibility', 'Sum of volume x CTR(rank) / sum of volume x CTR(1), percent', numbers.visibility),
  change(
    'visibility_change',
    'Change from the baseline, comparable keywords, percentage points',
    numbers.visibilityChange,
  ),
  sum('estimated_clicks', 'Clicks per month: sum of volume x CTR(rank)', numbers.estimatedClicks),
  change(
    'estimated_clicks_change',
    'Change from the baseline, comparable keywords, at the same volumes',
    numbers.estimatedClicksChange,
  ),
  changes('improved', 'ranked better than before'),
  changes('declined', 'ranked worse than before'),
  changes('unchanged', 'at the same rank, or not found on both dates at equal depth'),
  changes('entered', 'ranked now and not found before'),
  changes('dropped', 'ranked before and not found now'),
  changes('first_check', 'checked for the first time'),
  changes('not_comparable', 'without a comparable pair of complete checks'),
  text('compare', 'Requested baseline of the comparison', (row) => row.compare),
  date(
    'previous_checked_from',
    'When the oldest of the used baselines was read, UTC',
    (row) => row.sums.oldestBaseline,
  ),
  date('previous_checked_to', 'When the newest of the used baselines was read, UTC', (row) => row.sums.newestBaseline),
  list('notes', 'Notes since the oldest baseline: in full in lines of a project', (row) => row.notes),
  text('ctr_curve', 'Click-through curve of the numbers', (row) => row.ctrCurve),
  list('source', 'service/source of the pages', (row) => row.sources),
  number('run_id', 'Run of the report', (row) => row.runId),
  text('warning', 'Warnings: a suspect run, simulated data', (row) => row.warning),
  runDay(),
  sum(
    'older',
    'Keywords that were not checked in this slot, and were before: no other column counts them',
    (s) => s.older,
  ),
  sum('older_days_max', 'The greatest age of their newest ranking, days', (s) => s.olderDaysMax),
  number(
    'outside_band',
    'Keywords whose change lies outside their noise band, of coverage_comparable',
    ({ outsideBand }) => outsideBand,
  ),
  number(
    'outside_band_percent',
    'The same as a share of coverage_comparable, percent; the update detector watches this share',
    ({ outsideBand, sums }) => (sums.comparable === 0 ? null : rounded((100 * outsideBand) / sums.comparable, 4)),
  ),
  ...fieldColumns((row: SummaryRow) => row, 'location'),
  ...fieldColumns((row: SummaryRow) => row.clicks, 'measuredClicks', 'impressions'),
];

/** Throws RangeError for an unknown curve. */
export function startSummary(curveName: string): Summary {
  const projects = new Map<string, Map<string, TargetSums>>();
  const start = (): LineSums => ({ sums: startSums(curveName), outsideBand: 0, clicks: new RowClicks() });
  const startTarget = (): TargetSums => ({ whole: start(), markets: new Map(), tags: new Map(), sources: new Set() });
  return {
    add(row) {
      const targets = entry(projects, row.project, () => new Map<string, TargetSums>());
      const target = entry(targets, row.target, startTarget);
      const { country, language, device, location } = row;
      const market = { country, language, device, location };
      const ofMarket = entry(target.markets, marketName(market), () => ({ market, line: start() }));
      addToLine(target.whole, row);
      addToLine(ofMarket.line, row);
      for (const tag of row.tags) addToLine(entry(target.tags, tag, start), row);
      if (row.source !== null) target.sources.add(row.source);
    },
    rows: ({ runId, compare, notesSince, warning }) =>
      sortedEntries(projects).flatMap(([project, targets]) =>
        sortedEntries(targets).flatMap(([target, sums]) => {
          const shared = {
            project,
            target,
            sources: [...sums.sources].sort(),
            ctrCurve: curveName,
            runId,
            compare,
            warning,
          };
          return listLines(sums).map((line) => {
            const { oldestBaseline } = line.sums;
            return { ...shared, ...line, notes: oldestBaseline === null ? [] : notesSince(oldestBaseline, line.scope) };
          });
        }),
      ),
  };
}

/** Counts as the update detector does (jobs/run/judge-changes.ts), for one target. */
function addToLine(line: LineSums, row: Row): void {
  const { comparable } = line.sums;
  addToSums(line.sums, row);
  line.clicks.add(row);
  if (line.sums.comparable > comparable && exceedsBand(row.judged)) line.outsideBand += 1;
}

function listLines(
  target: TargetSums,
): (Market & Pick<SummaryRow, 'scope' | 'tag' | 'sums' | 'outsideBand' | 'clicks'>)[] {
  return [
    { ...anyMarket, scope: 'project', tag: null, ...target.whole },
    ...sortedEntries(target.markets).map(([, { market, line }]) => ({
      ...market,
      scope: 'market' as const,
      tag: null,
      ...line,
    })),
    ...sortedEntries(target.tags).map(([tag, line]) => ({ ...anyMarket, scope: 'tag' as const, tag, ...line })),
  ];
}

function entry<Value>(map: Map<string, Value>, key: string, start: () => Value): Value {
  return getOrInsert(map, key, () => start());
}
