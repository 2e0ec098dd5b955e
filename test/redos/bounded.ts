// Expressions that are not proven linear, and why they are safe: their texts are short, or are our own.

export interface Bounded {
  readonly file: string;
  readonly text: string;
  /** The longest text that it gets. */
  readonly charsMax: number;
  readonly reason: string;
}

const words = 'words of a vendor, cut to errorMessageCharsMax by judgeRefusal';

export const bounded: readonly Bounded[] = [
  ...[
    ['brightdata', String.raw`/zone\b.*\bnot found|zone_not_found/i`],
    ['oxylabs', String.raw`/trial|quota|monthly|limit of results|no .*\bleft\b|insufficient|exhausted/i`],
    ['serper', '/unauthori[sz]ed|invalid.*key/i'],
    ['valueserp', '/credits|exceeded.*plan|plan.*exceeded/i'],
    ['zenserp', '/not enough requests|quota|limit of requests|no.*requests left/i'],
  ].map(([file = '', text = '']) => ({ file: `src/service/sources/${file}.ts`, text, charsMax: 300, reason: words })),
  {
    file: 'config/resolve-reports.ts',
    text: String.raw`/\/+$/`,
    charsMax: 2000,
    reason: 'an address in the config, written by its owner',
  },
  {
    file: 'src/cli/text/numbers.ts',
    text: String.raw`/\B(?=(\d{3})+$)/g`,
    charsMax: 24,
    reason: 'a number as the program prints it',
  },
  {
    file: 'src/cli/text/numbers.ts',
    text: '/0+$/',
    charsMax: 24,
    reason: 'a number as the program prints it',
  },
  {
    file: 'src/import/cells/amounts.ts',
    text: String.raw`/^([<>\u2264\u2265])\s*(.+)$/`,
    charsMax: 100,
    reason: 'a cell, cut off at cellCharsMax by parseVolume and parseAmount',
  },
  {
    file: 'src/import/cells/amounts.ts',
    text: String.raw`/^(.+?)\s*\+$/`,
    charsMax: 100,
    reason: 'a cell, cut off at cellCharsMax by parseVolume and parseAmount',
  },
  {
    file: 'src/import/cells/amounts.ts',
    text: String.raw`/\s*[-\u2010-\u2015]\s*|\s+(?:to|bis|\u00e0|a|tot)\s+/i`,
    charsMax: 100,
    reason: 'a cell, cut off at cellCharsMax by parseVolume and parseAmount',
  },
  {
    file: 'src/import/cells/amounts.ts',
    text: String.raw`/^([\p{L}$\p{Sc}]*)\s*([\d.,'\u2019 \u00a0\u202f]*\d)\s*([\p{L}$\p{Sc}]*)$/u`,
    charsMax: 100,
    reason: 'a cell, cut off at cellCharsMax by parseVolume and parseAmount',
  },
  {
    file: 'src/report/html/text/words.ts',
    text: String.raw`/\B(?=(\d{3})+(?!\d))/g`,
    charsMax: 24,
    reason: 'a number as the page prints it; the checker takes it for linear, and it is not',
  },
  {
    file: 'src/service/engines/google/organic.ts',
    text: String.raw`/^((?:\p{L}[\p{L}\ufffd\s]{0,20}[:：]?\s*)?\d{1,2}(?:[.,]\d{1,2}(?:\s?\/\s?\d{1,3})?|\s?\/\s?\d{1,3}))\s*\((\d[\d.,\s]*[KM]?)\)$/u`,
    charsMax: 160,
    reason: 'a piece of a line, read up to shortMax',
  },
  {
    file: 'src/service/engines/google/organic.ts',
    text: String.raw`/^\(?\d[\d.,\s\u00a0]*[KM]?\)?(?:\s+\p{L}[\p{L}\s]*)?$|^\p{L}+\s*\(\d[\d.,]*\)$/u`,
    charsMax: 160,
    reason: 'a piece of a line, read up to shortMax',
  },
  {
    file: 'src/service/engines/google/organic.ts',
    text: String.raw`/\s*(?:[—–·\u2026\ufffd-]|\.\.\.)+$/`,
    charsMax: 64,
    reason: 'a lead, cut to 2 leadMax',
  },
  {
    file: 'src/service/engines/google/guards.ts',
    text: '/^(.+) [-–—] [^–—]*Google/u',
    charsMax: 1000,
    reason: 'a title, cut to titleMax',
  },
  {
    file: 'src/service/model/results/charset.ts',
    text: String.raw`/<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,20})/i`,
    charsMax: 4096,
    reason: 'the beginning of a page, cut to headBytes',
  },
  {
    file: 'src/service/sources/vendor-kit/planner.ts',
    text: String.raw`/\d+$/`,
    charsMax: 8,
    reason: 'an entry of a constant in the same file',
  },
];

/** Files that construct expressions with a repetition at run time, and why they are safe. */
export const constructed: readonly (readonly [file: string, reason: string])[] = [
  ['config/document/document.ts', 'constant parts; each repetition ends at a mark that it cannot hold'],
  ['jobs/queue/bullmq/redis.ts', 'one lazy repetition within a line, after a fixed name'],
  ['src/import/cells/dates.ts', 'anchored at both ends, with bounded repetitions'],
  ['src/import/cells/values.ts', 'constant parts of words, anchored at the start'],
  ['src/tracker/tracking.ts', 'anchored at the start, and each repetition ends the name of a parameter'],
  ['src/service/engines/relevance.ts', 'runs of one class, or of its complement: the two never meet on a character'],
];
