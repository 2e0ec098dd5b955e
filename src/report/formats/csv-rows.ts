// Reads the CSV that csv.ts writes, row by row.
import Papa from 'papaparse';
import { unguardFormulas } from '../../tracker/formula-guard.ts';
import type { CsvOptions } from './csv.ts';

/** Rows of text cells, the header first, without byte order mark and formula guards. */
export function* csvRows(
  chunks: Iterable<string>,
  { delimiter, safe }: Pick<CsvOptions, 'delimiter' | 'safe'>,
): Generator<string[]> {
  // Papa.Parser directly: the public API needs the whole text or calls back. Here the caller pulls rows in bounded
  // memory.
  const parser = new Papa.Parser({ delimiter, newline: '\r\n' });
  let text = '';
  let isFirst = true;
  for (const chunk of chunks) {
    text += isFirst && chunk.startsWith('\uFEFF') ? chunk.slice(1) : chunk;
    isFirst = false;
    const { data, meta }: Papa.ParseResult<string[]> = parser.parse(text, 0, true);
    for (const row of data) yield safe ? row.map((cell) => unguardFormulas(cell, delimiter)) : row;
    text = text.slice(meta.cursor);
  }
}
