// Alert rules of a config, and whether an observed change meets one. Pure.
import type { ChangeClass, SignificanceClass } from '../observation.ts';

type Direction = 'up' | 'down' | 'any';

/** One target in one search. `tags`: keywords with one of them; absent: all keywords. */
export type KeywordRule = {
  readonly tags?: readonly string[];
  /** Only changes of ranks that are at least this significant; absent: all. */
  readonly significance?: Exclude<SignificanceClass, 'noise'>;
} & (
  | { readonly when: 'dropped-out-of'; readonly top: number }
  | { readonly when: 'moved'; readonly by: number; readonly direction: Direction }
  | { readonly when: 'url-changed' }
  | { readonly when: 'other-url' }
  | { readonly when: 'feature-won' | 'feature-lost'; readonly feature?: string; readonly checks?: number }
  | { readonly when: 'competitor-overtook' }
);

/** One target over many keywords. */
type TargetRule = { readonly tags?: readonly string[] } & {
  readonly when: 'visibility-fell';
  readonly percent: number;
};

/** A run or its budget. */
export type RunRule =
  | { readonly when: 'run-failed' }
  | { readonly when: 'nothing-checked' }
  | { readonly when: 'run-suspect' }
  | { readonly when: 'update-suspected' }
  | { readonly when: 'budget-share'; readonly percent: number };

/** `projects` and `channels` absent: all. */
export type AlertRule = (KeywordRule | TargetRule | RunRule) & {
  readonly projects?: readonly string[];
  readonly channels?: readonly string[];
};

export type AlertKind = AlertRule['when'];

/** The part of a tracked row that rules read. */
export interface ChangedRow {
  readonly rank: number | null;
  readonly previousRank: number | null;
  readonly changeClass: ChangeClass;
  /** Pages. */
  readonly depth: number | null;
  readonly previousDepth: number | null;
  readonly urlChanged: boolean | null;
  /** Null: no comparable change of rank. */
  readonly significance: SignificanceClass | null;
  /** Null: no URL is preferred, or the ranking page is not known. */
  readonly urlIsPreferred: boolean | null;
}

/** A proven ranking: a rank with its page, or an absence from the first `depth` pages. */
export interface ProvenRanking {
  readonly rank: number | null;
  readonly page: number | null;
  readonly depth: number;
}

/** The features that showed a target in one check, and how many pages the check read. */
export interface OwnedFeatures {
  readonly features: readonly string[];
  readonly pages: number;
  /** Features that the check shows without links: whom they show is unknown. Absent: none. */
  readonly unlinked?: readonly string[];
}

const organicPerPageMax = 10;

/** Engines omit these features at random, so one check without them proves nothing: two in a row do. */
const flickering: ReadonlySet<string> = new Set(['ai_overview']);

/** How many earlier checks a rule may read. */
export const checksMax = 5;

/** Stable identity of a rule, wherever it stands in the config. One change is reported once per rule. */
export function ruleName(rule: AlertRule): string {
  switch (rule.when) {
    case 'dropped-out-of':
      return `dropped-out-of top ${rule.top}`;
    case 'moved':
      return `moved by ${rule.by} ${rule.direction}`;
    case 'feature-won':
    case 'feature-lost':
      return rule.checks === undefined ? rule.when : `${rule.when} checks ${rule.checks}`;
    case 'visibility-fell':
      return `visibility-fell percent ${rule.percent}${of(rule.tags)}`;
    case 'budget-share':
      return `budget-share percent ${rule.percent}`;
    default:
      return rule.when;
  }
}

function of(tags: readonly string[] | undefined): string {
  return tags === undefined ? '' : ` of ${[...tags].sort().join('|')}`;
}

export function isKeywordRule(rule: AlertRule): rule is AlertRule & KeywordRule {
  return !isRunRule(rule) && rule.when !== 'visibility-fell';
}

const runRules: ReadonlySet<AlertKind> = new Set([
  'run-failed',
  'nothing-checked',
  'run-suspect',
  'update-suspected',
  'budget-share',
]);

export function isRunRule(rule: AlertRule): rule is AlertRule & RunRule {
  return runRules.has(rule.when);
}

/** Whether a rule covers keywords with these tags. */
export function appliesTo(rule: { readonly tags?: readonly string[] }, tags: readonly string[]): boolean {
  return rule.tags === undefined || rule.tags.some((tag) => tags.includes(tag));
}

/**
 * Whether the change of a row meets a rule about ranks or URLs. Only comparable rows can, except for `other-url`, which
 * is about the page that ranks now.
 */
export function matchesRule(rule: KeywordRule, row: ChangedRow): boolean {
  if (rule.when === 'other-url') return beginsWithOtherUrl(row);
  if (row.changeClass === 'first_check' || row.changeClass === 'not_comparable') return false;
  if (!isSignificant(rule, row)) return false;
  switch (rule.when) {
    case 'dropped-out-of':
      return row.previousRank !== null && row.previousRank <= rule.top && (row.rank === null || row.rank > rule.top);
    case 'moved':
      return hasMovedBy(rule.by, rule.direction, ranksGained(row));
    case 'url-changed':
      return row.urlChanged === true && row.rank !== null && row.previousRank !== null;
    default:
      return false;
  }
}

/** Whether a change of ranks is as significant as the rule wants. */
function isSignificant({ significance: wanted }: KeywordRule, { significance }: ChangedRow): boolean {
  if (wanted === undefined) return true;
  return significance === 'certain' || significance === wanted;
}

/** Whether another page than the preferred one ranks, and did not in the check before. */
function beginsWithOtherUrl({ rank, previousRank, urlChanged, urlIsPreferred }: ChangedRow): boolean {
  return urlIsPreferred === false && rank !== null && (previousRank === null || urlChanged === true);
}

function hasMovedBy(by: number, direction: Direction, won: number): boolean {
  return (direction !== 'down' && won >= by) || (direction !== 'up' && -won >= by);
}

/**
 * Ranks gained; negative means lost. "Not found" counts as depth x 10 + 1, as in average ranks, and always as worse
 * than the other rank: a page of 100 results may have a rank below that number.
 */
function ranksGained({ rank, previousRank, depth, previousDepth }: ChangedRow): number {
  if (rank !== null && previousRank !== null) return previousRank - rank;
  const absent = (pages: number | null, other: number): number => Math.max((pages ?? 0) * organicPerPageMax, other) + 1;
  if (rank !== null) return absent(previousDepth, rank) - rank;
  return previousRank === null ? 0 : previousRank - absent(depth, previousRank);
}

/** Whether the pages prove that `place` ranks above `other`. */
export function isAhead(ranking: ProvenRanking, other: ProvenRanking): boolean {
  if (ranking.rank === null) return false;
  if (other.rank !== null) return ranking.rank < other.rank;
  return ranking.page !== null && other.depth >= ranking.page;
}

/** Whether a competitor proven to rank below us is now proven to rank above us. Each pair is from one check. */
export function hasOvertaken(
  before: { own: ProvenRanking; rival: ProvenRanking },
  now: { own: ProvenRanking; rival: ProvenRanking },
): boolean {
  return isAhead(before.own, before.rival) && isAhead(now.rival, now.own);
}

/**
 * The features that a rule finds gained or lost in `now`, compared with the earlier checks, newest first. A loss counts
 * when `checks` checks in a row show it; a gain counts when as many checks before it lacked the feature. The default is
 * one check, or two for features that engines omit at random. A check counts as lacking a feature only if it read as
 * many pages as the check that shows it. Checks that do not show whom a feature links to are left out.
 */
export function featureChanges(
  { when, feature, checks }: { readonly when: string; readonly feature?: string; readonly checks?: number },
  now: OwnedFeatures,
  before: readonly OwnedFeatures[],
): string[] {
  const isAsked = (name: string): boolean => feature === undefined || feature === name;
  const needed = (name: string): number => checks ?? (flickering.has(name) ? 2 : 1);
  const lacks = (check: OwnedFeatures, name: string, pages: number): boolean =>
    !check.features.includes(name) && check.pages >= pages;
  const isKnown = (check: OwnedFeatures, name: string): boolean =>
    check.features.includes(name) || check.unlinked?.includes(name) !== true;
  const newest = (name: string, count: number): OwnedFeatures[] =>
    before
      .values()
      .filter((check) => isKnown(check, name))
      .take(count)
      .toArray();
  if (when === 'feature-won') {
    return now.features.filter((name) => {
      const earlier = newest(name, needed(name));
      return isAsked(name) && earlier.length > 0 && earlier.every((check) => lacks(check, name, now.pages));
    });
  }
  const seen = new Set(before.slice(0, checksMax).flatMap(({ features }) => features));
  return [...seen].filter((name) => {
    if (!isAsked(name) || now.features.includes(name) || !isKnown(now, name)) return false;
    const earlier = newest(name, needed(name));
    const last = earlier[needed(name) - 1];
    if (last?.features.includes(name) !== true) return false;
    return [now, ...earlier.slice(0, -1)].every((check) => lacks(check, name, last.pages));
  });
}
