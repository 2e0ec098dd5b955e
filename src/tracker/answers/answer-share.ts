// Shares of AI answers with their confidence intervals, and which of their changes are more than chance. Pure.

/** 95 %, two-sided. */
const z = 1.959964;

/** `count` of `of` answers; `low` and `high` bound the share that more answers would show. All from 0 to 1. */
export interface AnswerShare {
  readonly count: number;
  readonly of: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The share with its Wilson score interval (Wilson 1927, J. Am. Stat. Assoc. 22; recommended for few observations by
 * Brown, Cai and DasGupta 2001, Statistical Science 16). Null without answers. Prompts differ, so that the pooled
 * interval of several prompts is rather too wide than too narrow.
 */
export function answerShare(count: number, of: number): AnswerShare | null {
  if (of === 0) return null;
  const share = count / of;
  const middle = (share + z ** 2 / (2 * of)) / (1 + z ** 2 / of);
  const half = (z / (1 + z ** 2 / of)) * Math.sqrt((share * (1 - share)) / of + z ** 2 / (4 * of ** 2));
  return { count, of, share, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** `new`: none before. `lost`: none now. `same`: the intervals overlap, so that chance explains the difference. */
export type ShareChange = 'new' | 'lost' | 'up' | 'down' | 'same';

/** Null where one of both is unknown. */
export function shareChange(before: AnswerShare | null, now: AnswerShare | null): ShareChange | null {
  if (before === null || now === null) return null;
  if (now.low > before.high) return before.count === 0 ? 'new' : 'up';
  if (now.high < before.low) return now.count === 0 ? 'lost' : 'down';
  return 'same';
}
