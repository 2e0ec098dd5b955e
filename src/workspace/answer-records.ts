// The shape of answers about AI answers: as in answers.csv.
import { type AnswerRow, citationChange, mentionChange, percent, presenceChange } from '../report/rows/answer-row.ts';

type AnsweredSearch = 'period' | 'engine' | 'prompt' | 'country' | 'language' | 'device' | 'location';

/** AI answers to one prompt, or to all prompts of an engine, and what they show of one target. Shares in percent. */
export interface AnswerRecord extends Pick<AnswerRow, AnsweredSearch | 'target' | 'isOwn' | 'asked'> {
  /** Of AI overviews: those with links. */
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
  /** new, lost, up or down: more than chance explains; else same; null: nothing to compare with. */
  readonly citationChange: string | null;
  readonly mentionChange: string | null;
  /** Those that most answers cite first. */
  readonly citedPages: readonly string[];
  /** Checks that show an AI overview, of `asked`; null: of assistants. */
  readonly shown: number | null;
  readonly shownShare: number | null;
  readonly shownLow: number | null;
  readonly shownHigh: number | null;
  readonly presenceChange: string | null;
}

export function answerRecord(row: Omit<AnswerRow, 'project' | 'warning'>): AnswerRecord {
  const { period, engine, prompt, country, language, device, location, target, isOwn, asked } = row;
  const { cited, mentioned, before, pages } = row;
  return {
    ...{ period, engine, prompt, country, language, device, location, target, isOwn, asked },
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
