// Cells of a workbook as XML: numbers, booleans, dates, and texts, of which repeated ones are shared by all sheets.
import { dayMs } from '../../../tracker/schedule/time-units.ts';
import type { ColumnNote } from '../csv.ts';

/** Excel's limit of characters in a cell. */
const textMax = 32_767;
/** Shared texts per column. A column with more distinct texts, such as keywords, rarely repeats any. */
const sharedOfColumnMax = 256;
/** Longer texts rarely repeat, and would take memory. */
const sharedCharactersMax = 200;
/** Days from Excel's day 0 to 1970-01-01. */
const daysBefore1970 = 25_569;
/** Indexes in `cellXfs` of the workbook's styles. */
const styles = { text: 1, date: 2, header: 3, day: 4 } as const;

/** Texts that cells reference by number. */
export class SharedTexts {
  readonly #items: string[] = [];
  readonly #ids = new Map<string, number>();

  /**
   * Returns a function that formats a cell after its reference. It caches the last one, because neighbouring rows often
   * have equal cells.
   */
  cellWriter(kind: ColumnNote['kind']): (text: string) => string {
    const write = kind === 'text' || kind === 'list' ? this.#textWriter() : tailWriters[kind];
    let lastText = '';
    let lastTail = '';
    return (text) => {
      if (text !== lastText) {
        lastTail = write(text);
        lastText = text;
      }
      return lastTail;
    };
  }

  /** By number. */
  *items(): Generator<string> {
    for (const text of this.#items) yield `<si>${textElement(text)}</si>`;
  }

  #textWriter(): (text: string) => string {
    const known = new Map<string, string>();
    return (text) => {
      const tail = known.get(text);
      if (tail !== undefined) return tail;
      if (known.size === sharedOfColumnMax || text.length > sharedCharactersMax) return textTail(text, 'text');
      const shared = ` s="${styles.text}" t="s"><v>${this.#idOf(text)}</v></c>`;
      known.set(text, shared);
      return shared;
    };
  }

  #idOf(text: string): number {
    const id = this.#ids.get(text) ?? this.#items.length;
    if (id === this.#items.length) {
      this.#items.push(text);
      this.#ids.set(text, id);
    }
    return id;
  }
}

const tailWriters = {
  number: (text: string): string => `><v>${text}</v></c>`,
  boolean: (text: string): string => ` t="b"><v>${text === 'true' ? 1 : 0}</v></c>`,
  date: dateTail,
  day: dayTail,
} as const;

/**
 * Days with nine decimals, which resolve a tenth of a millisecond. Dates before Excel's calendar and invalid dates stay
 * text.
 */
function dateTail(text: string): string {
  const at = Date.parse(text);
  const day = Math.floor(at / dayMs);
  if (!(day + daysBefore1970 >= 1)) return textTail(text, 'text');
  // in integers: formatting a fraction takes three times as long
  const fraction = Math.round(((at - day * dayMs) * fractionUnits) / dayMs);
  return ` s="${styles.date}"><v>${day + daysBefore1970}.${`${fractionUnits + fraction}`.slice(1)}</v></c>`;
}

/** A local date, `2026-11-20`, without a time. */
function dayTail(text: string): string {
  const day = Date.parse(`${text}T00:00:00Z`) / dayMs + daysBefore1970;
  return day >= 1 ? ` s="${styles.day}"><v>${day}</v></c>` : textTail(text, 'text');
}

const fractionUnits = 1e9;

/** An inline text. */
export function textTail(text: string, style: 'text' | 'header'): string {
  return ` s="${styles[style]}" t="inlineStr"><is>${textElement(text)}</is></c>`;
}

/** XML keeps outer blanks, and white space other than single spaces, only with `xml:space`. */
function textElement(text: string): string {
  if (isPlain.test(text) && text.charCodeAt(0) !== blank && text.charCodeAt(text.length - 1) !== blank) {
    return `<t>${cutText(text)}</t>`;
  }
  return `<t xml:space="preserve">${xmlText(text)}</t>`;
}

const blank = 32;

/**
 * Escapes a text for XML and truncates it to Excel's limit. Characters that XML cannot contain are written as Excel
 * does: `_x0007_`.
 */
export function xmlText(text: string): string {
  if (isPlain.test(text)) return cutText(text);
  return cutText(text)
    .toWellFormed()
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replace(unwritable, (character) => `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replace(/[&<>]/g, (character) => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'));
}

function cutText(text: string): string {
  return text.length > textMax ? `${text.slice(0, textMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

const isPlain = /^[ !"#$%'()*+,\-./0-9:;=?@A-Z[\\\]^`a-z{|}~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const unwritable = /[\u0000-\u0008\u000B-\u001F\uFFFE\uFFFF]/g;
