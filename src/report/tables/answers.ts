// answers.csv: how often AI answers cite and mention each target, with confidence intervals and changes.
import type { AnswerShare } from '../../tracker/answers/answer-share.ts';
import { type CsvColumn, type CsvOptions, columnNotes, csvChunks } from '../formats/csv.ts';
import { type AnswerRow, citationChange, mentionChange, percent, presenceChange } from '../rows/answer-row.ts';
import { projectColumn } from '../rows/search-columns.ts';

const shareColumns = (
  name: string,
  description: string,
  of: (row: AnswerRow) => AnswerShare | null,
): readonly CsvColumn<AnswerRow>[] => [
  { name, kind: 'number', description, value: (row) => of(row)?.count ?? null },
  {
    name: `${name}_share`,
    kind: 'number',
    description: 'Their share, in percent',
    value: (row) => percent(of(row)?.share),
  },
  {
    name: `${name}_low`,
    kind: 'number',
    description: 'Lower end of the 95 % interval of the share, in percent (Wilson)',
    value: (row) => percent(of(row)?.low),
  },
  { name: `${name}_high`, kind: 'number', description: 'Its upper end', value: (row) => percent(of(row)?.high) },
];

const answerColumns: readonly CsvColumn<AnswerRow>[] = [
  projectColumn((row) => row.project),
  { name: 'period', kind: 'day', description: 'First date of the day, week or month', value: (row) => row.period },
  {
    name: 'engine',
    kind: 'text',
    description: 'AI engine; ai-overview: AI overviews on the results pages of keywords',
    value: (row) => row.engine,
  },
  {
    name: 'prompt',
    kind: 'text',
    description: 'Prompt, of ai-overview keyword; empty: all of the engine',
    value: (row) => row.prompt,
  },
  { name: 'country', kind: 'text', description: 'Country of the prompt, ISO 3166-1', value: (row) => row.country },
  { name: 'language', kind: 'text', description: 'Language of the prompt', value: (row) => row.language },
  { name: 'target', kind: 'text', description: 'Own target or competitor', value: (row) => row.target },
  { name: 'own', kind: 'boolean', description: 'Whether the target is an own one', value: (row) => row.isOwn },
  {
    name: 'asked',
    kind: 'number',
    description: 'Samples that were to be bought; of ai-overview complete checks',
    value: (row) => row.asked,
  },
  {
    name: 'answers',
    kind: 'number',
    description: 'Answers that were given, of ai-overview those with links: what the shares are of',
    value: (row) => row.cited?.of ?? 0,
  },
  ...shareColumns('cited', 'Answers that cite the target', (row) => row.cited),
  ...shareColumns('mentioned', 'Answers that name the target; empty for ai-overview', (row) => row.mentioned),
  {
    name: 'previous_period',
    kind: 'day',
    description: 'The period that is compared with; empty: none of the same source',
    value: (row) => row.before?.period ?? '',
  },
  {
    name: 'previous_cited_share',
    kind: 'number',
    description: 'Share of citations then, in percent',
    value: (row) => percent(row.before?.cited?.share),
  },
  {
    name: 'citation_change',
    kind: 'text',
    description: 'new, lost, up or down where the intervals do not overlap; same: chance explains it',
    value: citationChange,
  },
  { name: 'mention_change', kind: 'text', description: 'The same of mentions', value: mentionChange },
  {
    name: 'cited_pages',
    kind: 'list',
    description: 'Pages of the target that are cited, those of most answers first; 10 at most',
    value: (row) => row.pages,
  },
  {
    name: 'warning',
    kind: 'text',
    description: 'Warnings about the whole run: it is suspect, the data is simulated',
    value: (row) => row.warning,
  },
  { name: 'device', kind: 'text', description: 'Of ai-overview: desktop or mobile', value: (row) => row.device },
  {
    name: 'location',
    kind: 'text',
    description: 'Of ai-overview: place inside the country; empty for the country as a whole',
    value: (row) => row.location,
  },
  ...shareColumns('shown', 'Of ai-overview: checks of asked that show an overview', (row) => row.shown),
  {
    name: 'presence_change',
    kind: 'text',
    description: 'Change of shown_share from the period before, like citation_change',
    value: presenceChange,
  },
];

/** Name, kind and meaning of each column, for the documentation. */
export const answerColumnNotes = () => columnNotes(answerColumns);

export function answersCsv(rows: Iterable<AnswerRow>, options?: CsvOptions): Generator<string> {
  return csvChunks(answerColumns, rows, options);
}
