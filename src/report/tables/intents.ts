// intents.csv: the search intent of each tracked search, by keyword data and by our own classifier, with reasons.

import type { Row } from '../../read/row.ts';
import { classifyIntent, type IntentSignal, type IntentVerdict } from '../../tracker/intent/intent.ts';
import { columnsOf, fieldColumns, searchFields } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

interface IntentRow {
  readonly row: Row;
  /** Null: not enough evidence. */
  readonly verdict: IntentVerdict | null;
}

const { text, number, list } = columnsOf<IntentRow>();
const rowOf = ({ row }: IntentRow): Row => row;

export const intentColumns: readonly CsvColumn<IntentRow>[] = [
  ...fieldColumns(rowOf, ...searchFields),
  text('intent', 'Intent according to the provider of keyword data; empty if it gives none', ({ row }) => row.intent),
  text(
    'inferred_intent',
    'Intent inferred by rankledger: commercial, informational, navigational or transactional; empty if no rule matches',
    ({ verdict }) => verdict?.intent ?? null,
  ),
  number(
    'confidence',
    'Confidence of the inferred intent, 0 to 1: weight of its evidence / (weight of all evidence + 1)',
    ({ verdict }) => verdict?.confidence ?? null,
  ),
  text(
    'secondary_intent',
    'Other inferred intents with at least half of its weight',
    ({ verdict }) => verdict?.secondary ?? null,
  ),
  list(
    'signals',
    'Evidence, highest weight first: rule, match, intent and weight',
    ({ verdict }) => verdict?.signals.map(signalText) ?? [],
  ),
  ...fieldColumns(rowOf, 'runId', 'date', 'location'),
];

export function intentRow(row: Row, brandTerms: readonly string[]): IntentRow {
  const { keyword, language, serpFeatures: features } = row;
  return { row, verdict: classifyIntent({ keyword, language, features, brandTerms }) };
}

/** `words "buy": transactional 3` */
function signalText({ rule, evidence, intent, weight }: IntentSignal): string {
  return `${rule} "${evidence}": ${intent} ${weight}`;
}
