// The rank exports of each tool, in its format.
import { describe, expect, it } from 'vitest';
import { type Asked, fixture, linesOf, readBytes } from './read.ts';

describe('Semrush position tracking', () => {
  it('is read below its preamble: one ranking per target and day, none of SERP features, and the volume with the last day', () => {
    const acme = 'running shoes | 2026-01';
    expect(linesOf(fixture('semrush.csv'))).toEqual([
      `9: ${acme}-05 | rank 7 | *.acme.example/* | https://www.acme.example/shoes`,
      `9: ${acme}-12 | rank 5 | *.acme.example/* | https://www.acme.example/shoes | 4400`,
      `9: ${acme}-12 | rank 12 | *.globex.example/* | https://globex.example/running | 4400`,
      '10: trail shoes | 2026-01-05 | not in null | *.acme.example/*',
      '10: trail shoes | 2026-01-12 | rank 40 | *.acme.example/* | https://acme.example/trail | 880',
      '10: trail shoes | 2026-01-12 | not in null | *.globex.example/* | 880',
      '11: other_element (shoes, waterproof: ai overview)',
      '11: shoes, waterproof | 2026-01-12 | - | *.acme.example/* | 20',
      '11: shoes, waterproof | 2026-01-12 | - | *.globex.example/* | 20',
    ]);
  });

  it('is recognised, and not mistaken for another format', () => {
    expect(readBytes(fixture('semrush.csv'))).toMatchObject({ format: 'semrush', delimiter: ',', namesTargets: true });
    expect(() => linesOf('Keyword,*.acme.example/*_20260230\nshoes,4\n')).toThrow('recognised as the rank');
    expect(() => readBytes(fixture('semrush.csv'), { format: 'serposcope' })).toThrow('not an export of serposcope');
  });
});

describe('Semrush lines above the header', () => {
  const campaign = (...said: string[]) =>
    linesOf(`${said.join('\n')}\n\nKeyword,*.acme.example/*_20260105\nshoes,7\n`)[0];

  it('give device and country of all rows', () => {
    expect(linesOf(fixture('semrush-mobile.csv'))).toEqual([
      '10: running shoes | 2026-01-05 | rank 7 | *.acme.example/* | GB | mobile | https://www.acme.example/shoes | 4400',
      '11: trail shoes | 2026-01-05 | not in null | *.acme.example/* | GB | mobile | 880',
    ]);
  });

  it.each([
    ['a device and no location', ['Device: Desktop'], 'shoes | 2026-01-05 | rank 7 | *.acme.example/* | desktop'],
    ['a country in quotes', ['"Location: ""Germany"""'], 'shoes | 2026-01-05 | rank 7 | *.acme.example/* | DE'],
    [
      'a location that is not a country',
      ['Location: Narnia', 'Device: tablet'],
      'shoes | 2026-01-05 | rank 7 | *.acme.example/*',
    ],
    [
      'a place inside a country',
      ['Location: Austin, Texas, United States - English'],
      'shoes | 2026-01-05 | rank 7 | *.acme.example/* | US',
    ],
  ])('may contain %s', (_what, said, expected) => {
    expect(campaign(...said)).toBe(`${said.length + 3}: ${expected}`);
  });
});

it.each([
  ['Location: Austin, Texas, United States (Google) - English', 'Austin, Texas, United States'],
  ['Location: United States (Google) - English', null],
  ['Location: Austin, Narnia', null],
])('the campaign line %j gives the location %j inside a country', (said, place) => {
  expect(readBytes(Buffer.from(`${said}\n\nKeyword,*.acme.example/*_20260105\nshoes,7\n`)).place).toBe(place);
});

describe('the columns of', () => {
  it.each<[string, string, Asked, readonly unknown[]]>([
    [
      'Ahrefs Rank Tracker: a rank and a URL per device',
      'ahrefs.csv',
      {},
      [
        '2: running shoes | 2026-01-05 | rank 7 | US | desktop | https://acme.example/shoes | 4400',
        '2: running shoes | 2026-01-05 | rank 9 | US | mobile | https://acme.example/m/shoes | 4400',
        '3: trail shoes | 2026-01-05 | - | US | desktop | 880',
        '3: trail shoes | 2026-01-05 | rank 41 | US | mobile | https://acme.example/trail | 880',
      ],
    ],
    [
      'Ahrefs organic keywords: a date of the current rank',
      'ahrefs-organic.csv',
      {},
      [
        '2: running shoes | 2026-01-05 | rank 7 | GB | https://acme.example/shoes | 4400',
        '3: trail shoes | 2026-01-05 | rank 12 | GB | https://acme.example/trail | 880',
      ],
    ],
    [
      'AccuRanker: the device under Type',
      'accuranker.csv',
      {},
      [
        '2: running shoes | 2026-01-05 | rank 7 | GB | desktop | https://acme.example/sale | 4400',
        '3: running shoes | 2026-01-05 | rank 9 | GB | mobile | https://acme.example/shoes | 4400',
        '4: trail shoes | 2026-01-05 | not in 100 | GB | desktop | 880',
        '5: red shoes | 2026-01-05 | - | GB | desktop | 90',
      ],
    ],
    [
      'STAT: the market as one cell, the base rank, and the place of a row',
      'stat.csv',
      {},
      [
        '2: running shoes | 2026-01-05 | rank 3 | acme.example | US | desktop | https://acme.example/shoes | 4400',
        '3: trail shoes | 2026-01-05 | - | acme.example | US | mobile | 880',
        '4: shoe shop | 2026-01-05 | rank 2 | acme.example | US | Boise, ID | mobile | https://acme.example/boise | 90',
      ],
    ],
    [
      'STAT in its other words',
      'stat-ranks.csv',
      {},
      [
        '2: running shoes | 2026-01-05 | rank 3 | US | desktop | https://acme.example/shoes | 4400',
        '3: trail shoes | 2026-01-05 | - | US | mobile | 880',
        '4: shoe shop | 2026-01-05 | rank 2 | US | Boise, ID | mobile | https://acme.example/boise | 90',
      ],
    ],
    [
      'AWR: those of one search engine, on the day that the caller says',
      'awr.csv',
      { date: '2026-01-05', map: new Map([['rank', 'Google Mobile US Rank'] as const]) },
      [
        '2: running shoes | 2026-01-05 | rank 9 | mobile | https://acme.example/m/shoes',
        '3: trail shoes | 2026-01-05 | rank 41 | mobile | https://acme.example/trail',
        '4: red shoes | 2026-01-05 | - | mobile',
      ],
    ],
  ])('%s', (_tool, name, asked, expected) => {
    expect(linesOf(fixture(name), asked)).toEqual(expected);
  });

  it('STAT include the language', () => {
    const [first] = readBytes(fixture('stat.csv')).readings;
    expect(first).toMatchObject({ country: 'US', language: 'en' });
  });

  it('AWR are not mixed, and need a day', () => {
    expect(() => linesOf(fixture('awr.csv'))).toThrow(/recognised as the date/);
    expect(() => linesOf(fixture('awr.csv'), { date: '2026-01-05' })).toThrow(
      'ranks of several search engines: Google US, Google Mobile US',
    );
    const text = 'Keyword,Engine X Rank,Engine X URL Found\nshoes,3,https://acme.example/\nred shoes,1(2),\n';
    expect(linesOf(text, { date: '2026-01-05' })).toEqual([
      '2: shoes | 2026-01-05 | rank 3 | https://acme.example/',
      '3: unreadable_rank (red shoes: 1(2))',
    ]);
  });

  it.each([
    ['Location', 'Austin, Texas, United States', 'US | Austin, Texas, United States'],
    ['Location', 'Boise, ID', 'Boise, ID'],
    ['Location', 'UK', 'GB'],
    ['Country,Location', 'US,"Austin, TX"', 'US | Austin, TX'],
    ['Country,Location', 'us,United States', 'US'],
    ['country,location', 'US,@30.27,-97.74', 'US | @30.27,-97.74'],
  ])('any other tool under %s: %s', (names, cells, expected) => {
    const quoted =
      /^[^",]+(,[^",]+)+$/.test(cells) && !names.includes(',') ? `"${cells}"` : cells.replace(/(@.*)/, '"$1"');
    const [line] = linesOf(`Keyword,Date,Rank,${names}\nshoes,2026-01-05,3,${quoted}\n`);
    expect(line).toBe(`2: shoes | 2026-01-05 | rank 3 | ${expected}`);
  });

  it('any other tool under Type are devices only if all of them are', () => {
    const [line] = linesOf('Keyword,Type,Date,Rank\nshoes,organic,2026-01-05,3\nboots,Mobile,2026-01-05,4\n');
    expect(line).toBe('2: shoes | 2026-01-05 | rank 3');
  });
});

describe('SerpBear', () => {
  it('has the day of the last update in its list, and skips a dash, which may mean a failure', () => {
    expect(readBytes(fixture('serpbear.csv')).format).toBe('serpbear');
    expect(linesOf(fixture('serpbear.csv'))).toEqual([
      '2: running shoes | 2026-01-06 | rank 4 | US | desktop | https://acme.example/shoes',
      '3: unclear (trail shoes: -)',
      '4: shoes berlin | 2026-01-06 | rank 9 | DE | Berlin | desktop | https://acme.example/de',
      expect.stringContaining('5: broken_row (14 | shoes | cheap'),
    ]);
  });

  it('has every day in its JSON, with the URL and the volume on the last day only', () => {
    expect(readBytes(fixture('serpbear.json'))).toMatchObject({ format: 'serpbear', delimiter: null });
    expect(linesOf(fixture('serpbear.json'))).toEqual([
      '1: running shoes | 2026-01-04 | rank 6 | acme.example | US | desktop',
      '1: unclear (running shoes 2026-01-05: 0)',
      '1: running shoes | 2026-01-06 | rank 4 | acme.example | US | desktop | https://acme.example/shoes | 4400',
      '2: trail shoes | 2026-01-05 | rank 8 | acme.example | US | mobile | https://acme.example/trail',
      '2: unclear (trail shoes 2026-01-06: 8)',
    ]);
  });

  it('has 0 as "not found" if the caller asks for it', () => {
    expect(linesOf(fixture('serpbear.json'), { notFound: ['0'] })[1]).toBe(
      '1: running shoes | 2026-01-05 | not in null | acme.example | US | desktop',
    );
  });
});

describe('serposcope', () => {
  it('is read with its unquoted URLs; 32767 is "not found", and `local` is a place inside the country', () => {
    expect(readBytes(fixture('serposcope.csv')).format).toBe('serposcope');
    expect(linesOf(fixture('serposcope.csv'))).toEqual([
      '2: running shoes | 2026-01-05 | rank 3 | Acme | US | desktop | https://www.acme.example/a,b,c.html',
      '3: trail shoes | 2026-01-05 | not in null | Acme | US | mobile',
      '4: running shoes | 2026-01-06 | - | Acme | US | desktop',
      '5: running shoes | 2026-01-06 | rank 8 | Acme | US | Berlin,Germany | desktop | https://acme.example/x',
      '6: running shoes, red | 2026-01-06 | rank 11 | Acme | desktop | https://acme.example/x',
    ]);
  });
});

describe('Search Console', () => {
  it.each([
    ['as it exports it, in its own language', fixture('search-console.csv'), {}],
    [
      'with its columns mapped as ranks',
      fixture('search-console.csv'),
      { map: new Map([['rank', 'Position'] as const]) },
    ],
    ['as a plain CSV', fixture('search-console.csv'), { format: 'csv' as const, date: '2026-01-05' }],
    [
      'from its API',
      Buffer.from(
        '{"rows":[{"keys":["a"],"clicks":1,"impressions":2,"ctr":0.5,"position":3},{"impressions":1,"position":2}]}',
      ),
      {},
    ],
    [
      'out of SerpBear',
      Buffer.from(
        'ID,Keyword,Position,Impressions,Clicks,CTR,Country,Device\n0, a, 4, 2, 1, 50, US, desktop\n1, b, 1, 1, 1, 9, US, mobile\n',
      ),
      {},
    ],
  ])('%s gives no rank: its position is an average', (_how, bytes, asked) => {
    expect(readBytes(bytes, asked).format).toBe('search-console');
    const lines = linesOf(bytes, asked);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line).toContain(': average (');
  });
});

describe('any CSV', () => {
  const map = new Map([
    ['keyword', 'Query'],
    ['date', 'day'],
    ['rank', 'Pos'],
    ['url', 'Landing'],
    ['country', 'Market'],
    ['device', 'Platform'],
    ['target', 'Site'],
  ] as const);

  it('is read by its mapped columns; a value that is not a whole rank is left out with its reason', () => {
    expect(linesOf(fixture('ranks.csv'), { map })).toEqual([
      '2: running shoes | 2026-01-05 | rank 3 | acme.example | GB | mobile | https://acme.example/shoes',
      '3: trail shoes | 2026-01-05 | not in 100 | acme.example | GB | mobile',
      '4: red shoes | 2026-01-06 | rank 12 | acme.example | GB | desktop | https://acme.example/red',
      '6: average (shoes: 2,7)',
      '7: unclear (shoes: 0)',
      '8: beyond_top (shoes: 101)',
      '9: shoes | 2026-01-09 | - | acme.example | GB | desktop',
      '10: unreadable_date (soon)',
    ]);
  });

  it('may have 101 and 0 as "not found", if the caller asks for it', () => {
    const lines = linesOf(fixture('ranks.csv'), { map, notFound: ['101', '0'] });
    expect(lines.filter((line) => line.includes('not in null'))).toHaveLength(2);
  });

  it('is read without a map if its columns have usual names', () => {
    expect(linesOf('Date,Keyword,Position\n2026-01-05,shoes,4\n')).toEqual(['2: shoes | 2026-01-05 | rank 4']);
  });

  it('is refused with the columns that it lacks and those that it has', () => {
    expect(() => linesOf('Term,Place\nshoes,4\n')).toThrow('the keyword, the rank, the date; it has: Term, Place');
    expect(() => linesOf('Term,Rank\nshoes,4\n', { map: new Map([['keyword', 'Trem']]) })).toThrow('no column "Trem"');
  });

  it('takes the day of all its rows from the caller', () => {
    expect(linesOf('keyword,rank\nshoes,4\n', { date: '2026-01-05' })).toEqual(['2: shoes | 2026-01-05 | rank 4']);
  });

  it('may have one column per day, with a device or a target in its name; other columns with a date are ignored', () => {
    const header =
      'Group,Keyword,Avg Monthly Searches,2026-01-27 Mobile,20260202 (Desktop),b.example 2026-02-16,2026-02-16 change';
    expect(linesOf(`${header}\nA,shoes,"1,300",4,-,>50,+3\n`)).toEqual([
      '2: shoes | 2026-01-27 | rank 4 | mobile',
      '2: unclear (shoes: -)',
      '2: shoes | 2026-02-16 | not in 50 | b.example | 1300',
    ]);
  });

  it('is not read if the day of a column could be a month', () => {
    const text = 'Keyword,03/04/2026\nshoes,4\n';
    expect(() => linesOf(text)).toThrow('are ambiguous');
    expect(linesOf(text, { dateFormat: 'dmy' })).toEqual(['2: shoes | 2026-04-03 | rank 4']);
    expect(linesOf(text, { dateFormat: 'mdy' })).toEqual(['2: shoes | 2026-03-04 | rank 4']);
  });
});
