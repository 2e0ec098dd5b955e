// An alert: the facts of one change as they are kept and sent. Words are left to reports. Types only.
import type { AlertKind } from './alert-rules.ts';
import type { ChangeClass } from './observation.ts';

interface AlertOf<About extends string> {
  readonly about: About;
  readonly when: AlertKind;
  /** As `ruleName` makes it. */
  readonly rule: string;
}

/** A place, with what proves it. */
export interface AlertPlace {
  /** Null: not found. */
  readonly rank: number | null;
  readonly url: string | null;
  /** Pages: those that prove an absence, else those asked. */
  readonly depth: number | null;
  /** Local date of the check. */
  readonly date: string | null;
}

/** A target in one search. */
export interface KeywordAlert extends AlertOf<'keyword'> {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly target: string;
  readonly tags: readonly string[];
  readonly changeClass: ChangeClass;
  readonly now: AlertPlace;
  readonly before: AlertPlace;
  readonly searchVolume: number | null;
  /** Clicks a month; null where the volume is not known. */
  readonly estimatedClicksChange: number | null;
  /** The feature that was won or lost. */
  readonly feature?: string;
  /** Who went past us, and their ranks. */
  readonly competitor?: { readonly target: string; readonly rank: number | null; readonly previousRank: number | null };
}

/** The visibility of a target over the keywords that are comparable. */
export interface VisibilityAlert extends AlertOf<'visibility'> {
  readonly target: string;
  /** Absent: all keywords. */
  readonly tags?: readonly string[];
  /** Percent. */
  readonly visibility: number;
  readonly previousVisibility: number;
  /** How much of the earlier one is gone, percent. */
  readonly fellPercent: number;
  readonly keywords: number;
}

/** A run that failed or must not be believed without a second look. */
export interface RunAlert extends AlertOf<'run'> {
  readonly state: string;
  readonly reason: string;
  /** Alerts of its ranks that are held back, because it is suspect. */
  readonly heldBack: number;
}

/** A window of the budget. */
export interface BudgetAlert extends AlertOf<'budget'> {
  readonly currency: 'serp_credit' | 'micro_usd';
  readonly window: 'run' | 'day' | 'month';
  /** The run's number, the date or the month. */
  readonly key: string;
  /** Spent, what is unknown among it, and reserved. */
  readonly used: number;
  readonly cap: number;
}

/** What a rule found beyond those that are told one by one. */
export interface RestAlert extends AlertOf<'rest'> {
  readonly count: number;
}

export type Alert = KeywordAlert | VisibilityAlert | RunAlert | BudgetAlert | RestAlert;

/** An alert as it waits to be sent: without any secret, and with what a later process cannot know. */
export interface KeptAlert {
  readonly alert: Alert;
  /** What stands at the top of the reports: suspect, simulated; null where there is nothing to say. */
  readonly warning: string | null;
  /** Folder of the report below that of all reports, with `/`; null where there is none. */
  readonly report: string | null;
}

/** A run as alerts tell of it. */
export interface AlertRun {
  readonly id: number;
  readonly kind: string;
  /** Local date and time. */
  readonly slot: string;
  readonly timezone: string;
  readonly state: string;
}

/** What goes out together: alerts of one project and run, for one channel. */
export interface AlertMessage {
  readonly project: string;
  /** Null: a sample that nothing has happened for. */
  readonly run: AlertRun | null;
  readonly warning: string | null;
  readonly alerts: readonly { readonly id: string; readonly alert: Alert }[];
  readonly report: AlertReport | null;
}

/** Where the report lies. */
export interface AlertReport {
  /** Absolute. */
  readonly directory: string;
  /** Null where reports are not published. */
  readonly url: string | null;
}
