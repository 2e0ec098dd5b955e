// The import, size and look-ups of a dataset, compared with bare inserts, the list itself and a scan.
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { openKeywordDataset } from '../../db/dataset/keyword-dataset.ts';
import { importKeywords } from '../../src/cli/subcommands/keywords-import.ts';
import { answerAsChild, inChild } from './child.ts';
import { median, timed, worked } from './figures.ts';
import { inFolder } from './folder.ts';
import type { BenchRow } from './row.ts';

const mebibyte = 1_048_576;
const bytesMax = 400 * mebibyte;
const lookups = 1_000;
const relatedMax = 99;
const scans = 9;
const vocabularySize = 40_000;

interface Question {
  readonly folder: string;
  readonly rows: number;
  readonly what: 'import' | 'again' | 'ask';
}

interface Answer {
  readonly ms: number;
  readonly bareMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function benchDataset(quick: boolean): Promise<BenchRow[]> {
  const rows = quick ? 100_000 : 2_000_000;
  return inFolder(async (folder) => {
    const listBytes = writeList(join(folder, 'import.csv'), rows, 1);
    writeList(join(folder, 'again.csv'), rows, 3);
    const ask = (what: Question['what']) => inChild<Answer>(import.meta.url, { folder, rows, what });
    const first = await ask('import');
    const fileBytes = statSync(join(folder, 'dataset')).size;
    const again = await ask('again');
    const asked = await ask('ask');
    const count = rows.toLocaleString('en');
    const imported = (
      { ms, bareMs, rssMax }: Answer & { readonly rssMax: number },
      name: string,
      ratioMax: number,
    ) => ({
      name: `dataset: ${count} keywords ${name}, against bare inserts`,
      target: `under ${ratioMax}x and ${bytesMax / mebibyte} MB`,
      ratio: ms / bareMs,
      detail: `${perSecond(rows, ms)} against ${perSecond(rows, bareMs)}, ${Math.round(rssMax / mebibyte)} MB at most`,
      ok: ms / bareMs < ratioMax && rssMax < bytesMax,
    });
    const scanned = asked.bareMs / asked.p99Ms;
    return [
      imported(first, 'imported', 8),
      imported(again, 'imported again with other volumes', 16),
      {
        name: 'dataset: the file, against the list',
        target: 'under 6x',
        ratio: fileBytes / listBytes,
        detail: `${Math.round(fileBytes / rows)} bytes a keyword against ${Math.round(listBytes / rows)}`,
        ok: fileBytes / listBytes < 6,
      },
      {
        name: `dataset: a keyword and ${relatedMax} relatives of ${count}, the 99th percentile against a scan`,
        target: 'at least 3x faster',
        ratio: scanned,
        detail: `of the processor: p50 ${asked.p50Ms.toFixed(1)} ms, p99 ${asked.p99Ms.toFixed(1)} ms, a scan ${asked.bareMs.toFixed(0)} ms`,
        ok: scanned >= 3,
      },
    ];
  });
}

function perSecond(rows: number, ms: number): string {
  return `${Math.round((rows / ms) * 1000).toLocaleString('en')} rows/s`;
}

/** The same numbers in every run, from 0 to 1. */
function* randomNumbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** Two to five words; the n-th word of the vocabulary is n times rarer than the first. */
function* keywords(seed: number): Generator<{ readonly keyword: string; readonly volume: number }, never> {
  const random = randomNumbers(seed);
  const next = (): number => random.next().value;
  const word = (): string => {
    const rank = Math.floor(Math.exp(next() * Math.log(vocabularySize)));
    return ((rank * 7_919) % 1_000_003).toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
  };
  for (;;) {
    const words = Array.from({ length: 2 + Math.floor(next() * 4) }, word);
    yield { keyword: words.join(' '), volume: Math.floor(Math.exp(next() * 13)) };
  }
}

/** Volumes are multiplied by `factor`. Returns its bytes. */
function writeList(file: string, rows: number, factor: number): number {
  const handle = openSync(file, 'w');
  let text = 'keyword,volume,cpc (USD),competition index\n';
  const source = keywords(1);
  for (let row = 0; row < rows; row += 1) {
    const { keyword, volume } = source.next().value;
    text += `${keyword},${volume * factor},${(volume % 500) / 100},${volume % 101}\n`;
    if (text.length < mebibyte && row < rows - 1) continue;
    writeSync(handle, text);
    text = '';
  }
  closeSync(handle);
  return statSync(file).size;
}

/** The same rows, generated instead of read, into one table with the index that finds a keyword. */
function insertBare(file: string, rows: number): void {
  const sqlite = new Database(file);
  sqlite.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
    CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, volume INTEGER, cpc INTEGER, competition INTEGER) STRICT; BEGIN IMMEDIATE`);
  const insert = sqlite.prepare(
    'INSERT INTO bare (key, volume, cpc, competition) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET volume = excluded.volume',
  );
  const source = keywords(1);
  for (let row = 0; row < rows; row += 1) {
    const { keyword, volume } = source.next().value;
    insert.run(keyword, volume, (volume % 500) * 10_000, volume % 101);
  }
  sqlite.exec('COMMIT');
  sqlite.close();
}

function ask(dataset: string): Answer {
  const opened = openKeywordDataset(dataset);
  const source = keywords(2);
  const times = Array.from({ length: lookups }, () => {
    const key = source.next().value.keyword;
    return worked(() => opened.lookup({ key, country: 'US', languages: ['en'], relatedMax }));
  }).sort((a, b) => a - b);
  opened.close();
  const sqlite = new Database(dataset, { readonly: true });
  const scanned = Array.from({ length: scans }, () => {
    const words = source.next().value.keyword.split(' ');
    const has = words.map(() => "(' ' || key LIKE ?)").join(' + ');
    const sql = `SELECT key, ${has} AS n FROM keywords WHERE n > 0 ORDER BY n DESC, search_volume DESC LIMIT ${relatedMax}`;
    const scan = sqlite.prepare(sql);
    return worked(() => scan.all(...words.map((word) => `% ${word}%`)));
  });
  sqlite.close();
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
  const ms = times.reduce((sum, time) => sum + time, 0);
  return { ms, bareMs: median(scanned), p50Ms: at(0.5), p99Ms: at(0.99) };
}

await answerAsChild(import.meta.url, async ({ folder, rows, what }: Question): Promise<Answer> => {
  const dataset = join(folder, 'dataset');
  if (what === 'ask') return ask(dataset);
  const bareMs = await timed(() => insertBare(join(folder, 'bare'), rows));
  const market = { country: 'US', language: 'en' };
  const ms = await timed(() => importKeywords({ files: [join(folder, `${what}.csv`)], into: dataset, ...market }));
  return { ms, bareMs, p50Ms: Number.NaN, p99Ms: Number.NaN };
});
