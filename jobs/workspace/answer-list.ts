// AI answers of a project for the read API, with the numbers of answers.csv.
import { type AnswerRow, citationChange, mentionChange, percent } from '../../src/report/tables/answers.ts';
import type { Project } from '../../src/tracker/project.ts';
import type { AnswerRecord } from '../../src/workspace/answer-records.ts';
import type { JobContext } from '../context.ts';
import { answerRows } from '../report/rows/answer-rows.ts';

export function answerList(
  context: Pick<JobContext, 'store'>,
  project: Project,
  { from = '', to = '9999' }: { readonly from?: string; readonly to?: string },
): AnswerRecord[] {
  return answerRows(context, project, { from, to }).map(toRecord);
}

function toRecord(row: AnswerRow): AnswerRecord {
  const { period, engine, prompt, country, language, target, isOwn, asked, cited, mentioned, before, pages } = row;
  return {
    period,
    engine,
    prompt,
    country,
    language,
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
  };
}
