// Keyword datasets: imports, lookups, and files that are left unchanged.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openConnection } from '../../../db/connection/client.ts';
import { openKeywordDataset } from '../../../db/dataset/keyword-dataset.ts';
import { type DatasetRow, KeywordDatasetWriter, parseMonths } from '../../../db/dataset/keyword-dataset-import.ts';
import { keywordKey } from '../../../src/service/index.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-dataset-'));
  file = join(folder, 'data', 'us.keywords');
});
afterEach(() => rmSync(folder, { recursive: true }));

const row = (keyword: string, searchVolume: number | null = null, more: Partial<DatasetRow> = {}): DatasetRow => ({
  keyword,
  key: keywordKey(keyword),
  country: 'US',
  language: 'en',
  searchVolume,
  volumeRange: null,
  cpcMicroUsd: null,
  bidLowMicroUsd: null,
  bidHighMicroUsd: null,
  competition: null,
  competitionLevel: null,
  intent: null,
  months: new Map(),
  ...more,
});

function take(rows: readonly DatasetRow[], at = 1): string[] {
  const writer = new KeywordDatasetWriter(file);
  writer.begin('file.csv', 'csv', at);
  const added = rows.map((one) => writer.add(one));
  writer.commit();
  writer.close();
  return added;
}

function lookup(keyword: string, { country = 'US', languages = ['en'], relatedMax = 10 } = {}) {
  const dataset = openKeywordDataset(file);
  try {
    return dataset.lookup({ key: keywordKey(keyword), country, languages, relatedMax });
  } finally {
    dataset.close();
  }
}

const related = (keyword: string, options = {}) => lookup(keyword, options).related.map((one) => one.keyword);

function series(key: string): Map<string, number> {
  const sqlite = new Database(file, { readonly: true });
  const text = sqlite.prepare('SELECT monthly FROM keywords WHERE key = ?').pluck().get(key);
  sqlite.close();
  return parseMonths(text as string | null);
}

describe('an import', () => {
  test('keeps the known values of a keyword, and null for unknown ones', () => {
    const known = {
      cpcMicroUsd: 1_230_000,
      bidLowMicroUsd: 100_000,
      bidHighMicroUsd: 900_000,
      competition: 42,
      intent: 'commercial',
    } as const;
    expect(take([row('Running  Shoes', 8100, known), row('trail shoes')])).toEqual(['new', 'new']);
    expect(lookup('running shoes', { relatedMax: 0 })).toEqual({
      asked: { keyword: 'Running  Shoes', searchVolume: 8100, ...known, competitionLevel: null },
      related: [],
    });
    expect(Object.values(lookup('TRAIL shoes').asked ?? {}).filter((value) => value !== null)).toEqual(['trail shoes']);
  });

  test('replaces a keyword as a whole, except for months that it does not contain', () => {
    const months = (list: Record<string, number>) => ({ months: new Map(Object.entries(list)) });
    take([row('shoes', 100, { competition: 9, ...months({ '2025-11': 90, '2026-01': 110 }) })]);
    expect(take([row('SHOES', 2400, months({ '2026-01': 2000, '2026-03': 0 })), row('boots', 5)])).toEqual([
      'replaced',
      'new',
    ]);
    expect(lookup('shoes').asked).toMatchObject({ keyword: 'SHOES', searchVolume: 2400, competition: null });
    expect([...series('shoes')]).toEqual([
      ['2025-11', 90],
      ['2026-01', 2000],
      ['2026-03', 0],
    ]);
    take([row('shoes', 2400)]);
    expect(series('shoes').size).toBe(3);
    const dataset = openKeywordDataset(file);
    expect(dataset.contents()).toEqual({ markets: [{ country: 'US', language: 'en', keywords: 2 }], importedAt: 1 });
    dataset.close();
  });

  test('takes the first of several rows of a keyword that has a volume', () => {
    expect(take([row('a'), row('A', 10), row('a', 20)])).toEqual(['new', 'repeated', 'repeated']);
    expect(lookup('a').asked?.searchVolume).toBe(10);
  });

  test('that is cancelled leaves the dataset unchanged', () => {
    take([row('shoes', 100)]);
    const writer = new KeywordDatasetWriter(file);
    writer.begin('other.csv', 'csv', 2);
    writer.add(row('shoes', 5000));
    writer.add(row('new shoes', 1));
    expect(lookup('shoes')).toMatchObject({ asked: { searchVolume: 100 }, related: [] });
    writer.close();
    expect(lookup('shoes')).toMatchObject({ asked: { searchVolume: 100 }, related: [] });
  });

  test('leaves one file without a write-ahead log', () => {
    take([row('shoes', 100)]);
    expect([`${file}-wal`, `${file}-shm`].filter((name) => existsSync(name))).toEqual([]);
    copyFileSync(file, join(folder, 'copy'));
    file = join(folder, 'copy');
    expect(lookup('shoes').asked?.searchVolume).toBe(100);
  });

  test('refuses a second import at the same time with a message', () => {
    take([row('shoes', 100)]);
    const writer = new KeywordDatasetWriter(file);
    writer.begin('other.csv', 'csv', 2);
    const second = new KeywordDatasetWriter(file, { busyTimeoutMs: 1 });
    expect(() => second.begin('third.csv', 'csv', 3)).toThrow(/is locked by another program/);
    second.close();
    writer.close();
  });
});

describe('related keywords', () => {
  test('have all words first, then the rarer ones, in any form, order and accent', () => {
    const filler = Array.from({ length: 30 }, (_, at) => row(`shoes no ${at}`, 5000));
    take([row('running shoes', 8100), row('shoe for running', 300), row('Rúnning socks', 900), ...filler]);
    expect(related('running shoes', { relatedMax: 3 })).toEqual(['shoe for running', 'Rúnning socks', 'shoes no 0']);
    expect(related('shoes running cheap', { relatedMax: 2 })).toEqual(['running shoes', 'shoe for running']);
  });

  test('share a word that has a meaning', () => {
    take([row('how to tie shoes', 10), row('to do list', 9000), row('shoe tree', 5)]);
    expect(related('how to lace a shoe')).toEqual(['how to tie shoes', 'shoe tree']);
  });

  test('are ordered by volume if the words match equally, with unknown volumes last', () => {
    take([row('shoe c'), row('shoe a', 10), row('shoe b', 100_000), row('shoe d', 1000)]);
    expect(related('shoe', { relatedMax: 3 })).toEqual(['shoe b', 'shoe d', 'shoe a']);
    expect(related('shoe')).toEqual(['shoe b', 'shoe d', 'shoe a', 'shoe c']);
  });

  test('are ordered by the new volume after a change', () => {
    take([row('shoe a', 10), row('shoe b', 20)]);
    take([row('shoe a', 90_000)], 2);
    expect(related('shoe')).toEqual(['shoe a', 'shoe b']);
    take([row('shoe a', 1)], 3);
    expect(related('shoe')).toEqual(['shoe b', 'shoe a']);
  });

  test.each([
    ['運動靴', ['運動靴 レディース', '赤い運動靴']],
    ['靴', ['運動靴 レディース', '赤い運動靴', '靴下']],
    ['รองเท้า', ['รองเท้าวิ่ง']],
    ['जूते', ['दौड़ने के जूते']],
    ['Schuhe', ['Schuh rot']],
    ['c++', ['c kurs']],
  ])('of %s are found without spaces, by characters and by word forms', (keyword, expected) => {
    const all = [
      '運動靴 レディース',
      '赤い運動靴',
      '靴下',
      'รองเท้าวิ่ง',
      'दौड़ने के जूते',
      'Schuh rot',
      'c kurs',
      'जात',
      'แมว',
    ];
    take(all.map((one) => row(one, 10)));
    expect(related(keyword).sort()).toEqual([...expected].sort());
  });

  test('are of the same market; a language with a region falls back to the language', () => {
    take([row('shoe a', 1), row('shoe b', 2, { country: 'GB' }), row('shoe c', 3, { language: 'es' })]);
    expect(related('shoe')).toEqual(['shoe a']);
    expect(related('shoe', { country: 'GB', languages: ['en-GB', 'en'] })).toEqual(['shoe b']);
    expect(lookup('shoe a', { country: 'FR' })).toEqual({ asked: null, related: [] });
  });

  test.each(['"', '*', 'shoe" OR "boot', 'NEAR(', 'a AND', '-', '   ', '(', `${'word '.repeat(400)}`, '\u0000'])(
    'of %j are asked for without harm',
    (keyword) => {
      take([row('shoe', 1), row('boot', 2)]);
      expect(related(keyword).length).toBeLessThanOrEqual(2);
    },
  );
});

describe('a file that is not a dataset', () => {
  test('is named in the error, with a remedy, and left unchanged', () => {
    const other = join(folder, 'other.sqlite');
    openConnection(other).close();
    const text = join(folder, 'notes.txt');
    writeFileSync(text, 'not a database, and longer than sixteen bytes');
    const empty = join(folder, 'empty');
    writeFileSync(empty, '');
    for (const [place, said] of [
      [other, 'not a keyword dataset'],
      [text, 'not a SQLite database'],
      [empty, 'is empty'],
      [folder, 'is a folder'],
    ] as const) {
      const before = place === folder ? '' : readFileSync(place).toString('hex');
      expect(() => new KeywordDatasetWriter(place)).toThrow(said);
      expect(() => openKeywordDataset(place)).toThrow(said);
      if (place !== folder) expect(readFileSync(place).toString('hex')).toBe(before);
    }
    expect(() => openKeywordDataset(join(folder, 'none'))).toThrow('does not exist');
  });

  test('or that is of a newer version is left unchanged', () => {
    take([row('shoes', 1)]);
    const sqlite = new Database(file);
    sqlite.pragma('user_version = 99');
    sqlite.close();
    expect(() => openKeywordDataset(file)).toThrow('newer rankledger');
    expect(() => new KeywordDatasetWriter(file)).toThrow('newer rankledger');
  });
});
