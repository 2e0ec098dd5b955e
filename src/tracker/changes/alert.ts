// An alert: the facts of one change, as stored and sent. Types only.

import type { ChangeClass } from '../observation.ts';
import type { AlertKind } from './alert-rules.ts';

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
export interface KeywordAlert extends AlertOf<'keyword'> {
  readonly keyword: string;
  readonly country: string;
  readonly language: string;
  readonly device: string;
  readonly location?: string | undefined;
  readonly target: string;
  readonly tags: readonly string[];
  readonly changeClass: ChangeClass;
  readonly now: AlertRanking;
  readonly before: AlertRanking;
  readonly searchVolume: number | null;
  /** Clicks a month; null where the volume is not known. */
  readonly estimatedClicksChange: number | null;
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
}

/** How many more changes a rule found than are listed one by one. */
interface RestAlert extends AlertOf<'rest'> {
  readonly count: number;
}

export type Alert = KeywordAlert | VisibilityAlert | RunAlert | UpdateAlert | BudgetAlert | RestAlert;

/** An alert waiting to be sent. It holds no secret, and all that another process needs to send it. */
export interface KeptAlert {
  readonly alert: Alert;
  /** The warning at the top of the reports (suspect or simulated run); null: none. */
  readonly warning: string | null;
  /** Folder of the report relative to the reports folder, with `/`; null: no report. */
  readonly report: string | null;
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
}

/** Location of the report. */
interface AlertReport {
  /** Absolute. */
  readonly directory: string;
  /** Null if reports are not published. */
  readonly url: string | null;
}
