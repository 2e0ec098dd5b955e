// Keyword lists of every tool, in every encoding and language: the values read and the rows left out.
import { describe, expect, it } from 'vitest';
import type { KeywordReading, KeywordReadOptions, keywordFormats } from '../../src/import/keywords/keyword-tables.ts';
import { readKeywords } from '../../src/import/keywords/read-keywords.ts';
import { UnreadableFile } from '../../src/import/text/text-file.ts';
import { english, type Language, languages, plannerFile, utf16 } from './planner-files.ts';

type Asked = Partial<KeywordReadOptions> & { readonly format?: (typeof keywordFormats)[number] };

function read(file: string | Uint8Array, { format, ...options }: Asked = {}) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  // in chunks that split characters and rows
  const pieces = [
    bytes.subarray(0, 64),
    ...Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(64 + at * 7, 71 + at * 7)),
  ];
  const found = readKeywords(() => pieces, format ?? null, { map: new Map(), usdPerUnit: null, ...options });
  return {
    ...found,
    lines: [...found.readings].map((one) =>
      'refused' in one ? `${one.line}: ${one.refused} (${one.said})` : lineOf(one),
    ),
  };
}

/** A reading, without its absent values. */
function lineOf({ line, keyword, months, volumeRange, ...facts }: KeywordReading): string {
  const parts = [
    ...(volumeRange === null ? [] : [`range ${volumeRange.low}-${volumeRange.high ?? ''}`]),
    ...Object.entries(facts).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`])),
    ...[...months].map(([month, volume]) => `${month}=${volume}`),
  ];
  return `${line}: ${[keyword, ...parts].join(' | ')}`;
}

describe('Keyword Planner', () => {
  it.each(languages)('is read in $name as exported: UTF-16, tabs, a preamble', (language) => {
    const known = language.levels[2] !== '';
    const level = (name: string) => (known ? ` | competitionLevel ${name}` : '');
    const { format, encoding, delimiter, lines } = read(
      utf16(plannerFile(known ? language : { ...language, levels: ['', '', ''] })),
    );
    expect({ format, encoding, delimiter }).toEqual({
      format: 'keyword-planner',
      encoding: 'utf-16le',
      delimiter: '\t',
    });
    expect(lines).toEqual([
      `4: running shoes | searchVolume 12100 | bidLowMicroUsd 450000 | bidHighMicroUsd 1900000 | competition 87${level('high')} | 2026-02=9900 | 2026-03=12100`,
      `5: shoes "wide", red | searchVolume 90 | competition 50${level('medium')} | 2026-02=70`,
      `6: rare shoe${level('low')} | 2026-03=0`,
    ]);
  });

  it.each([
    [',', english],
    [';', languages[1] as Language],
    [';', languages[2] as Language],
  ] as const)('is read after another program saved it in UTF-8 with %s', (delimiter, language) => {
    expect(read(plannerFile(language, delimiter)).lines).toEqual(read(utf16(plannerFile(language))).lines);
    expect(read(`\ufeff${plannerFile(language, delimiter)}`)).toMatchObject({ format: 'keyword-planner', delimiter });
  });

  const ranges = (...volumes: string[]) =>
    `Keyword\tCurrency\tAvg. monthly searches\tCompetition\tTop of page bid (low range)\tSearches: Mar 2026\n${volumes.map((volume, at) => `k${at}\tUSD\t${volume}\tLow\t\t`).join('\n')}\n`;

  it('has ranges that stay ranges, in every notation, and none becomes a number', () => {
    const said = [
      '1K \u2013 10K',
      '10-100',
      '100 - 1K',
      '1 Tsd. \u2013 10 Tsd.',
      '1 mil \u2013 10 mil',
      '100 mil \u2013 1 mi',
      '1.000 bis 10.000',
      '1M+',
      '< 10',
      '1 k \u00e0 10 k',
      '10K \u2013 1L',
      '1,00,000 - 1Cr',
    ];
    expect(read(ranges(...said)).lines.map((line) => line.split(' | ')[1])).toEqual([
      'range 1000-10000',
      'range 10-100',
      'range 100-1000',
      'range 1000-10000',
      'range 1000-10000',
      'range 100000-1000000',
      'range 1000-10000',
      'range 1000000-',
      'range 0-10',
      'range 1000-10000',
      'range 10000-100000',
      'range 100000-10000000',
    ]);
    expect(
      read(ranges('10K \u2013 1K', '1.2K', '1 - 2 - 3', '-5', '12.5')).lines.filter((line) =>
        line.includes('unreadable'),
      ),
    ).toHaveLength(5);
  });

  it('has numbers with the separators of every country', () => {
    const said = ['12.100', '12 100', '12\u202f100', "12'100", '12\u2019100', '1,00,000', '10,00,000', '1,00'];
    expect(read(ranges(...said)).lines.map((line) => line.split(' | ')[1])).toEqual([
      'searchVolume 12100',
      'searchVolume 12100',
      'searchVolume 12100',
      'searchVolume 12100',
      'searchVolume 12100',
      'searchVolume 100000',
      'searchVolume 1000000',
      'searchVolume 1',
    ]);
  });

  it('has ranges written as their limits, without an invented number of searches', () => {
    expect(read(ranges('50', '500', '5000', '0', '')).lines).toEqual([
      '2: k0 | range 10-100 | competitionLevel low',
      '3: k1 | range 100-1000 | competitionLevel low',
      '4: k2 | range 1000-10000 | competitionLevel low',
      '5: k3 | range 0-10 | competitionLevel low',
      '6: k4 | competitionLevel low',
    ]);
    expect(read(ranges('50', '70')).lines[0]).toContain('searchVolume 50');
    expect(read(ranges('50').replace('Low\t\t', 'Low\t\t40')).lines[0]).toContain(
      'searchVolume 50 | competitionLevel low | 2026-03=40',
    );
  });

  it('has amounts in the currency of the account: other currencies are not taken for dollars', () => {
    const file = plannerFile(english, ',', 'EUR');
    expect(read(file).lines.slice(0, 3)).toEqual([
      expect.not.stringContaining('bid'),
      '4: other_currency (running shoes: 0.45 EUR)',
      '4: other_currency (running shoes: 1.90 EUR)',
    ]);
    expect(read(file, { usdPerUnit: 1.1 }).lines[0]).toContain('bidLowMicroUsd 495000 | bidHighMicroUsd 2090000');
    const mixed = `${file}\r\nother,CHF,10,,,,,1.00,,,,,,,,`;
    expect(read(mixed, { usdPerUnit: 1.1 }).lines.at(-1)).toBe('7: other_currency (other: 1.00 CHF)');
  });

  it('has rows about a part of the searches, which are left out', () => {
    const file =
      'Keyword,Currency,Segmentation,Avg. monthly searches,Competition\nshoes,USD,All,100,Low\nshoes,USD,Device: Mobile,60,Low\n';
    expect(read(file).lines).toEqual([
      '2: shoes | searchVolume 100 | competitionLevel low',
      expect.stringContaining('3: segment ('),
    ]);
  });
});

describe('Semrush', () => {
  it('is read as its tools export it', () => {
    const file = `Keyword,Intent,Volume,Trend,Keyword Difficulty,CPC (USD),Competitive Density,SERP Features,Number of Results
running shoes,"Commercial, Informational",60500,"0.82,1.00",85,1.32,1,"Image pack",120000
nike login,Navigational,n/a,"",,0.00,0.07,,
`;
    const { format, lines } = read(file);
    expect(format).toBe('semrush');
    expect(lines).toEqual([
      '2: running shoes | searchVolume 60500 | cpcMicroUsd 1320000 | competition 100 | intent commercial',
      '3: nike login | competition 7 | intent navigational',
    ]);
    expect(read(file.replace('(USD)', '(EUR)')).lines[1]).toBe('2: other_currency (running shoes: 1.32)');
  });

  it('is read as its API sends it: semicolons, short names, codes, the market in each row', () => {
    const { format, lines, namesCountries } = read(
      'Database;Keyword;Search Volume;CPC;Competition;Keyword Difficulty Index;Intent\nus;shoes;8100;1.20;0.5;68;1,0\nuk;boots;10;;;;3\nmobile-de;x;1;;;;\natlantis;y;1;;;;\n',
    );
    expect({ format, namesCountries }).toEqual({ format: 'semrush', namesCountries: true });
    expect(lines).toEqual([
      '2: shoes | country US | searchVolume 8100 | cpcMicroUsd 1200000 | competition 50 | intent informational',
      '3: boots | country GB | searchVolume 10 | intent transactional',
      '4: x | country DE | searchVolume 1',
      '5: unknown_market (atlantis | y | 1 |  |  |  | )',
    ]);
    expect(read('Ph;Nq;Cp;Co;In\nshoes;100;0.5;0.25;2\n').lines).toEqual([
      '2: shoes | searchVolume 100 | cpcMicroUsd 500000 | competition 25 | intent navigational',
    ]);
    expect(() => read('ERROR 50 :: NOTHING FOUND')).toThrow(
      'it contains an error message and no keywords: ERROR 50 :: NOTHING FOUND',
    );
  });
});

describe('Ahrefs', () => {
  const rows = [
    [
      '#',
      'Keyword',
      'Country',
      'Difficulty',
      'Volume',
      'CPC',
      'CPS',
      'Parent Keyword',
      'Global volume',
      'Intents',
      'SV trend (01-2026 - 03-2026)',
      'SV Forecasting trend (04-2026 - 06-2026)',
    ],
    [
      '1',
      'running shoes',
      'us',
      '70',
      '64000',
      '1.20',
      '1.1',
      'shoes',
      '190000',
      'Informational,Commercial,Non-branded,Non-local',
      '60000,62000,64000',
      '1,2,3',
    ],
    ['2', 'shoes near me', 'gb', '', '', '', '', '', '900', 'Branded,Local', '10,20', ''],
  ];
  const cell = (text: string) => (text.includes(',') ? `"${text}"` : text);
  it.each([
    ['UTF-16 with tabs', utf16(rows.map((row) => row.join('\t')).join('\n'))],
    ['UTF-8 with commas', Buffer.from(rows.map((row) => row.map(cell).join(',')).join('\n'))],
  ])('is read in %s; a global volume is not a volume of a country, and a forecast is not a month', (_, file) => {
    const { format, lines } = read(file);
    expect(format).toBe('ahrefs');
    expect(lines).toEqual([
      '2: running shoes | country US | searchVolume 64000 | cpcMicroUsd 1200000 | intent informational | 2026-01=60000 | 2026-02=62000 | 2026-03=64000',
      '3: shoes near me | country GB',
    ]);
  });

  it('has intents as columns in its other export: one intent is kept, and several give none', () => {
    const file =
      'Keyword,Volume,KD,CPC,Current organic traffic,Informational,Commercial,Transactional,Navigational\na,10,1,,5,true,false,false,false\nb,10,1,,5,true,true,false,false\n';
    expect(read(file).lines).toEqual(['2: a | searchVolume 10 | intent informational', '3: b | searchVolume 10']);
  });
});

describe('any other table', () => {
  it('is read by the names of its columns', () => {
    const { format, lines } = read(
      'Query|Searches|Cost per click|Currency|Competition|Country|Language|2026-01\nshoes|1 300|0.50|USD|High|Germany|de|1200\nboots|1300.0|0.50|EUR||DE|de-AT|\n',
    );
    expect(format).toBe('csv');
    expect(lines).toEqual([
      '2: shoes | country DE | language de | searchVolume 1300 | cpcMicroUsd 500000 | competitionLevel high | 2026-01=1200',
      '3: boots | country DE | language de-AT | searchVolume 1300',
      '3: other_currency (boots: 0.50 EUR)',
    ]);
  });

  it.each([
    ['Suchbegriff;Suchvolumen\nkäse;1.000\nmüsli, nüsse;12.500\n'],
    ['Keyword;Volumen\nkäse;1.000\nmüsli, nüsse;12.500\n'],
    ['Mot-clé;Volume de recherche\nkäse;1 000\nmüsli, nüsse;12 500\n'],
    ['Palabra clave\tVolumen de búsqueda\nkäse\t1.000\nmüsli, nüsse\t12.500\n'],
  ])('is read by column names of other languages: %j', (text) => {
    expect(read(text).lines).toEqual(['2: käse | searchVolume 1000', '3: müsli, nüsse | searchVolume 12500']);
  });

  it('that is not understood is reported with its header, not with a wider row', () => {
    expect(() => read('Keyword;Hits\na, b, c, d;12\n')).toThrow(
      'no column was recognised as the metrics of keywords; it has: Keyword, Hits',
    );
  });

  it('of any program is read by its mapped columns', () => {
    const map = new Map([
      ['keyword', 'Term'],
      ['volume', 'Global volume'],
    ] as const);
    expect(read('Term;Volume;Global volume\nshoes;1;2\n', { map }).lines).toEqual(['2: shoes | searchVolume 2']);
    expect(() => read('a,b\n1,2\n', { map })).toThrow('it has no column "Term", "Global volume"; it has: a, b');
    expect(() => read('Keyword,Colour\nshoes,red\n')).toThrow(
      'no column was recognised as the metrics of keywords; it has: Keyword, Colour',
    );
    expect(() => read('Keyword,Volume\nshoes,1\n', { format: 'ahrefs' })).toThrow('it is not an export of ahrefs');
    expect(() => read('')).toThrow('it is empty');
  });

  it.each([
    [
      ['0.42', '1', '0'],
      ['competition 42', 'competition 100', 'competition 0'],
    ],
    [
      ['42', '1', '0'],
      ['competition 42', 'competition 1', 'competition 0'],
    ],
    [
      ['1', '0', ''],
      ['', 'competition 0', ''],
    ],
  ])('has competition by its numbers: %j', (cells, expected) => {
    const { lines } = read(`keyword,competition\n${cells.map((cell, at) => `k${at},${cell}`).join('\n')}`);
    expect(lines.filter((line) => !line.includes('unclear_number')).map((line) => line.split(' | ')[1] ?? '')).toEqual(
      expected,
    );
  });

  it('has amounts that are assigned a meaning only if they can have no other', () => {
    const said = [
      '1.20',
      '1,20',
      '1.234,56',
      '1,234.56',
      '0.125',
      '1,234',
      '12 USD',
      'US$3',
      '$3',
      '\u20ac3',
      'cheap',
      '0',
      '-',
      '2000000',
    ];
    const { lines } = read(`keyword;cpc (USD)\n${said.map((cell, at) => `k${at};${cell}`).join('\n')}`);
    const rows = said.map((cell, at) => [
      cell,
      lines.find((line) => line.includes(`(k${at}:`))?.replace(/^.*?: (\w+) .*$/, '$1') ??
        lines
          .find((line) => line.includes(`: k${at} | `))
          ?.split(' ')
          .at(-1) ??
        null,
    ]);
    expect(rows).toEqual([
      ['1.20', '1200000'],
      ['1,20', '1200000'],
      ['1.234,56', '1234560000'],
      ['1,234.56', '1234560000'],
      ['0.125', '125000'],
      ['1,234', 'unclear_number'],
      ['12 USD', '12000000'],
      ['US$3', '3000000'],
      ['$3', '3000000'],
      ['\u20ac3', 'other_currency'],
      ['cheap', 'unreadable'],
      ['0', null],
      ['-', null],
      ['2000000', 'unreadable'],
    ]);
  });

  it('loses no more than the broken rows', () => {
    const hostile = `keyword,volume\nshoes,10\n,5\nred shoes,1,2\n"a ""quoted"" one",4\n"open,7\nboots,9\nx\u0001y,3\n${'z'.repeat(900)},3\nlast`;
    expect(read(hostile).lines.map((line) => line.slice(0, 30))).toEqual([
      '2: shoes | searchVolume 10',
      '3: bad_keyword ( | 5)',
      '4: broken_row (red shoes | 1 |',
      '5: a "quoted" one | searchVolu',
      '6: broken_row (")',
      '7: boots | searchVolume 9',
      '8: bad_keyword (x y | 3)',
      expect.stringMatching(/^9: bad_keyword \(zzz/),
      '10: broken_row (last)',
    ]);
  });

  it('gives no impossible value after damage, and fails only with a reason', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (state >>> 8) % below;
    };
    const pieces = [
      '"',
      ',',
      '\t',
      '\n',
      ';',
      '\u0000',
      '\ufeff',
      '-',
      '1K \u2013 10K',
      '999999999999999',
      '0,5',
      '\ud800',
      'Keyword',
      '\u2028',
      'x'.repeat(50),
    ];
    let readings = 0;
    for (let round = 0; round < 400; round += 1) {
      let text = plannerFile(languages[random(languages.length)] ?? english, [',', ';', '\t'][random(3)]);
      for (let cut = random(6); cut >= 0; cut -= 1) {
        const at = random(text.length);
        text = `${text.slice(0, at)}${pieces[random(pieces.length)]}${text.slice(at + random(4))}`;
      }
      try {
        const bytes = random(2) === 0 ? utf16(text) : Buffer.from(text);
        for (const one of readKeywords(() => [bytes], null, { map: new Map(), usdPerUnit: 1 }).readings) {
          if ('refused' in one) continue;
          readings += 1;
          const numbers = [
            one.searchVolume,
            one.cpcMicroUsd,
            one.bidLowMicroUsd,
            one.bidHighMicroUsd,
            one.competition,
            ...one.months.values(),
          ];
          expect(numbers.filter((number) => number !== null && !(Number.isSafeInteger(number) && number >= 0))).toEqual(
            [],
          );
          expect(one.competition ?? 0).toBeLessThanOrEqual(100);
          expect(one.keyword).toMatch(/^\S.*/su);
          expect(one.searchVolume === null || one.volumeRange === null).toBe(true);
        }
      } catch (error) {
        expect(error).toBeInstanceOf(UnreadableFile);
      }
    }
    expect(readings).toBeGreaterThan(300);
  });
});

describe('Search Console', () => {
  it.each([
    ['English', 'Top queries,Clicks,Impressions,CTR,Position'],
    ['German', 'Häufigste Suchanfragen,Klicks,Impressionen,CTR,Position'],
    ['French', 'Requêtes les plus fréquentes,Clics,Impressions,CTR,Position'],
    ['Spanish', 'Consultas principales,Clics,Impresiones,CTR,Posición'],
  ])('gives the queries of its report in %s, without a volume: impressions are not searches', (_language, header) => {
    const { format, lines } = read(`${header}\nrunning shoes,12,340,3.53%,7.41\n`);
    expect(format).toBe('search-console');
    expect(lines).toEqual(['2: running shoes']);
  });

  it('gives no metrics of the keywords of another search engine', () => {
    const text = 'Keyword,Impressions,Clicks,CTR,Avg. Position\nshoes,340,12,3.53%,7\n';
    expect(() => read(text)).toThrow('clicks of another search engine');
  });

  it.each(['Top pages', 'Date', 'Country', 'Device'])('gives no keywords of its report of %s', (first) => {
    expect(() => read(`${first},Clicks,Impressions,CTR,Position\nx,12,340,3.53%,7.41\n`)).toThrow(UnreadableFile);
  });
});
