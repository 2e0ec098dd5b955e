// intents.csv: the search intent of each tracked search, by keyword data and by our own classifier, with reasons.

import type { Row } from '../../rows/row.ts';
import { classifyIntent, type IntentSignal, type IntentVerdict } from '../../tracker/intent/intent.ts';
import { type CsvColumn, type CsvOptions, columnNotes } from '../formats/csv.ts';
import { checkDay } from '../formats/day-columns.ts';
import { type BufferedLines, createTableWriter } from '../formats/table-writer.ts';
import { locationColumn, searchColumns } from '../rows/search-columns.ts';

interface IntentRow {
  readonly row: Row;
  /** Null: not enough evidence. */
  readonly verdict: IntentVerdict | null;
}

const intentColumns: readonly CsvColumn<IntentRow>[] = [
  ...searchColumns<IntentRow>(({ row }) => row),
  {
    name: 'intent',
    kind: 'text',
    description: 'Intent according to the provider of keyword data; empty if it gives none',
    value: ({ row }) => row.intent,
  },
  {
    name: 'inferred_intent',
    kind: 'text',
    description:
      'Intent inferred by rankledger: commercial, informational, navigational or transactional; empty if no rule matches',
    value: ({ verdict }) => verdict?.intent ?? null,
  },
  {
    name: 'confidence',
    kind: 'number',
    description: 'Confidence of the inferred intent, 0 to 1: weight of its evidence / (weight of all evidence + 1)',
    value: ({ verdict }) => verdict?.confidence ?? null,
  },
  {
    name: 'secondary_intent',
    kind: 'text',
    description: 'Other inferred intents with at least half of its weight',
    value: ({ verdict }) => verdict?.secondary ?? null,
  },
  {
    name: 'signals',
    kind: 'list',
    description: 'Evidence, highest weight first: rule, match, intent and weight',
    value: ({ verdict }) => verdict?.signals.map(signalText) ?? [],
  },
  { name: 'run_id', kind: 'number', description: 'Run of the check', value: ({ row }) => row.runId },
  checkDay(({ row }) => row.checkedAt),
  locationColumn(({ row }) => row),
];

/** Name, kind and meaning of each column, for the documentation. */
export const intentColumnNotes = () => columnNotes(intentColumns);

export interface IntentTable {
  readonly lines: BufferedLines;
  /** Rows of one search come once per target: the first one counts. */
  add(row: Row): void;
}

/** Searches keep the order of their rows; `firstTarget` decides which rows represent their search. */
export function startIntents(
  { firstTarget, brandTerms }: { readonly firstTarget: string | undefined; readonly brandTerms: readonly string[] },
  options: CsvOptions,
): IntentTable {
  const lines = createTableWriter(intentColumns, options);
  return {
    lines,
    add(row) {
      if (row.target !== firstTarget) return;
      const { keyword, language, serpFeatures: features } = row;
      lines.add({ row, verdict: classifyIntent({ keyword, language, features, brandTerms }) });
    },
  };
}

/** `words "buy": transactional 3` */
function signalText({ rule, evidence, intent, weight }: IntentSignal): string {
  return `${rule} "${evidence}": ${intent} ${weight}`;
}
