// AI answers of a project for the read API, with the numbers of answers.csv.
import type { Project } from '../../src/tracker/project.ts';
import { type AnswerRecord, answerRecord } from '../../src/workspace/answer-records.ts';
import type { JobContext } from '../context.ts';
import { answerRows } from '../report/rows/answer-rows.ts';

export function answerList(
  context: Pick<JobContext, 'store'>,
  project: Project,
  { from = '', to = '9999' }: { readonly from?: string; readonly to?: string },
): AnswerRecord[] {
  return Array.from(answerRows(context, project, { from, to }), answerRecord);
}
