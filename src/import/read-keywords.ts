// The door to lists of keywords: the bytes of a file -> what its rows say of keywords, one at a time. Where it is kept is left to others.
import { beginningOf, firstRows, rowsBelow } from './beginning.ts';
import { type Delimiter, delimiters, rowsOf } from './delimited.ts';
import { type Encoding, encodingOf, textOf } from './encoding.ts';
import { keywordPlanner } from './keyword-planner.ts';
import type {
  KeywordFormat,
  KeywordReading,
  KeywordReadOptions,
  KeywordRefused,
  KeywordTableFormat,
} from './keyword-reading.ts';
import { KeywordRows, surveyOf } from './keyword-rows.ts';
import { ahrefsKeywords, anyKeywords, missingKeywordColumns, semrushKeywords } from './keyword-tables.ts';
import { UnreadableHistory } from './reading.ts';
import { recognise } from './recognise.ts';

export interface KeywordFile {
  readonly format: KeywordFormat;
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  readonly namesCountries: boolean;
  readonly namesLanguages: boolean;
  /** Reads the file as it goes; memory does not grow with the file. */
  readonly readings: Iterable<KeywordReading | KeywordRefused>;
}

/** In the order in which they are tried: what only one tool writes comes first. */
const formats: readonly KeywordTableFormat[] = [keywordPlanner, semrushKeywords, ahrefsKeywords, anyKeywords];

/**
 * Recognises a file and reads it. `bytes` gives its pieces from the start, each time anew. `asked` is the format that the caller names; null leaves it
 * to the file. Throws UnreadableHistory where the file is not of the format, of none, or no text.
 */
export function readKeywords(
  bytes: () => Iterable<Uint8Array>,
  asked: KeywordFormat | null,
  options: KeywordReadOptions,
): KeywordFile {
  const encoding = encodingOf(bytes());
  const text = (): Iterable<string> => textOf(bytes(), encoding);
  const first = beginningOf(text());
  const found = recognise(first, candidates(asked, options), (format, header, below) =>
    format.layoutOf(header, options, below),
  );
  if (found === null) throw unrecognised(first, asked, options);
  const { format, layout, delimiter, line } = found;
  const rows = () => rowsBelow(rowsOf(text(), delimiter), line);
  return {
    format: format.name,
    encoding,
    delimiter,
    namesCountries: layout.columns.has('country'),
    namesLanguages: layout.columns.has('language'),
    readings: {
      *[Symbol.iterator]() {
        const reader = new KeywordRows(layout, surveyOf(layout, rows()), options);
        for (const row of rows()) yield* reader.read(row);
      },
    },
  };
}

/** Of the formats those that may be meant. */
function candidates(asked: KeywordFormat | null, { map }: KeywordReadOptions): readonly KeywordTableFormat[] {
  return formats.filter(({ name }) => (asked === null ? map.size === 0 || name === 'csv' : name === asked));
}

function unrecognised(first: string, asked: KeywordFormat | null, options: KeywordReadOptions): UnreadableHistory {
  const hint = 'Name its columns: --map keyword=COLUMN,volume=COLUMN,cpc=COLUMN.';
  if (first.trim() === '') return new UnreadableHistory('it is empty', 'Export it again.');
  if (/^ERROR \d+ ::/.test(first))
    return new UnreadableHistory(`it holds an error and no keywords: ${first.slice(0, 80).trim()}`, 'Export it again.');
  if (asked !== null && asked !== 'csv')
    return new UnreadableHistory(`it is no export of ${asked}`, 'Leave --format out, or name another.');
  const rows = delimiters.flatMap((delimiter) => firstRows(first, delimiter).map(({ cells }) => cells));
  return new UnreadableHistory(missingKeywordColumns(rows, options), hint);
}
