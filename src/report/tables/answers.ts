// answers.csv: how often AI answers cite and mention each target, with confidence intervals and changes.

import { type AnswerRow, citationChange, mentionChange, percent, presenceChange } from '../../read/answer-row.ts';
import type { AnswerShare } from '../../tracker/answers/answer-share.ts';
import { columnsOf, fieldColumns } from '../formats/columns.ts';
import type { CsvColumn } from '../formats/csv.ts';

const { text, number, boolean, day, list } = columnsOf<AnswerRow>();

const shareColumns = (
  name: string,
  description: string,
  of: (row: AnswerRow) => AnswerShare | null,
): readonly CsvColumn<AnswerRow>[] => [
  number(name, description, (row) => of(row)?.count ?? null),
  number(`${name}_share`, 'Their share, in percent', (row) => percent(of(row)?.share)),
  number(`${name}_low`, 'Lower end of the 95 % interval of the share, in percent (Wilson)', (row) =>
    percent(of(row)?.low),
  ),
  number(`${name}_high`, 'Its upper end', (row) => percent(of(row)?.high)),
];

export const answerColumns: readonly CsvColumn<AnswerRow>[] = [
  ...fieldColumns((row: AnswerRow) => row, 'project'),
  day('period', 'First date of the day, week or month', (row) => row.period),
  text('engine', 'AI engine; ai-overview: AI overviews on the results pages of keywords', (row) => row.engine),
  text('prompt', 'Prompt, of ai-overview keyword; empty: all of the engine', (row) => row.prompt),
  text('country', 'Country of the prompt, ISO 3166-1', (row) => row.country),
  text('language', 'Language of the prompt', (row) => row.language),
  text('target', 'Own target or competitor', (row) => row.target),
  boolean('own', 'Whether the target is an own one', (row) => row.isOwn),
  number('asked', 'Samples that were to be bought; of ai-overview complete checks', (row) => row.asked),
  number(
    'answers',
    'Answers that were given, of ai-overview those with links: what the shares are of',
    (row) => row.cited?.of ?? 0,
  ),
  ...shareColumns('cited', 'Answers that cite the target', (row) => row.cited),
  ...shareColumns('mentioned', 'Answers that name the target; empty for ai-overview', (row) => row.mentioned),
  day(
    'previous_period',
    'The period that is compared with; empty: none of the same source',
    (row) => row.before?.period ?? '',
  ),
  number('previous_cited_share', 'Share of citations then, in percent', (row) => percent(row.before?.cited?.share)),
  text(
    'citation_change',
    'new, lost, up or down: more than chance explains, at 5 % by exact test; same: chance explains it',
    citationChange,
  ),
  text('mention_change', 'The same of mentions', mentionChange),
  list(
    'cited_pages',
    'Pages of the target that are cited, those of most answers first; 10 at most',
    (row) => row.pages,
  ),
  text('warning', 'Warnings about the whole run: it is suspect, the data is simulated', (row) => row.warning),
  text('device', 'Of ai-overview: desktop or mobile', (row) => row.device),
  text('location', 'Of ai-overview: place inside the country; empty for the country as a whole', (row) => row.location),
  ...shareColumns('shown', 'Of ai-overview: checks of asked that show an overview', (row) => row.shown),
  text('presence_change', 'Change of shown_share from the period before, like citation_change', presenceChange),
];
