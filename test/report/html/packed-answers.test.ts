// report.html reads the same rows of AI answers as answers.csv lists.
import { expect, it } from 'vitest';
import type { AnswerRow } from '../../../src/read/answer-row.ts';
import { packAnswers, unpackAnswers } from '../../../src/report/html/data/packed-answers.ts';
import { answerShare } from '../../../src/tracker/answers/answer-share.ts';

const whole: AnswerRow = {
  project: 'acme',
  period: '2026-01-05',
  engine: 'ai-overview',
  prompt: null,
  country: null,
  language: null,
  device: null,
  location: null,
  target: 'acme.example',
  isOwn: true,
  asked: 70,
  shown: answerShare(21, 70),
  cited: answerShare(4, 21),
  mentioned: null,
  pages: ['https://acme.example/'],
  before: { period: '2025-12-29', shown: answerShare(0, 70), cited: answerShare(0, 0), mentioned: null },
  warning: 'simulated data',
};
const rows: AnswerRow[] = [
  whole,
  { ...whole, target: 'globex.example', isOwn: false, cited: answerShare(0, 21), pages: [], before: null },
  { ...whole, prompt: 'shoes', country: 'US', language: 'en', device: 'mobile', location: 'Austin', asked: 7 },
  { ...whole, engine: 'chatgpt', shown: null, cited: answerShare(3, 10), mentioned: answerShare(9, 10) },
  { ...whole, period: '2026-01-12', target: 'globex.example', isOwn: true },
];

it('unpacks the rows as they were, without what the page says once', () => {
  const kept = rows.map(({ project: _, warning: __, ...row }) => row);
  expect(unpackAnswers(JSON.parse(JSON.stringify(packAnswers(rows))))).toEqual(kept);
});
