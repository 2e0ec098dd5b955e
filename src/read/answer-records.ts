// The records of AI answers: as in answers.csv.
import { type AnswerRow, citationChange, mentionChange, percent, presenceChange } from './answer-row.ts';
import type { AnswerRecord } from './records.ts';

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
