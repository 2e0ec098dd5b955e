// competitors.csv: own targets and competitors side by side, over the same complete checks.

import { addToSums, difference, numbers, type SummedRow, type Sums, startSums } from '../../read/row-sums.ts';
import { pageOfRank, provenDepth, type ReportTarget, type Serp, type SerpRow } from '../../read/serp.ts';
import { compare } from '../../tracker/changes/change.ts';
import { estimatedClicks, ShareOfVoice, sumRates } from '../../tracker/changes/visibility.ts';
import { rounded, sortedEntries } from '../../tracker/figures.ts';
import { getOrInsert } from '../../tracker/maps.ts';
import type { Observation } from '../../tracker/observation.ts';
import { marketName } from '../../tracker/project.ts';
import { columnsOf, fieldColumns, type MarketNames, marketScopeColumns, runDay } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

/** The scope of a line: a project, one of its markets, or a tag. */
type CompetitorScope = 'project' | 'market' | 'tag';

/** One line of the table. */
export interface CompetitorRow extends MarketNames {
  readonly facts: CompetitorFacts;
  readonly scope: CompetitorScope;
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

const { text, number, date, list } = columnsOf<CompetitorRow>();

/** A number of a line. */
function sum(
  name: string,
  description: string,
  of: (line: CompetitorTargetSums) => number | null,
): CsvColumn<CompetitorRow> {
  return number(name, description, ({ line }) => rounded(of(line), 4));
}

/** One of competitors only: own targets have no wins or losses. */
function versus(
  name: string,
  description: string,
  of: (line: CompetitorTargetSums) => number | null,
): CsvColumn<CompetitorRow> {
  return number(name, description, ({ line, target }) =>
    target.role === 'own' || line.sums.checked + line.notFollowed === 0 ? null : of(line),
  );
}

export const competitorColumns: readonly CsvColumn<CompetitorRow>[] = [
  ...fieldColumns(({ facts }: CompetitorRow) => facts, 'project'),
  text('scope', 'Scope of the line: project, market or tag', (row) => row.scope),
  ...marketScopeColumns<CompetitorRow>(),
  text('tag', 'Tag, in lines with scope tag', (row) => row.tag),
  text('target', 'Target as configured', (row) => row.target.value),
  text('role', 'own or competitor', (row) => row.target.role),
  sum(
    'coverage_checked',
    'Keywords with a complete check that proves the ranking of this target; except depth_average, pages_average, wins, losses, share_of_voice and its count, the other columns count only these',
    ({ sums }) => sums.checked,
  ),
  sum('coverage_total', 'All tracked keywords, counted once per market', ({ sums }) => sums.total),
  sum(
    'coverage_comparable',
    'Keywords whose baseline is comparable for this target; changes count only these',
    (line) => line.sums.comparable,
  ),
  number('depth_average', 'Average of requested results pages', ({ depth }) =>
    rounded(ratio(depth.asked, depth.checked), 4),
  ),
  number('pages_average', 'Average of results pages read; sites that rank below them were not seen', ({ depth }) =>
    rounded(ratio(depth.read, depth.checked), 4),
  ),
  sum(
    'volume_count',
    'Keywords with a proven ranking and a known volume; visibility and clicks count only these',
    (line) => line.sums.visibility.count(),
  ),
  sum('share_of_voice', 'Its estimated clicks / those of all domains on the same pages, percent', ({ share }) =>
    share.percent(),
  ),
  sum('share_of_voice_change', 'Change from the baseline, comparable keywords, percentage points', (line) =>
    difference(line.shareNow.percent(), line.shareBefore.percent()),
  ),
  sum('visibility', 'Sum of volume x CTR(rank) / sum of volume x CTR(1), percent', ({ sums }) =>
    numbers.visibility(sums),
  ),
  sum('visibility_change', 'Change from the baseline, comparable keywords, percentage points', ({ sums }) =>
    numbers.visibilityChange(sums),
  ),
  sum('estimated_clicks', 'Clicks per month: sum of volume x CTR(rank)', ({ sums }) => numbers.estimatedClicks(sums)),
  sum('estimated_clicks_change', 'Change from the baseline, comparable keywords, at the same volumes', ({ sums }) =>
    numbers.estimatedClicksChange(sums),
  ),
  sum('average_rank_ranked', 'Average rank of the ranked keywords', ({ sums }) => numbers.averageRank(sums)),
  sum('average_rank_ranked_count', 'Ranked rows', ({ sums }) => sums.ranked.count),
  sum(
    'average_rank_ranked_change',
    'Baseline minus now, keywords ranked on both dates: positive is better',
    ({ sums }) => numbers.averageRankChange(sums),
  ),
  sum('average_rank_capped', 'Average rank, counting "not found" as depth x 10 + 1', ({ sums }) =>
    numbers.averageCapped(sums),
  ),
  sum('average_rank_capped_change', 'Baseline minus now, comparable keywords: positive is better', ({ sums }) =>
    numbers.averageCappedChange(sums),
  ),
  sum('top_3', 'Keywords ranked 1 to 3; empty if none was checked', ({ sums }) => numbers.top3(sums)),
  sum('top_3_change', 'Its change from the baseline, comparable keywords', ({ sums }) => numbers.top3Change(sums)),
  sum('top_10', 'Keywords ranked 1 to 10; empty if none was checked', ({ sums }) => numbers.top10(sums)),
  sum('top_10_change', 'Its change from the baseline, comparable keywords', ({ sums }) => numbers.top10Change(sums)),
  versus('wins', 'Keywords for which an own target ranks better than this competitor', (line) => line.wins),
  versus('wins_change', 'Its change from the baseline, comparable keywords', (line) =>
    line.sums.comparable === 0 ? null : line.winsChange,
  ),
  versus('losses', 'Keywords for which this competitor ranks better than every own target', (line) => line.losses),
  versus('losses_change', 'Its change from the baseline, comparable keywords', (line) =>
    line.sums.comparable === 0 ? null : line.lossesChange,
  ),
  text('compare', 'Requested baseline of the comparison', ({ facts }) => facts.compare),
  date(
    'previous_checked_from',
    'When the oldest of the used baselines was read, UTC',
    ({ line }) => line.sums.oldestBaseline,
  ),
  date(
    'previous_checked_to',
    'When the newest of the used baselines was read, UTC',
    ({ line }) => line.sums.newestBaseline,
  ),
  text('ctr_curve', 'Click-through curve of the numbers', ({ facts }) => facts.ctrCurve),
  list('source', 'service/source of the pages', ({ depth }) => [...depth.sources].sort()),
  number('run_id', 'Run of the report', ({ facts }) => facts.runId),
  text('warning', 'Warnings: a suspect run, simulated data', ({ facts }) => facts.warning),
  sum(
    'share_of_voice_count',
    'Keywords of share_of_voice: those with a known volume and pages that prove which clicks go to this target; rows of not_followed_count, which have none, are included',
    ({ shareCount }) => (shareCount > 0 ? shareCount : null),
  ),
  sum(
    'not_followed_count',
    'Keywords whose pages were not read to the full depth and do not show the target: it may rank below, so no bucket, average or change counts it',
    ({ notFollowed }) => notFollowed,
  ),
  runDay(),
  ...fieldColumns((row: CompetitorRow) => row, 'location'),
];

interface Competitors {
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

function ratio(sum: number, count: number): number | null {
  return count === 0 ? null : sum / count;
}

function entry(scopes: Map<string, Scope>, key: string, start: () => Scope): Scope {
  return getOrInsert(scopes, key, () => start());
}

function inOrder(scopes: ReadonlyMap<string, Scope>): Scope[] {
  return sortedEntries(scopes).map(([, scope]) => scope);
}

// Sums of own targets and competitors over the same complete checks: ranks, share of voice, wins and losses.

/** Sums of one target. */
interface CompetitorTargetSums {
  readonly sums: Sums;
  /** Over all searches whose pages prove the target's clicks. A target that was not followed further has none. */
  readonly share: ShareOfVoice;
  /** Searches with a volume in `share`. */
  shareCount: number;
  /** Searches in which the target is on none of the pages read, which do not reach the depth. */
  notFollowed: number;
  /** Over searches comparable for this target. */
  readonly shareNow: ShareOfVoice;
  readonly shareBefore: ShareOfVoice;
  /** For a competitor: searches in which we rank above it; `losses`: below it. */
  wins: number;
  losses: number;
  winsChange: number;
  lossesChange: number;
}

/** The depths of complete checks in a scope. */
interface Depths {
  checked: number;
  asked: number;
  read: number;
  readonly sources: Set<string>;
}

/** The sums of a scope. */
interface CompetitorSums {
  /** One per target. */
  readonly lines: readonly CompetitorTargetSums[];
  readonly depth: Depths;
}

/** Throws RangeError for an unknown curve. */
function startCompetitorSums(curveName: string, targets: readonly ReportTarget[]): CompetitorSums {
  return {
    lines: targets.map(() => startLine(curveName)),
    depth: { checked: 0, asked: 0, read: 0, sources: new Set() },
  };
}

function startLine(curveName: string): CompetitorTargetSums {
  const share = () => new ShareOfVoice(curveName);
  const against = { wins: 0, losses: 0, winsChange: 0, lossesChange: 0, shareCount: 0, notFollowed: 0 };
  return { sums: startSums(curveName), share: share(), shareNow: share(), shareBefore: share(), ...against };
}

/** Adds a search to all its sums. */
function addToCompetitorSums(
  scopes: readonly CompetitorSums[],
  row: SerpRow,
  targets: readonly ReportTarget[],
  curveName: string,
): void {
  const { now, before } = row;
  const rates = now === null ? 0 : sumRates(curveName, now.bestRanks);
  const ratesBefore = before === null ? 0 : sumRates(curveName, before.bestRanks);
  for (const { depth } of scopes) if (now !== null) addDepth(depth, now);
  const own = now === null ? undefined : bestOwn(now, targets);
  const ownBefore = before === null ? undefined : bestOwn(before, targets);
  for (let index = 0; index < targets.length; index += 1) {
    const summed = toSummedRow(row, index, curveName);
    const verdict = now === null || now.unproven.has(index) ? 0 : compareRanks(own, summed.rank);
    const verdictBefore =
      before === null || before.unproven.has(index) ? 0 : compareRanks(ownBefore, summed.previousRank);
    const comparable = summed.changeClass !== 'first_check' && summed.changeClass !== 'not_comparable';
    for (const { lines } of scopes) {
      const line = lines[index];
      if (line === undefined) continue;
      addToSums(line.sums, summed);
      if (now === null || now.unproven.has(index)) continue;
      line.share.add(row.searchVolume, summed.rank, rates);
      line.shareCount += row.searchVolume === null ? 0 : 1;
      line.notFollowed += now.notFollowed.has(index) ? 1 : 0;
      line.wins += verdict > 0 ? 1 : 0;
      line.losses += verdict < 0 ? 1 : 0;
      if (!comparable) continue;
      line.shareNow.add(row.searchVolume, summed.rank, rates);
      line.shareBefore.add(row.searchVolume, summed.previousRank, ratesBefore);
      line.winsChange += Number(verdict > 0) - Number(verdictBefore > 0);
      line.lossesChange += Number(verdict < 0) - Number(verdictBefore < 0);
    }
  }
}

/** A target's ranking in a search, for `addToSums`. */
function toSummedRow(
  { now, before, searchVolume, incomparable }: SerpRow,
  target: number,
  curveName: string,
): SummedRow {
  const current = now === null ? null : provenObservation(now, target);
  const previous = before === null ? null : provenObservation(before, target);
  const changeClass =
    current === null || incomparable === 'not_comparable' || (before !== null && previous === null)
      ? 'not_comparable'
      : compare(previous, current).changeClass;
  return {
    complete: current !== null,
    changeClass,
    rank: current?.rank ?? null,
    depth: current?.depth ?? null,
    searchVolume,
    estimatedClicks: estimatedClicks(searchVolume, current?.rank ?? null, curveName),
    previousRank: previous?.rank ?? null,
    previousDepth: previous?.depth ?? null,
    previousCheckedAt: previous?.checkedAt ?? null,
    isPlace: false,
    lastAgeDays: null,
  };
}

/** Null if the pages prove neither a rank nor an absence down to the depth. */
function provenObservation(serp: Serp, target: number): Observation | null {
  if (serp.unproven.has(target) || serp.notFollowed.has(target)) return null;
  const rank = serp.targets[target]?.[0] ?? null;
  return {
    status: rank === null ? 'not_found' : 'ranked',
    rank,
    absoluteRank: null,
    page: rank === null ? null : pageOfRank(serp, rank),
    url: null,
    depth: rank === null ? provenDepth(serp) : serp.depth,
    resultsRead: rank === null && !serp.ended ? serp.urlIds.length : null,
    checkedAt: serp.checkedAt,
    source: serp.source,
  };
}

/** The best rank of any own target; null: none is on the pages; undefined: unproven. */
function bestOwn(serp: Serp, targets: readonly ReportTarget[]): number | null | undefined {
  if (targets.some(({ role }, index) => role === 'own' && serp.unproven.has(index))) return undefined;
  let best: number | null = null;
  targets.forEach(({ role }, index) => {
    const rank = serp.targets[index]?.[0];
    if (role === 'own' && rank !== undefined && (best === null || rank < best)) best = rank;
  });
  return best;
}

/** Positive: we rank better. Both were searched on the same pages, so a found target beats a missing one. */
function compareRanks(own: number | null | undefined, other: number | null): number {
  if (own === undefined) return 0;
  if (own === null || other === null) return Number(own !== null) - Number(other !== null);
  return other - own;
}

function addDepth(depth: Depths, { depth: asked, pages, source }: Serp): void {
  depth.checked += 1;
  depth.asked += asked;
  depth.read += pages;
  depth.sources.add(source);
}
