// Small aligned tables for a terminal. Cells are escaped: text from the web cannot move the cursor.

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'right';
  /** Longer cells are truncated, with an ellipsis. */
  readonly widthMax?: number;
  readonly value: (row: Row) => string;
}

const gap = '  ';
const indent = '  ';

/** Lines of the table, title line first; none for no rows. */
export function tableLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => columns.map((column) => cut(printable(column.value(row)), column.widthMax)));
  const widths = columns.map((column, at) =>
    cells.reduce((widest, row) => Math.max(widest, width(row[at] ?? '')), width(column.title)),
  );
  const line = (texts: readonly string[]) =>
    `${indent}${texts.map((text, at) => padded(text, widths[at] ?? 0, columns[at]?.align)).join(gap)}`.trimEnd();
  return [line(columns.map((column) => column.title)), ...cells.map(line)];
}

/** Pairs as `name  value` lines. */
export function factLines(facts: readonly (readonly [name: string, value: string])[]): string[] {
  const widest = Math.max(0, ...facts.map(([name]) => width(name)));
  return facts.map(([name, value]) => `${indent}${padded(name, widest, undefined)}${gap}${printable(value)}`.trimEnd());
}

/** Removes control characters, which a terminal would execute, and direction overrides, which disguise text. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}

function padded(text: string, to: number, align: 'right' | undefined): string {
  const padding = ' '.repeat(Math.max(0, to - width(text)));
  return align === 'right' ? padding + text : text + padding;
}

function cut(text: string, widthMax = Number.POSITIVE_INFINITY): string {
  if (width(text) <= widthMax) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += width(character);
    if (used > widthMax) break;
    kept += character;
  }
  return `${kept}…`;
}

const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/gu;
/** Scripts that terminals show two columns wide (Unicode East Asian Width W and F, and pictographs). */
const doubleWidth =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]/gu;

/** Columns that a terminal needs for the text. */
function width(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: plain ASCII needs no look at its characters
  if (/^[\u0000-\u007F]*$/.test(text)) return text.length;
  const visible = text.replace(zeroWidth, '');
  return [...visible].length + (visible.match(doubleWidth)?.length ?? 0);
}

/** The text as one word: plain if possible, quoted if necessary. */
export function shellQuoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return /^[^"$`\\!\p{Cc}]+$/u.test(text) ? `"${text}"` : `'${text.replaceAll("'", `'\\''`)}'`;
}
