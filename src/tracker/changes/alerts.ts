// Alert rules of a config, whether an observed change meets one, and alerts as stored and sent. Pure.

import type { ChangeClass, SignificanceClass } from '../observation.ts';
import type { NamedMarket } from '../project.ts';

/** One target in one search. `tags`: keywords with one of them; absent: all keywords. */
export type KeywordRule = {
  readonly tags?: readonly string[];
  /** Only changes of ranks that are at least this significant; absent: all. */
  readonly significance?: Exclude<SignificanceClass, 'noise'>;
} & (
  | { readonly when: 'dropped-out-of'; readonly top: number }
  | { readonly when: 'moved'; readonly by: number; readonly direction: 'up' | 'down' | 'any' }
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
type RunRule =
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

type AlertKind = AlertRule['when'];

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
      return `visibility-fell percent ${rule.percent}${rule.tags === undefined ? '' : ` of ${[...rule.tags].sort().join('|')}`}`;
    case 'budget-share':
      return `budget-share percent ${rule.percent}`;
    default:
      return rule.when;
  }
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
  const { rank, previousRank, changeClass, urlChanged, significance } = row;
  // another page than the preferred one ranks, and did not in the check before
  if (rule.when === 'other-url')
    return row.urlIsPreferred === false && rank !== null && (previousRank === null || urlChanged === true);
  if (changeClass === 'first_check' || changeClass === 'not_comparable') return false;
  if (rule.significance !== undefined && significance !== 'certain' && significance !== rule.significance) return false;
  switch (rule.when) {
    case 'dropped-out-of':
      return previousRank !== null && previousRank <= rule.top && (rank === null || rank > rule.top);
    case 'moved': {
      const gained = ranksGained(row);
      return (rule.direction !== 'down' && gained >= rule.by) || (rule.direction !== 'up' && -gained >= rule.by);
    }
    case 'url-changed':
      return urlChanged === true && rank !== null && previousRank !== null;
    default:
      return false;
  }
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

/** Whether the pages prove that a ranking is above another. */
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

interface AlertOf<About extends string> {
  readonly about: About;
  readonly when: AlertKind;
  /** As `ruleName` makes it. */
  readonly rule: string;
}

/** A ranking, with its proof. */
export interface AlertRanking {
  /** Null: not found. */
  readonly rank: number | null;
  readonly url: string | null;
  /** Pages: for an absence those that prove it, otherwise those requested. */
  readonly depth: number | null;
  /** Local date of the check. */
  readonly date: string | null;
}

/** A target in one search. */
export interface KeywordAlert extends AlertOf<'keyword'>, NamedMarket {
  readonly keyword: string;
  readonly target: string;
  readonly tags: readonly string[];
  readonly changeClass: ChangeClass;
  readonly now: AlertRanking;
  readonly before: AlertRanking;
  readonly searchVolume: number | null;
  /** Clicks a month; null where the volume is not known. */
  readonly estimatedClicksChange: number | null;
  /** Its first cause; absent: no reason is known, or the change is noise. */
  readonly cause?: { readonly kind: string; readonly sentence: string; readonly certainty: string };
  /** The feature that was won or lost. */
  readonly feature?: string;
  /** The URL that should rank; absent: none is preferred. */
  readonly preferredUrl?: string;
  /** The competitor that overtook us, with its ranks. */
  readonly competitor?: { readonly target: string; readonly rank: number | null; readonly previousRank: number | null };
}

/** The visibility of a target over its comparable keywords. */
export interface VisibilityAlert extends AlertOf<'visibility'> {
  readonly target: string;
  /** Absent: all keywords. */
  readonly tags?: readonly string[];
  /** Percent. */
  readonly visibility: number;
  readonly previousVisibility: number;
  /** Drop relative to the previous visibility, percent. */
  readonly fellPercent: number;
  readonly keywords: number;
}

/** A run that failed, or that is suspect. */
interface RunAlert extends AlertOf<'run'> {
  readonly state: string;
  readonly reason: string;
  /** Ranking alerts held back because the run is suspect. */
  readonly heldBack: number;
  /** The run did not fail: its reports could not be written. */
  readonly isUnwritten?: true;
  /** It is over: `reason` says what holds now, and what the reason was. */
  readonly isOver?: true;
}

/** More keywords moved than usual: an update of the engine, or a problem of the site. */
export interface UpdateAlert extends AlertOf<'update'> {
  readonly scope: 'project' | 'market' | 'tag';
  /** The market or tag; empty for the project. */
  readonly name: string;
  /** Local date. */
  readonly date: string;
  /** Keywords with a comparable change, and of these those outside their noise bands. */
  readonly compared: number;
  readonly outside: number;
  /** Share expected from the days before, 0 to 1. */
  readonly usualShare: number;
}

/** A budget window. */
export interface BudgetAlert extends AlertOf<'budget'> {
  readonly currency: 'serp_credit' | 'micro_usd';
  readonly window: 'run' | 'day' | 'month';
  /** The run's number, the date or the month. */
  readonly key: string;
  /** Spent (including unknown charges) plus reserved. */
  readonly used: number;
  readonly cap: number;
  /** The budget has room again: its cap was raised, or another month began. */
  readonly isOver?: true;
}

/** How many more changes a rule found than are listed one by one. */
interface RestAlert extends AlertOf<'rest'> {
  readonly count: number;
}

export type Alert = KeywordAlert | VisibilityAlert | RunAlert | UpdateAlert | BudgetAlert | RestAlert;

/** What lasts over runs, and makes one alert when it begins and one when it ends. */
export interface Trouble {
  /** `checks`, `losses` and `report` are of one project; `window`: a budget window. */
  readonly topic: 'run' | 'volumes' | 'budget' | 'checks' | 'losses' | 'report' | 'reports' | 'window';
  /** Another cause of the same topic is alerted, too. */
  readonly cause: string;
  readonly reason: string;
  readonly isOver?: true;
}

/** The subject of the alert that a trouble is over: those of keywords are lists. */
export function overSubject({ topic, cause }: Pick<Trouble, 'topic' | 'cause'>, epoch: number): string {
  return `over ${topic} ${epoch}${topic === 'window' ? ` ${cause}` : ''}`;
}

/** Whether a subject is one of `overSubject`. */
export function isOverSubject(subject: string): boolean {
  return subject.startsWith('over ');
}

/** An alert waiting to be sent. It holds no secret, and all that another process needs to send it. */
export interface KeptAlert {
  readonly alert: Alert;
  /** The warning at the top of the reports (suspect or simulated run); null: none. */
  readonly warning: string | null;
  /** Folder of the report relative to the reports folder, with `/`; null: no report. */
  readonly report: string | null;
  /** The receivers of its channel that have it, while others lack it; absent: none. */
  readonly reached?: readonly string[];
  /** Absent: a change, or an event of one run. */
  readonly trouble?: Trouble;
}

/** The run that an alert is about. */
interface AlertRun {
  readonly id: number;
  readonly kind: string;
  /** Local date and time. */
  readonly slot: string;
  readonly timezone: string;
  readonly state: string;
}

/** The alerts of one project and run that one channel sends together. */
export interface AlertMessage {
  readonly project: string;
  /** Null: a test message. */
  readonly run: AlertRun | null;
  readonly warning: string | null;
  readonly alerts: readonly { readonly id: string; readonly alert: Alert }[];
  readonly report: AlertReport | null;
  /** The receivers of the channel that have it already; absent: none. */
  readonly reached?: readonly string[];
}

/** Location of the report. */
interface AlertReport {
  /** Absolute. */
  readonly directory: string;
  /** Null if reports are not published. */
  readonly url: string | null;
}
