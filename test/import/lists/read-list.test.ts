// Reads keywords to track from every kind of export and from plain lists.
import { describe, expect, it } from 'vitest';
import {
  type ListedKeyword,
  type ListRole,
  type RejectedRow,
  readKeywordList,
} from '../../../src/import/lists/read-list.ts';
import { english, plannerFile, utf16 } from '../planner-files.ts';
import { fixture } from '../read.ts';

function read(file: string | Uint8Array, map: ReadonlyMap<ListRole, string> = new Map()) {
  const bytes = typeof file === 'string' ? Buffer.from(file) : file;
  const { format, rows } = readKeywordList(() => [bytes], map);
  return { format, lines: [...rows].map(lineOf) };
}

function lineOf(row: ListedKeyword | RejectedRow): string {
  if ('refused' in row) return `${row.line}: ${row.refused}`;
  const { line, keyword, country, language, location, device, tags, preferredUrl, urls } = row;
  const parts = [keyword, country, language, location, device, tags.join('+') || null];
  const pages = [...(preferredUrl === null ? [] : [`prefers ${preferredUrl}`]), ...urls];
  return `${line}: ${[...parts.filter((part) => part !== null), ...pages].join(' | ')}`;
}

const shoes = 'https://acme.example/shoes';

describe('the keywords of', () => {
  it.each<[string, Uint8Array, string, readonly string[]]>([
    [
      'a plain list',
      fixture('list.txt'),
      'list',
      ['1: running shoes', '3: shoes, red', '4: trail shoes', '5: # 1 shoes'],
    ],
    [
      'Keyword Planner in UTF-16',
      utf16(plannerFile(english)),
      'keyword-planner',
      ['4: running shoes', '5: shoes "wide", red', '6: rare shoe'],
    ],
    [
      'Search Console queries',
      fixture('search-console-queries.csv'),
      'search-console',
      ['2: running shoes', '3: acme shoes'],
    ],
    [
      'Search Console queries in German',
      fixture('search-console.csv'),
      'search-console',
      ['2: running shoes', '3: trail shoes'],
    ],
    [
      'Semrush position tracking, with its campaign and the newest page first',
      fixture('semrush.csv'),
      'semrush',
      [
        '9: running shoes | brand | https://www.acme.example/shoes | https://globex.example/running | https://www.acme.example/shoes',
        '10: trail shoes | https://acme.example/trail',
        '11: shoes, waterproof | https://acme.example/blog',
      ],
    ],
    [
      'a Semrush campaign on mobile',
      fixture('semrush-mobile.csv'),
      'semrush',
      [
        '10: running shoes | GB | mobile | shoes+head | https://www.acme.example/shoes',
        '11: trail shoes | GB | mobile | shoes',
      ],
    ],
    [
      'Ahrefs Rank Tracker',
      fixture('ahrefs.csv'),
      'csv',
      [
        `2: running shoes | US | shoes+head | ${shoes} | https://acme.example/m/shoes`,
        '3: trail shoes | US | https://acme.example/trail',
      ],
    ],
    [
      'AccuRanker, whose landing page is the one that should rank',
      fixture('accuranker.csv'),
      'csv',
      [
        `2: running shoes | GB | desktop | shoes+head | prefers ${shoes} | https://acme.example/sale`,
        `3: running shoes | GB | mobile | shoes+head | prefers ${shoes} | ${shoes}`,
        '4: trail shoes | GB | desktop',
        '5: red shoes | GB | desktop',
      ],
    ],
    [
      'STAT',
      fixture('stat.csv'),
      'csv',
      [
        `2: running shoes | US | en | desktop | shoes+head | ${shoes}`,
        '3: trail shoes | US | en | mobile | shoes',
        '4: shoe shop | US | en | Boise, ID | mobile | https://acme.example/boise',
      ],
    ],
    [
      'STAT in its other words',
      fixture('stat-ranks.csv'),
      'csv',
      [
        `2: running shoes | US | en | desktop | shoes+head | ${shoes}`,
        '3: trail shoes | US | en | mobile | shoes',
        '4: shoe shop | US | en | Boise, ID | mobile | https://acme.example/boise',
      ],
    ],
    [
      'SERPWatcher',
      fixture('serpwatcher.csv'),
      'csv',
      [`2: running shoes | GB | desktop | shoes+head | ${shoes}`, '3: trail shoes | GB | desktop'],
    ],
    [
      'Bing Webmaster Tools',
      Buffer.from('Keyword,Impressions,Clicks,CTR,Avg. Position\nshoes,340,12,3.53%,7\n'),
      'csv',
      ['2: shoes'],
    ],
    ['Wincher', fixture('wincher.csv'), 'csv', [`2: running shoes | shoes+head | ${shoes}`, '3: trail shoes']],
    [
      'SerpBear, with tags that are not quoted',
      fixture('serpbear.csv'),
      'serpbear',
      [
        `2: running shoes | US | desktop | brand+shoes | ${shoes}`,
        '3: trail shoes | US | mobile',
        '4: shoes berlin | DE | Berlin | desktop | https://acme.example/de',
        '5: unknown_market',
      ],
    ],
    [
      'serposcope, with URLs that are not quoted',
      fixture('serposcope.csv'),
      'serposcope',
      [
        '2: running shoes | US | desktop | https://www.acme.example/a,b,c.html',
        '3: trail shoes | US | mobile',
        '4: running shoes | US | desktop',
        '5: running shoes | US | Berlin,Germany | desktop | https://acme.example/x',
        '6: running shoes, red | desktop | https://acme.example/x',
      ],
    ],
    [
      'SerpBear as JSON',
      fixture('serpbear.json'),
      'serpbear',
      [
        `1: running shoes | US | desktop | brand | ${shoes}`,
        '2: trail shoes | US | mobile | https://acme.example/trail',
      ],
    ],
  ])('%s', (_what, file, format, lines) => {
    expect(read(file)).toEqual({ format, lines });
  });
});

describe('a list', () => {
  it('gives no keywords for invalid rows, each with its reason', () => {
    const table = 'keyword,country,device\n,US,\na,Narnia,\nb,US,fridge\nc,US\nd,UK,mobile\n';
    expect(read(table).lines).toEqual([
      '2: bad_keyword',
      '3: unknown_market',
      '4: unknown_market',
      '5: broken_row',
      '6: d | GB | mobile',
    ]);
    expect(read('shoes\nshoes, red\nboots\nsocks\n').lines).toEqual([
      '1: shoes',
      '2: several_cells',
      '3: boots',
      '4: socks',
    ]);
  });

  it('may have a keyword that is the name of a column, but not as its first line', () => {
    expect(read('shoes\nkeyword\nquery\n').lines).toEqual(['1: shoes', '2: keyword', '3: query']);
    expect(read('Keyword\nshoes\n').lines).toEqual(['2: shoes']);
  });

  it('has no addresses of pages, and keeps names of sites', () => {
    expect(read('shoes\nhttps://acme.example/a\nacme.example/b?c\nacme.com\nand/or\n').lines).toEqual([
      ...['1: shoes', '2: address', '3: address', '4: acme.com', '5: and/or'],
    ]);
    expect(read('url\nshoes\nboots\n').lines).toEqual(['2: shoes', '3: boots']);
    expect(read('Keyword,Volume\nhttps://acme.example/a,1\nshoes,2\n').lines).toEqual(['2: address', '3: shoes']);
  });

  it('has the columns that the caller names', () => {
    const map = new Map<ListRole, string>([
      ['keyword', 'Term'],
      ['preferred_url', 'Page'],
    ]);
    expect(read('Term;Page\nshoes;https://acme.example/a\n', map).lines).toEqual([
      '2: shoes | prefers https://acme.example/a',
    ]);
  });

  it.each([
    ['a table without a known column', 'Term,Place\nshoes,4\nboots,5\n', 'it has: Term, Place'],
    [
      'a report of pages',
      'Top pages,Clicks,Impressions,CTR,Position\nhttps://a.example/,1,2,3%,4\n',
      'it has clicks by pages, not by queries',
    ],
    ['a column of addresses', 'url\nhttps://acme.example/a\nhttps://acme.example/b\n', 'list of addresses'],
    ['a column of addresses under another word', 'Adresse\nacme.example/a\nacme.example/b\n', 'list of addresses'],
    ['addresses without a header', 'https://acme.example/a\nhttps://acme.example/b\n', 'list of addresses'],
    ['one address', 'url\nacme.com\n', 'list of addresses'],
    ['a column of sites', 'domain\nacme.com\nglobex.com\n', 'list of addresses'],
    ['an empty file', ' \n', 'is empty'],
    ['other JSON', '{"a":1}', 'JSON of an unknown kind'],
  ])('that is %s is refused as a whole', (_what, text, said) => {
    expect(() => read(text)).toThrow(said);
  });
});
