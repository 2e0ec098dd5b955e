// AI answers in report.html: their shares, and the texts of the newest period, as far as they have room.

import { packAnswers } from '../../../src/report/html/data/packed-answers.ts';
import type { PageAnswers } from '../../../src/report/html/data/page-data.ts';
import type { AnswerRow } from '../../../src/report/rows/answer-row.ts';
import type { Project } from '../../../src/tracker/project.ts';
import type { JobContext } from '../../context.ts';
import { answerTexts } from '../rows/answer-texts.ts';
import { pageAnswersMax } from '../tables/answer-tables.ts';

const textCharactersMax = 300_000;

/** `rows`: oldest period first. Those of all prompts together come before those of the newest periods. */
export function pageAnswers(
  context: Pick<JobContext, 'store'>,
  project: Project,
  rows: readonly AnswerRow[],
): PageAnswers {
  const [wholes, parts] = [true, false].map((isWhole) => rows.filter(({ prompt }) => (prompt === null) === isWhole));
  const kept = new Set([...(wholes ?? []), ...(parts ?? []).toReversed()].slice(0, pageAnswersMax));
  const newest = rows.findLast(({ shown }) => shown === null)?.period;
  let left = textCharactersMax;
  const samples = newest === undefined ? [] : answerTexts(context, project, { from: newest, to: newest });
  return {
    rows: packAnswers(rows.filter((row) => kept.has(row))),
    samples: samples.filter(({ text }) => {
      left -= text.length;
      return left >= 0;
    }),
  };
}
