// Recognises and reads keyword lists with metrics, one row at a time.

import { parseCountry } from '../../tracker/countries.ts';
import { normalText } from '../../tracker/searches.ts';
import {
  type Amount,
  isNothing,
  parseAmount,
  parseCurrency,
  parseDecimal,
  parseLevel,
  parseVolume,
  plainWord,
} from '../cells/amounts.ts';
import { cellAt, parsePlace } from '../cells/values.ts';
import { isKeyword, shortened } from '../history/table.ts';
import { type Delimiter, isRagged, openText, parseRows, type Row, recognise, rowsBelow } from '../text/table.ts';
import { type Encoding, UnreadableFile } from '../text/text-file.ts';
import {
  ahrefsKeywords,
  anyKeywords,
  type Intent,
  type KeywordFormat,
  type KeywordLayout,
  type KeywordReading,
  type KeywordReadOptions,
  type KeywordRejectReason,
  type KeywordRole,
  type KeywordTableFormat,
  keywordPlanner,
  missingKeywordColumns,
  type RejectedKeyword,
  searchConsoleQueries,
  semrushKeywords,
} from './keyword-tables.ts';

/** What only all rows of a file together show. */
interface ColumnScale {
  /** Its volumes are midpoints that stand for ranges: 50 for 10 to 100, 500 for 100 to 1,000. */
  readonly isMarked: boolean;
  /** How full competition is written; null: unknown. */
  readonly competitionMax: 1 | 100 | null;
}

/**
 * Reads all rows once. Google shows ranges to accounts that spend little; such files contain only the midpoints of
 * ranges.
 */
function detectScale(layout: KeywordLayout, rows: Iterable<Row>): ColumnScale {
  const seen = { isMarked: false, competitionMax: layout.competitionMax };
  const isScaleOpen = layout.competitionMax === null && layout.columns.has('competition');
  if (!layout.mayBeMarked && !isScaleOpen) return seen;
  let volumes = 0;
  let isExact = !layout.mayBeMarked;
  let highest = 0;
  let hasFraction = false;
  for (const { cells } of rows) {
    const volume = parseVolume(cellAt(cells, layout.columns.get('volume')));
    if (volume.kind === 'number') {
      volumes += 1;
      isExact ||= markedRange(volume.value) === null;
    }
    isExact ||= layout.months.some(({ column }) => {
      const searches = parseVolume(cellAt(cells, column));
      return searches.kind === 'number' && markedRange(searches.value) === null;
    });
    const share = parseDecimal(cellAt(cells, layout.columns.get('competition')));
    if (typeof share === 'number') {
      highest = Math.max(highest, share);
      hasFraction ||= !Number.isInteger(share);
    }
    if (isExact && !isScaleOpen) break;
  }
  const scale = highest > 1 ? 100 : hasFraction ? 1 : null;
  return { isMarked: volumes > 0 && !isExact, competitionMax: layout.competitionMax ?? scale };
}

/** The range of a midpoint: 0 is up to 10, 50 is 10 to 100, 500 is 100 to 1,000; null for any other number. */
function markedRange(mark: number): { readonly low: number; readonly high: number } | null {
  if (mark === 0) return { low: 0, high: 10 };
  return /^50+$/.test(String(mark)) ? { low: mark / 5, high: mark * 2 } : null;
}

const amountMax = 1_000_000;
/** The segment name of all searches, in seven languages. */
const wholes: ReadonlySet<string> = new Set(['all', 'alle', 'tous', 'toutes', 'todo', 'todos', 'todas', 'tutti']);
const intents: ReadonlyMap<string, Intent> = new Map([
  ['commercial', 'commercial'],
  ['informational', 'informational'],
  ['navigational', 'navigational'],
  ['transactional', 'transactional'],
  ['c', 'commercial'],
  ['i', 'informational'],
  ['n', 'navigational'],
  ['t', 'transactional'],
]);
const intentCodes: readonly Intent[] = ['commercial', 'informational', 'navigational', 'transactional'];
/** Words in intent cells that are not intents. */
const besideIntent = /^(non[- ]?)?(branded|local)$|^n\/?a$/;

/** The rows of one file. It remembers the file's foreign currency. */
class KeywordRows {
  readonly #layout: KeywordLayout;
  readonly #scale: ColumnScale;
  readonly #usdPerUnit: number | null;
  #currency: string | null | undefined;

  constructor(layout: KeywordLayout, scale: ColumnScale, { usdPerUnit }: KeywordReadOptions) {
    this.#layout = layout;
    this.#scale = scale;
    this.#usdPerUnit = usdPerUnit;
  }

  /** The metrics of a row, followed by its rejected cells. */
  read(row: Row): (KeywordReading | RejectedKeyword)[] {
    const { line, cells } = row;
    const keyword = normalText(this.#cell(cells, 'keyword'));
    const whole = this.#rejectReason(row, keyword);
    if (whole !== null) return [{ line, refused: whole, said: shortened(row.isBroken ? '"' : cells.join(' | ')) }];
    const refused: RejectedKeyword[] = [];
    const refuse = (reason: KeywordRejectReason, said: string): null => {
      refused.push({ line, refused: reason, said: shortened(`${keyword}: ${said}`) });
      return null;
    };
    const written = this.#cell(cells, 'country').replace(/^mobile-/, '');
    const reading: KeywordReading = {
      line,
      keyword,
      country: written === '' ? null : parseCountry(written),
      language: this.#cell(cells, 'language') || null,
      ...this.#volume(cells, refuse),
      cpcMicroUsd: this.#money(cells, 'cpc', refuse),
      bidLowMicroUsd: this.#money(cells, 'bid_low', refuse),
      bidHighMicroUsd: this.#money(cells, 'bid_high', refuse),
      ...this.#competition(cells, refuse),
      intent: this.#intent(cells, refuse),
      months: this.#months(cells),
    };
    return [reading, ...refused];
  }

  #cell(cells: readonly string[], role: KeywordRole): string {
    return cellAt(cells, this.#layout.columns.get(role));
  }

  #rejectReason({ cells, isBroken }: Row, keyword: string): KeywordRejectReason | null {
    const { width, segment } = this.#layout;
    if (isBroken || isRagged(cells, width)) return 'broken_row';
    if (!isKeyword(keyword)) return 'bad_keyword';
    const part = cellAt(cells, segment);
    if (!isNothing(part) && !wholes.has(plainWord(part))) return 'segment';
    const country = this.#cell(cells, 'country').replace(/^mobile-/, '');
    if (country === '' || parseCountry(country) !== null) return null;
    // metrics are those of a country: a place inside it has a part of its searches
    return parsePlace(country) === null ? 'unknown_market' : 'segment';
  }

  #volume(
    cells: readonly string[],
    refuse: (reason: KeywordRejectReason, said: string) => null,
  ): Pick<KeywordReading, 'searchVolume' | 'volumeRange'> {
    const written = this.#cell(cells, 'volume');
    const volume = parseVolume(written);
    if (volume.kind === 'unreadable') refuse('unreadable', written);
    if (volume.kind === 'range') return { searchVolume: null, volumeRange: { low: volume.low, high: volume.high } };
    if (volume.kind !== 'number') return { searchVolume: null, volumeRange: null };
    return this.#scale.isMarked
      ? { searchVolume: null, volumeRange: markedRange(volume.value) }
      : { searchVolume: volume.value, volumeRange: null };
  }

  /** A price of zero means unknown. */
  #money(
    cells: readonly string[],
    role: 'cpc' | 'bid_low' | 'bid_high',
    refuse: (reason: KeywordRejectReason, said: string) => null,
  ): number | null {
    const written = this.#cell(cells, role);
    const amount = parseAmount(written);
    if (amount.kind === 'nothing') return null;
    if (amount.kind === 'unclear') return refuse('unclear_number', written);
    if (amount.kind !== 'number' || amount.value > amountMax) return refuse('unreadable', written);
    if (amount.value === 0) return null;
    const usdPerUnit = this.#usdPer(cells, amount);
    if (usdPerUnit === null) return refuse('other_currency', `${written} ${this.#cell(cells, 'currency')}`.trim());
    return Math.round(amount.value * usdPerUnit * 1_000_000) || null;
  }

  /** Null if the rate is unknown, or for a second foreign currency: there is only one rate. */
  #usdPer(cells: readonly string[], amount: Amount & { readonly kind: 'number' }): number | null {
    const named = this.#cell(cells, 'currency');
    const currency = named === '' ? (amount.currency ?? this.#layout.currency) : parseCurrency(named);
    if (currency === 'USD') return 1;
    if (this.#usdPerUnit === null) return null;
    this.#currency = this.#currency === undefined ? currency : this.#currency;
    return this.#currency === currency ? this.#usdPerUnit : null;
  }

  #competition(
    cells: readonly string[],
    refuse: (reason: KeywordRejectReason, said: string) => null,
  ): Pick<KeywordReading, 'competition' | 'competitionLevel'> {
    const written = this.#cell(cells, 'competition');
    const named = this.#cell(cells, 'level');
    const level = parseLevel(named);
    if (level === null) refuse('unreadable', named);
    const competitionLevel = level === 'nothing' ? null : level;
    const word = parseLevel(written);
    if (word === 'nothing') return { competition: null, competitionLevel };
    if (word !== null) return { competition: null, competitionLevel: word };
    return { competition: this.#share(written, refuse), competitionLevel };
  }

  #share(written: string, refuse: (reason: KeywordRejectReason, said: string) => null): number | null {
    const share = parseDecimal(written);
    const max = this.#scale.competitionMax;
    // three digits after a zero and a separator, as in 0.123, are never a thousand
    if (typeof share !== 'number' || share > (max ?? 1)) return refuse('unreadable', written);
    if (max === null && share > 0) return refuse('unclear_number', written);
    return Math.round((share / (max ?? 1)) * 100);
  }

  /** The first intent that a row names; of yes/no columns, the only one with yes. */
  #intent(cells: readonly string[], refuse: (reason: KeywordRejectReason, said: string) => null): Intent | null {
    const { intents: columns, hasIntentCodes } = this.#layout;
    const yes = columns.filter(({ column }) => /^(true|yes|1)$/i.test(cellAt(cells, column)));
    if (columns.length > 0) return yes.length === 1 ? (yes[0]?.intent ?? null) : null;
    const written = this.#cell(cells, 'intent');
    const words = written
      .split(/[,;|/]/)
      .map((word) => word.trim().toLowerCase())
      .filter((word) => !isNothing(word));
    for (const word of words) {
      const coded = hasIntentCodes && /^[0-3]$/.test(word) ? intentCodes[Number(word)] : undefined;
      const intent = intents.get(word) ?? coded;
      if (intent !== undefined) return intent;
    }
    return words.every((word) => besideIntent.test(word)) ? null : refuse('unknown_intent', written);
  }

  #months(cells: readonly string[]): Map<string, number> {
    const found = new Map<string, number>();
    if (this.#scale.isMarked) return found;
    const { months, series } = this.#layout;
    const listed = series === null ? [] : cellAt(cells, series.column).match(/\d+/g);
    const pairs = [
      ...months.map(({ month, column }) => [month, cellAt(cells, column)] as const),
      ...(series !== null && listed?.length === series.months.length
        ? series.months.map((month, at) => [month, listed[at] ?? ''] as const)
        : []),
    ];
    for (const [month, cell] of pairs) {
      const volume = parseVolume(cell);
      if (volume.kind === 'number') found.set(month, volume.value);
    }
    return found;
  }
}

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
  const { encoding, text, first } = openText(bytes);
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
  return new UnreadableFile(missingKeywordColumns(first, options), hint);
}
