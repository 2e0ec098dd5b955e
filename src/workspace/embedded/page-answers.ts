// AI answers that report.html holds: shares, and the texts of the newest period.
import { unpackAnswers } from '../../report/html/data/packed-answers.ts';
import type { PageData } from '../../report/html/data/page-data.ts';
import type { AnswerSample } from '../../tracker/answers/answer-sample.ts';
import { type AnswerRecord, answerRecord } from '../answer-records.ts';
import type { AnswerTextQuery, PeriodQuery } from '../contract.ts';

export function heldAnswers({ answers }: PageData, { from = '', to = '9999' }: PeriodQuery): AnswerRecord[] {
  const rows = answers === undefined ? [] : unpackAnswers(answers.rows);
  return rows.filter(({ period }) => period >= from && period <= to).map(answerRecord);
}

export function heldTexts({ answers }: PageData, query: Omit<AnswerTextQuery, 'project'>): AnswerSample[] {
  const { from = '', to = '9999', ...wanted } = query;
  const names = ['engine', 'prompt', 'country', 'language'] as const;
  return (answers?.samples ?? []).filter(
    (sample) =>
      sample.period >= from &&
      sample.period <= to &&
      names.every((name) => (wanted[name] ?? sample[name]) === sample[name]),
  );
}
