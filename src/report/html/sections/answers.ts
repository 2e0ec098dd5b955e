// The section of AI answers: shares of each target in the newest period; the script adds the rest.
import type { AnswerShare } from '../../../tracker/answers/answer-share.ts';
import { citationChange } from '../../rows/answer-row.ts';
import { type PageAnswerRow, unpackAnswers } from '../data/packed-answers.ts';
import { ofTable, type PageFacts } from '../data/page-facts.ts';
import { html, type Markup } from '../text/markup.ts';
import { longDate, maybe, number } from '../text/words.ts';
import { table } from './tables.ts';

export function answerSection(facts: PageFacts): Markup | null {
  const { answers } = facts.data;
  if (answers === undefined) return null;
  const wholes = unpackAnswers(answers.rows).filter(({ prompt }) => prompt === null);
  const newest = new Map<string, string>();
  for (const { engine, period } of wholes) newest.set(engine, period);
  const rows = wholes.filter(({ engine, period }) => newest.get(engine) === period);
  return html`<div id="answers-place"><p class="lead">${ofTable(facts, 'answers', html`Every period and prompt is in <a href="answers.csv">answers.csv</a>. `)}A change is named only where the 95 % intervals of two periods do not overlap.</p>${shareTable(rows)}</div>`;
}

function shareTable(rows: readonly PageAnswerRow[]): Markup {
  const columns = [
    { title: 'Engine' },
    { title: 'From' },
    { title: 'Target' },
    { title: 'Answers', isNumber: true },
    { title: 'Cited in', isNumber: true },
    { title: 'Named in', isNumber: true },
    { title: 'Change of citations' },
  ];
  return table(
    'Share of AI answers that cite or name each target',
    columns,
    rows.map((row) => [
      row.engine,
      longDate(row.period),
      html`<bdi>${row.target}</bdi>`,
      number(row.cited?.of ?? 0),
      shareText(row.cited),
      shareText(row.mentioned),
      citationChange(row) ?? maybe(null),
    ]),
  );
}

function shareText(share: AnswerShare | null): Markup | string {
  if (share === null) return maybe(null);
  const percent = (value: number): string => number(100 * value, 1);
  return `${percent(share.share)}% (${percent(share.low)}\u2013${percent(share.high)}%)`;
}
