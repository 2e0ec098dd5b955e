// Encodings, delimiters, quotes, dates and cells of all formats, and hostile files.
import { describe, expect, it } from 'vitest';
import { parseDate } from '../../src/import/cells/dates.ts';
import { parseRanking, parseWholeVolume, unclearSigns } from '../../src/import/cells/values.ts';
import { parseRows } from '../../src/import/text/table.ts';
import { UnreadableFile } from '../../src/import/text/text-file.ts';
import { parseCountry } from '../../src/tracker/countries.ts';
import { fixture, linesOf, readBytes } from './read.ts';

const text = 'Keyword,Date,Rank\nchaussures été,2026-01-05,4\nöl,2026-01-06,12\n';
const expected = ['2: chaussures été | 2026-01-05 | rank 4', '3: öl | 2026-01-06 | rank 12'];

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes).swap16();
}

describe('the encoding of a file', () => {
  const utf16 = Buffer.from(text, 'utf16le');
  it.each([
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', utf16],
    ['utf-16le', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])],
    ['utf-16be', swapped(utf16)],
    ['utf-16be', Buffer.concat([Buffer.from([0xfe, 0xff]), swapped(utf16)])],
    ['windows-1252', Buffer.from(text, 'latin1')],
  ])('%s is detected, with or without a byte order mark', (encoding, bytes) => {
    expect(readBytes(bytes).encoding).toBe(encoding);
    expect(linesOf(bytes)).toEqual(expected);
  });

  it.each([
    ['PK\u0003\u0004 and more', 'ZIP archive'],
    ['SQLite format 3\0 and more', 'SQLite database'],
    ['\u0000\u0001\u0000\u0000\u0003', 'zero bytes'],
    ['', 'empty'],
    ['{"keywords": [', 'begins like JSON'],
    ['{"a": 1}', 'unknown format'],
  ])('is not guessed for %j, which is refused by its name', (bytes, said) => {
    expect(() => linesOf(Buffer.from(bytes, 'latin1'))).toThrow(said);
  });
});

describe('rows', () => {
  it.each([',', ';', '\t', '|'])('are separated by %j, with any line ending', (delimiter) => {
    for (const newline of ['\n', '\r\n', '\r']) {
      const table = text.replaceAll(',', delimiter).replaceAll('\n', newline);
      expect(linesOf(table)).toEqual(expected);
    }
  });

  it('keep quoted delimiters, quotes and line breaks, and know their lines', () => {
    const rows = [...parseRows(['a,"b ""c"", d"\n\n"x\ny",z\n', 'last, "q" \n'], ',')];
    expect(rows.map(({ line, cells }) => [line, ...cells])).toEqual([
      [1, 'a', 'b "c", d'],
      [3, 'x\ny', 'z'],
      [5, 'last', 'q'],
    ]);
  });

  it('lose one line to a quote that is never closed, and not the file', () => {
    expect(linesOf('Keyword,Date,Rank\n"shoes,2026-01-05,4\nöl,2026-01-06,12\n')).toEqual([
      '2: broken_row (")',
      expected[1],
    ]);
  });

  it('are read in bounded time if every line opens a quote', () => {
    const rows = [...parseRows(['"a,b\n'.repeat(20_000)], ',')];
    expect(rows.length).toBeGreaterThan(0);
  });
});

describe('a date', () => {
  it.each([
    ['2026-01-05', '2026-01-05'],
    ['2026-1-5', '2026-01-05'],
    ['2026/01/05', '2026-01-05'],
    ['20260105', '2026-01-05'],
    ['05.01.2026', '2026-01-05'],
    ['2026-01-05 23:30:00', '2026-01-05'],
    ['2026-01-05T23:30:00Z', '2026-01-06'],
    ['2026-01-05T23:30:00.000-02:00', '2026-01-06'],
    ['Jan 5, 2026', '2026-01-05'],
    ['January 5 2026', '2026-01-05'],
    ['5 Jan 2026', '2026-01-05'],
    ['5-Jan-2026', '2026-01-05'],
  ])('%s is %s in Berlin', (written, date) => {
    expect(parseDate(written, 'Europe/Berlin', undefined)).toEqual({ date });
  });

  it.each([
    '2026-02-30',
    '2026-13-01',
    '30.02.2026',
    'soon',
    '',
    '1/2',
    '5.1.26',
    '0000-01-01',
    '2026-01-05x',
    'x'.repeat(1e5),
  ])('is not %j', (written) => {
    expect(parseDate(written, 'Europe/Berlin', undefined)).toEqual({ refused: 'unreadable_date' });
  });

  it('with slashes is refused until its order is given, even if its numbers are unambiguous', () => {
    for (const written of ['03/04/2026', '13/04/2026', '3-4-2026']) {
      expect(parseDate(written, 'UTC', undefined)).toEqual({ refused: 'ambiguous_date' });
    }
    expect(parseDate('13/04/2026', 'UTC', 'dmy')).toEqual({ date: '2026-04-13' });
    expect(parseDate('13/04/2026', 'UTC', 'mdy')).toEqual({ refused: 'unreadable_date' });
  });
});

describe('a cell', () => {
  const signs = { notFound: [], unclear: unclearSigns };
  const said = (cell: string, top = 100): string => {
    const place = parseRanking(cell, signs, [], top);
    if (place.kind === 'ranked') return String(place.rank);
    if (place.kind === 'notFound') return `not in ${place.top}`;
    return place.kind === 'refused' ? place.reason : place.kind;
  };

  it.each([
    ['7', '7'],
    ['7.0', '7'],
    ['7,00', '7'],
    ['7.5', 'average'],
    ['7,41', 'average'],
    ['100', '100'],
    ['101', 'beyond_top'],
    ['1,234', 'average'],
    ['0', 'unclear'],
    ['0.0', 'unclear'],
    ['-', 'unclear'],
    ['-1', 'unclear'],
    ['', 'nothing'],
    ['N/A', 'nothing'],
    ['>100', 'not in 100'],
    ['100+', 'not in 100'],
    ['Not in Top 30', 'not in 30'],
    ['Lost', 'not in null'],
    ['not ranking', 'not in null'],
    ['1(2)', 'unreadable_rank'],
    ['first', 'unreadable_rank'],
    ['-3', 'unreadable_rank'],
  ])('with %j means %s', (cell, meaning) => {
    expect(said(cell)).toBe(meaning);
  });

  it('with a thousands separator is not a rank, even if a thousand results were checked', () => {
    expect(said('1,000', 1000)).toBe('unreadable_rank');
  });

  it('contains a volume in any grouping, or none', () => {
    expect(['1300', '1,300', '1.300', '1 300', '1\u00a0300', '10 - 100', '1.5K', ''].map(parseWholeVolume)).toEqual([
      1300,
      1300,
      1300,
      1300,
      1300,
      null,
      null,
      null,
    ]);
  });

  it.each([
    ['us', 'US'],
    ['UK', 'GB'],
    ['United States', 'US'],
    ['United Kingdom', 'GB'],
    ['Germany', 'DE'],
    ['Russia', 'RU'],
    ['Yemen', 'YE'],
    ['Czech Republic', 'CZ'],
    ['Turkey', 'TR'],
    ['Hong Kong', 'HK'],
    ['Bosnia and Herzegovina', 'BA'],
    ['Saint Kitts and Nevis', 'KN'],
    ['Myanmar [Burma]', 'MM'],
    ['Réunion', 'RE'],
    ['Global', null],
    ['', null],
  ])('%j is the country %s', (written, code) => {
    expect(parseCountry(written)).toBe(code);
  });
});

describe('a hostile file', () => {
  /** Pseudo-random numbers, the same in every run. */
  function* numbers(seed: number): Generator<number> {
    for (let state = seed >>> 0; ; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      yield state / 2 ** 32;
    }
  }
  const parts = [
    '"',
    '""',
    ',',
    ';',
    '\t',
    '|',
    '\n',
    '\r',
    '\r\n',
    '\0',
    '\ufeff',
    '\ud800',
    '=1+1',
    '2026-01-05',
    '*.a.example/*_20260105',
    'Keyword',
    'Rank',
    'Date',
    '0',
    '-',
    '99999999999999999999',
    '{',
    '[',
    '\u202e',
    'é',
    ' ',
  ];
  const bases = [
    'semrush.csv',
    'serpbear.csv',
    'serpbear.json',
    'serposcope.csv',
    'search-console.csv',
    'ranks.csv',
  ].map(fixture);

  it('is read or refused after any damage, and gives no rank below 1 or beyond the maximum', () => {
    const random = numbers(20_260_105);
    const next = (below: number): number => Math.floor((random.next().value ?? 0) * below);
    let read = 0;
    for (let round = 0; round < 1_500; round += 1) {
      const base = bases[next(bases.length)] ?? Buffer.alloc(0);
      const encoding = (['utf8', 'latin1', 'utf16le'] as const)[next(3)] ?? 'utf8';
      let broken = base.toString('utf8');
      for (let edit = next(6) + 1; edit > 0; edit -= 1) {
        const at = next(broken.length);
        broken = `${broken.slice(0, at)}${parts[next(parts.length)]}${broken.slice(at + next(30))}`;
      }
      try {
        const readings = [...readBytes(Buffer.from(broken, encoding), { date: '2026-01-05' }).readings];
        read += readings.length;
        for (const reading of readings) {
          expect(reading.line).toBeGreaterThan(0);
          if ('refused' in reading) continue;
          expect(reading.date).toMatch(/^\d{4}-\d\d-\d\d$/);
          expect(reading.keyword).not.toBe('');
          if (reading.ranking.kind === 'ranked')
            expect(reading.ranking.rank >= 1 && reading.ranking.rank <= 100).toBe(true);
        }
      } catch (error) {
        if (!(error instanceof UnreadableFile)) throw error;
      }
    }
    expect(read).toBeGreaterThan(1_000);
  });
});
