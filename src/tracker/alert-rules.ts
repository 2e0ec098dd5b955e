// What is worth an alert: the rules of a config, and whether an observed change meets one. Pure: reading history and sending are left to the jobs.
import type { ChangeClass } from './observation.ts';

export type Direction = 'up' | 'down' | 'any';

/** About one target in one search. `tags`: keywords that have one of them; absent: all. */
export type KeywordRule = { readonly tags?: readonly string[] } & (
  | { readonly when: 'dropped-out-of'; readonly top: number }
  | { readonly when: 'moved'; readonly by: number; readonly direction: Direction }
  | { readonly when: 'url-changed' }
  | { readonly when: 'feature-won' | 'feature-lost'; readonly feature?: string; readonly checks?: number }
  | { readonly when: 'competitor-overtook' }
);

/** About a target over many keywords. */
export type TargetRule = { readonly tags?: readonly string[] } & {
  readonly when: 'visibility-fell';
  readonly percent: number;
};

/** About a run, or the money. */
export type RunRule =
  | { readonly when: 'run-failed' }
  | { readonly when: 'run-suspect' }
  | { readonly when: 'budget-share'; readonly percent: number };

/** `projects` and `channels` absent: all. */
export type AlertRule = (KeywordRule | TargetRule | RunRule) & {
  readonly projects?: readonly string[];
  readonly channels?: readonly string[];
};

export type AlertKind = AlertRule['when'];

/** The part of a tracked row that rules look at; those of reports are such. */
export interface ChangedRow {
  readonly rank: number | null;
  readonly previousRank: number | null;
  readonly changeClass: ChangeClass;
  /** Pages. */
  readonly depth: number | null;
  readonly previousDepth: number | null;
  readonly urlChanged: boolean | null;
}

/** A proven place: a rank with its page, or an absence from the first `depth` pages. */
export interface Place {
  readonly rank: number | null;
  readonly page: number | null;
  readonly depth: number;
}

/** The features that showed a target in one check, and how many pages prove that no other one did. */
export interface OwnedFeatures {
  readonly features: readonly string[];
  readonly pages: number;
}

const organicPerPageMax = 10;

/** Engines leave these out of a page now and then: their loss is believed when two checks in a row say it. */
const flickering: ReadonlySet<string> = new Set(['ai_overview']);

/** Checks that a rule may look back on. */
export const checksMax = 5;

/** The same for the same rule wherever it stands in the config: a change is told once under this name. */
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

export function isRunRule(rule: AlertRule): rule is AlertRule & RunRule {
  return rule.when === 'run-failed' || rule.when === 'run-suspect' || rule.when === 'budget-share';
}

/** Whether a rule speaks of keywords with these tags. */
export function speaksOf(rule: { readonly tags?: readonly string[] }, tags: readonly string[]): boolean {
  return rule.tags === undefined || rule.tags.some((tag) => tags.includes(tag));
}

/** Whether what became of a row meets a rule about ranks or URLs. Only comparable rows do. */
export function meets(rule: KeywordRule, row: ChangedRow): boolean {
  if (row.changeClass === 'first_check' || row.changeClass === 'not_comparable') return false;
  switch (rule.when) {
    case 'dropped-out-of':
      return row.previousRank !== null && row.previousRank <= rule.top && (row.rank === null || row.rank > rule.top);
    case 'moved':
      return hasMovedBy(rule.by, rule.direction, placesWon(row));
    case 'url-changed':
      return row.urlChanged === true && row.rank !== null && row.previousRank !== null;
    default:
      return false;
  }
}

function hasMovedBy(by: number, direction: Direction, won: number): boolean {
  return (direction !== 'down' && won >= by) || (direction !== 'up' && -won >= by);
}

/** Places won, negative where lost. An absence counts as depth x 10 + 1, as it does in average ranks. */
function placesWon({ rank, previousRank, depth, previousDepth }: ChangedRow): number {
  const held = (place: number | null, pages: number | null): number => place ?? (pages ?? 0) * organicPerPageMax + 1;
  return rank === null && previousRank === null ? 0 : held(previousRank, previousDepth) - held(rank, depth);
}

/** Whether the pages prove that `place` stands before `other`. */
export function isAhead(place: Place, other: Place): boolean {
  if (place.rank === null) return false;
  if (other.rank !== null) return place.rank < other.rank;
  return place.page !== null && other.depth >= place.page;
}

/** Whether a rival that was proven to stand behind us is proven to stand before us now. Both pairs are of one check each. */
export function hasOvertaken(before: { own: Place; rival: Place }, now: { own: Place; rival: Place }): boolean {
  return isAhead(before.own, before.rival) && isAhead(now.rival, now.own);
}

/**
 * The features that a rule finds won or lost: in `now`, against the checks before it, the newest first. A loss counts when `checks` checks in a row
 * say it, a win where as many before it did not show it; absent, one is enough, and two for features that come and go. A check counts as without a
 * feature only where it read as many pages as the one that shows it.
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
  if (when === 'feature-won') {
    return now.features.filter((name) => {
      const earlier = before.slice(0, needed(name));
      return isAsked(name) && earlier.length > 0 && earlier.every((check) => lacks(check, name, now.pages));
    });
  }
  const seen = new Set(before.slice(0, checksMax).flatMap(({ features }) => features));
  return [...seen].filter((name) => {
    const last = before[needed(name) - 1];
    if (!isAsked(name) || last?.features.includes(name) !== true) return false;
    return [now, ...before.slice(0, needed(name) - 1)].every((check) => lacks(check, name, last.pages));
  });
}
