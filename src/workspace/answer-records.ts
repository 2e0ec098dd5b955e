// The shape of answers about AI answers: as in answers.csv.

/** AI answers to one prompt, or to all prompts of an engine, and what they show of one target. Shares in percent. */
export interface AnswerRecord {
  /** First local date of the day, week or month. */
  readonly period: string;
  readonly engine: string;
  /** Null: all prompts of the engine. */
  readonly prompt: string | null;
  readonly country: string | null;
  readonly language: string | null;
  readonly target: string;
  readonly isOwn: boolean;
  /** Samples that were to be bought, and those that were answered. */
  readonly asked: number;
  readonly answers: number;
  /** Answers with a link to the target, and the bounds of their share at 95 %; null: no answers. */
  readonly cited: number | null;
  readonly citedShare: number | null;
  readonly citedLow: number | null;
  readonly citedHigh: number | null;
  /** Answers that name the target. */
  readonly mentioned: number | null;
  readonly mentionedShare: number | null;
  readonly mentionedLow: number | null;
  readonly mentionedHigh: number | null;
  /** The period that is compared with; null: none of the same source. */
  readonly previousPeriod: string | null;
  readonly previousCitedShare: number | null;
  /** new, lost, up or down where the intervals do not overlap; else same; null: nothing to compare with. */
  readonly citationChange: string | null;
  readonly mentionChange: string | null;
  /** Those that most answers cite first. */
  readonly citedPages: readonly string[];
}
