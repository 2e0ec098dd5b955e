// competitors.csv: own targets and competitors side by side, over the same complete checks.

import { mean, type Sums } from '../../rows/sums.ts';
import type { ShareOfVoice, Visibility } from '../../tracker/changes/visibility.ts';
import { sortedEntries } from '../../tracker/figures.ts';
import { marketName } from '../../tracker/project.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from '../formats/csv.ts';
import { runDay } from '../formats/day-columns.ts';
import { locationColumn, marketScopeColumns, projectColumn } from '../rows/search-columns.ts';
import type { ReportTarget, SerpRow } from '../rows/serp.ts';
import {
  addToCompetitorSums,
  type CompetitorSums,
  type CompetitorTargetSums,
  type Depths,
  startCompetitorSums,
} from './competitor-sums.ts';

/** The scope of a line: a project, one of its markets, or a tag. */
type CompetitorScope = 'project' | 'market' | 'tag';

/** One line of the table. */
export interface CompetitorRow {
  readonly facts: CompetitorFacts;
  readonly scope: CompetitorScope;
  /** Null unless the scope is a market; so are `language` and `device`. */
  readonly country: string | null;
  readonly language: string | null;
  readonly device: string | null;
  readonly location?: string | undefined;
  /** Null unless the scope is a tag. */
  readonly tag: string | null;
  readonly target: ReportTarget;
  readonly line: CompetitorTargetSums;
  readonly depth: Depths;
}

/** Facts that all lines share. */
interface CompetitorFacts {
  readonly project: string;
  readonly ctrCurve: string;
  /** The baseline: `previous`, `7d`, a date. */
  readonly compare: string;
  readonly runId: number;
  readonly warning: string | null;
}

interface Scope extends CompetitorSums {
  readonly name: Pick<CompetitorRow, 'scope' | 'country' | 'language' | 'device' | 'location' | 'tag'>;
}

/** The columns of competitors.csv, in order. Sums and changes are defined in sums.ts. */
const competitorColumns: readonly CsvColumn<CompetitorRow>[] = [
  projectColumn(({ facts }) => facts.project),
  text('scope', 'Scope of the line: project, market or tag', (row) => row.scope),
  ...marketScopeColumns<CompetitorRow>((row) => row),
  text('tag', 'Tag, in lines with scope tag', (row) => row.tag),
  text('target', 'Target as configured', (row) => row.target.value),
  text('role', 'own or competitor', (row) => row.target.role),
  number(
    'coverage_checked',
    'Keywords with a complete check that proves the ranking of this target; except depth_average, pages_average, wins, losses, share_of_voice and its count, the other columns count only these',
    ({ sums }) => sums.checked,
  ),
  number('coverage_total', 'All tracked keywords, counted once per market', ({ sums }) => sums.total),
  number(
    'coverage_comparable',
    'Keywords whose baseline is comparable for this target; changes count only these',
    (line) => line.sums.comparable,
  ),
  {
    name: 'depth_average',
    kind: 'number',
    description: 'Average of requested results pages',
    value: ({ depth }) => rounded(ratio(depth.asked, depth.checked)),
  },
  {
    name: 'pages_average',
    kind: 'number',
    description: 'Average of results pages read; sites that rank below them were not seen',
    value: ({ depth }) => rounded(ratio(depth.read, depth.checked)),
  },
  number(
    'volume_count',
    'Keywords with a proven ranking and a known volume; visibility and clicks count only these',
    (line) => line.sums.visibility.count(),
  ),
  number('share_of_voice', 'Its estimated clicks / those of all domains on the same pages, percent', ({ share }) =>
    toPercent(share),
  ),
  number('share_of_voice_change', 'Change from the baseline, comparable keywords, percentage points', (line) =>
    difference(toPercent(line.shareNow), toPercent(line.shareBefore)),
  ),
  number('visibility', 'Sum of volume x CTR(rank) / sum of volume x CTR(1), percent', ({ sums }) =>
    sums.visibility.percent(),
  ),
  number('visibility_change', 'Change from the baseline, comparable keywords, percentage points', ({ sums }) =>
    difference(sums.comparableNow.percent(), sums.comparableBefore.percent()),
  ),
  number('estimated_clicks', 'Clicks per month: sum of volume x CTR(rank)', ({ sums }) =>
    estimatedClicks(sums.visibility),
  ),
  number('estimated_clicks_change', 'Change from the baseline, comparable keywords, at the same volumes', ({ sums }) =>
    difference(estimatedClicks(sums.comparableNow), estimatedClicks(sums.comparableBefore)),
  ),
  number('average_rank_ranked', 'Average rank of the ranked keywords', ({ sums }) => mean(sums.ranked)),
  number('average_rank_ranked_count', 'Ranked rows', ({ sums }) => sums.ranked.count),
  number(
    'average_rank_ranked_change',
    'Baseline minus now, keywords ranked on both dates: positive is better',
    ({ sums }) => mean(sums.rankedChange),
  ),
  number('average_rank_capped', 'Average rank, counting "not found" as depth x 10 + 1', ({ sums }) =>
    mean(sums.capped),
  ),
  number('average_rank_capped_change', 'Baseline minus now, comparable keywords: positive is better', ({ sums }) =>
    mean(sums.cappedChange),
  ),
  number('top_3', 'Keywords ranked 1 to 3; empty if none was checked', ({ sums }) =>
    sums.checked === 0 ? null : top3(sums.buckets),
  ),
  number('top_3_change', 'Its change from the baseline, comparable keywords', ({ sums }) =>
    sums.comparable === 0 ? null : top3(sums.bucketChanges),
  ),
  number('top_10', 'Keywords ranked 1 to 10; empty if none was checked', ({ sums }) =>
    sums.checked === 0 ? null : top10(sums.buckets),
  ),
  number('top_10_change', 'Its change from the baseline, comparable keywords', ({ sums }) =>
    sums.comparable === 0 ? null : top10(sums.bucketChanges),
  ),
  versus('wins', 'Keywords for which an own target ranks better than this competitor', (line) => line.wins),
  versus('wins_change', 'Its change from the baseline, comparable keywords', (line) =>
    line.sums.comparable === 0 ? null : line.winsChange,
  ),
  versus('losses', 'Keywords for which this competitor ranks better than every own target', (line) => line.losses),
  versus('losses_change', 'Its change from the baseline, comparable keywords', (line) =>
    line.sums.comparable === 0 ? null : line.lossesChange,
  ),
  text('compare', 'Requested baseline of the comparison', ({ facts }) => facts.compare),
  {
    name: 'previous_checked_from',
    kind: 'date',
    description: 'When the oldest of the used baselines was read, UTC',
    value: ({ line }) => line.sums.oldestBaseline,
  },
  {
    name: 'previous_checked_to',
    kind: 'date',
    description: 'When the newest of the used baselines was read, UTC',
    value: ({ line }) => line.sums.newestBaseline,
  },
  text('ctr_curve', 'Click-through curve of the numbers', ({ facts }) => facts.ctrCurve),
  {
    name: 'source',
    kind: 'list',
    description: 'service/source of the pages',
    value: ({ depth }) => [...depth.sources].sort(),
  },
  { name: 'run_id', kind: 'number', description: 'Run of the report', value: ({ facts }) => facts.runId },
  text('warning', 'Warnings: a suspect run, simulated data', ({ facts }) => facts.warning),
  number(
    'share_of_voice_count',
    'Keywords of share_of_voice: those with a known volume and pages that prove which clicks go to this target; rows of not_followed_count, which have none, are included',
    ({ shareCount }) => (shareCount > 0 ? shareCount : null),
  ),
  number(
    'not_followed_count',
    'Keywords whose pages were not read to the full depth and do not show the target: it may rank below, so no bucket, average or change counts it',
    ({ notFollowed }) => notFollowed,
  ),
  runDay(),
  locationColumn((row) => row),
];

/** Name, kind and meaning of each column, for the documentation. */
export const competitorColumnNotes = () => columnNotes(competitorColumns);

export interface Competitors {
  add(row: SerpRow): void;
  /** The project, its markets, its tags, each in order; own targets first in each, as configured. */
  rows(facts: Omit<CompetitorFacts, 'ctrCurve'>): CompetitorRow[];
}

/** Throws RangeError for an unknown curve. */
export function startCompetitors(curveName: string, targets: readonly ReportTarget[]): Competitors {
  const anywhere = { country: null, language: null, device: null, tag: null };
  const start = (name: Scope['name']): Scope => ({
    name,
    ...startCompetitorSums(curveName, targets),
  });
  const whole = start({ ...anywhere, scope: 'project' });
  const markets = new Map<string, Scope>();
  const tags = new Map<string, Scope>();
  return {
    add(row) {
      const { country, language, device, location } = row;
      const market = entry(markets, marketName({ country, language, device, location }), () =>
        start({ scope: 'market', country, language, device, location, tag: null }),
      );
      const tagged = row.tags.map((tag) => entry(tags, tag, () => start({ ...anywhere, scope: 'tag', tag })));
      addToCompetitorSums([whole, market, ...tagged], row, targets, curveName);
    },
    rows: (facts) =>
      [whole, ...inOrder(markets), ...inOrder(tags)].flatMap(({ name, lines, depth }) =>
        lines.flatMap((line, index) => {
          const target = targets[index];
          return target === undefined
            ? []
            : [{ facts: { ...facts, ctrCurve: curveName }, ...name, target, line, depth }];
        }),
      ),
  };
}

export function competitorsCsv(rows: readonly CompetitorRow[], options?: CsvOptions): Generator<string> {
  return csvChunks(competitorColumns, rows, options);
}

function top3(buckets: Sums['buckets']): number {
  return (buckets.get('1') ?? 0) + (buckets.get('2-3') ?? 0);
}

function top10(buckets: Sums['buckets']): number {
  return top3(buckets) + (buckets.get('4-10') ?? 0);
}

function text(
  name: string,
  description: string,
  value: (row: CompetitorRow) => string | null,
): CsvColumn<CompetitorRow> {
  return { name, kind: 'text', description, value };
}

/** A number column; fractions get four decimals. */
function number(
  name: string,
  description: string,
  of: (line: CompetitorTargetSums) => number | null,
): CsvColumn<CompetitorRow> {
  return { name, kind: 'number', description, value: ({ line }) => rounded(of(line)) };
}

/** A number column of competitors only: own targets have no wins or losses. */
function versus(
  name: string,
  description: string,
  of: (line: CompetitorTargetSums) => number | null,
): CsvColumn<CompetitorRow> {
  return {
    name,
    kind: 'number',
    description,
    value: ({ line, target }) =>
      target.role === 'own' || line.sums.checked + line.notFollowed === 0 ? null : of(line),
  };
}

function toPercent(share: ShareOfVoice): number | null {
  return share.percent();
}

/** Clicks; null instead of 0 if no volume is known. */
function estimatedClicks(visibility: Visibility): number | null {
  return visibility.count() === 0 ? null : visibility.clicks();
}

function difference(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : now - before;
}

function ratio(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value * 10_000) / 10_000 + 0;
}

function entry(scopes: Map<string, Scope>, key: string, start: () => Scope): Scope {
  const known = scopes.get(key);
  if (known !== undefined) return known;
  const scope = start();
  scopes.set(key, scope);
  return scope;
}

function inOrder(scopes: ReadonlyMap<string, Scope>): Scope[] {
  return sortedEntries(scopes).map(([, scope]) => scope);
}
