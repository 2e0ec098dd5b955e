// Reads answers to questions in Bright Data's format: a text, a list, a table, or a generated overview.

import type { AiOverviewText, PeopleAlsoAsk } from '../../model/results/serp.ts';
import type { Fields } from '../../net/fields.ts';
import { overviewTexts } from '../vendor-kit/pages/overview.ts';
import { objectAt, objectsAt, wordsAt } from '../vendor-kit/values.ts';

type Answer = Omit<NonNullable<PeopleAlsoAsk['answers']>[number], 'rank'>;

const types: ReadonlyMap<string, Answer['type']> = new Map([
  ['ordered_list', 'ordered_list'],
  ['unordered_list', 'unordered_list'],
  ['table', 'table'],
  ['video', 'video'],
]);

/** Most answers are loaded when a question is opened: without a text there is none. */
export function readAnswers(question: Fields): Answer[] {
  return objectsAt(question, 'answers').flatMap((answer) => {
    const text = readText(answer);
    return text === '' ? [] : [{ type: types.get(wordsAt(answer, 'type') ?? '') ?? 'answer', value: { text } }];
  });
}

function readText(answer: Fields): string {
  const written = overviewTexts(objectsAt(answer, 'texts')).flatMap(linesOfBlock);
  if (written.length > 0) return written.join('\n');
  const value = objectAt(answer, 'value');
  const text = wordsAt(value, 'text', 'title') ?? wordsAt(answer, 'value', 'text');
  if (text !== undefined) return text;
  const rows = [answer.raw('items'), answer.raw('value'), value?.raw('items')].find((each) => Array.isArray(each));
  return readLines(rows).join('\n');
}

function linesOfBlock(block: AiOverviewText): string[] {
  if (block.type !== 'list') return [block.snippet];
  return [...(block.title === undefined ? [] : [block.title]), ...block.list.flatMap(linesOfBlock)];
}

/** A line an item; an item that is a list itself is the row of a table. */
function readLines(items: unknown): string[] {
  if (!Array.isArray(items)) return [];
  return items
    .map((item) => (Array.isArray(item) ? item.map(readCell).join(' ') : readCell(item)))
    .filter((line) => line.trim() !== '');
}

function readCell(cell: unknown): string {
  if (typeof cell === 'string') return cell.trim();
  if (typeof cell !== 'object' || cell === null || Array.isArray(cell)) return '';
  const { text, value } = cell as { readonly text?: unknown; readonly value?: unknown };
  if (typeof text === 'string') return text.trim();
  return value === undefined ? '' : readCell(value);
}
