// A row of AI answers: shares of one target in a period, and which of their changes are more than chance. Pure.
import { type AnswerShare, type ShareChange, shareChange } from '../tracker/answers/answer-share.ts';
import type { AnswerRecord } from './records.ts';

/** Its prompts are tracked keywords, and its samples their checks. */
export const overviewEngine = 'ai-overview';

/** Shares of one target in a period: of one prompt, or of all prompts of an engine. */
export interface AnswerRow {
  readonly project: string;
  /** First local date of the period. */
  readonly period: string;
  readonly engine: string;
  /** Null: all prompts. Like country and language. */
  readonly prompt: string | null;
  readonly country: string | null;
  readonly language: string | null;
  /** Of AI overviews: of the keyword's search; null: of all, or of a prompt. */
  readonly device: string | null;
  readonly location: string | null;
  readonly target: string;
  readonly isOwn: boolean;
  /** Samples that were to be bought; of AI overviews: checked pages. */
  readonly asked: number;
  /** Checks that show an AI overview; null: of assistants, which always answer. */
  readonly shown: AnswerShare | null;
  /** Null: no answers. */
  readonly cited: AnswerShare | null;
  /** Null: no answers, or their text is not kept. */
  readonly mentioned: AnswerShare | null;
  /** Pages of the target, those that most answers cite first. */
  readonly pages: readonly string[];
  /** The period before; null: none, or of another source. */
  readonly before: Pick<AnswerRow, 'period' | 'shown' | 'cited' | 'mentioned'> | null;
  readonly warning: string | null;
}

export const citationChange = ({ before, cited }: Pick<AnswerRow, 'before' | 'cited'>): ShareChange | null =>
  before === null ? null : shareChange(before.cited, cited);

export const mentionChange = ({ before, mentioned }: Pick<AnswerRow, 'before' | 'mentioned'>): ShareChange | null =>
  before === null ? null : shareChange(before.mentioned, mentioned);

export const presenceChange = ({ before, shown }: Pick<AnswerRow, 'before' | 'shown'>): ShareChange | null =>
  before === null ? null : shareChange(before.shown, shown);

/** As percent with one decimal. */
export const percent = (share: number | undefined): number | null =>
  share === undefined ? null : Math.round(share * 1_000) / 10;

/** The record of a row: as in answers.csv. */
export function answerRecord(row: Omit<AnswerRow, 'project' | 'warning'>): AnswerRecord {
  const { period, engine, prompt, country, language, device, location, target, isOwn, asked } = row;
  const { cited, mentioned, before, pages } = row;
  return {
    period,
    engine,
    prompt,
    country,
    language,
    device,
    location,
    target,
    isOwn,
    asked,
    answers: cited?.of ?? 0,
    cited: cited?.count ?? null,
    citedShare: percent(cited?.share),
    citedLow: percent(cited?.low),
    citedHigh: percent(cited?.high),
    mentioned: mentioned?.count ?? null,
    mentionedShare: percent(mentioned?.share),
    mentionedLow: percent(mentioned?.low),
    mentionedHigh: percent(mentioned?.high),
    previousPeriod: before?.period ?? null,
    previousCitedShare: percent(before?.cited?.share),
    citationChange: citationChange(row),
    mentionChange: mentionChange(row),
    citedPages: pages,
    shown: row.shown?.count ?? null,
    shownShare: percent(row.shown?.share),
    shownLow: percent(row.shown?.low),
    shownHigh: percent(row.shown?.high),
    presenceChange: presenceChange(row),
  };
}
