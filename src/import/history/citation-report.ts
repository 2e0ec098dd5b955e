// Reports of citations in AI answers, as webmaster tools export them: by page, by grounding query, or by date.
import { plainWord } from '../cells/amounts.ts';
import { cellAt, groupingSign, parseWholeVolume, withoutGroups } from '../cells/values.ts';
import { firstText, parseRows, recognise, rowsBelow } from '../text/table.ts';

interface CitationTable {
  readonly kind: 'query' | 'page' | 'date';
  readonly lines: readonly { readonly name: string; readonly count: number }[];
  /** Numbers of lines that cannot be read. */
  readonly rejected: readonly number[];
}

const countNames = /^(total )?citations?$/;
const nameKinds: readonly (readonly [CitationTable['kind'], RegExp])[] = [
  // a table by date has a column of cited pages
  ['date', /^date$/],
  ['query', /^(grounding )?(query|queries)$/],
  ['page', /^(cited )?(pages?|urls?)$/],
];

/** Null: another table, or one in another language. */
export function readCitationTable(text: string): CitationTable | null {
  const found = recognise(firstText([text]), [null], (_, header) => citationLayout(header));
  if (found === null) return null;
  const { layout, delimiter, line: headerLine } = found;
  const rows = [...rowsBelow(parseRows([text], delimiter), headerLine)];
  const sign = groupingSign(
    rows.map(({ cells }) => cellAt(cells, layout.count)),
    null,
    // the words of the header are English, and citations are no fractions
    (sign) => sign === ',',
  );
  const lines: { name: string; count: number }[] = [];
  const rejected: number[] = [];
  for (const { cells, line, isBroken } of rows) {
    const written = cellAt(cells, layout.count);
    const count = parseCount(sign == null ? written : withoutGroups(written, sign));
    const name = cellAt(cells, layout.name);
    const isNamed = layout.kind === 'date' ? /^\d{4}-\d\d-\d\d$/.test(name) : name !== '';
    if (isBroken || count === null || !isNamed) rejected.push(line);
    else lines.push({ name, count });
  }
  return { kind: layout.kind, lines, rejected };
}

function citationLayout(header: readonly string[]) {
  const names = header.map((cell) => plainWord(cell));
  const count = names.findIndex((name) => countNames.test(name));
  if (count === -1) return null;
  for (const [kind, pattern] of nameKinds) {
    const name = names.findIndex((cell) => pattern.test(cell));
    if (name !== -1) return { width: header.length, count, name, kind };
  }
  return null;
}

function parseCount(cell: string): number | null {
  return /^\d+$/.test(cell) ? parseWholeVolume(cell) : null;
}
