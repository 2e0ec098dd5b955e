// Recognises and reads a keyword list of another tool, one row at a time.

import { firstRows, firstText, rowsBelow } from '../text/beginning.ts';
import { type Delimiter, delimiters, parseRows } from '../text/delimited.ts';
import { decodeText, detectEncoding, type Encoding } from '../text/encoding.ts';
import { recognise } from '../text/recognise.ts';
import { UnreadableFile } from '../text/unreadable-file.ts';
import { keywordPlanner } from './keyword-planner.ts';
import type {
  KeywordFormat,
  KeywordReading,
  KeywordReadOptions,
  KeywordTableFormat,
  RejectedKeyword,
} from './keyword-reading.ts';
import { detectScale, KeywordRows } from './keyword-rows.ts';
import {
  ahrefsKeywords,
  anyKeywords,
  missingKeywordColumns,
  searchConsoleQueries,
  semrushKeywords,
} from './keyword-tables.ts';

export interface KeywordFile {
  readonly format: KeywordFormat;
  readonly encoding: Encoding;
  readonly delimiter: Delimiter;
  readonly namesCountries: boolean;
  readonly namesLanguages: boolean;
  /** Streams the file with bounded memory. */
  readonly readings: Iterable<KeywordReading | RejectedKeyword>;
}

/** In the order in which they are tried: specific formats first. */
const formats: readonly KeywordTableFormat[] = [
  keywordPlanner,
  searchConsoleQueries,
  semrushKeywords,
  ahrefsKeywords,
  anyKeywords,
];

/**
 * Recognises a file and reads it. Each call of `bytes` yields the chunks from the start. `asked`: the format that the
 * caller names; null: detect it. Throws UnreadableFile if the file has another format, an unknown one, or is not
 * text.
 */
export function readKeywords(
  bytes: () => Iterable<Uint8Array>,
  asked: KeywordFormat | null,
  options: KeywordReadOptions,
): KeywordFile {
  const encoding = detectEncoding(bytes());
  const text = (): Iterable<string> => decodeText(bytes(), encoding);
  const first = firstText(text());
  const found = recognise(first, candidates(asked, options), (format, header, { below }) =>
    format.layoutOf(header, options, below),
  );
  if (found === null) throw unrecognised(first, asked, options);
  const { format, layout, delimiter, line } = found;
  const rows = () => rowsBelow(parseRows(text(), delimiter), line);
  return {
    format: format.name,
    encoding,
    delimiter,
    namesCountries: layout.columns.has('country'),
    namesLanguages: layout.columns.has('language'),
    readings: {
      *[Symbol.iterator]() {
        const reader = new KeywordRows(layout, detectScale(layout, rows()), options);
        for (const row of rows()) yield* reader.read(row);
      },
    },
  };
}

/** The formats to try. */
function candidates(asked: KeywordFormat | null, { map }: KeywordReadOptions): readonly KeywordTableFormat[] {
  return formats.filter(({ name }) => (asked === null ? map.size === 0 || name === 'csv' : name === asked));
}

function unrecognised(first: string, asked: KeywordFormat | null, options: KeywordReadOptions): UnreadableFile {
  const hint = 'Name its columns: --map keyword=COLUMN,volume=COLUMN,cpc=COLUMN.';
  if (first.trim() === '') return new UnreadableFile('it is empty', 'Export it again.');
  if (/^ERROR \d+ ::/.test(first))
    return new UnreadableFile(
      `it contains an error message and no keywords: ${first.slice(0, 80).trim()}`,
      'Export it again.',
    );
  if (asked !== null && asked !== 'csv')
    return new UnreadableFile(`it is not an export of ${asked}`, 'Omit --format, or name another one.');
  const rows = delimiters.flatMap((delimiter) => firstRows(first, delimiter).map(({ cells }) => cells));
  return new UnreadableFile(missingKeywordColumns(rows, options), hint);
}
