// An import that is killed leaves the old dataset before its commit and the new one after it; the next import works.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKeywordDataset } from '../../../db/dataset/keyword-dataset.ts';
import { importKeywords } from '../../../src/cli/subcommands/keywords-import.ts';
import type { DatasetDeath } from '../../helpers/dataset-child.ts';

const oldRows = 500;
const newRows = 4_000;
const market = { country: 'US', language: 'en' };

let folder: string;
let origin: string;
let after: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rankledger-kill-'));
  origin = join(folder, 'origin');
  after = list('new.csv', newRows, 2);
  await importKeywords({ files: [list('old.csv', oldRows, 1)], into: origin, ...market });
});
afterAll(() => rmSync(folder, { recursive: true }));

function list(name: string, rows: number, volume: number): string {
  const file = join(folder, name);
  const lines = Array.from({ length: rows }, (_, at) => `shoe number ${at},${volume}`);
  writeFileSync(file, `keyword,volume\n${lines.join('\n')}\n`);
  return file;
}

/** Every row by its volume, and whether SQLite and the index agree with them. */
function stateOf(file: string) {
  const sqlite = new Database(file);
  try {
    const volumes = sqlite.prepare('SELECT search_volume AS v, count(*) AS n FROM keywords GROUP BY 1').all();
    const indexed = sqlite
      .prepare("SELECT count(*) FROM keyword_search WHERE keyword_search MATCH 'shoe'")
      .pluck()
      .get();
    return { volumes, indexed, integrity: sqlite.pragma('integrity_check', { simple: true }) };
  } finally {
    sqlite.close();
  }
}

const asWas = { volumes: [{ v: 1, n: oldRows }], indexed: oldRows, integrity: 'ok' };
const asNew = { volumes: [{ v: 2, n: newRows }], indexed: newRows, integrity: 'ok' };

const deaths: readonly [DatasetDeath['moment'], DatasetDeath['call'], number, object][] = [
  ['after', 'add', newRows / 2, asWas],
  ['before', 'commit', 1, asWas],
  ['after', 'commit', 1, asNew],
];

test.each(deaths)('a kill %s %s %i leaves a whole dataset', async (moment, call, nth, expected) => {
  const dataset = join(folder, `${moment}-${call}-${nth}`);
  copyFileSync(origin, dataset);
  const child = join(import.meta.dirname, '../../helpers/dataset-child.ts');
  const killed = spawn(process.execPath, [child, after, dataset, call, String(nth), moment], { stdio: 'inherit' });
  expect((await once(killed, 'exit'))[1]).toBe('SIGKILL');
  expect(stateOf(dataset)).toEqual(expected);
  await importKeywords({ files: [after], into: dataset, ...market });
  expect(stateOf(dataset)).toEqual(asNew);
  const opened = openKeywordDataset(dataset);
  expect(opened.contents().markets[0]?.keywords).toBe(newRows);
  opened.close();
});
