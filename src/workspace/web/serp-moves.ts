// What moved between two stored results pages of a search.

import type { SerpResult, StoredSerpView } from '../../read/records.ts';
import { pageIdentity } from '../../tracker/targets/target.ts';
import { siteOf } from './words.ts';

export interface Move {
  /** Of the newer pages. */
  readonly after: SerpResult;
  readonly before: SerpResult | null;
  /** `entered`: the older pages reach its rank without it; `unknown`: they do not reach it, or a rank is missing. */
  readonly kind: 'moved' | 'entered' | 'unknown';
  /** Gained ranks: positive is better. Null unless `moved`. */
  readonly change: number | null;
}

export interface SerpMoves {
  /** One per newer result. */
  readonly moves: readonly Move[];
  /** The older results that are gone. */
  readonly left: readonly SerpResult[];
}

export function serpMoves(before: readonly SerpResult[], after: readonly SerpResult[]): SerpMoves {
  const older = Map.groupBy(before, ({ url }) => pageIdentity(url));
  const reach = lastRank(before);
  const moves = after.map((result) => moveOf(result, older.get(pageIdentity(result.url))?.shift() ?? null, reach));
  const reachAfter = lastRank(after);
  const unmatched = new Set([...older.values()].flat());
  const left = before.filter((result) => unmatched.has(result) && result.rank !== null && result.rank <= reachAfter);
  return { moves, left };
}

/** What the moves of others mean for the best of our results that is on both pages. */
interface Rivalry {
  /** Sites that are new on the page, and above us. */
  readonly entered: readonly Move[];
  /** Below us before, above us now, perhaps with another page. */
  readonly passed: readonly Move[];
  /** Above us before, below us now. */
  readonly overtaken: readonly Move[];
}

export function rivalry({ moves, left }: SerpMoves): Rivalry {
  const ours = moves.find(({ after, kind }) => after.isOwn && kind === 'moved');
  const [now, then] = [ours?.after.rank, ours?.before?.rank];
  if (now == null || then == null) return { entered: [], passed: [], overtaken: [] };
  const entered: Move[] = [];
  const passed: Move[] = [];
  const overtaken: Move[] = [];
  for (const move of moves) {
    const { after, before, kind } = move;
    if (after.isOwn || after.rank === null || kind === 'unknown') continue;
    // another page of a site that was there before is no newcomer
    const earlier = before?.rank ?? left.find(({ url }) => siteOf(url) === siteOf(after.url))?.rank ?? null;
    const isAbove = after.rank < now;
    if (isAbove && earlier === null) entered.push(move);
    else if (isAbove && earlier !== null && earlier > then) passed.push(move);
    else if (!isAbove && kind === 'moved' && earlier !== null && earlier < then) overtaken.push(move);
  }
  return { entered, passed, overtaken };
}

/** What one of ours or a competitor did, by its best results. */
export interface TargetMove {
  readonly target: string;
  readonly isOwn: boolean;
  /** Null: it is on the older, or the newer pages only. */
  readonly before: SerpResult | null;
  readonly after: SerpResult | null;
}

/** Ours first. A target beyond what the other pages reach is left out: it neither came nor went. */
export function targetMoves({ moves, left }: SerpMoves): TargetMove[] {
  const found = new Map<string, { isOwn: boolean; before: SerpResult | null; after: SerpResult | null }>();
  const better = (a: SerpResult | null, b: SerpResult) => (a?.rank != null && a.rank <= (b.rank ?? 0) ? a : b);
  const see = (side: 'before' | 'after', result: SerpResult | null) => {
    if (result === null || result.target === null || result.rank === null) return;
    const known = found.get(result.target) ?? { isOwn: result.isOwn, before: null, after: null };
    found.set(result.target, { ...known, [side]: better(known[side], result) });
  };
  for (const { after, before, kind } of moves) {
    if (kind !== 'unknown') see('after', after);
    see('before', before);
  }
  for (const result of left) see('before', result);
  return [...found]
    .map(([target, move]) => ({ target, ...move }))
    .sort((a, b) => Number(b.isOwn) - Number(a.isOwn) || (a.after?.rank ?? 999) - (b.after?.rank ?? 999));
}

function moveOf(after: SerpResult, before: SerpResult | null, reach: number): Move {
  if (before === null) {
    const isEntered = after.rank !== null && after.rank <= reach;
    return { after, before, kind: isEntered ? 'entered' : 'unknown', change: null };
  }
  if (after.rank === null || before.rank === null) return { after, before, kind: 'unknown', change: null };
  return { after, before, kind: 'moved', change: before.rank - after.rank };
}

/** The lowest rank that was read without a gap. */
function lastRank(results: readonly SerpResult[]): number {
  return results.reduce((last, { rank }) => Math.max(last, rank ?? 0), 0);
}

type FeaturesRead = Pick<StoredSerpView, 'features' | 'pages'>;

/** Types of features on the pages that both read. */
export function featureMoves(
  before: FeaturesRead,
  after: FeaturesRead,
): { readonly gained: string[]; readonly lost: string[] } {
  const pages = Math.min(before.pages, after.pages);
  const types = ({ features }: FeaturesRead) =>
    new Set(features.filter(({ page }) => page <= pages).map(({ type }) => type));
  const [earlier, later] = [types(before), types(after)];
  return {
    gained: [...later].filter((type) => !earlier.has(type)),
    lost: [...earlier].filter((type) => !later.has(type)),
  };
}

/** Types of features on both that show us on one of the pages only. */
export function ownFeatureMoves(
  before: FeaturesRead,
  after: FeaturesRead,
): { readonly won: string[]; readonly lost: string[] } {
  const pages = Math.min(before.pages, after.pages);
  const types = ({ features }: FeaturesRead, isOurs: boolean) =>
    new Set(features.filter(({ page, isOwn }) => page <= pages && (isOwn || !isOurs)).map(({ type }) => type));
  const [had, have] = [types(before, true), types(after, true)];
  const [earlier, later] = [types(before, false), types(after, false)];
  return {
    won: [...have].filter((type) => !had.has(type) && earlier.has(type)),
    lost: [...had].filter((type) => !have.has(type) && later.has(type)),
  };
}
