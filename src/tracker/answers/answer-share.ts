// Shares of AI answers with their confidence intervals, and which of their changes are more than chance. Pure.
import { differ, wilsonInterval } from '../proportions.ts';

/** `count` of `of` answers; `low` and `high` bound the share that more answers would show. All from 0 to 1. */
export interface AnswerShare {
  readonly count: number;
  readonly of: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The share with its 95 % Wilson interval. Null without answers. Prompts differ, so that the pooled interval of several
 * prompts is rather too wide than too narrow.
 */
export function answerShare(count: number, of: number): AnswerShare | null {
  return of === 0 ? null : { count, of, share: count / of, ...wilsonInterval({ count, of }) };
}

/** `new`: none before. `lost`: none now. `same`: chance explains the difference. */
export type ShareChange = 'new' | 'lost' | 'up' | 'down' | 'same';

/** Null where one of both is unknown. */
export function shareChange(before: AnswerShare | null, now: AnswerShare | null): ShareChange | null {
  if (before === null || now === null) return null;
  if (!differ(before, now)) return 'same';
  if (now.share > before.share) return before.count === 0 ? 'new' : 'up';
  return now.count === 0 ? 'lost' : 'down';
}

/** The least answers a period that show a change with a probability of 80 %; tests compute them. Shares from 0 to 1. */
export const answersForChanges = {
  large: { from: 0.2, to: 0.8, answers: 10 },
  small: { from: 0.3, to: 0.5, answers: 95 },
} as const;
