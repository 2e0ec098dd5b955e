// What the long-running scheduler is told, and the events that it reports.
import type { RunResult } from './contract.ts';

/** Until `signal` stops it, which finishes what is in flight, or `retired` says that nothing new is to be started: a newer config has taken over. */
export interface ScheduleOptions {
  readonly signal: AbortSignal;
  readonly retired?: AbortSignal;
  readonly onEvent?: (event: ScheduleEvent) => void;
}

/** What the scheduler tells; `at` is ISO 8601. */
export type ScheduleEvent = { readonly at: string } & (
  | { readonly event: 'started'; readonly projects: number; readonly database: string }
  | {
      readonly event: 'claimed';
      readonly runId: number;
      readonly kind: 'ranks' | 'volumes';
      readonly slots: readonly { readonly project: string; readonly slot: string }[];
      readonly resumed: boolean;
    }
  | { readonly event: 'ended'; readonly run: RunResult }
  | {
      readonly event: 'missed';
      readonly project: string;
      readonly kind: 'ranks' | 'volumes';
      readonly slot: string;
      readonly reason: string;
    }
  /** Tried again at the next look. */
  | {
      readonly event: 'error';
      readonly runId: number | null;
      readonly code: string;
      readonly message: string;
      readonly hint: string | null;
    }
  | { readonly event: 'stopped' }
);
